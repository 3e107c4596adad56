package org.apache.spark.sql.headrace

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * A piece of time that overlapping windows share, so that a row is aggregated once and not once a window.
 * `from` is the start of the first window that its rows count in: rows that are late for some of their
 * windows and not for others lie in a slice of their own.
 */
final class Slice(val start: Long, val from: Long, var buffer: InternalRow) {
  var frozen: UnsafeRow = _
}

/** Tumbling and sliding windows that speak once, when they close. */
final class SlicedWindows(shard: Shard, cut: Aligned) extends Windows(shard) {
  import cut._

  private val width = SlicedWindows.width(cut)

  private final class Slices {
    val all = new ArrayBuffer[Slice](2)
    /** The end of the next window that is due, or NONE. */
    var end: Long = Channel.NONE
  }

  private def slices(keyed: Keyed): Slices = {
    if (keyed.extra == null) keyed.extra = new Slices
    keyed.extra.asInstanceOf[Slices]
  }

  def add(keyed: Keyed, row: UnsafeRow, time: Long, mark: Long): Unit = {
    val last = Windows.lastStart(time, every, offset)
    var first = Windows.firstStart(time, size, every, offset)
    while (first <= last && isLate(first + size, mark)) {
      sayLate(row, first, first + size, mark)
      first += every
    }
    if (first <= last) aggregates.update(slice(keyed, time, first).buffer, row)
  }

  /** Rows of one slice that came together; by the rows before them in their task none is late for `from`. */
  def addPart(keyed: Keyed, start: Long, from: Long, rows: Long, frozen: UnsafeRow, mark: Long): Unit = {
    val last = Windows.lastStart(start, every, offset)
    var first = from
    while (first <= last && isLate(first + size, mark)) {
      shard.out.missed(rows)
      first += every
    }
    if (first <= last) aggregates.merge(slice(keyed, start, first).buffer, frozen)
  }

  private def slice(keyed: Keyed, time: Long, from: Long): Slice = {
    val of = slices(keyed)
    val start = time - Math.floorMod(time - offset, width)
    var at = of.all.length - 1
    while (at >= 0) {
      val one = of.all(at)
      if (one.start == start && one.from == from) {
        one.frozen = null
        return one
      }
      at -= 1
    }
    val made = new Slice(start, from, aggregates.fresh())
    of.all += made
    if (of.end == Channel.NONE || from + size < of.end) of.end = from + size
    made
  }

  def due(keyed: Keyed, reached: Long): Unit = {
    val of = slices(keyed)
    while (of.end != Channel.NONE && of.end + spec.lateness <= reached) {
      val start = of.end - size
      val inside = of.all.filter(slice => slice.start >= start && slice.start < of.end && slice.from <= start)
      if (inside.nonEmpty) {
        val buffer = if (inside.length == 1) inside.head.buffer else together(inside)
        shard.out.pane(
          keyed.key, aggregates.result(keyed.key, buffer), start, of.end, "+I", Timing.ON_TIME, 0, last = true)
      }
      of.all.filterInPlace(_.start >= start + every)
      of.end =
        if (of.all.isEmpty) Channel.NONE
        else math.max(of.end + every, of.all.iterator.map(firstEnd).min)
    }
  }

  private def firstEnd(slice: Slice): Long =
    math.max(slice.from, Windows.firstStart(slice.start, size, every, offset)) + size

  private def together(inside: ArrayBuffer[Slice]): InternalRow = {
    val whole = aggregates.fresh()
    inside.foreach { slice =>
      if (slice.frozen == null) slice.frozen = aggregates.frozen(slice.buffer)
      aggregates.merge(whole, slice.frozen)
    }
    whole
  }

  def next(keyed: Keyed): Long = {
    val end = slices(keyed).end
    if (end == Channel.NONE) Long.MaxValue else end + spec.lateness
  }

  def empty(keyed: Keyed): Boolean = slices(keyed).all.isEmpty

  def glimpses(keyed: Keyed): Seq[Glimpse] = {
    val of = slices(keyed)
    if (of.all.isEmpty) Nil
    else {
      val last = of.all.iterator.map(slice => Windows.lastStart(slice.start, every, offset)).max
      (of.end - size to last by every).map(start => Glimpse(start, start + size, None, 0, complete = false))
    }
  }

  def write(keyed: Keyed, to: Writer): Unit = {
    val of = slices(keyed)
    to.long(of.end).int(of.all.length)
    of.all.foreach(slice => to.long(slice.start).long(slice.from).row(aggregates.frozen(slice.buffer)))
  }

  def read(keyed: Keyed, from: Reader): Unit = {
    val of = slices(keyed)
    of.end = from.long()
    (0 until from.int()).foreach { _ =>
      of.all += new Slice(from.long(), from.long(), aggregates.thaw(from.row(aggregates.width)))
    }
  }
}

object SlicedWindows {
  /** How long a slice is: what all windows that hold a moment of it hold whole. */
  def width(cut: Aligned): Long = if (cut.size % cut.every == 0) cut.every else gcd(cut.size, cut.every)

  private def gcd(a: Long, b: Long): Long = if (b == 0) a else gcd(b, a % b)
}
