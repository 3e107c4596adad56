package org.apache.spark.sql.headrace

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.classic.Dataset
import org.apache.spark.sql.execution.datasources.DataSource
import org.apache.spark.sql.streaming.OutputMode

/** Spark's own file sink, one batch at a time, for a query that has other sinks beside it. */
object FileBatches {

  /** Writes a batch and lists its files under its number; a number that is listed already is skipped. */
  def write(
      frame: DataFrame,
      number: Long,
      format: String,
      options: java.util.Map[String, String],
      partitionBy: java.util.List[String]): Unit = {
    val rows = frame.asInstanceOf[Dataset[_]]
    DataSource(
      rows.sparkSession,
      className = format,
      options = options.asScala.toMap,
      partitionColumns = partitionBy.asScala.toSeq)
      .createSink(OutputMode.Append(), frame.schema)
      .addBatch(number, frame)
  }
}
