package org.apache.spark.sql.headrace

import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.classic.{Dataset, StreamingQueryManager}
import org.apache.spark.sql.execution.streaming.sources.{ForeachBatchSink, PythonForeachBatchFunction}
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.apache.spark.sql.catalyst.streaming.InternalOutputModes
import org.apache.spark.util.Clock

/** Starting and stopping queries in ways that Spark keeps to itself. */
object Queries {

  /** Starts a query whose clock the caller holds; its batches go to a Python function. */
  def startHeld(
      frame: DataFrame,
      name: String,
      checkpoint: String,
      output: String,
      clock: Clock,
      function: PythonForeachBatchFunction): StreamingQuery = {
    val rows = frame.asInstanceOf[Dataset[Row]]
    val sink = new ForeachBatchSink[Row](function.call _, rows.exprEnc)
    rows.sparkSession.streams.asInstanceOf[StreamingQueryManager].startQuery(
      userSpecifiedName = Some(name),
      userSpecifiedCheckpointLocation = Some(checkpoint),
      df = rows,
      extraOptions = Map.empty,
      sink = sink,
      outputMode = InternalOutputModes(output),
      trigger = Trigger.ProcessingTime(0),
      triggerClock = clock)
  }

  /**
   * Stops each query at the end of its present batch, and in the middle of it if that end does not come
   * within the limit. A busy query begins its next batch at once: it is stopped before that has written.
   */
  def stopGently(queries: java.util.List[StreamingQuery], limitMillis: Long): Unit = {
    val end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMillis)
    var left = queries.asScala.toSeq.map(query => query -> lastTold(query))
    while (left.nonEmpty && System.nanoTime() < end) {
      val (done, busy) = left.partition { case (query, told) =>
        !query.isActive || !query.status.isTriggerActive || lastTold(query) != told
      }
      done.foreach(_._1.stop())
      left = busy
      if (left.nonEmpty) Thread.sleep(1)
    }
    left.foreach(_._1.stop())
  }

  private def lastTold(query: StreamingQuery): Option[String] =
    Option(query.lastProgress).map(_.timestamp)

  /** What the query has told of its batches since a moment (as its own timestamps write it), as JSON. */
  def progressSince(query: StreamingQuery, timestamp: String): String =
    query.recentProgress.filter(_.timestamp > timestamp).map(_.json).mkString("[", ",", "]")
}
