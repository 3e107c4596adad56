package org.apache.spark.sql.headrace

import java.util.concurrent.TimeUnit

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
   * Stops a query between two of its batches if such a moment comes within the limit, and in the
   * middle of one if none does. True if it was between.
   */
  def stopGently(query: StreamingQuery, limitMillis: Long): Boolean = {
    val end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMillis)
    while (query.isActive && query.status.isTriggerActive && System.nanoTime() < end) Thread.sleep(1)
    val between = !query.status.isTriggerActive
    query.stop()
    between
  }

  /** What the query has told of its batches since a moment (as its own timestamps write it), as JSON. */
  def progressSince(query: StreamingQuery, timestamp: String): String =
    query.recentProgress.filter(_.timestamp > timestamp).map(_.json).mkString("[", ",", "]")
}
