package org.apache.spark.sql.headrace

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types._

/** The columns of a row on its way to a shard: what steers it, then what the operator reads. */
case class Layout(
    control: Seq[Attribute],
    prepared: Prepared,
    inputs: Seq[Attribute],
    ready: Seq[NamedExpression],
    rules: Seq[Attribute],
    late: Seq[Attribute]) {
  def shard: Attribute = control(Layout.SHARD)

  /** What the operator needs of its child, in the child's own columns, each once. */
  val carried: Seq[NamedExpression] = (ready ++ rules ++ late).foldLeft(Seq.empty[NamedExpression]) {
    (seen, one) => if (seen.exists(_.exprId == one.exprId)) seen else seen :+ one
  }
  val output: Seq[Attribute] = control ++ carried.map(_.toAttribute)

  /** The grouping columns as they arrive. */
  val keys: Seq[Attribute] = prepared.keys.map(renamed)

  /** An attribute of the preparation, as a column that arrives. */
  def renamed(own: Attribute): Attribute = {
    val at = prepared.ready.indexWhere(_.exprId == own.exprId)
    if (at >= 0) ready(at).toAttribute.asInstanceOf[Attribute]
    else inputs(prepared.input.indexWhere(_.exprId == own.exprId))
  }
}

object Layout {
  val SHARD = 0
  val KIND = 1
  val RUN = 2
  val TIME = 3
  val MARK = 4
  val NOTE = 5
  val WIDTH = 6

  /** Kinds of row. */
  val DATA = 0
  val PIECE = 1
  /** Rows that came together, and a number of rows that were too late for that. */
  val PART = 2
  val LATE = 3

  def of(operator: WindowOperator): Layout = {
    val prepared = operator.prepared
    val places = prepared.input.zip(operator.inputs)
    val ready = prepared.ready.map { one =>
      val over = one.transform {
        case own: Attribute => places.collectFirst { case (mine, theirs) if mine.exprId == own.exprId => theirs }
          .getOrElse(own)
      }
      over.asInstanceOf[NamedExpression]
    }
    Layout(control, prepared, operator.inputs, ready, operator.rules, operator.late)
  }

  def control: Seq[Attribute] = Seq(
    AttributeReference("shard", IntegerType, nullable = false)(),
    AttributeReference("kind", IntegerType, nullable = false)(),
    AttributeReference("run", LongType, nullable = false)(),
    AttributeReference("time", LongType, nullable = false)(),
    AttributeReference("mark", LongType, nullable = false)(),
    AttributeReference("note", BinaryType)())
}

/** What a task tells every shard of a run of rows that it has read. */
case class Piece(source: Long, major: Long, name: String, minor: Long, mark: Long)

object Piece {
  def write(run: Run, mark: Long): Array[Byte] = {
    val to = new Writer
    val name = run.name.getBytes(UTF_8)
    to.long(run.source).long(run.major).long(run.minor).long(mark)
    to.bytes(name)
    to.take()
  }

  def read(bytes: Array[Byte]): Piece = {
    val from = new Reader(bytes)
    val (source, major, minor, mark) = (from.long(), from.long(), from.long(), from.long())
    Piece(source, major, new String(from.bytes(), UTF_8), minor, mark)
  }

  /** The order in which pieces are taken. */
  implicit val order: Ordering[Piece] = Ordering.by(piece => (piece.major, piece.name, piece.minor, piece.source))
}

/** Deals rows out to the shards by their key's hash, each with its run, its time and its watermark. */
case class RouteExec(spec: Spec, layout: Layout, shards: Int, realTime: Boolean, child: SparkPlan) extends UnaryExecNode {
  override def output: Seq[Attribute] = layout.output
  override protected def withNewChildInternal(child: SparkPlan): RouteExec = copy(child = child)

  override protected def doExecute(): RDD[InternalRow] = {
    val keyed = layout.prepared.keys.map { own =>
      val at = layout.prepared.ready.indexWhere(_.exprId == own.exprId)
      layout.ready(at) match {
        case Alias(inner, _) => inner
        case other => other
      }
    }
    val shard = if (keyed.isEmpty) Literal(0) else HashPartitioning(keyed, shards).partitionIdExpression
    val expressions = (shard +: layout.control.tail) ++ layout.carried
    val input = layout.control ++ child.output
    val arrival = spec.clock == Clocked.Ingestion
    val (all, output, pace) = (shards, layout.output, Pace.of(spec))
    if (realTime) child.execute().mapPartitionsInternal { rows =>
      new LiveRows(rows, new Dealing(UnsafeProjection.create(expressions, input), arrival, all, output), pace)
    } else CombinedRows.fit(spec, layout.prepared) match {
      case Some(cut) =>
        val (of, making) = (spec, Making(spec, layout, Nil))
        child.execute().mapPartitionsInternal { rows =>
          val dealing = new Dealing(UnsafeProjection.create(expressions, input), arrival, all, output)
          new CombinedRows(rows, dealing, of, cut, making)
        }
      case None => child.execute().mapPartitionsInternal { rows =>
        new RoutedRows(rows, new Dealing(UnsafeProjection.create(expressions, input), arrival, all, output))
      }
    }
  }
}

/** Rows as they leave for the shards. */
private final class Dealing(project: UnsafeProjection, arrival: Boolean, val shards: Int, output: Seq[Attribute]) {
  val channel: Channel = Channel.current()
  private val task = TaskContext.get().partitionId().toLong << 32
  private val control = new SpecificInternalRow(Seq(IntegerType, IntegerType, LongType, LongType, LongType, BinaryType))
  private val joined = new JoinedRow
  private val blank = new GenericInternalRow(output.length)
  /** A word has no columns of its own: they are null here, also where rows' never are. */
  private val direct = {
    val empty = output.map(_.withNullability(true))
    UnsafeProjection.create(empty, empty)
  }
  private lazy val again = UnsafeProjection.create(output.zipWithIndex.map { case (column, at) =>
    BoundReference(if (at < Layout.WIDTH) at else Layout.WIDTH + at, column.dataType, column.nullable)
  })
  project.initialize(TaskContext.get().partitionId())

  /** The row that passes, with what is known of it. */
  def row(row: InternalRow): InternalRow = {
    control.setInt(Layout.KIND, Layout.DATA)
    control.setLong(Layout.RUN, task | channel.run)
    control.setLong(Layout.TIME, if (arrival) channel.arrived else channel.time)
    control.setLong(Layout.MARK, if (arrival) channel.arrivedMark else channel.mark)
    control.setNullAt(Layout.NOTE)
    project(joined(control, row))
  }

  /** What this shard hears of a run: whose it is, and how far its watermark has come. */
  def piece(shard: Int, run: Int, note: Array[Byte]): InternalRow = word(shard, Layout.PIECE, run, 0L, note)

  /** So many rows of a run were late, and nobody reads which. */
  def late(run: Int, rows: Long): InternalRow = word(0, Layout.LATE, run, rows, null)

  private def word(shard: Int, kind: Int, run: Int, number: Long, note: Array[Byte]): InternalRow = {
    blank.setInt(Layout.SHARD, shard)
    blank.setInt(Layout.KIND, kind)
    blank.setLong(Layout.RUN, task | run)
    blank.setLong(Layout.TIME, number)
    blank.setLong(Layout.MARK, Channel.NONE)
    blank.update(Layout.NOTE, note)
    direct(blank)
  }

  /** Rows of one key that came together, told by one of them, as it left. */
  def part(sample: UnsafeRow, start: Long, note: Array[Byte]): InternalRow = {
    control.setInt(Layout.SHARD, sample.getInt(Layout.SHARD))
    control.setInt(Layout.KIND, Layout.PART)
    control.setLong(Layout.RUN, sample.getLong(Layout.RUN))
    control.setLong(Layout.TIME, start)
    control.setLong(Layout.MARK, Channel.NONE)
    control.update(Layout.NOTE, note)
    again(joined(control, sample))
  }

  def piece(run: Int, mark: Long): Iterator[InternalRow] = {
    val note = Piece.write(channel.runs(run), mark)
    (0 until shards).iterator.map(piece(_, run, note))
  }

  /** The watermark that a run has come to. */
  def reached(run: Int): Long = if (arrival) channel.runs(run).arrival else channel.runs(run).mark

  /** The watermark before the row that passes. */
  def before: Long = if (arrival) channel.arrivedMark else channel.mark

  /** At the end every shard hears of every run, also of those whose rows all went elsewhere. */
  def pieces(): Iterator[InternalRow] =
    channel.runs.indices.iterator.flatMap(run => piece(run, reached(run)))
}

private final class RoutedRows(rows: Iterator[InternalRow], dealing: Dealing) extends Iterator[InternalRow] {
  private var notes: Iterator[InternalRow] = _
  Faults.reach(Faults.ROUTE)

  override def hasNext: Boolean =
    if (notes != null) notes.hasNext
    else rows.hasNext || {
      notes = dealing.pieces()
      notes.hasNext
    }

  override def next(): InternalRow = if (notes != null) notes.next() else dealing.row(rows.next())
}
