package org.apache.spark.sql.headrace

import java.util.concurrent.{ArrayBlockingQueue, TimeUnit}

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, LeafExpression, Nondeterministic, Or, Predicate, UnsafeRow}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.execution.datasources.v2.LowLatencyClock

/**
 * When the shards must hear of a source partition's watermark: it has passed a moment that a window may be
 * waiting for, or they have not heard from the partition for so long that they would think it idle.
 *
 * Moments lie `grain` apart, from `phase` on, and `lateness` behind each of them.
 */
final class Pace(grain: Long, phase: Long, lateness: Long, beat: Long, arrival: Boolean) extends Serializable {
  def due(run: Run): Boolean = {
    val mark = if (arrival) run.arrival else run.mark
    val told = run.told
    mark > told && (told == Channel.NONE || apart(mark, told, phase) || apart(mark, told, phase + lateness)) ||
      System.nanoTime() - run.toldAt > beat
  }

  private def apart(mark: Long, told: Long, from: Long): Boolean =
    Math.floorDiv(mark - from, grain) != Math.floorDiv(told - from, grain)

  def told(run: Run): Unit = {
    run.told = if (arrival) run.arrival else run.mark
    run.toldAt = System.nanoTime()
  }
}

object Pace {
  /** Where windows may end at any time: event times are seldom finer, and a mark each row would cost too much. */
  private val FINE = 1000L
  private val SLOWEST = 1000000L

  def of(spec: Spec): Pace = {
    val (grain, phase) = spec.cut match {
      case Aligned(size, every, offset) if size % every == 0 => (every, offset)
      case Cumulative(step, _) => (step, 0L)
      case _ => (FINE, 0L)
    }
    val beat = math.min(spec.idle / 4, SLOWEST)
    new Pace(grain, phase, spec.lateness, beat * 1000, spec.clock == Clocked.Ingestion)
  }
}

/** In real time: rows dealt out as they come, and between them each watermark that matters, to every shard. */
private final class LiveRows(rows: Iterator[InternalRow], dealing: Dealing, pace: Pace) extends Iterator[InternalRow] {
  private val channel = dealing.channel
  private var notes: Iterator[InternalRow] = Iterator.empty
  private var waiting: InternalRow = _
  private var known = 0
  private var ended = false
  channel.pace = pace

  override def hasNext: Boolean = {
    while (!notes.hasNext && waiting == null && !ended) pull()
    notes.hasNext || waiting != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    if (notes.hasNext) notes.next()
    else {
      val row = waiting
      waiting = null
      val made = dealing.row(row)
      tell()
      made
    }
  }

  private def pull(): Unit = {
    channel.blank = false
    if (rows.hasNext) {
      val row = rows.next()
      // The shards know a run before its first row.
      if (channel.runs.length > known) {
        notes = (known until channel.runs.length).iterator.flatMap(run => dealing.piece(run, dealing.before))
        known = channel.runs.length
      }
      if (channel.blank) tell() else waiting = row
    } else {
      ended = true
      notes = dealing.pieces()
    }
  }

  private def tell(): Unit = {
    val run = channel.passing
    if (pace.due(run)) {
      pace.told(run)
      notes = notes ++ dealing.piece(channel.run, dealing.reached(channel.run))
    }
  }
}

/**
 * A long batch of real time: rows are worked on as they come, and the clock goes on while none does. What the
 * shuffle brings is read by a thread of its own, so that waiting for it can end when something is due.
 */
final class LiveRun(
    spec: Spec,
    making: Making,
    place: Option[Place],
    store: Option[Store],
    pulse: Option[Pulse],
    number: Int,
    rows: Iterator[UnsafeRow]) extends ShardRun(spec, making, place, store, pulse, number) {
  private val sources = mutable.LongMap.empty[Long]
  private val inbox = new Inbox(rows)
  private val context = TaskContext.get()
  private val run = said.run(channel, number)
  private var blank = false

  override protected def ready: Boolean = blank || super.ready

  override def next(): InternalRow = if (!hasNext || !blank) super.next() else {
    blank = false
    channel.blank = true
    said.blank()
  }

  protected def read(): Boolean = {
    context.killTaskIfInterrupted()
    run.mark = shard.promised
    if (channel.pace != null && channel.pace.due(run)) { blank = true; return true }
    val row = inbox.take(() => patience)
    clock()
    if (row == null) return true
    if (row eq Inbox.END) return false
    if (row.getInt(Layout.KIND) == Layout.PIECE) {
      val piece = Piece.read(row.getBinary(Layout.NOTE))
      sources(row.getLong(Layout.RUN)) = piece.source
      shard.heard(piece.source, piece.mark)
    } else this.row(sources(row.getLong(Layout.RUN)), row)
    true
  }

  private def clock(): Unit = shard.tick(LowLatencyClock.getTimeMillis() * 1000)

  /** How long to wait for a row, in microseconds: until something is due by the clock. */
  private def patience: Long = {
    val due = shard.nextTick
    math.max(0, math.min(LiveRun.LONGEST, if (due == Long.MaxValue) due else due - LowLatencyClock.getTimeMillis() * 1000))
  }
}

private object LiveRun {
  /** Source partitions fall idle by the clock. */
  val LONGEST = 100000L
}

/** Rows from another thread; a failure there is raised by the one who takes them. */
private final class Inbox(rows: Iterator[UnsafeRow]) {
  private val queue = new ArrayBlockingQueue[UnsafeRow](Inbox.ROOM)
  @volatile private var failure: Throwable = _
  private val context = TaskContext.get()
  private val thread = new Thread(() => fill(), s"headrace-inbox-${context.partitionId()}")
  thread.setDaemon(true)
  context.addTaskCompletionListener[Unit] { _ => thread.interrupt() }
  thread.start()

  private def fill(): Unit = {
    TaskContext.setTaskContext(context)
    try rows.foreach(row => queue.put(row.copy()))
    catch { case any: Throwable => failure = any }
    finally try queue.put(Inbox.END) catch { case _: InterruptedException => }
  }

  /** The next row, or null when none comes within this many microseconds. */
  def take(micros: () => Long): UnsafeRow = {
    val there = queue.poll()
    val row = if (there != null) there else queue.poll(micros(), TimeUnit.MICROSECONDS)
    if ((row eq Inbox.END) && failure != null) throw failure
    row
  }
}

private object Inbox {
  val END = new UnsafeRow(0)
  private val ROOM = 8192
}

/**
 * Whether the row that passes brings a watermark that the shards must hear of. It stands beside the condition
 * of each filter on the way to them, so that rows which are left out still move time on.
 */
case class Due() extends LeafExpression with Predicate with Nondeterministic {
  override def nullable: Boolean = false
  @transient private var channel: Channel = _
  override protected def initializeInternal(partition: Int): Unit = channel = Channel.current()
  override protected def evalInternal(input: InternalRow): Any = Due.now(channel)
  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = {
    val kind = classOf[Channel].getName
    val channel = context.addMutableState(kind, "channel")
    context.addPartitionInitializationStatement(s"$channel = $kind.current();")
    code.copy(
      code = code"boolean ${code.value} = ${classOf[Due].getName}.now($channel);",
      isNull = FalseLiteral)
  }
}

object Due {
  def now(channel: Channel): Boolean = {
    if (!channel.blank && channel.pace != null && channel.pace.due(channel.passing)) channel.blank = true
    channel.blank
  }

  /** The plan below an operator, with filters that let time pass; what is before the tracking stays as it is. */
  def over(plan: LogicalPlan): LogicalPlan = plan match {
    case operator: WindowOperator => operator
    case Filter(condition, _) if tracks(condition) => plan
    case Filter(condition, child) => Filter(Or(condition, Due()), over(child))
    case other => other.mapChildren(over)
  }

  private def tracks(condition: Expression): Boolean =
    condition.exists(part => part.isInstanceOf[Tracked] || part.isInstanceOf[Restamped])
}
