package org.apache.spark.sql.headrace

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{Column, DataFrame}
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.classic.{Dataset, ExpressionUtils, SparkSession}
import org.apache.spark.sql.types._

/** The kernel as Python asks for it. */
object Kernel {

  /** True for every row, whose source partition, order and times are noted as it passes. */
  def tracked(parts: java.util.List[Column], delay: Long, punctuated: Boolean): Column = {
    val kinds = Seq(LongType, LongType, StringType, LongType, LongType, LongType, LongType, LongType)
    val filled = parts.asScala.toSeq.zip(kinds).map { case (part, kind) =>
      if (part == null) Literal(null, kind) else ExpressionUtils.expression(part)
    }
    ExpressionUtils.column(Tracked(filled, delay, punctuated))
  }

  def stamp: Column = ExpressionUtils.column(Stamp())

  def restamped(stamp: Column): Column = ExpressionUtils.column(Restamped(ExpressionUtils.expression(stamp)))

  /** A window operator over a frame; its rows are results and late rows, as `Shape` says. */
  def windows(
      frame: DataFrame,
      spec: String,
      keys: java.util.List[String],
      rules: java.util.List[String],
      late: java.util.List[String],
      aggregates: java.util.List[Column]): DataFrame = {
    val rows = frame.asInstanceOf[Dataset[_]]
    val session = rows.sparkSession
    plans(session)
    val read = Spec.read(spec)
    val fed = read.place.filter(_ => read.ticks).fold[Dataset[_]](rows)(TickSource.beside(rows, _))
    val operator = WindowOperator.over(
      fed, read, keys.asScala.toSeq, rules.asScala.toSeq, late.asScala.toSeq, aggregates.asScala.toSeq)
    Dataset.ofRows(session, operator)
  }

  /** Frames that are made from one by verbs of single rows, as one frame; their columns have the same types. */
  def fan(from: DataFrame, to: java.util.List[DataFrame]): DataFrame = {
    plans(from.asInstanceOf[Dataset[_]].sparkSession)
    Fan.of(from, to.asScala.toSeq)
  }

  /** What the state of the window operator that a frame ends in is made of, as JSON. */
  def form(frame: DataFrame): String = Form.of(frame.asInstanceOf[Dataset[_]])

  /** Forget what was kept in memory for queries under this checkpoint. */
  def forget(root: String): Unit = {
    Kept.drop(root)
    KeptProcesses.drop(root)
    Pulses.forget(root)
  }

  /** How the operators under this place stand, as JSON. */
  def told(root: String): String = Pulses.told(root)

  /** What a process operator hands to its Python function; the columns named are its keys. */
  def gather(frame: DataFrame, spec: String, keys: java.util.List[String]): DataFrame = {
    val rows = frame.asInstanceOf[Dataset[_]]
    plans(rows.sparkSession)
    val read = ProcessSpec.read(spec)
    val fed = read.place.filter(_ => read.ticks).fold[Dataset[_]](rows)(TickSource.beside(rows, _))
    Dataset.ofRows(rows.sparkSession, Gather.over(fed.queryExecution.analyzed, read, keys.asScala.toSeq))
  }

  /** What a process operator makes of what its function gave back; so many of the columns are results. */
  def keep(frame: DataFrame, spec: String, results: Int): DataFrame = {
    val rows = frame.asInstanceOf[Dataset[_]]
    val plan = rows.queryExecution.analyzed
    Dataset.ofRows(rows.sparkSession, Keep.over(plan, ProcessSpec.read(spec), results))
  }

  private def plans(session: SparkSession): Unit = {
    val methods = session.sessionState.experimentalMethods
    Seq(WindowStrategy, ProcessStrategy).filterNot(methods.extraStrategies.contains).foreach { strategy =>
      methods.extraStrategies = methods.extraStrategies :+ strategy
    }
  }
}
