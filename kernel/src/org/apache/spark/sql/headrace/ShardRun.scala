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
abstract class ShardRun(
    spec: Spec, making: Making, place: Option[Place], store: Option[Store], pulse: Option[Pulse], number: Int)
    extends Iterator[InternalRow] {
  protected val said = new Said(spec, making)
  protected val shard: Shard = place.flatMap(Kept.take(_, number)).getOrElse(restored())
  protected val channel: Channel = Channel.current()
  private val key = making.key()
  private var ended = false
  private var pending: UnsafeRow = _
  private var pendingMark: Long = 0
  shard.out = said
  said.shard = shard

  TaskContext.get().addTaskCompletionListener[Unit] { _ => if (!ended) store.foreach(_.abort()) }

  private def restored(): Shard = {
    val fresh = new Shard(spec, making.aggregates(), making.rules())
    fresh.out = said
    said.shard = fresh
    store.foreach { kept =>
      fresh.restore(kept.all.map { case (key, value) => (key.clone(), value.clone()) }, making.layout.keys.length)
      fresh.resumed()
    }
    spec.roster.foreach(fresh.expect)
    fresh
  }

  /** Whether there is something to hand on. */
  protected def ready: Boolean = !said.isEmpty

  override def hasNext: Boolean = {
    while (!ready && !ended) step()
    ready
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    said.take(channel, number)
  }

  private def step(): Unit =
    if (!shard.fireOne()) {
      if (pending != null) {
        val row = pending
        pending = null
        row.getInt(Layout.KIND) match {
          case Layout.DATA => shard.row(row, key(row), row.getLong(Layout.TIME), pendingMark)
          case Layout.PART => shard.part(key(row), row.getLong(Layout.TIME), row.getBinary(Layout.NOTE), pendingMark)
          case Layout.LATE => said.missed(row.getLong(Layout.TIME))
        }
      } else if (!read()) end()
    }

  /** Takes the next event; false when there is none any more. */
  protected def read(): Boolean

  /** A row of this source partition: the watermark that it brings acts first. */
  protected def row(source: Long, row: UnsafeRow): Unit = {
    pendingMark = shard.heard(source, row.getLong(Layout.MARK))
    pending = row
  }

  private def end(): Unit = {
    if (place.isEmpty && !shard.drained) {
      shard.drain() // a batch run: there is nothing behind its input
    } else if (shard.drained && shard.keys.size > 0) shard.finish()
    else {
      said.run(channel, number).mark = shard.promised
      store.foreach(keep)
      pulse.foreach(_.add(number -> Beat(shard.nextTick, shard.keys.size, shard.watermark, said.tooLate)))
      ended = true
    }
  }

  private def keep(store: Store): Unit = {
    Faults.reach(Faults.PROCESSED)
    shard.flush(store.put, store.remove)
    store.commit()
    Faults.reach(Faults.STORED)
    place.foreach(Kept.give(_, number, shard))
  }
}

/** A batch whose rows are all there: they are put into their order before the first is looked at. */
final class BatchRun(
    spec: Spec,
    making: Making,
    place: Option[Place],
    store: Option[Store],
    pulse: Option[Pulse],
    number: Int,
    now: Long,
    rows: Iterator[UnsafeRow]) extends ShardRun(spec, making, place, store, pulse, number) with Hearer {
  private lazy val events: Iterator[() => Unit] = new Batch(rows, this)

  protected def read(): Boolean = events.hasNext && {
    events.next().apply()
    true
  }

  def tick(): Unit = shard.tick(now)

  def announced(piece: Piece): Unit = shard.announced(piece.source)

  def row(piece: Piece, of: UnsafeRow): Unit = row(piece.source, of)

  def over(piece: Piece): Unit = shard.heard(piece.source, piece.mark)
}

/** Who takes the events of a batch, in their order. */
trait Hearer {
  def tick(): Unit
  def announced(piece: Piece): Unit
  def row(piece: Piece, row: UnsafeRow): Unit
  def over(piece: Piece): Unit
}

/** The rows of a micro-batch, gathered by the piece that they are of, and the pieces in their order. */
private[headrace] final class Batch(rows: Iterator[UnsafeRow], run: Hearer) extends Iterator[() => Unit] {
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
  private val nothing = new GenericInternalRow(results.length)
  var shard: Shard = _
  /** How many late rows there were, kept or dropped. */
  var tooLate: Long = 0

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

  /** The one run that a shard's rows are of, for the operator behind it. */
  def run(channel: Channel, number: Int): Run =
    if (channel.runs.nonEmpty) channel.passing
    else channel.begin(Roster.ofShard(spec.operator, number), number, "", 0)

  def take(channel: Channel, number: Int): InternalRow = {
    run(channel, number)
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

  def late(row: UnsafeRow, windowed: Boolean, start: Long, end: Long, mark: Long): Unit = {
    tooLate += 1
    if (spec.keepLate) {
      meta.update(0, 1)
      meta.update(1, if (windowed) window(start, end) else null)
      meta.update(2, null)
      meta.update(3, null)
      meta.update(4, if (mark == Channel.NONE) null else mark)
      say(asLate(joined(meta, row)).copy(), row.getLong(Layout.TIME))
    }
  }

  def missed(rows: Long): Unit = tooLate += rows

  /** No row at all: it brings the operator behind this one the watermark. */
  def blank(): InternalRow = {
    (0 until Said.WIDTH).foreach(meta.setNullAt)
    meta.update(0, 2)
    asPane(joined(meta, nothing))
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
