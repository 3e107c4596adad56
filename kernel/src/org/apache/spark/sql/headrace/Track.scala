package org.apache.spark.sql.headrace

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, LeafExpression, Nondeterministic, Predicate, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{Block, CodegenContext, EmptyBlock, ExprCode, FalseLiteral, TrueLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{DataType, LongType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Writes what it is told of each row into its task's channel. */
final class Tracker(delay: Long, punctuated: Boolean, channel: Channel) {
  def this(delay: Long, punctuated: Boolean) = this(delay, punctuated, Channel.current())

  private var run: Run = _
  private var source = 0L
  private var name: UTF8String = _

  /** Whether it is a row at all, and not just a watermark that a test moves. */
  def row(
      from: Long, major: Long, piece: UTF8String, minor: Long,
      time: Long, timed: Boolean, punctuation: Long, marked: Boolean,
      arrived: Long, stamped: Boolean, marker: Long, test: Boolean): Boolean = {
    if (test && marker == Tracker.NOTHING) return false
    if (run == null || from != source || ((piece ne name) && piece != name)) {
      source = from
      name = if (piece == null) null else piece.clone()
      run = channel.begin(from, major, if (piece == null) "" else piece.toString, minor)
    }
    if (test) {
      val over = marker >= Tracker.END
      run.mark = math.max(run.mark, if (over) Long.MaxValue else marker - delay)
      if (over) run.arrival = Long.MaxValue
      return false
    }
    channel.mark = run.mark
    channel.arrivedMark = run.arrival
    channel.time = if (timed) time else Channel.NONE
    if (punctuated) { if (marked) run.mark = math.max(run.mark, punctuation) }
    else if (timed) run.mark = math.max(run.mark, time - delay)
    channel.arrived = if (stamped) arrived else Channel.NONE
    if (stamped) run.arrival = math.max(run.arrival, arrived)
    true
  }
}

object Tracker {
  /** Markers of tests: one that moves nothing, and the end of all time (the year 9999 and later). */
  val NOTHING = 0L
  val END = 253370764800000000L
}

/**
 * True for every row (and false for a test's markers); tells the task's channel where the row is from and when
 * it happened. The optimizer may not move it, nor a filter below it.
 *
 * Children: the source partition's number; the order of pieces within the source (a number, a name, a number);
 * event time; a punctuation, or null; the time of arrival, or null; a test's marker, or null.
 */
case class Tracked(parts: Seq[Expression], delay: Long, punctuated: Boolean)
    extends Expression with Predicate {
  override lazy val deterministic: Boolean = false
  override def nullable: Boolean = false
  override def children: Seq[Expression] = parts

  @transient private var tracker: Tracker = _

  override def eval(input: InternalRow): Any = {
    if (tracker == null) tracker = new Tracker(delay, punctuated)
    val values = parts.map(_.eval(input))
    def long(at: Int): Long = if (values(at) == null) 0L else values(at).asInstanceOf[Long]
    def there(at: Int): Boolean = values(at) != null
    tracker.row(
      long(0), long(1), values(2).asInstanceOf[UTF8String], long(3),
      long(4), there(4), long(5), there(5), long(6), there(6), long(7), there(7))
  }

  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = {
    val kind = classOf[Tracker].getName
    val tracker = context.addMutableState(kind, "tracker")
    context.addPartitionInitializationStatement(s"$tracker = new $kind(${delay}L, $punctuated);")
    val made = parts.map(_.genCode(context))
    val first = made.take(4).map(_.value.code)
    val rest = made.drop(4).map(part => s"${part.value.code}, !${part.isNull.code}")
    val name = s"(${made(2).isNull.code} ? null : ${made(2).value.code})"
    val arguments = (Seq(first(0), first(1), name, first(3)) ++ rest).mkString(", ")
    val before = made.map(_.code).foldLeft(EmptyBlock: Block)(_ + _)
    code.copy(
      code = code"""
         |$before
         |boolean ${code.value} = $tracker.row($arguments);
       """.stripMargin,
      isNull = FalseLiteral)
  }

  override protected def withNewChildrenInternal(children: IndexedSeq[Expression]): Tracked =
    copy(parts = children)
}

/** What the channel says of the present row, as a value that can pass through Python. */
case class Stamp() extends LeafExpression with Nondeterministic {
  override def nullable: Boolean = false
  override def dataType: DataType = Stamp.schema
  @transient private var channel: Channel = _
  override protected def initializeInternal(partition: Int): Unit = channel = Channel.current()
  override protected def evalInternal(input: InternalRow): Any = Stamp.of(channel)
  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = {
    val kind = classOf[Channel].getName
    val channel = context.addMutableState(kind, "channel")
    context.addPartitionInitializationStatement(s"$channel = $kind.current();")
    val row = classOf[InternalRow].getName
    code.copy(
      code = code"$row ${code.value} = ${classOf[Stamp].getName}.of($channel);",
      isNull = FalseLiteral)
  }
}

object Stamp {
  val schema: StructType = StructType(
    Seq("run", "time", "mark", "arrived", "before").map(StructField(_, LongType, nullable = false)))

  def of(channel: Channel): InternalRow = InternalRow(
    channel.run.toLong, channel.time, channel.mark, channel.arrived, channel.arrivedMark)
}

/** True; gives the channel back what a stamp said when its row went into Python. */
case class Restamped(child: Expression) extends UnaryExpression with Predicate {
  override lazy val deterministic: Boolean = false
  override def nullable: Boolean = false
  @transient private lazy val channel = Channel.current()

  override def eval(input: InternalRow): Any = Restamped.write(channel, child.eval(input).asInstanceOf[InternalRow])

  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = {
    val kind = classOf[Channel].getName
    val channel = context.addMutableState(kind, "channel")
    context.addPartitionInitializationStatement(s"$channel = $kind.current();")
    val stamp = child.genCode(context)
    code.copy(
      code = code"""
         |${stamp.code}
         |${classOf[Restamped].getName}.write($channel, ${stamp.value});
       """.stripMargin,
      isNull = FalseLiteral,
      value = TrueLiteral)
  }

  override protected def withNewChildInternal(child: Expression): Restamped = copy(child = child)
}

object Restamped {
  def write(channel: Channel, stamp: InternalRow): Boolean = {
    channel.run = stamp.getLong(0).toInt
    channel.time = stamp.getLong(1)
    channel.mark = stamp.getLong(2)
    channel.arrived = stamp.getLong(3)
    channel.arrivedMark = stamp.getLong(4)
    true
  }
}
