package org.apache.spark.sql.headrace

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.execution.aggregate.AggregationIterator
import org.apache.spark.sql.types._

/**
 * Spark's own aggregate functions over buffers that a window keeps. A buffer is live while rows go into it,
 * and frozen (bytes alone) where it is stored, or merged into another.
 */
final class Aggregates(
    keys: Seq[Attribute],
    functions: Seq[AggregateExpression],
    results: Seq[NamedExpression],
    input: Seq[Attribute]) {

  private val kinds = functions.flatMap(_.aggregateFunction.aggBufferAttributes.map(_.dataType)).toArray

  /** Whether a live buffer is bytes already, so that freezing it is copying it. */
  private val flat = kinds.forall(UnsafeRow.isMutable) &&
    functions.forall(!_.aggregateFunction.isInstanceOf[TypedImperativeAggregate[_]])

  private val stage = new Stage(AggregateStage(keys, functions, results, input, Partial))
  private val joining = new Stage(
    AggregateStage(keys, functions, results, functions.flatMap(_.aggregateFunction.inputAggBufferAttributes), PartialMerge))
  private val ending = new Stage(
    AggregateStage(keys, functions, results, functions.flatMap(_.aggregateFunction.inputAggBufferAttributes), Final))

  private val types = kinds.toSeq
  private val toBytes = UnsafeProjection.create(kinds)
  private val typed: Array[TypedImperativeAggregate[_]] =
    stage.functions.collect { case one: TypedImperativeAggregate[_] => one }.toArray
  private val empty: UnsafeRow = if (flat) {
    val row = new SpecificInternalRow(types)
    stage.start(row)
    toBytes(row).copy()
  } else null

  /** A buffer without a row in it. */
  def fresh(): InternalRow = if (flat) empty.copy() else {
    val row = new SpecificInternalRow(types)
    stage.start(row)
    row
  }

  def update(buffer: InternalRow, row: InternalRow): Unit = stage.process(buffer, row)

  /** Adds a frozen buffer to a live one. */
  def merge(buffer: InternalRow, frozen: UnsafeRow): Unit = joining.process(buffer, frozen)

  /** How many fields a frozen buffer has, and a result. */
  def width: Int = kinds.length
  def resultWidth: Int = results.length

  /** Whether the order of rows shows in a result. */
  val ordered: Boolean = Aggregates.ordered(functions)

  /** The bytes of a live buffer, which may be the buffer itself. */
  def frozen(buffer: InternalRow): UnsafeRow = buffer match {
    case bytes: UnsafeRow => bytes
    case _ => freeze(buffer)
  }

  /** The bytes of a live buffer, which stays as it is; the result is the caller's own. */
  def freeze(buffer: InternalRow): UnsafeRow = buffer match {
    case bytes: UnsafeRow => bytes.copy()
    case _ =>
      val copy = new GenericInternalRow(types.length)
      var at = 0
      while (at < types.length) {
        copy.update(at, if (buffer.isNullAt(at)) null else buffer.get(at, types(at)))
        at += 1
      }
      typed.foreach(_.serializeAggregateBufferInPlace(copy))
      toBytes(copy).copy()
  }

  def thaw(frozen: UnsafeRow): InternalRow = if (flat) frozen.copy() else {
    val buffer = fresh()
    merge(buffer, frozen)
    buffer
  }

  /** Keys and results; the row is overwritten by the next call. */
  def result(key: UnsafeRow, buffer: InternalRow): UnsafeRow = ending.result(key, buffer)
}

object Aggregates {
  /** Whether results are the same to the last bit, whatever is added to what first. */
  def exact(functions: Seq[AggregateExpression]): Boolean = functions.forall(_.aggregateFunction match {
    case _: Count | _: Min | _: Max | _: BitAndAgg | _: BitOrAgg | _: BitXorAgg => true
    case sum: Sum => !floats(sum.child.dataType)
    case average: Average => average.child.dataType match {
      case ByteType | ShortType | IntegerType | _: DecimalType => true
      case _ => false
    }
    case _ => false
  })

  private def floats(kind: DataType): Boolean = kind == FloatType || kind == DoubleType

  def ordered(functions: Seq[AggregateExpression]): Boolean = functions.exists(_.aggregateFunction match {
    case _: Collect[_] | _: First | _: Last => true
    case _ => false
  })
}

private case class AggregateStage(
    keys: Seq[Attribute],
    functions: Seq[AggregateExpression],
    results: Seq[NamedExpression],
    input: Seq[Attribute],
    mode: AggregateMode)

/** Opens what Spark's iterator of aggregates keeps to itself. */
private final class Stage(of: AggregateStage)
    extends AggregationIterator(
      0,
      of.keys,
      of.input ++ of.keys, // what is read lies first; no row brings the keys
      of.functions.map(_.copy(mode = of.mode)),
      of.functions.map(_.resultAttribute),
      0,
      of.results,
      (expressions, attributes) => MutableProjection.create(expressions, attributes)) {
  override def hasNext: Boolean = false
  override def next(): UnsafeRow = throw new NoSuchElementException

  def functions: Seq[AggregateFunction] = aggregateFunctions.toSeq
  def start(buffer: InternalRow): Unit = initializeBuffer(buffer)
  def process(buffer: InternalRow, row: InternalRow): Unit = processRow(buffer, row)
  def result(key: UnsafeRow, buffer: InternalRow): UnsafeRow = generateOutput(key, buffer)
}
