package org.apache.spark.sql.headrace

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, LeafExpression, Predicate, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{Block, CodegenContext, ExprCode, FalseLiteral, TrueLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.classic.{ExpressionUtils, SparkSession}
import org.apache.spark.sql.types.DataType
import org.apache.spark.util.LongAccumulator

/** Its child's value. The optimizer may not copy it, so that what is costly runs once a row. */
case class Once(child: Expression) extends UnaryExpression {
  override lazy val deterministic: Boolean = false
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = child.nullable
  override def eval(input: InternalRow): Any = child.eval(input)
  override def genCode(context: CodegenContext): ExprCode = child.genCode(context)
  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = child.genCode(context)
  override protected def withNewChildInternal(child: Expression): Once = copy(child = child)
}

/** Whether there is no reason against a row; a row that there is one against is counted. */
case class Admitted(child: Expression, rejected: LongAccumulator) extends UnaryExpression with Predicate {
  override lazy val deterministic: Boolean = false
  override def nullable: Boolean = false

  override def eval(input: InternalRow): Any = {
    val fine = child.eval(input) == null
    if (!fine) rejected.add(1L)
    fine
  }

  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = {
    val reason = child.genCode(context)
    val counter = context.addReferenceObj("rejected", rejected)
    val body: Block =
      code"""
         |${reason.code}
         |boolean ${code.value} = ${reason.isNull};
         |if (!${code.value}) $counter.add(1L);
       """.stripMargin
    code.copy(code = body, isNull = FalseLiteral)
  }

  override protected def withNewChildInternal(child: Expression): Admitted = copy(child = child)
}

/** Always true, and counts the rows that it is asked about. */
case class Counted(rows: LongAccumulator) extends LeafExpression with Predicate {
  override lazy val deterministic: Boolean = false
  override def nullable: Boolean = false

  override def eval(input: InternalRow): Any = {
    rows.add(1L)
    true
  }

  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = {
    val counter = context.addReferenceObj("rows", rows)
    ExprCode(code"$counter.add(1L);", FalseLiteral, TrueLiteral)
  }
}

/**
 * Always true. A filter above it may not move below it, where the watermark lies, which would otherwise see
 * just the rows that later filters let through.
 */
case class Barrier() extends LeafExpression with Predicate {
  override lazy val deterministic: Boolean = false
  override def nullable: Boolean = false
  override def eval(input: InternalRow): Any = true
  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode =
    ExprCode(FalseLiteral, TrueLiteral)
}

/** The expressions as Python asks for them. */
object Expressions {
  def once(column: Column): Column = ExpressionUtils.column(Once(ExpressionUtils.expression(column)))

  def admitted(reason: Column, rejected: LongAccumulator): Column =
    ExpressionUtils.column(Admitted(ExpressionUtils.expression(reason), rejected))

  def counted(rows: LongAccumulator): Column = ExpressionUtils.column(Counted(rows))

  def barrier: Column = ExpressionUtils.column(Barrier())

  def counter(spark: org.apache.spark.sql.SparkSession, name: String): LongAccumulator =
    spark.asInstanceOf[SparkSession].sparkContext.longAccumulator(name)
}
