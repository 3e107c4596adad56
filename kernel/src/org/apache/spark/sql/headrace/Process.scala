package org.apache.spark.sql.headrace

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SupportsNonDeterministicExpression, UnaryNode}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.types._

/** An operator that calls a Python function with each row, as Python describes it. */
case class ProcessSpec(
    operator: Int, place: Option[String], idle: Long, roster: Seq[Long], ticks: Boolean, state: StructType) {
  /** How its rows are dealt out: as those of windows of event time. */
  def dealing: Spec = Spec(
    AllTime, Clocked.Event, lateness = 0, keepLate = false, Never, Accumulation.Discarding, finalOnly = false,
    pane = false, operator, place, idle, ttl = None, roster, ticks)
}

object ProcessSpec {
  private val mapper = new ObjectMapper()

  def read(json: String): ProcessSpec = {
    val node = mapper.readTree(json)
    ProcessSpec(
      node.get("operator").asInt,
      Option(node.get("place")).filterNot(_.isNull).map(_.asText),
      node.get("idle").asLong,
      node.get("roster").elements.asScala.map(_.asLong).toSeq,
      node.get("ticks").asBoolean,
      DataType.fromJson(node.get("state").asText).asInstanceOf[StructType])
  }
}

/**
 * What goes to the Python function: a shard's rows in their order, with the times that they act at; the keys
 * that they touch, each before its first row; and the keys whose timers are due.
 */
case class Gather(
    spec: ProcessSpec,
    inputs: Seq[Attribute],
    keys: Seq[Attribute],
    now: Expression,
    output: Seq[Attribute],
    child: LogicalPlan) extends UnaryNode with SupportsNonDeterministicExpression {
  override def allowNonDeterministicExpression: Boolean = true // the time of the batch
  override def producedAttributes: AttributeSet = AttributeSet(output)
  override protected def withNewChildInternal(child: LogicalPlan): Gather = copy(child = child)
}

object Gather {
  def over(child: LogicalPlan, spec: ProcessSpec, names: Seq[String]): Gather = {
    val keys = names.map(name => child.output.find(_.name == name).get)
    val rows = child.output.filterNot(keys.contains)
    Gather(spec, child.output, keys, CurrentTimestamp(), Exchange.toPython(rows, keys, spec.state), child)
  }
}

/** Takes what came back from Python apart: its rows go on, and states and timers into the store. */
case class Keep(spec: ProcessSpec, inputs: Seq[Attribute], results: Int, output: Seq[Attribute], child: LogicalPlan)
    extends UnaryNode {
  override def producedAttributes: AttributeSet = AttributeSet(output)
  override protected def withNewChildInternal(child: LogicalPlan): Keep = copy(child = child)
}

object Keep {
  def over(child: LogicalPlan, spec: ProcessSpec, results: Int): Keep = {
    val shown = child.output.slice(Exchange.BACK, Exchange.BACK + results)
    val output = shown.map(one => AttributeReference(one.name.stripPrefix(Exchange.RESULT), one.dataType)())
    Keep(spec, child.output, results, output, child)
  }
}

/** The columns that go to Python, and those that come back; `python_process.py` knows them by their place. */
object Exchange {
  val KIND = 0
  val KEY = 1
  val TIME = 2
  val MARK = 3
  val WATERMARK = 4
  val NOW = 5
  /** How many columns stand before the row's own on the way there, and before the results' on the way back. */
  val THERE = 6
  val BACK = 4
  val RESULT = "__headrace_r_"

  /** Kinds of record on the way there. */
  val ROW = 0
  val TOUCHED = 1
  val MOVED = 2

  /** Kinds of record on the way back; `FORGOTTEN` is a key without a state, which may have timers. */
  val MADE = 0
  val STATE = 1
  val FORGOTTEN = 2

  private def numbers(names: String*): StructType = names.foldLeft(new StructType()) { (made, name) =>
    made.add(s"__headrace_$name", if (name == "kind" || name == "key") IntegerType else LongType, nullable = false)
  }

  def toPython(rows: Seq[Attribute], keys: Seq[Attribute], state: StructType): Seq[Attribute] = {
    def columns(prefix: String, kinds: Seq[DataType]): StructType =
      StructType(kinds.zipWithIndex.map { case (kind, at) => StructField(s"__headrace_$prefix$at", kind) })
    toAttributes(StructType(
      numbers("kind", "key", "time", "mark", "watermark", "now") ++ columns("c", rows.map(_.dataType)) ++
        columns("k", keys.map(_.dataType)) ++ columns("s", state.map(_.dataType)) ++
        Seq(StructField("__headrace_timers", BinaryType), StructField("__headrace_known", BooleanType))))
  }
}
