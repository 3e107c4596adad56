package org.apache.spark.sql.headrace

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Sessions: a row's interval is its time and a gap; intervals that touch are one session. */
final class SessionWindows(shard: Shard) extends SingleWindows(shard) {
  private val fixed: Option[Long] = spec.cut.asInstanceOf[Session].gap

  def add(keyed: Keyed, row: UnsafeRow, time: Long, mark: Long): Unit = {
    val gap = fixed.getOrElse(shard.rules.gap(row))
    if (gap <= 0) { // also where it is null: such a row has no interval, and so no session
      shard.out.late(row, windowed = false, 0, 0, mark)
      return
    }
    if (continues(keyed, time, time + gap, mark)) {
      take(keyed, keyed.windows(0), row)
      return
    }
    // A session that has closed by this row's own watermark is closed to it, wherever the operator's stands.
    val reachable = keyed.windows.filterNot(window => isLate(window.end, mark))
    var (start, end) = (time, time + gap)
    var joined = reachable.filter(window => window.start <= end && start <= window.end)
    var grown = -1
    while (joined.length > grown) {
      grown = joined.length
      joined.foreach { window =>
        start = math.min(start, window.start)
        end = math.max(end, window.end)
      }
      joined = reachable.filter(window => window.start <= end && start <= window.end)
    }
    if (isLate(end, mark)) sayLate(row, start, end, mark)
    else {
      val session = joined.toSeq match {
        case Seq() => open(keyed, start, end)
        case Seq(same) if same.start == start && same.end == end => same
        case Seq(one) if one.panes == 0 && !one.complete && one.start == start =>
          one.end = end
          one
        case several => merged(keyed, several, start, end)
      }
      take(keyed, session, row)
    }
  }

  /** Whether the row just goes on with the one session that its key has, and nothing was said of it that changes. */
  private def continues(keyed: Keyed, start: Long, end: Long, mark: Long): Boolean = keyed.windows.length == 1 && {
    val one = keyed.windows(0)
    val inside = one.start <= start && start <= one.end && !isLate(one.end, mark)
    if (inside && end > one.end && one.panes == 0 && !one.complete) one.end = end
    inside && end <= one.end
  }

  /** One session of several and the interval of a row; what they have said is taken back. */
  private def merged(keyed: Keyed, several: Seq[Win], start: Long, end: Long): Win = {
    several.foreach { window =>
      if (window.last != null)
        shard.out.pane(
          keyed.key, window.last, window.start, window.end, "-D", window.lastTiming, window.panes - 1, last = false)
      keyed.windows -= window
    }
    val first = several.head
    val whole = new Win(start, end)
    whole.buffer = first.buffer
    whole.trigger = first.trigger
    whole.rows = first.rows
    several.tail.foreach { window =>
      aggregates.merge(whole.buffer, aggregates.freeze(window.buffer))
      whole.rows += window.rows
      trigger.merge(whole.trigger, window.trigger)
    }
    trigger.reopen(whole.trigger)
    place(keyed, whole)
    whole
  }
}
