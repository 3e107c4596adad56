package org.apache.spark.sql.headrace

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/** Runs the shards of a window operator over the rows that were dealt out to them. */
case class KernelExec(
    spec: Spec,
    layout: Layout,
    place: Option[Place],
    now: Long,
    realTime: Boolean,
    output: Seq[Attribute],
    child: SparkPlan) extends UnaryExecNode {
  override def producedAttributes: AttributeSet = AttributeSet(output)
  override protected def withNewChildInternal(child: SparkPlan): KernelExec = copy(child = child)

  override protected def doExecute(): RDD[InternalRow] = {
    val stores = Stores.of(session, place)
    val (of, made, at, moment, live) = (spec, Making(spec, layout, output), place, now, realTime)
    val pulse = place.map(Pulses.begin(_, sparkContext))
    child.execute().mapPartitionsWithIndexInternal { (number, given) =>
      val store = stores.open(number)
      val rows = given.asInstanceOf[Iterator[UnsafeRow]]
      if (live) new LiveRun(of, made, at, store, pulse, number, rows)
      else new BatchRun(of, made, at, store, pulse, number, moment, rows)
    }
  }
}

/** How a shard is made anew, and how its rows look. */
case class Making(spec: Spec, layout: Layout, output: Seq[Attribute]) {
  private def prepared = layout.prepared

  def aggregates(): Aggregates = {
    val input = layout.output
    // The preparation's own columns, under the names by which they arrive.
    def renamed[T <: Expression](one: T): T = one.transform { case own: Attribute if known(own) => layout.renamed(own) }
      .asInstanceOf[T]
    new Aggregates(layout.keys, prepared.functions.map(renamed(_)), prepared.results.map(renamed(_)), input)
  }

  private def known(own: Attribute): Boolean =
    prepared.ready.exists(_.exprId == own.exprId) || prepared.input.exists(_.exprId == own.exprId)

  def key(): UnsafeProjection = UnsafeProjection.create(layout.keys, layout.output)

  def rules(): Rules = new ColumnRules(spec, layout)
}

/** The rules as columns that were computed before the row came. */
final class ColumnRules(spec: Spec, layout: Layout) extends Rules {
  private val at = layout.rules.map(rule => layout.output.indexWhere(_.exprId == rule.exprId)).toArray
  private val extra = spec.cut match {
    case Session(None) | _: Delta => 1
    case Punctuated(begin, end) => (if (begin) 1 else 0) + (if (end) 1 else 0)
    case _ => 0
  }

  /** The window's own columns come first, then the triggers'. */
  private def truth(row: UnsafeRow, which: Int): Boolean = !row.isNullAt(at(which)) && row.getBoolean(at(which))
  def holds(row: UnsafeRow, predicate: Int): Boolean = truth(row, extra + predicate)
  def gap(row: UnsafeRow): Long = if (row.isNullAt(at(0))) 0L else row.getLong(at(0))
  def delta(row: UnsafeRow): Option[Double] = if (row.isNullAt(at(0))) None else Some(row.getDouble(at(0)))
  def begins(row: UnsafeRow): Boolean = truth(row, 0)
  def ends(row: UnsafeRow): Boolean = truth(row, extra - 1)
  val timed: Boolean = ColumnRules.timed(spec.trigger)
}

object ColumnRules {
  def timed(when: When): Boolean = when match {
    case _: AfterDelay | _: Every => true
    case AtWatermark(early, late) => (early ++ late).exists(timed)
    case AnyOf(parts) => parts.exists(timed)
    case AllOf(parts) => parts.exists(timed)
    case InOrder(parts) => parts.exists(timed)
    case Repeat(part) => timed(part)
    case Until(part, end) => timed(part) || timed(end)
    case _ => false
  }
}
