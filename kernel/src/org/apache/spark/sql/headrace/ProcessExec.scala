package org.apache.spark.sql.headrace

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.plans.physical.ShufflePartitionIdPassThrough
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy, UnaryExecNode}
import org.apache.spark.sql.execution.exchange.{REPARTITION_BY_NUM, ShuffleExchangeExec}

/** Plans process operators: rows dealt out by key, Spark's shuffle, and the two sides of the Python function. */
object ProcessStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case gather: Gather =>
      val session = SparkSession.getActiveSession.getOrElse(throw new IllegalStateException("no session"))
      val shards = Place.shards(session.sessionState.conf)
      val spec = gather.spec.copy(roster = gather.spec.roster ++ Roster.of(gather.child, shards))
      val layout = dealt(gather)
      val route = RouteExec(spec.dealing, layout, shards, realTime = false, planLater(gather.child))
      val by = ShufflePartitionIdPassThrough(DirectShufflePartitionID(layout.shard), shards)
      val place = Place.of(gather.spec.place, gather.spec.operator, gather.isStreaming, session.sparkContext)
      val now = gather.now.eval().asInstanceOf[Long]
      Seq(GatherExec(
        spec, layout, place, now, gather.output, ShuffleExchangeExec(by, route, REPARTITION_BY_NUM)))
    case keep: Keep =>
      Seq(KeepExec(keep.spec, keep.results, keep.output, planLater(keep.child)))
    case _ => Nil
  }

  /** Whole rows, as they are. */
  private def dealt(gather: Gather): Layout = {
    val whole = Prepared(gather.inputs, gather.inputs, gather.keys, Nil, Nil)
    Layout(Layout.control, whole, gather.inputs, gather.inputs, Nil, Nil)
  }
}

/** Hands each shard's rows, with the keys that they touch, on to the Python function that is planned above it. */
case class GatherExec(
    spec: ProcessSpec,
    layout: Layout,
    place: Option[Place],
    now: Long,
    output: Seq[Attribute],
    child: SparkPlan) extends UnaryExecNode {
  override def producedAttributes: AttributeSet = AttributeSet(output)
  override protected def withNewChildInternal(child: SparkPlan): GatherExec = copy(child = child)

  override protected def doExecute(): RDD[InternalRow] = {
    val stores = Stores.of(session, place)
    val (of, dealt, at, moment) = (spec, layout, place, now)
    val pulse = place.map(Pulses.begin(_, sparkContext))
    child.execute().mapPartitionsWithIndexInternal { (number, rows) =>
      val store = stores.open(number)
      new ProcessRun(of, dealt, at, store, pulse, number, moment, rows.asInstanceOf[Iterator[UnsafeRow]])
    }
  }
}

/** Takes what the Python function gave back. */
case class KeepExec(spec: ProcessSpec, results: Int, output: Seq[Attribute], child: SparkPlan) extends UnaryExecNode {
  override def producedAttributes: AttributeSet = AttributeSet(output)
  override protected def withNewChildInternal(child: SparkPlan): KeepExec = copy(child = child)

  override protected def doExecute(): RDD[InternalRow] = {
    val (operator, columns, made) = (spec.operator, child.output, results)
    child.execute().mapPartitionsInternal { rows =>
      new KeptRows(rows.asInstanceOf[Iterator[UnsafeRow]], operator, columns, made)
    }
  }
}
