package org.apache.spark.sql.headrace

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.planning.PhysicalAggregation
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project, SupportsNonDeterministicExpression, UnaryNode}
import org.apache.spark.sql.catalyst.plans.physical.ShufflePartitionIdPassThrough
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.classic.{Dataset, SparkSession}
import org.apache.spark.sql.execution.{LogicalRDD, SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
import org.apache.spark.sql.execution.exchange.{REPARTITION_BY_NUM, ShuffleExchangeExec}
import org.apache.spark.sql.types._

/**
 * What a window computes, against columns of its own: `input` are the operator's input columns in their order,
 * `ready` what the aggregates read of them.
 */
case class Prepared(
    input: Seq[Attribute],
    ready: Seq[NamedExpression],
    keys: Seq[Attribute],
    functions: Seq[AggregateExpression],
    results: Seq[NamedExpression])

object Prepared {
  /** Spark analyses and rewrites the aggregates on a relation of these columns, which nobody reads. */
  def of(session: SparkSession, schema: StructType, keys: Seq[String], aggregates: Seq[org.apache.spark.sql.Column]): Prepared = {
    val leaf = LogicalRDD(toAttributes(schema), session.sparkContext.emptyRDD[InternalRow])(session)
    val frame = Dataset.ofRows(session, leaf)
    val by = keys.map(key => frame.col(s"`$key`"))
    val aggregated = frame.groupBy(by: _*).agg(aggregates.head, aggregates.tail: _*)
    val analyzed = aggregated.queryExecution.analyzed
    val plain = Dataset.ofRows(session, Distincts.asSets(analyzed)).queryExecution.optimizedPlan
    plain.collectFirst { case found: Aggregate => found } match {
      case Some(PhysicalAggregation(grouping, functions, results, child)) =>
        functions.find(_.isDistinct).foreach(one => throw new UnsupportedOperationException(
          s"${one.sql} cannot be merged from parts, as windows need it"))
        val above = plain match {
          case Project(list, _: Aggregate) => list.map(over(results))
          case _ => results
        }
        val ready = child match {
          case Project(list, inner) if inner.isInstanceOf[LogicalRDD] => list
          case _ =>
            val read = AttributeSet(functions.flatMap(_.references) ++ grouping.flatMap(_.references))
            child.output.filter(read.contains)
        }
        Prepared(leaf.output, ready, grouping.map(_.toAttribute), functions, above)
      case _ => throw new UnsupportedOperationException(
        "the aggregates cannot run inside of a window: " + aggregates.mkString(", "))
    }
  }

  private def over(results: Seq[NamedExpression])(outer: NamedExpression): NamedExpression =
    outer.transformUp {
      case attribute: Attribute =>
        results.find(_.exprId == attribute.exprId).map {
          case Alias(inner, _) => inner
          case other => other
        }.getOrElse(attribute)
    } match {
      case named: NamedExpression => named
      case other => Alias(other, outer.name)(outer.exprId)
    }
}

/** DISTINCT inside of a window: the set of values is what is kept. */
private object Distincts {
  import org.apache.spark.sql.catalyst.expressions.aggregate.{CollectSet, Count}

  def asSets(plan: LogicalPlan): LogicalPlan = plan.transformAllExpressions {
    case one @ AggregateExpression(Count(Seq(child)), _, true, _, _) =>
      Cast(Size(one.copy(
        aggregateFunction = CollectSet(child), isDistinct = false, resultId = NamedExpression.newExprId),
        legacySizeOfNull = false), LongType)
  }
}

/** A window operator in a plan. Its rows are results and late rows, told apart by their first column. */
case class WindowOperator(
    spec: Spec,
    prepared: Prepared,
    inputs: Seq[Attribute],
    rules: Seq[Attribute],
    late: Seq[Attribute],
    now: Expression,
    output: Seq[Attribute],
    child: LogicalPlan) extends UnaryNode with SupportsNonDeterministicExpression {
  override def allowNonDeterministicExpression: Boolean = true // the time of the batch
  override def producedAttributes: AttributeSet = AttributeSet(output)
  override protected def withNewChildInternal(child: LogicalPlan): WindowOperator = copy(child = child)
}

object WindowOperator {
  def over(
      frame: Dataset[_],
      spec: Spec,
      keys: Seq[String],
      rules: Seq[String],
      late: Seq[String],
      aggregates: Seq[org.apache.spark.sql.Column]): WindowOperator = {
    val child = frame.queryExecution.analyzed
    def columns(names: Seq[String]): Seq[Attribute] = names.map(name => child.output.find(_.name == name).get)
    val prepared = Prepared.of(frame.sparkSession, frame.schema, keys, aggregates)
    // Columns that nothing reads are not carried.
    val read = AttributeSet(prepared.ready.flatMap(_.references) ++ prepared.keys)
    val used = prepared.input.zip(child.output).filter { case (own, _) => read.contains(own) }
    WindowOperator(
      spec,
      prepared.copy(input = used.map(_._1)),
      used.map(_._2),
      columns(rules),
      columns(late),
      CurrentTimestamp(),
      Shape.output(prepared.results, columns(late)),
      child)
  }
}

/** The columns of an operator's rows. */
object Shape {
  val KIND = "__headrace_kind"
  val WINDOW: StructType = new StructType().add("start", TimestampType).add("end", TimestampType)
  val PANE: StructType = new StructType()
    .add("timing", StringType, nullable = false).add("index", IntegerType, nullable = false)
    .add("final", BooleanType, nullable = false)

  def output(results: Seq[NamedExpression], late: Seq[Attribute]): Seq[Attribute] = {
    def made(name: String, kind: DataType, nullable: Boolean = true): Attribute =
      AttributeReference(s"__headrace_$name", kind, nullable)()
    Seq(made("kind", IntegerType, nullable = false), made("window", WINDOW), made("op", StringType),
      made("pane", PANE), made("watermark", TimestampType)) ++
      results.zipWithIndex.map { case (result, at) => made(s"r$at", result.dataType) } ++
      late.map(column => made(s"late_${column.name}", column.dataType))
  }
}

/** Plans the kernel's nodes; a window operator is a step that deals rows out by key, Spark's shuffle, and the kernel. */
object WindowStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case operator: WindowOperator =>
      val session = SparkSession.getActiveSession.getOrElse(throw new IllegalStateException("no session"))
      val shards = Place.shards(session.sessionState.conf)
      val spec = operator.spec.copy(roster = operator.spec.roster ++ Roster.of(operator.child, shards))
      val layout = Layout.of(operator)
      val live = isRealTime(operator.child)
      val below = if (live) Due.over(operator.child) else operator.child
      val route = RouteExec(spec, layout, shards, live, planLater(below))
      val by = ShufflePartitionIdPassThrough(DirectShufflePartitionID(layout.shard), shards)
      val place = Place.of(operator.spec.place, operator.spec.operator, operator.isStreaming, session.sparkContext)
      val now = operator.now.eval().asInstanceOf[Long]
      Seq(KernelExec(
        spec, layout, place, now, live, operator.output,
        ShuffleExchangeExec(by, route, REPARTITION_BY_NUM)))
    case Fan(conditions, columns, output, child) => Seq(FanExec(conditions, columns, output, planLater(child)))
    case Ticking(left, right) => Seq(TickingExec(planLater(left), planLater(right)))
    case _ => Nil
  }

  private def isRealTime(plan: LogicalPlan): Boolean = plan.collectLeaves().exists {
    case scan: StreamingDataSourceV2ScanRelation => scan.relation.realTimeModeDuration.isDefined
    case _ => false
  }
}
