package org.apache.spark.sql.headrace

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** How rows are cut into windows; lengths are microseconds. */
sealed trait Cut extends Serializable
case class Aligned(size: Long, every: Long, offset: Long) extends Cut
case class Cumulative(step: Long, size: Long) extends Cut
case class Session(gap: Option[Long]) extends Cut
case class Trailing(size: Long) extends Cut
case class Count(n: Int, every: Int) extends Cut
case class Delta(threshold: Double) extends Cut
case class Punctuated(begin: Boolean, end: Boolean) extends Cut
case object AllTime extends Cut

/** When a window's results leave it. */
sealed trait When extends Serializable
case class AtWatermark(early: Option[When], late: Option[When]) extends When
case object EachRow extends When
case class AfterCount(n: Long) extends When
case class AfterDelay(delay: Long) extends When
case class Every(every: Long) extends When
case class Holds(predicate: Int) extends When
case class AnyOf(parts: Seq[When]) extends When
case class AllOf(parts: Seq[When]) extends When
case class InOrder(parts: Seq[When]) extends When
case class Repeat(part: When) extends When
case class Until(part: When, end: When) extends When
case object Never extends When

/** Which rows of a window a pane holds. */
object Accumulation extends Enumeration {
  val Discarding, Accumulating, Retracting = Value
}

/** One window operator, as Python describes it; where it keeps its state is told by `place`. */
case class Spec(
    cut: Cut,
    clock: Clocked.Value,
    lateness: Long,
    keepLate: Boolean,
    trigger: When,
    accumulation: Accumulation.Value,
    finalOnly: Boolean,
    pane: Boolean,
    operator: Int,
    place: Option[String],
    idle: Long,
    ttl: Option[Long],
    roster: Seq[Long],
    ticks: Boolean) {

  def retracting: Boolean = accumulation == Accumulation.Retracting
  def discarding: Boolean = accumulation == Accumulation.Discarding
  def hasWindow: Boolean = cut != AllTime

  /** Whether rows end its windows, and no time. */
  def endsByRows: Boolean = cut match {
    case _: Count | _: Delta | _: Punctuated | AllTime => true
    case _ => false
  }

  /** Whether a window says all that it has to say at once, when it closes. */
  def once: Boolean = trigger match {
    case AtWatermark(None, _) => lateness == 0 && !retracting || finalOnly && !pane
    case _ => false
  }
}

/** Whose time a window goes by. */
object Clocked extends Enumeration {
  val Event, Ingestion, Processing = Value
}

object Spec {
  private val mapper = new ObjectMapper()

  def read(json: String): Spec = {
    val node = mapper.readTree(json)
    Spec(
      cut(node.get("window")),
      node.get("on").asText match {
        case "event" => Clocked.Event
        case "ingestion" => Clocked.Ingestion
        case "processing" => Clocked.Processing
      },
      node.get("lateness").asLong,
      node.get("late").asText == "keep" && some(node, "late_read").forall(_.asBoolean),
      when(node.get("trigger")),
      Accumulation.values.find(_.toString.toLowerCase == node.get("accumulation").asText).get,
      node.get("final_only").asBoolean,
      node.get("pane").asBoolean,
      node.get("operator").asInt,
      some(node, "place").map(_.asText),
      node.get("idle").asLong,
      some(node, "ttl").map(_.asLong),
      node.get("roster").elements.asScala.map(_.asLong).toSeq,
      node.get("ticks").asBoolean)
  }

  private def some(node: JsonNode, name: String): Option[JsonNode] =
    Option(node.get(name)).filterNot(_.isNull)

  private def cut(node: JsonNode): Cut = {
    def long(name: String): Long = node.get(name).asLong
    node.get("kind").asText match {
      case "aligned" => Aligned(long("size"), long("every"), long("offset"))
      case "cumulative" => Cumulative(long("step"), long("size"))
      case "session" => Session(some(node, "gap").map(_.asLong))
      case "trailing" => Trailing(long("size"))
      case "count" => Count(node.get("n").asInt, node.get("every").asInt)
      case "delta" => Delta(node.get("threshold").asDouble)
      case "punctuated" => Punctuated(node.get("begin").asBoolean, node.get("end").asBoolean)
      case "all_time" => AllTime
    }
  }

  private def when(node: JsonNode): When = {
    def parts: Seq[When] = node.get("parts").elements.asScala.map(when).toSeq
    node.get("kind").asText match {
      case "at_watermark" => AtWatermark(some(node, "early").map(when), some(node, "late").map(when))
      case "each_row" => EachRow
      case "after_count" => AfterCount(node.get("n").asLong)
      case "after_delay" => AfterDelay(node.get("delay").asLong)
      case "every" => Every(node.get("every").asLong)
      case "when" => Holds(node.get("predicate").asInt)
      case "any_of" => AnyOf(parts)
      case "all_of" => AllOf(parts)
      case "in_order" => InOrder(parts)
      case "repeat" => Repeat(when(node.get("part")))
      case "until" => Until(when(node.get("part")), when(node.get("end")))
      case "never" => Never
    }
  }
}
