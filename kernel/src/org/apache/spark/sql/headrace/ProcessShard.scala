package org.apache.spark.sql.headrace

import java.util.{HashMap, PriorityQueue}

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

/** A timer of a key: of event time or of the clock. */
final class Timer(val event: Boolean, val name: UTF8String, val time: Long)

/**
 * Timers as bytes, on the way to Python, back, and into the store. (As a list in a column of Arrow's, Spark's
 * writer would go through the whole column again at each row.)
 */
object Timer {
  def write(timers: Array[Timer], to: Writer): Array[Byte] = if (timers.isEmpty) null else {
    timers.foreach(timer => to.bool(timer.event).long(timer.time).bytes(timer.name.getBytes))
    to.take()
  }

  def read(bytes: Array[Byte]): Array[Timer] = if (bytes == null) ProcessKey.NO_TIMERS else {
    val from = new Reader(bytes)
    val found = new ArrayBuffer[Timer](1)
    while (from.more) {
      val (event, time) = (from.bool(), from.long())
      found += new Timer(event, UTF8String.fromBytes(from.bytes()), time)
    }
    found.toArray
  }
}

/** A key of a process operator: its state, if it has one, and its timers. */
final class ProcessKey(val key: UnsafeRow) {
  var state: UnsafeRow = _
  var timers: Array[Timer] = ProcessKey.NO_TIMERS
  /** Its number among the keys that went to Python in this batch; none: it did not. */
  var number: Int = ProcessKey.HERE
  var stored: Boolean = false
  /** Where it stands in the queues of what is due; none: it does not. */
  var dueAt: Long = Long.MaxValue
  var alarmAt: Long = Long.MaxValue

  def first(event: Boolean): Long = {
    var least = Long.MaxValue
    var at = 0
    while (at < timers.length) {
      if (timers(at).event == event) least = math.min(least, timers(at).time)
      at += 1
    }
    least
  }

  def isBlank: Boolean = state == null && timers.isEmpty
}

object ProcessKey {
  val NO_TIMERS: Array[Timer] = Array.empty
  val HERE: Int = -1
}

private final class Waiting(val time: Long, val entry: ProcessKey) extends Comparable[Waiting] {
  override def compareTo(other: Waiting): Int = java.lang.Long.compare(time, other.time)
}

/** One shard of a process operator: its time, and its keys. */
final class ProcessShard(val spec: ProcessSpec) {
  val clocks = new Clocks(spec.idle)
  val keys = new HashMap[UnsafeRow, ProcessKey]()
  private val dues = new PriorityQueue[Waiting]()
  private val alarms = new PriorityQueue[Waiting]()
  /** The keys that went to Python in this batch, by their number. */
  val away = new ArrayBuffer[ProcessKey]()

  /** The key of a row, and a new one if it is not known. */
  def entry(key: UnsafeRow): ProcessKey = {
    val found = keys.get(key)
    if (found != null) return found
    val made = new ProcessKey(key.copy())
    keys.put(made.key, made)
    made
  }

  def send(entry: ProcessKey): Unit = {
    entry.number = away.length
    away += entry
  }

  /** A key that has timers of event time due by now and is not with Python yet, or null. */
  def dueByWatermark(): ProcessKey = next(dues, clocks.watermark, event = true)

  /** The same of the clock; when the input has ended, there is none for it to wait for. */
  def dueByClock(): ProcessKey = next(alarms, if (clocks.drained) Long.MaxValue else clocks.now, event = false)

  private def next(queue: PriorityQueue[Waiting], by: Long, event: Boolean): ProcessKey = {
    while (!queue.isEmpty && queue.peek().time <= by) {
      val one = queue.poll()
      val entry = one.entry
      if ((if (event) entry.dueAt else entry.alarmAt) == one.time) {
        if (event) entry.dueAt = Long.MaxValue else entry.alarmAt = Long.MaxValue
        if (entry.number == ProcessKey.HERE) {
          val first = entry.first(event)
          if (first != Long.MaxValue && first <= by) return entry
          list(entry)
        }
      }
    }
    null
  }

  /** Puts a key into the queues, unless it stands there early enough; there it is put right when its turn comes. */
  private def list(entry: ProcessKey): Unit = if (entry.timers.nonEmpty) {
    val due = entry.first(event = true)
    if (due < entry.dueAt) {
      entry.dueAt = due
      dues.add(new Waiting(due, entry))
    }
    val alarm = entry.first(event = false)
    if (alarm < entry.alarmAt) {
      entry.alarmAt = alarm
      alarms.add(new Waiting(alarm, entry))
    }
  }

  /** When the clock must be looked at next. */
  def nextTick: Long = math.min(if (alarms.isEmpty) Long.MaxValue else alarms.peek().time, clocks.nextIdle)

  /** A key is back from Python, as it is to be kept. */
  def back(number: Int, state: UnsafeRow, timers: Array[Timer]): ProcessKey = {
    val entry = away(number)
    entry.state = state
    entry.timers = timers
    entry.number = ProcessKey.HERE
    if (entry.isBlank) keys.remove(entry.key) else list(entry)
    entry
  }

  // What a store keeps.

  def write(entry: ProcessKey, to: Writer): Array[Byte] = {
    val timers = Timer.write(entry.timers, to)
    to.row(entry.state).bytes(if (timers == null) Array.emptyByteArray else timers)
    to.take()
  }

  def read(key: UnsafeRow, from: Reader): Unit = {
    val entry = new ProcessKey(key)
    entry.state = from.row(spec.state.length)
    entry.timers = Timer.read(from.bytes())
    entry.stored = true
    keys.put(key, entry)
    list(entry)
  }

  def writeClocks(to: Writer): Array[Byte] = clocks.writeTime(to.bytes(spec.state.json.getBytes("UTF-8"))).take()

  def readClocks(from: Reader): Unit = {
    val kept = StructType.fromString(new String(from.bytes(), "UTF-8"))
    if (kept.map(field => (field.name, field.dataType)) != spec.state.map(field => (field.name, field.dataType)))
      throw new IllegalStateException(
        s"the checkpoint keeps the state ${kept.toDDL} of each key, and process() now has ${spec.state.toDDL}")
    clocks.readTime(from)
  }
}
