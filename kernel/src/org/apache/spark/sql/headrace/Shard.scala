package org.apache.spark.sql.headrace

import java.util.HashMap

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** A window of a key, and what is in it. `start` and `end` are those that users see. */
final class Win(var start: Long, var end: Long) {
  var buffer: InternalRow = _
  var rows: Long = 0
  /** Whether rows came since the last pane. */
  var fresh: Boolean = false
  var complete: Boolean = false
  /** Whether its last pane was the final one. */
  var told: Boolean = false
  var panes: Int = 0
  var trigger: Array[Long] = Win.NO_STATE
  /** What the last pane said, where it may have to be taken back. */
  var last: UnsafeRow = _
  var lastTiming: Int = 0
  /** Where the window ended then, as it showed. */
  var lastEnd: Long = 0
}

object Win {
  val NO_STATE: Array[Long] = Array.empty
}

/** A key, and all that is kept for it. */
final class Keyed(val key: UnsafeRow) {
  val windows: ArrayBuffer[Win] = new ArrayBuffer[Win](2)
  /** What a kind of window keeps beside its windows. */
  var extra: AnyRef = _
  var due: Long = Long.MaxValue
  var deadline: Long = Long.MaxValue
  var lastTime: Long = Channel.NONE
  var dirty: Boolean = false
  var stored: Boolean = false
}

/** Where a shard's rows go. */
trait Output {
  def pane(keyed: UnsafeRow, result: UnsafeRow, start: Long, end: Long, op: String, timing: Int, index: Int, last: Boolean): Unit
  def late(row: UnsafeRow, windowed: Boolean, start: Long, end: Long, mark: Long): Unit
  /** Rows that were late, and that nobody asked to see. */
  def missed(rows: Long): Unit
}

/** One shard of a window operator: its clocks, its keys, and the events that move them, in order. */
final class Shard(val spec: Spec, val aggregates: Aggregates, val rules: Rules) extends Clocks(spec.idle) {
  /** Who hears what the shard says, in this batch. */
  var out: Output = _

  val keys = new HashMap[UnsafeRow, Keyed]()
  private val changed = new ArrayBuffer[Keyed]()
  private val dues = new Timers
  private val deadlines = new Timers
  private val windows: Windows = Windows.of(this)

  /** What operators behind this one may rely on: no row before this will come. */
  var promised: Long = Channel.NONE

  /** The end of the last windows that were closed under a lateness which has grown since: they stay closed. */
  var closedTo: Long = Channel.NONE

  private val byClock = spec.clock == Clocked.Processing

  /** How long after its last row a key is freed: what time ends, frees itself. */
  private val ttl: Long = spec.ttl.filter(_ => spec.endsByRows).getOrElse(Long.MaxValue)

  /** The time that windows go by. */
  def reached: Long = if (byClock && !drained) now else watermark

  // Events.

  def row(row: UnsafeRow, key: UnsafeRow, time: Long, mark: Long): Unit = {
    val keyed = kept(key)
    // For this row a key is freed by its own source partition's watermark, wherever the operator's stands.
    if (isOver(keyed, mark)) free(keyed)
    if (time > keyed.lastTime) keyed.lastTime = time
    windows.add(keyed, row, if (byClock) now else time, mark)
    touched(keyed)
  }

  /** Rows of a key that came together, where windows are kept as slices. */
  def part(key: UnsafeRow, start: Long, note: Array[Byte], mark: Long): Unit = {
    val from = new Reader(note)
    val keyed = kept(key)
    windows.asInstanceOf[SlicedWindows].addPart(
      keyed, start, from.long(), from.long(), from.row(aggregates.width), mark)
    touched(keyed)
  }

  private def kept(key: UnsafeRow): Keyed = {
    var keyed = keys.get(key)
    if (keyed == null) {
      keyed = new Keyed(key.copy())
      keys.put(keyed.key, keyed)
    }
    keyed
  }

  /** When the key's ttl is over. */
  private def expiry(keyed: Keyed): Long =
    if (keyed.lastTime == Channel.NONE || keyed.lastTime > Long.MaxValue - ttl) Long.MaxValue
    else keyed.lastTime + ttl

  private def isOver(keyed: Keyed, by: Long): Boolean = {
    val end = expiry(keyed)
    end != Long.MaxValue && end <= by
  }

  private def free(keyed: Keyed): Unit = {
    windows.finish(keyed)
    keyed.lastTime = Channel.NONE
  }

  /** Does the next thing that is due by now, if there is one. */
  def fireOne(): Boolean = {
    if (dues.isDue(reached)) {
      val time = dues.first
      val keyed = dues.take()
      if (keyed.due == time) {
        keyed.due = Long.MaxValue
        windows.due(keyed, reached)
        if (isOver(keyed, reached)) free(keyed)
        touched(keyed)
      }
      true
    } else if (deadlines.isDue(now)) {
      val time = deadlines.first
      val keyed = deadlines.take()
      if (keyed.deadline == time) {
        keyed.deadline = Long.MaxValue
        windows.ticked(keyed)
        touched(keyed)
      }
      true
    } else {
      promised = if (watermark == Channel.NONE || watermark == Long.MaxValue) watermark else watermark - spec.lateness
      false
    }
  }

  /** Completes what has no end of its own; after a drain, when nothing is due any more. */
  def finish(): Unit = keys.values.asScala.toArray.foreach { keyed =>
    windows.finish(keyed)
    touched(keyed)
  }

  /** When the clock must be looked at next: for a window or a trigger that goes by it, or an idle partition. */
  def nextTick: Long = {
    val window = if (byClock && !drained) dues.first else Long.MaxValue
    math.min(math.min(window, deadlines.first), nextIdle)
  }

  private def touched(keyed: Keyed): Unit = {
    val due = math.min(windows.next(keyed), expiry(keyed))
    if (due < keyed.due) {
      keyed.due = due
      dues.add(due, keyed)
    }
    if (rules.timed) {
      val deadline = windows.deadline(keyed)
      if (deadline < keyed.deadline) {
        keyed.deadline = deadline
        deadlines.add(deadline, keyed)
      }
    }
    if (!keyed.dirty) {
      keyed.dirty = true
      changed += keyed
    }
    if (windows.empty(keyed)) keys.remove(keyed.key, keyed)
    else if (!keys.containsKey(keyed.key)) keys.put(keyed.key, keyed)
  }

  // What people look at.

  def glimpses(keyed: Keyed): Seq[Glimpse] = windows.glimpses(keyed)
  def sources: Seq[(Long, SourcePartition)] = partitions.toSeq

  // What a store keeps.

  /** Hands over what has changed since the last time, as a store keeps it. */
  def flush(put: (Array[Byte], Array[Byte]) => Unit, remove: Array[Byte] => Unit): Unit = {
    val writer = new Writer
    changed.foreach { keyed =>
      val key = Store.keyOf(keyed.key)
      if (keys.get(keyed.key) eq keyed) {
        put(key, write(keyed, writer))
        keyed.stored = true
      } else if (keyed.stored && !keys.containsKey(keyed.key)) remove(key)
      keyed.dirty = false
    }
    changed.clear()
    put(Store.CLOCKS, writeClocks(writer))
  }

  /** Takes up what a store has kept; keys have so many columns. The arrays must be the caller's to give away. */
  def restore(kept: Iterator[(Array[Byte], Array[Byte])], columns: Int): Unit = {
    val (clocks, others) = kept.toArray.partition(_._1(0) == Store.CLOCKS(0))
    clocks.foreach { case (_, value) => readClocks(new Reader(value)) }
    others.foreach { case (key, value) => read(Store.rowOf(key, columns), new Reader(value)) }
  }

  private def write(keyed: Keyed, to: Writer): Array[Byte] = {
    to.long(keyed.lastTime)
    windows.write(keyed, to)
    to.take()
  }

  private def read(key: UnsafeRow, from: Reader): Unit = {
    val keyed = new Keyed(key)
    keyed.lastTime = from.long()
    windows.read(keyed, from)
    keyed.stored = true
    keyed.dirty = true // not to be listed as changed
    keys.put(key, keyed)
    touched(keyed)
    keyed.dirty = false
  }

  private def writeClocks(to: Writer): Array[Byte] = {
    writeTime(to).long(promised).long(spec.lateness).long(closedTo)
    to.take()
  }

  private def readClocks(from: Reader): Unit = {
    readTime(from)
    promised = from.long()
    val lateness = from.long()
    closedTo = from.long()
    if (spec.lateness > lateness && watermark != Channel.NONE) closedTo = math.max(closedTo, watermark - lateness)
  }
}
