package org.apache.spark.sql.headrace

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * A row that windows still to come may hold, as a frozen buffer of its own; by the watermark that it came with, it
 * may be too late for some of them.
 */
final class Entry(val time: Long, val mark: Long, val frozen: UnsafeRow)

/** Windows of the rows before: keys that keep rows. */
abstract class EntryWindows(shard: Shard) extends SingleWindows(shard) {
  protected def entries(keyed: Keyed): ArrayBuffer[Entry] = {
    if (keyed.extra == null) keyed.extra = new ArrayBuffer[Entry]
    keyed.extra.asInstanceOf[ArrayBuffer[Entry]]
  }

  protected def entry(row: UnsafeRow, time: Long, mark: Long): Entry = {
    val buffer = aggregates.fresh()
    aggregates.update(buffer, row)
    new Entry(time, mark, aggregates.frozen(buffer))
  }

  override def empty(keyed: Keyed): Boolean = keyed.windows.isEmpty && entries(keyed).isEmpty

  override def write(keyed: Keyed, to: Writer): Unit = {
    super.write(keyed, to)
    to.int(entries(keyed).length)
    entries(keyed).foreach(entry => to.long(entry.time).long(entry.mark).row(entry.frozen))
  }

  override def read(keyed: Keyed, from: Reader): Unit = {
    super.read(keyed, from)
    (0 until from.int()).foreach(_ => entries(keyed) += new Entry(from.long(), from.long(), from.row(aggregates.width)))
  }
}

/** One window a row, `(t - size, t]`. Inside, a window's start and end are half open, as everywhere. */
final class TrailingWindows(shard: Shard, cut: Trailing) extends EntryWindows(shard) {
  import cut.size

  override protected def shown(window: Win): (Long, Long) = (window.start - 1, window.end - 1)

  def add(keyed: Keyed, row: UnsafeRow, time: Long, mark: Long): Unit = {
    val start = time - size + 1
    val takers = keyed.windows.toSet
    var own: Win = null
    if (isLate(time + 1, mark)) sayLate(row, start - 1, time, mark)
    else {
      own = open(keyed, start, time + 1)
      entries(keyed).foreach { entry =>
        if (entry.time >= start && entry.time <= time && !isLate(own.end, entry.mark)) aggregates.merge(own.buffer, entry.frozen)
      }
    }
    // It counts in the windows of other rows too, where it is not too late for those.
    keyed.windows.toArray.foreach { window =>
      val other = takers(window) && window.start <= time && time < window.end && !isLate(window.end, mark)
      if ((window eq own) || other) take(keyed, window, row)
    }
    entries(keyed) += entry(row, time, mark)
  }

  override def due(keyed: Keyed, reached: Long): Unit = {
    super.due(keyed, reached)
    // No row before this can come any more, and none of its window lies before `oldest`.
    val oldest = reached - spec.lateness - size
    entries(keyed).filterInPlace(_.time > oldest)
  }

  override def next(keyed: Keyed): Long = {
    val kept = entries(keyed)
    val free = if (kept.isEmpty) Long.MaxValue else kept.iterator.map(_.time).min + size + spec.lateness
    math.min(super.next(keyed), if (keyed.windows.isEmpty) free else Long.MaxValue)
  }

  override def finish(keyed: Keyed): Unit = {
    super.finish(keyed)
    entries(keyed).clear()
  }
}

/** The last `n` rows of a key, at every `every`-th of them; what a window holds from the beginning are entries. */
final class LastRows(shard: Shard, n: Int, every: Int) extends EntryWindows(shard) {
  override protected def completion(window: Win): Long = Long.MaxValue

  def add(keyed: Keyed, row: UnsafeRow, time: Long, mark: Long): Unit = {
    val kept = entries(keyed)
    val window = keyed.windows.headOption.getOrElse {
      val opened = open(keyed, kept.headOption.fold(time)(_.time), time)
      kept.foreach(entry => aggregates.merge(opened.buffer, entry.frozen))
      opened
    }
    window.end = time
    kept += entry(row, time, mark)
    if (kept.length > n - every) kept.remove(0, kept.length - (n - every))
    take(keyed, window, row, completes = window.rows + 1 >= every)
  }

  override def finish(keyed: Keyed): Unit = {
    super.finish(keyed)
    entries(keyed).clear()
  }
}
