package org.apache.spark.sql.headrace

import java.util

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.{BinaryNode, LogicalPlan}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.classic.Dataset
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.connector.read.streaming._
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}
import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * A source without rows, whose offset goes on when something of the query's operators is due by the clock, so
 * that Spark runs a batch though no row came. What is due the operators have told at the end of the batch before.
 */
final class TickSource extends TableProvider {
  override def inferSchema(options: CaseInsensitiveStringMap): StructType = TickSource.SCHEMA
  override def getTable(schema: StructType, parts: Array[Transform], options: util.Map[String, String]): Table =
    new TickTable(options.get(TickSource.PLACE))
}

object TickSource {
  val PLACE = "place"
  val SCHEMA: StructType = new StructType().add("tick", LongType)

  /** The rows of a frame, beside a source of ticks for the operators that keep their state in this place. */
  def beside(frame: Dataset[_], place: String): Dataset[_] = {
    val session = frame.sparkSession
    val ticks = session.readStream.format(classOf[TickSource].getName).option(PLACE, place).load()
    val plan = Ticking(frame.queryExecution.analyzed, ticks.asInstanceOf[Dataset[_]].queryExecution.analyzed)
    Dataset.ofRows(session, plan)
  }
}

private final class TickTable(place: String) extends Table with SupportsRead {
  override def name: String = "ticks"
  override def schema: StructType = TickSource.SCHEMA
  override def capabilities: util.Set[TableCapability] = util.EnumSet.of(TableCapability.MICRO_BATCH_READ)
  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () => new Scan {
    override def readSchema: StructType = TickSource.SCHEMA
    override def toMicroBatchStream(folder: String): MicroBatchStream = new TickStream(place)
  }
}

private final case class TickOffset(tick: Long) extends Offset {
  override def json: String = tick.toString
}

/** In real time it stands still, and is there alone so that the offsets of every mode are of the same sources. */
private final class TickStream(place: String)
    extends MicroBatchStream with SupportsTriggerAvailableNow with SupportsRealTimeMode {
  private var still = false
  private var woken = false
  private var read = TickOffset(0)

  override def prepareForTriggerAvailableNow(): Unit = still = true
  override def initialOffset: Offset = TickOffset(0)
  override def deserializeOffset(json: String): Offset = {
    read = TickOffset(json.trim.toLong)
    read
  }
  override def latestOffset: Offset = throw new UnsupportedOperationException("asked for with a limit")

  override def latestOffset(start: Offset, limit: ReadLimit): Offset = {
    val TickOffset(tick) = start
    if (isDue) TickOffset(tick + 1) else start
  }

  /** A query that has just begun looks at the clock once, as what it has kept may be due. */
  private def isDue: Boolean = !still && (Pulses.nextTick(place) match {
    case Some(time) => time <= System.currentTimeMillis() * 1000
    case None => !woken && { woken = true; true }
  })

  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] = Array.empty
  override def planInputPartitions(start: Offset): Array[InputPartition] = Array.empty
  override def mergeOffsets(offsets: Array[PartitionOffset]): Offset = read
  override def createReaderFactory(): PartitionReaderFactory = NoRows
  override def commit(end: Offset): Unit = ()
  override def stop(): Unit = ()
}

private object NoRows extends PartitionReaderFactory {
  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    throw new UnsupportedOperationException("ticks have no rows")
}

/** A stream's rows, and nothing of the ticks beside it. */
case class Ticking(left: LogicalPlan, right: LogicalPlan) extends BinaryNode {
  override def output: Seq[Attribute] = left.output
  override def maxRows: Option[Long] = left.maxRows
  override protected def withNewChildrenInternal(left: LogicalPlan, right: LogicalPlan): Ticking = Ticking(left, right)
}

case class TickingExec(left: SparkPlan, right: SparkPlan) extends BinaryExecNode {
  override def output: Seq[Attribute] = left.output
  override def outputPartitioning: Partitioning = left.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = left.outputOrdering
  override protected def doExecute(): RDD[InternalRow] = left.execute()
  override protected def withNewChildrenInternal(left: SparkPlan, right: SparkPlan): TickingExec =
    TickingExec(left, right)
}
