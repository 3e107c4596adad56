package org.apache.spark.sql.headrace

import java.util.ArrayDeque
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{BinaryType, BooleanType}

/** One batch of one shard of a process operator, as an iterator of what its Python function is to hear. */
final class ProcessRun(
    spec: ProcessSpec,
    layout: Layout,
    place: Option[Place],
    store: Option[Store],
    pulse: Option[Pulse],
    number: Int,
    now: Long,
    rows: Iterator[UnsafeRow]) extends Iterator[InternalRow] with Hearer {
  private val shard = place.flatMap(KeptProcesses.take(_, number)).getOrElse(restored())
  private val clocks = shard.clocks
  private val key = UnsafeProjection.create(layout.keys, layout.output)
  private val records = new Records(spec, layout)
  private val channel = Channel.current()
  private val queue = new ArrayDeque[UnsafeRow]()
  private lazy val events = new Batch(rows, this)
  private val writer = new Writer
  private var pending: UnsafeRow = _
  private var ended = false
  private var stored = false

  ProcessRun.open(spec.operator, this)
  TaskContext.get().addTaskCompletionListener[Unit] { _ => if (!stored) store.foreach(_.abort()) }

  private def restored(): ProcessShard = {
    val fresh = new ProcessShard(spec)
    store.foreach { kept =>
      val (clocks, others) = kept.all.map { case (key, value) => (key.clone(), value.clone()) }.toArray
        .partition(_._1(0) == Store.CLOCKS(0))
      clocks.foreach { case (_, value) => fresh.readClocks(new Reader(value)) }
      others.foreach { case (key, value) => fresh.read(Store.rowOf(key, layout.keys.length), new Reader(value)) }
      fresh.clocks.resumed()
    }
    spec.roster.foreach(fresh.clocks.expect)
    fresh
  }

  override def hasNext: Boolean = {
    while (queue.isEmpty && pending == null && !ended) if (events.hasNext) events.next().apply() else end()
    !queue.isEmpty || pending != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    if (!queue.isEmpty) queue.poll()
    else {
      val row = pending
      pending = null
      row
    }
  }

  // The events of a batch.

  def tick(): Unit = {
    clocks.tick(now)
    moved()
  }

  def announced(piece: Piece): Unit = clocks.announced(piece.source)

  def row(piece: Piece, row: UnsafeRow): Unit = {
    val before = clocks.watermark
    val mark = clocks.heard(piece.source, row.getLong(Layout.MARK))
    if (clocks.watermark != before) summon()
    val entry = shard.entry(key(row))
    if (entry.number == ProcessKey.HERE) send(entry)
    pending = records.row(row, entry.number, mark, clocks)
  }

  def over(piece: Piece): Unit = {
    val before = clocks.watermark
    clocks.heard(piece.source, piece.mark)
    if (clocks.watermark != before) moved()
  }

  private def end(): Unit =
    if (place.isEmpty && !clocks.drained) {
      clocks.drain() // a batch run: there is nothing behind its input
      moved()
    } else ended = true

  private def moved(): Unit = {
    summon()
    queue.add(records.moved(clocks))
  }

  /** Sends the keys whose timers are due by now, if Python does not have them. */
  private def summon(): Unit = {
    var entry = shard.dueByWatermark()
    while (entry != null) {
      send(entry)
      entry = shard.dueByWatermark()
    }
    entry = shard.dueByClock()
    while (entry != null) {
      send(entry)
      entry = shard.dueByClock()
    }
  }

  private def send(entry: ProcessKey): Unit = {
    shard.send(entry)
    queue.add(records.touched(entry, clocks))
  }

  // What comes back.

  def back(at: Int, state: UnsafeRow, timers: Array[Timer]): Unit = {
    val entry = shard.back(at, state, timers)
    store.foreach { kept =>
      if (!entry.isBlank) {
        kept.put(Store.keyOf(entry.key), shard.write(entry, writer))
        entry.stored = true
      } else if (entry.stored) kept.remove(Store.keyOf(entry.key))
    }
    returned += 1
  }
  private var returned = 0

  /** A row goes on, with what the operators behind this one must know of it. */
  def pass(time: Long, mark: Long): Unit = {
    run()
    channel.time = time
    channel.mark = mark
    channel.arrived = time
    channel.arrivedMark = mark
  }

  private def run(): Run =
    if (channel.runs.nonEmpty) channel.passing
    else channel.begin(Roster.ofShard(spec.operator, number), number, "", 0)

  /** All is back: it is stored. */
  def commit(): Unit = {
    if (!ended || returned != shard.away.length)
      throw new IllegalStateException(s"$returned of ${shard.away.length} keys came back from Python")
    shard.away.clear()
    run().mark = clocks.watermark
    store.foreach { kept =>
      kept.put(Store.CLOCKS, shard.writeClocks(writer))
      kept.commit()
    }
    place.foreach(KeptProcesses.give(_, number, shard))
    pulse.foreach(_.add(number -> Beat(shard.nextTick, shard.keys.size, clocks.watermark, late = 0)))
    stored = true
  }
}

object ProcessRun {
  private val runs = new ConcurrentHashMap[(Long, Int), ProcessRun]()

  private def open(operator: Int, run: ProcessRun): Unit = {
    val at = (TaskContext.get().taskAttemptId(), operator)
    runs.put(at, run)
    TaskContext.get().addTaskCompletionListener[Unit](_ => runs.remove(at))
  }

  /** The run of this task, of the operator of this number. */
  def current(operator: Int): ProcessRun = runs.get((TaskContext.get().taskAttemptId(), operator))
}

/** What Python hears, as rows of `Exchange.toPython`. */
private final class Records(spec: ProcessSpec, layout: Layout) {
  private val controls = layout.output.take(Layout.WIDTH)
  private val carried = layout.output.drop(Layout.WIDTH)
  private val columns = carried.filterNot(one => layout.keys.exists(_.exprId == one.exprId))
  private val meta = new GenericInternalRow(Exchange.THERE)
  private val metaTypes: Seq[Attribute] = Exchange.toPython(Nil, Nil, spec.state).take(Exchange.THERE)
  private val state = spec.state.map(field => AttributeReference(field.name, field.dataType)())
  private val extra = Seq(
    AttributeReference("timers", BinaryType)(), AttributeReference("known", BooleanType)())
  private def none(of: Seq[Attribute]): Seq[Expression] = of.map(one => Literal(null, one.dataType))

  private val asRow = UnsafeProjection.create(
    metaTypes ++ columns ++ none(layout.keys) ++ none(state) ++ none(extra), metaTypes ++ controls ++ carried)
  private val asKey = UnsafeProjection.create(
    metaTypes ++ none(columns) ++ layout.keys ++ state ++ extra, metaTypes ++ layout.keys ++ state ++ extra)
  private val asMove = UnsafeProjection.create(
    metaTypes ++ none(columns) ++ none(layout.keys) ++ none(state) ++ none(extra), metaTypes)
  private val joined = new JoinedRow
  private val kept = new JoinedRow
  private val whole = new JoinedRow
  private val writer = new Writer
  private val stateless = new GenericInternalRow(spec.state.length)

  private def say(kind: Int, key: Int, time: Long, mark: Long, clocks: Clocks): Unit = {
    meta.update(Exchange.KIND, kind)
    meta.update(Exchange.KEY, key)
    meta.update(Exchange.TIME, time)
    meta.update(Exchange.MARK, mark)
    meta.update(Exchange.WATERMARK, clocks.watermark)
    meta.update(Exchange.NOW, clocks.now)
  }

  /** Good until the next row. */
  def row(row: UnsafeRow, key: Int, mark: Long, clocks: Clocks): UnsafeRow = {
    say(Exchange.ROW, key, row.getLong(Layout.TIME), mark, clocks)
    asRow(joined(meta, row))
  }

  def touched(entry: ProcessKey, clocks: Clocks): UnsafeRow = {
    say(Exchange.TOUCHED, entry.number, Channel.NONE, Channel.NONE, clocks)
    val timers = Timer.write(entry.timers, writer)
    val held = if (entry.state == null) stateless else entry.state
    asKey(whole(joined(meta, entry.key), kept(held, InternalRow(timers, entry.state != null)))).copy()
  }

  def moved(clocks: Clocks): UnsafeRow = {
    say(Exchange.MOVED, 0, Channel.NONE, Channel.NONE, clocks)
    asMove(meta).copy()
  }
}

/** The rows that the function made; the rest of what comes back goes into the store on the way. */
private final class KeptRows(rows: Iterator[UnsafeRow], operator: Int, columns: Seq[Attribute], results: Int)
    extends Iterator[InternalRow] {
  private val run = ProcessRun.current(operator)
  private val timersAt = columns.length - 1
  private val made = UnsafeProjection.create(columns.slice(Exchange.BACK, Exchange.BACK + results), columns)
  private val state = UnsafeProjection.create(columns.slice(Exchange.BACK + results, timersAt), columns)
  private var found: UnsafeRow = _
  private var ended = false

  override def hasNext: Boolean = {
    while (found == null && !ended) if (rows.hasNext) take(rows.next()) else {
      ended = true
      run.commit()
    }
    found != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    run.pass(found.getLong(Exchange.TIME), found.getLong(Exchange.MARK))
    val row = made(found)
    found = null
    row
  }

  private def take(row: UnsafeRow): Unit = row.getInt(Exchange.KIND) match {
    case Exchange.MADE => found = row
    case kind =>
      val kept = if (kind == Exchange.STATE) state(row).copy() else null
      val timers = if (row.isNullAt(timersAt)) null else row.getBinary(timersAt)
      run.back(row.getInt(Exchange.KEY), kept, Timer.read(timers))
  }
}
