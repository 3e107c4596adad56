package org.apache.spark.sql.headrace

/**
 * A trigger as a state machine over slots of a window's own array of longs, which is all that is kept of it.
 * Each event says whether it fires; times are microseconds of the operator's clock.
 */
sealed abstract class Trigger(val at: Int, val slots: Int) {
  /** The slot just behind this trigger's own. */
  final def until: Int = at + slots

  def begin(state: Array[Long]): Unit
  def row(state: Array[Long], now: Long, holds: Int => Boolean, complete: Boolean): Boolean
  def tick(state: Array[Long], now: Long, complete: Boolean): Boolean = false

  /** The window is complete. */
  def complete(state: Array[Long], now: Long): Boolean = false
  def finished(state: Array[Long]): Boolean = false

  /** When it must be asked again, if nothing else happens. */
  def deadline(state: Array[Long]): Long

  /** The window has grown: its completion is still to come. */
  def reopen(state: Array[Long]): Unit = ()

  /** Takes in the state that the trigger had in a window which is merged into this one. */
  def merge(state: Array[Long], other: Array[Long]): Unit
}

object Trigger {
  val NONE: Long = Long.MaxValue

  def of(when: When): Trigger = build(when, 0)

  private def build(when: When, at: Int): Trigger = when match {
    case AtWatermark(early, late) =>
      val first = early.map(part => new Repeating(at + 1, build(part, at + 1)))
      val from = first.fold(at + 1)(_.until)
      new Watermarked(at, first, late.map(part => new Repeating(from, build(part, from))))
    case EachRow => new Rows(at)
    case Holds(predicate) => new Predicated(at, predicate)
    case AfterCount(n) => new Counting(at, n)
    case AfterDelay(delay) => new Delayed(at, delay)
    case Every(every) => new Periodic(at, every)
    case Never => new Nothing_(at)
    case AnyOf(parts) => new First(at, series(parts, at))
    case AllOf(parts) => new All(at, series(parts, at + 1))
    case InOrder(parts) => new Ordered(at, series(parts, at + 1))
    case Repeat(part) => new Repeating(at, build(part, at))
    case Until(part, end) =>
      val body = build(part, at + 1)
      new Ending(at, body, build(end, body.until))
  }

  private def series(parts: Seq[When], at: Int): Array[Trigger] =
    parts.foldLeft(Array.empty[Trigger]) { (made, part) =>
      made :+ build(part, made.lastOption.fold(at)(_.until))
    }

  private def size(parts: Array[Trigger]): Int = parts.map(_.slots).sum

  private final class Nothing_(at: Int) extends Trigger(at, 0) {
    def begin(state: Array[Long]): Unit = ()
    def deadline(state: Array[Long]): Long = NONE
    def row(state: Array[Long], now: Long, holds: Int => Boolean, complete: Boolean): Boolean = false
    def merge(state: Array[Long], other: Array[Long]): Unit = ()
  }

  private final class Rows(at: Int) extends Trigger(at, 0) {
    def begin(state: Array[Long]): Unit = ()
    def deadline(state: Array[Long]): Long = NONE
    def row(state: Array[Long], now: Long, holds: Int => Boolean, complete: Boolean): Boolean = true
    def merge(state: Array[Long], other: Array[Long]): Unit = ()
  }

  private final class Predicated(at: Int, predicate: Int) extends Trigger(at, 0) {
    def begin(state: Array[Long]): Unit = ()
    def deadline(state: Array[Long]): Long = NONE
    def row(state: Array[Long], now: Long, holds: Int => Boolean, complete: Boolean): Boolean = holds(predicate)
    def merge(state: Array[Long], other: Array[Long]): Unit = ()
  }

  /** Slots: rows so far, and whether it is finished. */
  private final class Counting(at: Int, n: Long) extends Trigger(at, 2) {
    def begin(state: Array[Long]): Unit = {
      state(at) = 0
      state(at + 1) = 0
    }
    def deadline(state: Array[Long]): Long = NONE
    override def finished(state: Array[Long]): Boolean = state(at + 1) == 1
    def row(state: Array[Long], now: Long, holds: Int => Boolean, complete: Boolean): Boolean =
      !finished(state) && {
        state(at) += 1
        if (state(at) >= n) state(at + 1) = 1
        finished(state)
      }
    def merge(state: Array[Long], other: Array[Long]): Unit = {
      state(at) += other(at)
      state(at + 1) = math.min(state(at + 1), other(at + 1))
    }
  }

  /** Slot: the deadline; NONE before the first row, and DONE when finished. */
  private final class Delayed(at: Int, delay: Long) extends Trigger(at, 1) {
    def begin(state: Array[Long]): Unit = state(at) = NONE
    override def finished(state: Array[Long]): Boolean = state(at) == DONE
    def row(state: Array[Long], now: Long, holds: Int => Boolean, complete: Boolean): Boolean = {
      if (state(at) == NONE) state(at) = now + delay
      false
    }
    override def tick(state: Array[Long], now: Long, complete: Boolean): Boolean =
      !finished(state) && now >= state(at) && { state(at) = DONE; true }
    def deadline(state: Array[Long]): Long = if (finished(state)) NONE else state(at)
    def merge(state: Array[Long], other: Array[Long]): Unit =
      if (finished(state)) state(at) = other(at)
      else if (!finished(other)) state(at) = math.min(state(at), other(at))
  }

  /** Slot: the deadline; NONE before the first row since it last fired. */
  private final class Periodic(at: Int, every: Long) extends Trigger(at, 1) {
    def begin(state: Array[Long]): Unit = state(at) = NONE
    def row(state: Array[Long], now: Long, holds: Int => Boolean, complete: Boolean): Boolean = {
      if (state(at) == NONE) state(at) = (Math.floorDiv(now, every) + 1) * every
      false
    }
    override def tick(state: Array[Long], now: Long, complete: Boolean): Boolean =
      now >= state(at) && { state(at) = NONE; true }
    def deadline(state: Array[Long]): Long = state(at)
    def merge(state: Array[Long], other: Array[Long]): Unit = state(at) = math.min(state(at), other(at))
  }

  private abstract class Several(at: Int, slots: Int, parts: Array[Trigger]) extends Trigger(at, slots) {
    /** What an event does to a part; each part is asked, so that none misses it. */
    protected def ask(state: Array[Long], event: Trigger => Boolean): Boolean
    def row(state: Array[Long], now: Long, holds: Int => Boolean, complete: Boolean): Boolean = ask(state, _.row(state, now, holds, complete))
    override def tick(state: Array[Long], now: Long, complete: Boolean): Boolean = ask(state, _.tick(state, now, complete))
    override def complete(state: Array[Long], now: Long): Boolean = ask(state, _.complete(state, now))
    def deadline(state: Array[Long]): Long =
      if (finished(state)) NONE else parts.map(_.deadline(state)).min
    override def reopen(state: Array[Long]): Unit = parts.foreach(_.reopen(state))
    def merge(state: Array[Long], other: Array[Long]): Unit = parts.foreach(_.merge(state, other))
  }

  private final class First(at: Int, parts: Array[Trigger]) extends Several(at, size(parts), parts) {
    def begin(state: Array[Long]): Unit = parts.foreach(_.begin(state))
    override def finished(state: Array[Long]): Boolean = parts.exists(_.finished(state))
    protected def ask(state: Array[Long], event: Trigger => Boolean): Boolean =
      !finished(state) && parts.count(event) > 0
  }

  /** Slot: a bit for each part that has fired, and one for whether it is finished. */
  private final class All(at: Int, parts: Array[Trigger]) extends Several(at, 1 + size(parts), parts) {
    private val full = (1L << parts.length) - 1
    private val over = 1L << parts.length
    def begin(state: Array[Long]): Unit = {
      state(at) = 0
      parts.foreach(_.begin(state))
    }
    override def finished(state: Array[Long]): Boolean = (state(at) & over) != 0
    protected def ask(state: Array[Long], event: Trigger => Boolean): Boolean = !finished(state) && {
      parts.indices.foreach(part => if (event(parts(part))) state(at) |= 1L << part)
      if ((state(at) & full) == full) state(at) |= over
      finished(state)
    }
    override def merge(state: Array[Long], other: Array[Long]): Unit = {
      super.merge(state, other)
      state(at) = (state(at) | other(at)) & full | state(at) & other(at) & over
    }
  }

  /** Slot: the part whose turn it is. */
  private final class Ordered(at: Int, parts: Array[Trigger]) extends Several(at, 1 + size(parts), parts) {
    def begin(state: Array[Long]): Unit = {
      state(at) = 0
      parts(0).begin(state)
    }
    override def finished(state: Array[Long]): Boolean = state(at) >= parts.length
    protected def ask(state: Array[Long], event: Trigger => Boolean): Boolean = !finished(state) && {
      val part = parts(state(at).toInt)
      val fired = event(part)
      if (part.finished(state)) {
        state(at) += 1
        if (!finished(state)) parts(state(at).toInt).begin(state)
      }
      fired
    }
    override def deadline(state: Array[Long]): Long =
      if (finished(state)) NONE else parts(state(at).toInt).deadline(state)
    override def reopen(state: Array[Long]): Unit =
      if (!finished(state)) parts(state(at).toInt).reopen(state)
    override def merge(state: Array[Long], other: Array[Long]): Unit = {
      state(at) = math.min(state(at), other(at))
      if (!finished(state)) parts(state(at).toInt).merge(state, other)
    }
  }

  private final class Repeating(at: Int, part: Trigger) extends Trigger(at, part.slots) {
    def begin(state: Array[Long]): Unit = part.begin(state)
    private def again(state: Array[Long], fired: Boolean): Boolean = {
      if (part.finished(state)) part.begin(state)
      fired
    }
    def row(state: Array[Long], now: Long, holds: Int => Boolean, complete: Boolean): Boolean =
      again(state, part.row(state, now, holds, complete))
    override def tick(state: Array[Long], now: Long, complete: Boolean): Boolean = again(state, part.tick(state, now, complete))
    override def complete(state: Array[Long], now: Long): Boolean =
      again(state, part.complete(state, now))
    def deadline(state: Array[Long]): Long = part.deadline(state)
    override def reopen(state: Array[Long]): Unit = part.reopen(state)
    def merge(state: Array[Long], other: Array[Long]): Unit = part.merge(state, other)
  }

  /** Slot: whether the end has fired. */
  private final class Ending(at: Int, part: Trigger, end: Trigger)
      extends Trigger(at, 1 + part.slots + end.slots) {
    def begin(state: Array[Long]): Unit = {
      state(at) = 0
      part.begin(state)
      end.begin(state)
    }
    override def finished(state: Array[Long]): Boolean = state(at) == 1 || part.finished(state)
    private def ask(state: Array[Long], event: Trigger => Boolean): Boolean = !finished(state) && {
      val body = event(part)
      val over = event(end)
      if (over) state(at) = 1
      body || over
    }
    def row(state: Array[Long], now: Long, holds: Int => Boolean, complete: Boolean): Boolean = ask(state, _.row(state, now, holds, complete))
    override def tick(state: Array[Long], now: Long, complete: Boolean): Boolean = ask(state, _.tick(state, now, complete))
    override def complete(state: Array[Long], now: Long): Boolean = ask(state, _.complete(state, now))
    def deadline(state: Array[Long]): Long =
      if (finished(state)) NONE else math.min(part.deadline(state), end.deadline(state))
    override def reopen(state: Array[Long]): Unit = {
      part.reopen(state)
      end.reopen(state)
    }
    def merge(state: Array[Long], other: Array[Long]): Unit = {
      part.merge(state, other)
      end.merge(state, other)
      state(at) = math.min(state(at), other(at))
    }
  }

  /** Slot: whether the window is complete. */
  private final class Watermarked(at: Int, early: Option[Trigger], late: Option[Trigger])
      extends Trigger(at, 1 + early.fold(0)(_.slots) + late.fold(0)(_.slots)) {
    private def part(state: Array[Long]): Option[Trigger] = if (state(at) == 0) early else late
    def begin(state: Array[Long]): Unit = {
      state(at) = 0
      early.foreach(_.begin(state))
    }
    override def finished(state: Array[Long]): Boolean = state(at) == 1 && late.isEmpty
    /** One that begins in a window that is complete is behind it at once. */
    private def behind(state: Array[Long], complete: Boolean): Unit =
      if (complete && state(at) == 0) {
        state(at) = 1
        late.foreach(_.begin(state))
      }
    def row(state: Array[Long], now: Long, holds: Int => Boolean, complete: Boolean): Boolean = {
      behind(state, complete)
      part(state).exists(_.row(state, now, holds, complete))
    }
    override def tick(state: Array[Long], now: Long, complete: Boolean): Boolean = {
      behind(state, complete)
      part(state).exists(_.tick(state, now, complete))
    }
    override def complete(state: Array[Long], now: Long): Boolean = state(at) == 0 && {
      state(at) = 1
      late.foreach(_.begin(state))
      true
    }
    def deadline(state: Array[Long]): Long = part(state).fold(NONE)(_.deadline(state))
    override def reopen(state: Array[Long]): Unit = if (state(at) == 1) begin(state)
    def merge(state: Array[Long], other: Array[Long]): Unit =
      if (other(at) < state(at)) System.arraycopy(other, at, state, at, slots)
      else if (other(at) == state(at)) part(state).foreach(_.merge(state, other))
  }

  private val DONE: Long = Long.MaxValue - 1
}
