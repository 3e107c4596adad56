package org.apache.spark.sql.headrace

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** What a row says beside its columns: the expressions that a window or a trigger was given. */
trait Rules {
  def holds(row: UnsafeRow, predicate: Int): Boolean
  def gap(row: UnsafeRow): Long
  def delta(row: UnsafeRow): Option[Double]
  def begins(row: UnsafeRow): Boolean
  def ends(row: UnsafeRow): Boolean
  /** Whether some trigger goes by the clock. */
  def timed: Boolean
}

/** A window as people see it; the rows of shared slices are not counted. */
case class Glimpse(start: Long, end: Long, rows: Option[Long], panes: Int, complete: Boolean)

/** A kind of window: which windows of its key a row goes into, and when they are over. */
abstract class Windows(protected val shard: Shard) {
  protected def spec: Spec = shard.spec
  protected def aggregates: Aggregates = shard.aggregates

  def add(keyed: Keyed, row: UnsafeRow, time: Long, mark: Long): Unit

  /** The windows of the key that are due by this time say so, earliest first. */
  def due(keyed: Keyed, reached: Long): Unit

  /** When a window of the key is next due. */
  def next(keyed: Keyed): Long

  def ticked(keyed: Keyed): Unit = ()
  def deadline(keyed: Keyed): Long = Long.MaxValue
  def empty(keyed: Keyed): Boolean

  /** The input has ended: what is incomplete is complete now. */
  def finish(keyed: Keyed): Unit = ()

  def write(keyed: Keyed, to: Writer): Unit
  def read(keyed: Keyed, from: Reader): Unit

  /** The windows of a key that are kept, for people to look at. */
  def glimpses(keyed: Keyed): Seq[Glimpse]

  protected def isLate(end: Long, mark: Long): Boolean =
    spec.clock != Clocked.Processing &&
      (mark != Channel.NONE && end + spec.lateness <= mark || end <= shard.closedTo)

  protected def sayLate(row: UnsafeRow, start: Long, end: Long, mark: Long): Unit =
    shard.out.late(row, windowed = true, start, end, mark)
}

object Windows {
  /** The first start of a window of this size, at multiples of `every` from `offset`, that holds the time. */
  def firstStart(time: Long, size: Long, every: Long, offset: Long): Long =
    lastStart(time, every, offset) - (size - 1) / every * every match {
      case start if start + size <= time => start + every
      case start => start
    }

  def lastStart(time: Long, every: Long, offset: Long): Long = time - Math.floorMod(time - offset, every)

  /** Whether windows are kept as the slices that they share. */
  def sliced(spec: Spec, ordered: Boolean): Boolean = spec.cut.isInstanceOf[Aligned] && spec.once && !ordered

  def of(shard: Shard): Windows = shard.spec.cut match {
    case aligned: Aligned if sliced(shard.spec, shard.aggregates.ordered) => new SlicedWindows(shard, aligned)
    case _: Aligned | _: Cumulative => new GridWindows(shard)
    case _: Session => new SessionWindows(shard)
    case trailing: Trailing => new TrailingWindows(shard, trailing)
    case Count(n, every) if n == every => new CountWindows(shard, n)
    case Count(n, every) => new LastRows(shard, n, every)
    case Delta(threshold) => new DeltaWindows(shard, threshold)
    case cut: Punctuated => new PunctuatedWindows(shard, cut)
    case AllTime => new AllTimeWindow(shard)
  }
}

object Timing {
  val EARLY = 0
  val ON_TIME = 1
  val LATE = 2
  val NAMES: Array[String] = Array("early", "on_time", "late")
}

/** Windows that live one by one, each with its buffer and its trigger. */
abstract class SingleWindows(shard: Shard) extends Windows(shard) {
  protected val trigger: Trigger = Trigger.of(spec.trigger)

  /** When a window is complete by time; Long.MaxValue for one that rows complete. */
  protected def completion(window: Win): Long = window.end
  protected def shown(window: Win): (Long, Long) = (window.start, window.end)

  protected def open(keyed: Keyed, start: Long, end: Long): Win = {
    val window = new Win(start, end)
    window.buffer = aggregates.fresh()
    if (trigger.slots > 0) {
      window.trigger = new Array[Long](trigger.slots)
      trigger.begin(window.trigger)
    }
    place(keyed, window)
    window
  }

  /** Windows lie in order of their start. */
  protected def place(keyed: Keyed, window: Win): Unit = {
    var at = keyed.windows.length
    while (at > 0 && keyed.windows(at - 1).start > window.start) at -= 1
    keyed.windows.insert(at, window)
  }

  /**
   * A row goes into the window, and the trigger is asked: about the row, and about completion too where the row
   * `completes` the window, or comes into one whose end has passed and that nobody knew of. One pane answers both.
   */
  protected def take(keyed: Keyed, window: Win, row: UnsafeRow, completes: Boolean = false): Unit = {
    aggregates.update(window.buffer, row)
    window.rows += 1
    window.fresh = true
    val was = window.complete
    val passed = completion(window) <= shard.reached
    val fires = trigger.row(window.trigger, shard.now, shard.rules.holds(row, _), was)
    val onTime = !was && (completes || passed) && completed(window)
    if (onTime) fire(keyed, window, Timing.ON_TIME, last = !lateness(window))
    else if (fires) fire(keyed, window, if (was || passed) Timing.LATE else Timing.EARLY, last = false)
    if (completes) close(keyed, window)
  }

  private def completed(window: Win): Boolean = {
    window.complete = true
    trigger.complete(window.trigger, shard.now)
  }

  private def lateness(window: Win): Boolean = spec.lateness > 0 && completion(window) != Long.MaxValue

  protected def fire(keyed: Keyed, window: Win, timing: Int, last: Boolean): Unit = {
    val index = window.panes
    window.panes += 1
    window.fresh = false
    window.told = last
    if (last || !spec.finalOnly) {
      val (start, end) = shown(window)
      val result = aggregates.result(keyed.key, window.buffer)
      if (spec.retracting) {
        val kept = result.copy()
        if (window.last != null)
          shard.out.pane(keyed.key, window.last, start, window.lastEnd, "-U", window.lastTiming, index - 1, last = false)
        shard.out.pane(keyed.key, kept, start, end, if (window.last == null) "+I" else "+U", timing, index, last)
        window.last = kept
        window.lastTiming = timing
        window.lastEnd = end
      } else shard.out.pane(keyed.key, result, start, end, "+I", timing, index, last)
    }
    if (spec.discarding) window.buffer = aggregates.fresh()
  }

  /** The time has come to its end: it is complete, and closed too unless late rows are waited for. */
  private def complete(keyed: Keyed, window: Win): Unit = {
    if (completed(window) && (window.fresh || !spec.discarding))
      fire(keyed, window, Timing.ON_TIME, last = !lateness(window))
    if (!lateness(window)) close(keyed, window)
  }

  protected def close(keyed: Keyed, window: Win): Unit = {
    keyed.windows -= window
    if (window.fresh || spec.finalOnly && !window.told)
      fire(keyed, window, if (lateness(window)) Timing.LATE else Timing.ON_TIME, last = true)
  }

  /** Complete, if it is not yet, and closed. */
  protected def finish(keyed: Keyed, window: Win): Unit = {
    if (!window.complete && completed(window) && (window.fresh || !spec.discarding))
      fire(keyed, window, Timing.ON_TIME, last = !lateness(window))
    close(keyed, window)
  }

  protected def closing(window: Win): Long = {
    val end = completion(window)
    if (end == Long.MaxValue) end else end + spec.lateness
  }

  private def dueOf(window: Win): Long = if (window.complete) closing(window) else completion(window)

  def next(keyed: Keyed): Long = nextWindow(keyed)

  private def nextWindow(keyed: Keyed): Long = {
    var least = Long.MaxValue
    var at = 0
    while (at < keyed.windows.length) {
      least = math.min(least, dueOf(keyed.windows(at)))
      at += 1
    }
    least
  }

  def due(keyed: Keyed, reached: Long): Unit = {
    var time = nextWindow(keyed)
    while (time <= reached && time != Long.MaxValue) {
      val window = keyed.windows.find(dueOf(_) == time).get
      if (window.complete) close(keyed, window) else complete(keyed, window)
      time = nextWindow(keyed)
    }
  }

  override def ticked(keyed: Keyed): Unit = {
    var at = 0
    while (at < keyed.windows.length) {
      val window = keyed.windows(at)
      if (trigger.deadline(window.trigger) <= shard.now && trigger.tick(window.trigger, shard.now, window.complete) && window.fresh)
        fire(keyed, window, if (window.complete) Timing.LATE else Timing.EARLY, last = false)
      at += 1
    }
  }

  override def deadline(keyed: Keyed): Long = {
    var least = Long.MaxValue
    var at = 0
    while (at < keyed.windows.length) {
      least = math.min(least, trigger.deadline(keyed.windows(at).trigger))
      at += 1
    }
    least
  }

  def empty(keyed: Keyed): Boolean = keyed.windows.isEmpty

  def glimpses(keyed: Keyed): Seq[Glimpse] = keyed.windows.toSeq.map { window =>
    val (start, end) = shown(window)
    Glimpse(start, end, Some(window.rows), window.panes, window.complete)
  }

  override def finish(keyed: Keyed): Unit = while (keyed.windows.nonEmpty) finish(keyed, keyed.windows.head)

  def write(keyed: Keyed, to: Writer): Unit = {
    to.int(keyed.windows.length)
    keyed.windows.foreach(writeWindow(_, to))
  }

  def read(keyed: Keyed, from: Reader): Unit =
    (0 until from.int()).foreach(_ => keyed.windows += readWindow(from))

  private def writeWindow(window: Win, to: Writer): Unit = {
    to.long(window.start).long(window.end).long(window.rows)
    to.bool(window.fresh).bool(window.complete).bool(window.told).int(window.panes).longs(window.trigger)
    to.row(aggregates.freeze(window.buffer)).row(window.last).int(window.lastTiming).long(window.lastEnd)
  }

  private def readWindow(from: Reader): Win = {
    val window = new Win(from.long(), from.long())
    window.rows = from.long()
    window.fresh = from.bool()
    window.complete = from.bool()
    window.told = from.bool()
    window.panes = from.int()
    window.trigger = from.longs()
    window.buffer = aggregates.thaw(from.row(aggregates.width))
    window.last = from.row(aggregates.resultWidth)
    window.lastTiming = from.int()
    window.lastEnd = from.long()
    window
  }
}

/** Tumbling, sliding and cumulative windows with any trigger. */
final class GridWindows(shard: Shard) extends SingleWindows(shard) {
  private val assign: Long => Array[(Long, Long)] = spec.cut match {
    case Aligned(size, every, offset) => time => {
      val first = Windows.firstStart(time, size, every, offset)
      val last = Windows.lastStart(time, every, offset)
      (first to last by every).map(start => (start, start + size)).toArray
    }
    case Cumulative(step, size) => time => {
      val start = Windows.lastStart(time, size, 0)
      val first = start + (time - start) / step * step + step
      (first to start + size by step).map(end => (start, end)).toArray
    }
    case other => throw new IllegalArgumentException(s"$other is no grid")
  }

  def add(keyed: Keyed, row: UnsafeRow, time: Long, mark: Long): Unit =
    assign(time).foreach { case (start, end) =>
      if (isLate(end, mark)) sayLate(row, start, end, mark)
      else {
        val found = keyed.windows.find(window => window.start == start && window.end == end)
        take(keyed, found.getOrElse(open(keyed, start, end)), row)
      }
    }
}

/** One window that never ends. */
final class AllTimeWindow(shard: Shard) extends SingleWindows(shard) {
  override protected def completion(window: Win): Long = Long.MaxValue

  def add(keyed: Keyed, row: UnsafeRow, time: Long, mark: Long): Unit =
    take(keyed, keyed.windows.headOption.getOrElse(open(keyed, 0, 0)), row)
}

/** Windows that rows complete; they show the event times of their first and last rows. */
abstract class RowWindows(shard: Shard) extends SingleWindows(shard) {
  override protected def completion(window: Win): Long = Long.MaxValue

  protected def current(keyed: Keyed): Option[Win] = keyed.windows.headOption

  protected def into(keyed: Keyed, window: Win, row: UnsafeRow, time: Long, completes: Boolean = false): Unit = {
    window.end = time
    take(keyed, window, row, completes)
  }
}

final class CountWindows(shard: Shard, n: Int) extends RowWindows(shard) {
  def add(keyed: Keyed, row: UnsafeRow, time: Long, mark: Long): Unit = {
    val window = current(keyed).getOrElse(open(keyed, time, time))
    into(keyed, window, row, time, completes = window.rows + 1 >= n)
  }
}

final class DeltaWindows(shard: Shard, threshold: Double) extends RowWindows(shard) {
  def add(keyed: Keyed, row: UnsafeRow, time: Long, mark: Long): Unit = {
    val value = shard.rules.delta(row)
    current(keyed).foreach { window =>
      val first = keyed.extra.asInstanceOf[java.lang.Double]
      if (first != null && value.exists(one => math.abs(one - first) > threshold)) finish(keyed, window)
    }
    val window = current(keyed).getOrElse {
      keyed.extra = null
      open(keyed, time, time)
    }
    if (keyed.extra == null) value.foreach(one => keyed.extra = java.lang.Double.valueOf(one))
    into(keyed, window, row, time)
  }

  override def write(keyed: Keyed, to: Writer): Unit = {
    super.write(keyed, to)
    val first = keyed.extra.asInstanceOf[java.lang.Double]
    to.bool(first != null)
    if (first != null) to.long(java.lang.Double.doubleToLongBits(first))
  }

  override def read(keyed: Keyed, from: Reader): Unit = {
    super.read(keyed, from)
    if (from.bool()) keyed.extra = java.lang.Double.valueOf(java.lang.Double.longBitsToDouble(from.long()))
  }
}

final class PunctuatedWindows(shard: Shard, cut: Punctuated) extends RowWindows(shard) {
  def add(keyed: Keyed, row: UnsafeRow, time: Long, mark: Long): Unit = {
    val begins = cut.begin && shard.rules.begins(row)
    if (begins && !cut.end) current(keyed).foreach(finish(keyed, _))
    val window = current(keyed) match {
      case Some(window) => Some(window)
      case None if begins || !cut.begin => Some(open(keyed, time, time))
      case None => None
    }
    window match {
      case Some(window) => into(keyed, window, row, time, completes = cut.end && shard.rules.ends(row))
      case None => shard.out.late(row, windowed = false, 0, 0, mark)
    }
  }
}
