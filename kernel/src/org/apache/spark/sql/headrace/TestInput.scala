package org.apache.spark.sql.headrace

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.types.StructType

/** A stream that a test feeds by hand; it outlives the query, so that a restarted query reads on. */
final class TestInput(spark: SparkSession, schema: StructType) {
  private val stream = MemoryStream[Row](ExpressionEncoder(schema), spark)

  def frame: DataFrame = stream.toDF()

  /** Adds the rows as one piece, which one trigger takes whole and in this order. */
  def feed(rows: DataFrame): Unit = stream.addData(rows.collectAsList().asScala.toSeq)
}

object TestInput {
  def of(spark: org.apache.spark.sql.SparkSession, schema: String): TestInput =
    new TestInput(
      spark.asInstanceOf[SparkSession],
      org.apache.spark.sql.types.DataType.fromJson(schema).asInstanceOf[StructType])
}
