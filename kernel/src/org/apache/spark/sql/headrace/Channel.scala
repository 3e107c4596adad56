package org.apache.spark.sql.headrace

import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.TaskContext

/** A piece of one source partition that one task reads in order. */
final class Run(val source: Long, val major: Long, val name: String, val minor: Long) extends Serializable {
  /** The watermark that its rows have brought so far, of event time and of ingestion time. */
  var mark: Long = Channel.NONE
  var arrival: Long = Channel.NONE
  /** In real time: the watermark that the shards have been told of, and when (nanoseconds). */
  @transient var told: Long = Channel.NONE
  @transient var toldAt: Long = 0
}

/**
 * What is known of the row that passes through a task at this moment: where it is from, when it happened, and
 * what its source partition's watermark was before it. The step that reads the source writes it, the step
 * before the shuffle reads it; rows are pulled one at a time, so that what lies between needs no column for it.
 */
final class Channel {
  val runs: ArrayBuffer[Run] = ArrayBuffer.empty
  var run: Int = -1
  var time: Long = Channel.NONE
  var mark: Long = Channel.NONE
  var arrived: Long = Channel.NONE
  var arrivedMark: Long = Channel.NONE
  /** In real time: when the shards of the next operator must hear of a watermark. */
  var pace: Pace = _
  /** Whether the row that passes is no row, and only brings a watermark. */
  var blank: Boolean = false

  /** The run that the row is of. */
  def passing: Run = runs(run)

  /** The run of this piece, begun if it is another than the last row's. */
  def begin(source: Long, major: Long, name: String, minor: Long): Run = {
    runs += new Run(source, major, name, minor)
    run = runs.length - 1
    runs(run)
  }
}

object Channel {
  /** No time at all: before all of them. */
  val NONE: Long = Long.MinValue

  private val open = new ConcurrentHashMap[Long, Channel]()

  /** The channel of this task. */
  def current(): Channel = {
    val context = TaskContext.get()
    if (context == null) new Channel
    else open.computeIfAbsent(context.taskAttemptId(), id => {
      context.addTaskCompletionListener[Unit](_ => open.remove(id))
      new Channel
    })
  }
}
