package org.apache.spark.sql.headrace

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.Dataset
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/**
 * Each row on the way to several sinks at once, in one pass: real time has one writer a query, and a row of
 * each sink tells that writer its topic. For each sink: whether a row goes there, and as which columns.
 */
case class Fan(conditions: Seq[Expression], columns: Seq[Seq[Expression]], output: Seq[Attribute], child: LogicalPlan)
    extends UnaryNode with SupportsNonDeterministicExpression {
  override def allowNonDeterministicExpression: Boolean = true
  override def producedAttributes: AttributeSet = AttributeSet(output)
  override protected def withNewChildInternal(child: LogicalPlan): Fan = copy(child = child)
}

object Fan {
  /** Frames that are made from one by verbs of single rows, as one frame; their columns have the same types. */
  def of(from: DataFrame, to: Seq[DataFrame]): DataFrame = {
    val rows = from.asInstanceOf[Dataset[_]]
    val base = rows.queryExecution.analyzed
    val made = to.map(frame => frame.asInstanceOf[Dataset[_]].queryExecution.analyzed)
    val output = made.head.output.zipWithIndex.map { case (column, at) =>
      AttributeReference(column.name, column.dataType, made.exists(_.output(at).nullable))()
    }
    val (conditions, columns) = made.map { plan =>
      val (condition, known) = folded(plan, base)
      (condition, plan.output.map(column => known.getOrElse(column.exprId, column)))
    }.unzip
    Dataset.ofRows(rows.sparkSession, Fan(conditions, columns, output, base))
  }

  private type Columns = Map[ExprId, Expression]

  private def folded(plan: LogicalPlan, base: LogicalPlan): (Expression, Columns) = plan match {
    case same if same.sameResult(base) && same.output.map(_.exprId) == base.output.map(_.exprId) =>
      (Literal.TrueLiteral, Map.empty)
    case Project(list, child) =>
      val (condition, below) = folded(child, base)
      (condition, list.collect { case one @ Alias(inner, _) => one.exprId -> over(inner, below)
        case plain: Attribute if below.contains(plain.exprId) => plain.exprId -> below(plain.exprId) }.toMap)
    case Filter(filter, child) =>
      val (condition, below) = folded(child, base)
      (And(condition, over(filter, below)), below)
    case SubqueryAlias(_, child) => folded(child, base)
    case other => throw new UnsupportedOperationException(s"${other.nodeName} on the way to one of several sinks")
  }

  private def over(expression: Expression, below: Columns): Expression = expression.transform {
    case column: Attribute if below.contains(column.exprId) => below(column.exprId)
  }
}

case class FanExec(conditions: Seq[Expression], columns: Seq[Seq[Expression]], output: Seq[Attribute], child: SparkPlan)
    extends UnaryExecNode {
  override def producedAttributes: AttributeSet = AttributeSet(output)
  override protected def withNewChildInternal(child: SparkPlan): FanExec = copy(child = child)

  override protected def doExecute(): RDD[InternalRow] = {
    val (sinks, input) = (conditions.zip(columns), child.output)
    child.execute().mapPartitionsWithIndexInternal { (partition, rows) =>
      val ways = sinks.map { case (condition, made) =>
        val goes = Predicate.create(condition, input)
        val project = UnsafeProjection.create(made, input)
        goes.initialize(partition)
        project.initialize(partition)
        (goes, project)
      }
      rows.flatMap(row => ways.iterator.filter(_._1.eval(row)).map(_._2(row)))
    }
  }
}
