package org.apache.spark.sql.headrace

import java.util.HashMap

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

/** Rows of one key and one slice of time, of which none is late for the window that begins at `from`. */
private final class Part(val start: Long, val from: Long, val buffer: InternalRow) {
  var rows: Long = 0
}

/** A key's parts, and a row of it. */
private final class Parts(val sample: UnsafeRow) {
  val all = new ArrayBuffer[Part](2)
}

/**
 * Rows that go into the same slice of time of the same key leave a task as one. Nobody sees them apart: their
 * windows say nothing before they are complete, nobody reads which were late, and the aggregates come out the
 * same whatever is added to what first.
 *
 * Where few rows share a slice it is given up, and rows leave as they come.
 */
private final class CombinedRows(rows: Iterator[InternalRow], dealing: Dealing, spec: Spec, cut: Aligned, making: Making)
    extends Iterator[InternalRow] {
  private val channel = dealing.channel
  private val aggregates = making.aggregates()
  private val key = making.key()
  private val width = SlicedWindows.width(cut)
  private val groups = new HashMap[UnsafeRow, Parts]()
  private var parts, taken, tooLate = 0L
  private var run = -1
  private var plain = false
  private var leaving: Iterator[InternalRow] = Iterator.empty
  private var waiting: InternalRow = _
  private var ended = false

  override def hasNext: Boolean = {
    while (!leaving.hasNext && waiting == null && !ended) pull()
    leaving.hasNext || waiting != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    if (leaving.hasNext) leaving.next()
    else {
      val row = waiting
      waiting = null
      dealing.row(row)
    }
  }

  private def pull(): Unit =
    if (!rows.hasNext) {
      leaving = flushed() ++ dealing.pieces()
      ended = true
    } else {
      val row = rows.next()
      if (plain) waiting = row
      else {
        if (channel.run != run) {
          leaving = flushed()
          run = channel.run
        }
        take(dealing.row(row).asInstanceOf[UnsafeRow])
        if (parts >= CombinedRows.MOST) {
          plain = taken < parts * CombinedRows.FEWEST
          leaving = leaving ++ flushed()
        }
      }
    }

  private def take(row: UnsafeRow): Unit = {
    val (time, mark) = (row.getLong(Layout.TIME), row.getLong(Layout.MARK))
    val last = Windows.lastStart(time, cut.every, cut.offset)
    var first = Windows.firstStart(time, cut.size, cut.every, cut.offset)
    while (first <= last && mark != Channel.NONE && first + cut.size + spec.lateness <= mark) {
      first += cut.every
      tooLate += 1
    }
    if (first <= last) {
      val part = partOf(row, time - Math.floorMod(time - cut.offset, width), first)
      aggregates.update(part.buffer, row)
      part.rows += 1
      taken += 1
    }
  }

  private def partOf(row: UnsafeRow, start: Long, from: Long): Part = {
    val of = key(row)
    var group = groups.get(of)
    if (group == null) {
      group = new Parts(row.copy())
      groups.put(of.copy(), group)
    }
    var at = group.all.length - 1
    while (at >= 0) {
      val one = group.all(at)
      if (one.start == start && one.from == from) return one
      at -= 1
    }
    val made = new Part(start, from, aggregates.fresh())
    group.all += made
    parts += 1
    made
  }

  /** What has come together so far, which then is forgotten; it belongs to the run that was read until now. */
  private def flushed(): Iterator[InternalRow] = {
    val (of, late, at) = (groups.values.asScala.toArray, tooLate, run)
    groups.clear()
    parts = 0
    taken = 0
    tooLate = 0
    val writer = new Writer
    val together = of.iterator.flatMap(group => group.all.iterator.map { part =>
      val note = writer.long(part.from).long(part.rows).row(aggregates.frozen(part.buffer)).take()
      dealing.part(group.sample, part.start, note)
    })
    if (late == 0) together else together ++ Iterator.single(()).map(_ => dealing.late(at, late))
  }
}

private object CombinedRows {
  /** How many parts are kept at most, and how many rows each must stand for then. */
  private val MOST = 200000
  private val FEWEST = 2

  /** Whether the rows of an operator may leave together. */
  def fit(spec: Spec, prepared: Prepared): Option[Aligned] = spec.cut match {
    case cut: Aligned if Windows.sliced(spec, Aggregates.ordered(prepared.functions)) && !spec.keepLate &&
      spec.clock != Clocked.Processing && Aggregates.exact(prepared.functions) => Some(cut)
    case _ => None
  }
}
