package org.apache.spark.sql.headrace

import java.util.{ArrayDeque, PriorityQueue}

import scala.collection.mutable

/** Keys by the time at which they must be looked at; many keys share a time. */
final class Timers {
  private val times = new PriorityQueue[java.lang.Long]()
  private val waiting = mutable.LongMap.empty[ArrayDeque[Keyed]]

  /** The earliest time, or Long.MaxValue. */
  var first: Long = Long.MaxValue

  def isDue(by: Long): Boolean = first != Long.MaxValue && first <= by

  def add(time: Long, keyed: Keyed): Unit = {
    waiting.getOrElseUpdate(time, {
      times.add(time)
      if (time < first) first = time
      new ArrayDeque[Keyed](2)
    }).add(keyed)
  }

  /** One of the keys that wait for the earliest time. */
  def take(): Keyed = {
    val time = first
    val keys = waiting(time)
    val one = keys.poll()
    if (keys.isEmpty) {
      waiting.remove(time)
      times.poll()
      first = if (times.isEmpty) Long.MaxValue else times.peek()
    }
    one
  }
}
