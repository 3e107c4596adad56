package org.apache.spark.sql.headrace

import scala.collection.mutable

/** A source partition as an operator sees it. */
final class SourcePartition(var mark: Long, var spoke: Long, var idle: Boolean)

/** The time of one shard of an operator: its clock, its source partitions, and the watermark that they come to. */
class Clocks(idle: Long) {
  protected val partitions = mutable.LongMap.empty[SourcePartition]
  private var away = false
  /** Whether the least of the live partitions' watermarks may be another than when it was last looked at. */
  private var woken = false

  var watermark: Long = Channel.NONE
  var now: Long = Channel.NONE

  def drained: Boolean = watermark == Long.MaxValue

  /** The job was away: the time until its next tick is no source partition's silence. */
  def resumed(): Unit = away = true

  def tick(time: Long): Unit = {
    if (time > now) moved(time)
    away = false
  }

  private def moved(time: Long): Unit = {
    val first = now == Channel.NONE
    if (away && !first) partitions.values.foreach(_.spoke += time - now)
    now = time
    if (first) partitions.values.foreach(_.spoke = time)
    partitions.values.foreach(one => if (now - one.spoke >= idle) one.idle = true)
    advance()
  }

  /** A source partition that is to be waited for. */
  def expect(source: Long): Unit =
    if (!partitions.contains(source)) partitions(source) = new SourcePartition(watermark, now, false)

  /** A source partition will speak in this batch: from now on it is waited for. */
  def announced(source: Long): Unit = live(source)

  /** A source partition speaks, its watermark being this; gives the one that its rows are compared with. */
  def heard(source: Long, mark: Long): Long = {
    val one = live(source)
    if (mark > one.mark) {
      one.mark = mark
      if (mark > watermark) woken = true
    }
    if (woken) advance()
    one.mark
  }

  private def live(source: Long): SourcePartition = {
    val one = partitions.getOrElseUpdate(source, new SourcePartition(Channel.NONE, now, true))
    one.spoke = now
    if (one.idle) {
      one.idle = false
      woken = true
      if (one.mark < watermark) one.mark = watermark
    }
    one
  }

  /** The end of all input. */
  def drain(): Unit = watermark = Long.MaxValue

  private def advance(): Unit = {
    woken = false
    var least = Long.MaxValue
    var live = false
    partitions.values.foreach { one =>
      if (!one.idle) {
        live = true
        least = math.min(least, one.mark)
      }
    }
    if (live && least > watermark) watermark = least
  }

  /** When partitions that hold the watermark back will be idle while others are not, so that it moves on. */
  def nextIdle: Long = {
    val live = partitions.values.filterNot(_.idle).toArray.sortBy(-_.spoke)
    var found = Long.MaxValue
    var least = Long.MaxValue
    (1 until live.length).foreach { at =>
      least = math.min(least, live(at - 1).mark)
      val spoke = live(at).spoke
      if (spoke < live(at - 1).spoke && least > watermark && idle < Long.MaxValue - spoke) found = spoke + idle
    }
    found
  }

  protected[headrace] def writeTime(to: Writer): Writer = {
    to.long(watermark).long(now).int(partitions.size)
    partitions.foreachEntry((source, one) => to.long(source).long(one.mark).long(one.spoke).bool(one.idle))
    to
  }

  protected[headrace] def readTime(from: Reader): Unit = {
    watermark = from.long()
    now = from.long()
    (0 until from.int()).foreach { _ =>
      partitions(from.long()) = new SourcePartition(from.long(), from.long(), from.bool())
    }
  }
}
