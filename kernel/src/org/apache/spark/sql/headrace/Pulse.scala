package org.apache.spark.sql.headrace

import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.SparkContext
import org.apache.spark.util.AccumulatorV2

/** How a shard stands at the end of a batch: when the clock must be looked at next, and what it keeps. */
case class Beat(next: Long, keys: Long, watermark: Long, late: Long)

/** What the shards of an operator tell of one batch; a shard that tells it twice is heard once. */
final class Pulse(val run: String, val version: Long) extends AccumulatorV2[(Int, Beat), Map[Int, Beat]] {
  private val beats = mutable.HashMap.empty[Int, Beat]

  override def isZero: Boolean = beats.isEmpty
  override def reset(): Unit = beats.clear()
  override def add(beat: (Int, Beat)): Unit = synchronized(beats += beat)
  override def copy(): Pulse = {
    val made = new Pulse(run, version)
    made.beats ++= value
    made
  }
  override def merge(other: AccumulatorV2[(Int, Beat), Map[Int, Beat]]): Unit =
    synchronized(beats ++= other.value)
  override def value: Map[Int, Beat] = synchronized(beats.toMap)
}

/** The pulses of the operators whose queries this driver runs, by the place of their state. */
object Pulses {
  private val mapper = new ObjectMapper()
  private val last = new ConcurrentHashMap[(String, Int), Pulse]()
  /** What the batches before have told: of each shard the last, and how many late rows there were in all. */
  private val earlier = new ConcurrentHashMap[(String, Int), Map[Int, Beat]]()
  private val late = new ConcurrentHashMap[(String, Int), java.lang.Long]()

  /** Where the shards of an operator tell of this batch. */
  def begin(place: Place, context: SparkContext): Pulse =
    last.compute((place.root, place.operator), (name, before) =>
      if (before != null && before.run == place.run && before.version == place.version) before
      else {
        if (before != null) {
          late.merge(name, before.value.values.map(_.late).sum, (one, two) => one + two)
          earlier.merge(name, before.value, (one, two) => one ++ two)
        }
        val pulse = new Pulse(place.run, place.version)
        pulse.register(context)
        pulse
      })

  private def of(root: String): Seq[(Int, Pulse)] =
    last.asScala.toSeq.collect { case ((at, operator), pulse) if at == root => operator -> pulse }.sortBy(_._1)

  /** When the clock must be looked at, if the operators have told. */
  def nextTick(root: String): Option[Long] = of(root).flatMap(_._2.value.values).map(_.next).minOption

  /** How the operators of a query stand, as JSON; the watermark is that of the shard which is furthest behind. */
  def told(root: String): String = {
    val list = mapper.createArrayNode()
    of(root).foreach { case (operator, pulse) =>
      val present = pulse.value
      val beats = (earlier.getOrDefault((root, operator), Map.empty) ++ present).values
      if (beats.nonEmpty) {
        val before = late.getOrDefault((root, operator), 0L)
        val node: ObjectNode = list.addObject()
        node.put("operator", operator)
        node.put("keys", beats.map(_.keys).sum)
        node.put("late", before + present.values.map(_.late).sum)
        val least = beats.map(_.watermark).min
        if (least != Channel.NONE && least != Long.MaxValue) node.put("watermark", least)
      }
    }
    mapper.writeValueAsString(list)
  }

  def forget(root: String): Unit = {
    last.keySet.removeIf(_._1 == root)
    earlier.keySet.removeIf(_._1 == root)
    late.keySet.removeIf(_._1 == root)
  }
}
