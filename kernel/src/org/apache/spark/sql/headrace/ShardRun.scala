package org.apache.spark.sql.headrace

import java.util.ArrayDeque

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.ExternalAppendOnlyUnsafeRowArray
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** One batch of one shard: its events in their order, then its state stored, as an iterator of what it says. */
final class ShardRun(
    spec: Spec,
    making: Making,
    place: Option[Place],
    store: Option[Store],
    number: Int,
    now: Long,
    rows: Iterator[UnsafeRow]) extends Iterator[InternalRow] {
  private val said = new Said(spec, making)
  private val shard: Shard = place.flatMap(Kept.take(_, number)).getOrElse(restored())
  shard.out = said
  said.shard = shard
  private val key = making.key()
  private val channel = Channel.current()
  private var events: Iterator[() => Unit] = _
  private var ended = false

  TaskContext.get().addTaskCompletionListener[Unit] { _ => if (!ended) store.foreach(_.abort()) }

  private def restored(): Shard = {
    val fresh = new Shard(spec, making.aggregates(), making.rules())
    fresh.out = said
    said.shard = fresh
    store.foreach { kept =>
      fresh.restore(kept.all.map { case (key, value) => (key.clone(), value.clone()) }, making.layout.keys.length)
    }
    spec.roster.foreach(fresh.expect)
    fresh
  }

  override def hasNext: Boolean = {
    while (said.isEmpty && !ended) step()
    !said.isEmpty
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    said.take(channel, number)
  }

  private var pending: UnsafeRow = _
  private var pendingMark: Long = 0

  private def step(): Unit = {
    if (events == null) events = new Batch(rows, this)
    if (shard.fireOne()) ()
    else if (pending != null) {
      val row = pending
      pending = null
      shard.row(row, key(row), row.getLong(Layout.TIME), pendingMark)
    } else if (events.hasNext) events.next().apply()
    else end()
  }

  // The events of a batch.

  def tick(): Unit = shard.tick(now)

  def announced(piece: Piece): Unit = shard.announced(piece.source)

  def row(piece: Piece, row: UnsafeRow): Unit = {
    pendingMark = shard.heard(piece.source, row.getLong(Layout.MARK))
    pending = row
  }

  def over(piece: Piece): Unit = shard.heard(piece.source, piece.mark)

  private def end(): Unit = {
    if (place.isEmpty && !shard.drained) {
      shard.drain() // a batch run: there is nothing behind its input
    } else if (shard.drained && shard.keys.size > 0) shard.finish()
    else {
      channel.begin(number, number, "", 0).mark = shard.promised
      store.foreach(keep)
      ended = true
    }
  }

  private def keep(store: Store): Unit = {
    shard.flush(store.put, store.remove)
    store.commit()
    place.foreach(Kept.give(_, number, shard))
  }
}

/** The rows of a micro-batch, gathered by the piece that they are of, and the pieces in their order. */
private final class Batch(rows: Iterator[UnsafeRow], run: ShardRun) extends Iterator[() => Unit] {
  private val gathered = mutable.LongMap.empty[ExternalAppendOnlyUnsafeRowArray]
  private val pieces = mutable.LongMap.empty[Piece]
  rows.foreach { row =>
    val id = row.getLong(Layout.RUN)
    if (row.getInt(Layout.KIND) == Layout.PIECE) pieces(id) = Piece.read(row.getBinary(Layout.NOTE))
    else gathered.getOrElseUpdate(id, Batch.array()).add(row)
  }

  private val inOrder = pieces.toArray.sortBy(_._2)
  private val events: Iterator[() => Unit] =
    Iterator(() => run.tick()) ++
      inOrder.iterator.map { case (_, piece) => () => run.announced(piece) } ++
      inOrder.iterator.flatMap { case (id, piece) =>
        val of = gathered.get(id).fold(Iterator.empty[UnsafeRow])(_.generateIterator())
        of.map(row => () => run.row(piece, row)) ++ Iterator(() => run.over(piece))
      }

  override def hasNext: Boolean = events.hasNext
  override def next(): () => Unit = events.next()
}

private object Batch {
  def array(): ExternalAppendOnlyUnsafeRowArray =
    new ExternalAppendOnlyUnsafeRowArray(4096, Long.MaxValue, Int.MaxValue, Long.MaxValue)
}

/** What a shard has said and nobody has taken yet. */
final class Said(spec: Spec, making: Making) extends Output {
  private val rows = new ArrayDeque[UnsafeRow]()
  private val times = new ArrayDeque[java.lang.Long]()
  private val marks = new ArrayDeque[java.lang.Long]()
  private val results = making.layout.prepared.results
  private val meta = new GenericInternalRow(Said.WIDTH)
  private val joined = new JoinedRow
  var shard: Shard = _

  private val metaTypes = Seq(
    AttributeReference("kind", IntegerType, nullable = false)(), AttributeReference("window", Shape.WINDOW)(),
    AttributeReference("op", StringType)(), AttributeReference("pane", Shape.PANE)(),
    AttributeReference("watermark", TimestampType)())
  private val resultColumns = results.map(one => AttributeReference("r", one.dataType)())
  private val asPane = UnsafeProjection.create(
    metaTypes ++ resultColumns ++ making.layout.late.map(column => Literal(null, column.dataType)),
    metaTypes ++ resultColumns)
  private val asLate = UnsafeProjection.create(
    metaTypes ++ results.map(one => Literal(null, one.dataType)) ++ making.layout.late,
    metaTypes ++ making.layout.output)

  def isEmpty: Boolean = rows.isEmpty

  def take(channel: Channel, number: Int): InternalRow = {
    if (channel.runs.isEmpty) channel.begin(number, number, "", 0)
    channel.run = 0
    channel.time = times.poll()
    channel.mark = marks.poll()
    channel.arrived = channel.time
    channel.arrivedMark = channel.mark
    rows.poll()
  }

  private def window(start: Long, end: Long): InternalRow = InternalRow(start, end)

  def pane(
      keyed: UnsafeRow, result: UnsafeRow, start: Long, end: Long, op: String, timing: Int, index: Int,
      last: Boolean): Unit = {
    meta.update(0, 0)
    meta.update(1, if (spec.hasWindow) window(start, end) else null)
    meta.update(2, Said.OPS(op))
    meta.update(3, InternalRow(Said.TIMINGS(timing), index, last))
    meta.update(4, null)
    say(asPane(joined(meta, result)).copy(), end - 1)
  }

  def late(row: UnsafeRow, windowed: Boolean, start: Long, end: Long, mark: Long): Unit = if (spec.keepLate) {
    meta.update(0, 1)
    meta.update(1, if (windowed) window(start, end) else null)
    meta.update(2, null)
    meta.update(3, null)
    meta.update(4, if (mark == Channel.NONE) null else mark)
    say(asLate(joined(meta, row)).copy(), row.getLong(Layout.TIME))
  }

  private def say(row: UnsafeRow, time: Long): Unit = {
    rows.add(row)
    times.add(time)
    marks.add(shard.promised)
  }
}

private object Said {
  val WIDTH = 5
  val OPS: Map[String, UTF8String] = Seq("+I", "-U", "+U", "-D").map(op => op -> UTF8String.fromString(op)).toMap
  val TIMINGS: Array[UTF8String] = Timing.NAMES.map(UTF8String.fromString)
}
