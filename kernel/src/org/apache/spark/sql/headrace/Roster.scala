package org.apache.spark.sql.headrace

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper

import org.apache.spark.sql.catalyst.expressions.XxHash64Function
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
import org.apache.spark.sql.types.{IntegerType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * The source partitions of a stream by their numbers. Those of Kafka are read from the offsets of each batch,
 * on the driver, so that a partition is known before its first row, and one that appears later joins in.
 */
object Roster {
  /** The options of a source by which it is found again in a plan. */
  val SOURCE = "headrace.source"
  val TOPICS = "headrace.topics"
  val ONE = "one"
  private val mapper = new ObjectMapper()

  /** What an operator knows of the source partitions before it; none of sources that cannot tell. */
  def of(plan: LogicalPlan, shards: Int): Seq[Long] = plan match {
    case before: WindowOperator => (0 until shards).map(ofShard(before.spec.operator, _))
    case before: Keep => (0 until shards).map(ofShard(before.spec.operator, _))
    case scan: StreamingDataSourceV2ScanRelation =>
      val options = scan.relation.options
      for {
        source <- Option(options.get(SOURCE)).toSeq
        offset <- (scan.endOffset.toSeq ++ scan.startOffset).headOption.toSeq
        (topic, partition) <- partitions(offset.json)
      } yield number(source.toLong, if (options.get(TOPICS) == ONE) None else Some(topic), partition)
    case other => other.children.flatMap(of(_, shards))
  }

  /** A shard of an operator, as the operators behind it see it. */
  def ofShard(operator: Int, shard: Int): Long = (operator.toLong << 16) + shard

  /** The topics and partitions that offsets of Kafka's name. */
  def partitions(json: String): Seq[(String, Int)] =
    mapper.readTree(json).properties.asScala.toSeq.flatMap { topic =>
      topic.getValue.fieldNames.asScala.map(partition => topic.getKey -> partition.toInt)
    }

  def number(source: Long, topic: Option[String], partition: Int): Long = topic match {
    case None => source + partition
    case Some(name) =>
      // As SQL's xxhash64(source, topic, partition), which numbers the rows.
      val first = XxHash64Function.hash(source, LongType, 42L)
      val second = XxHash64Function.hash(UTF8String.fromString(name), StringType, first)
      XxHash64Function.hash(partition, IntegerType, second)
  }
}
