package org.apache.spark.sql.headrace

import java.io.StringWriter
import java.nio.ByteBuffer

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonGenerator
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import org.apache.spark.sql.{Column, DataFrame}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.json.{JacksonGenerator, JSONOptions}
import org.apache.spark.sql.classic.Dataset
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * A window operator without a query around it: batches of events in, what the shards say out, both as JSON, in
 * milliseconds. It deals rows out to shards and hands them their events as a batch of a query does, and between
 * two batches it flushes them; a batch that begins with a restart reads them back from the bytes.
 */
final class Rehearsal(operator: WindowOperator) {
  private val layout = Layout.of(operator)
  private val making = Making(operator.spec, layout, operator.output)
  private val aggregates = making.aggregates()
  private val key = making.key()
  private val columns = operator.child.output
  private val routed = UnsafeProjection.create(layout.control ++ layout.carried, layout.control ++ columns)

  /** Plays the batches, each an object (`restart`, `tick`, `events`, `drain`), over so many shards. */
  def play(json: String, delay: Long, start: Long, shards: Int, batches: String): String = {
    val spec = Spec.read(json)
    val to = new StringWriter
    val said = Rehearsal.mapper.getFactory.createGenerator(to)
    val players = Seq.fill(shards)(new Player(spec, start, said))
    said.writeStartArray()
    Rehearsal.mapper.readTree(batches).elements.asScala.foreach { batch =>
      said.writeStartArray()
      val dealt = deal(batch.get("events"), spec.clock == Clocked.Ingestion, delay, shards)
      players.zip(dealt).foreach { case (player, pieces) => player.batch(batch, pieces) }
      said.writeEndArray()
    }
    said.writeEndArray()
    said.close()
    to.toString
  }

  /** What a batch's tasks hand on to each shard: all the pieces in their order, and its own rows of them. */
  private def deal(events: JsonNode, arrival: Boolean, delay: Long, shards: Int): Seq[Seq[(Piece, Seq[UnsafeRow])]] = {
    val tasks = mutable.LinkedHashMap.empty[Long, (Channel, Tracker)]
    val rows = mutable.Map.empty[(Run, Int), ArrayBuffer[UnsafeRow]]
    val control = new GenericInternalRow(Layout.WIDTH)
    events.elements.asScala.foreach { event =>
      val (channel, tracker) = tasks.getOrElseUpdate(event.get("task").asLong, {
        val opened = new Channel
        (opened, new Tracker(delay, punctuated = false, opened))
      })
      val (marker, arrived) = (Rehearsal.some(event, "marker"), Rehearsal.some(event, "arrived"))
      val isRow = tracker.row(
        event.get("partition").asLong, 0, null, event.get("minor").asLong, event.get("time").asLong, true, 0, false,
        arrived.getOrElse(0), arrived.isDefined, marker.getOrElse(0), marker.isDefined)
      if (isRow) {
        control.update(Layout.SHARD, 0)
        control.update(Layout.KIND, Layout.DATA)
        control.update(Layout.RUN, 0L)
        control.update(Layout.TIME, if (arrival) channel.arrived else channel.time)
        control.update(Layout.MARK, if (arrival) channel.arrivedMark else channel.mark)
        val row = routed(new JoinedRow(control, Rehearsal.row(event.get("row"), columns))).copy()
        rows.getOrElseUpdate((channel.passing, Math.floorMod(key(row).hashCode, shards)), ArrayBuffer.empty) += row
      }
    }
    val pieces = for ((channel, _) <- tasks.values.toSeq; run <- channel.runs)
      yield (Piece.read(Piece.write(run, if (arrival) run.arrival else run.mark)), run)
    val inOrder = pieces.sortBy(_._1)
    (0 until shards).map(shard => inOrder.map { case (piece, run) => (piece, rows.getOrElse((run, shard), Nil).toSeq) })
  }

  /** One shard, and the bytes of it. */
  private final class Player(spec: Spec, start: Long, to: JsonGenerator) {
    private val stored = mutable.Map.empty[ByteBuffer, Array[Byte]]
    private val told = new Told(spec, to)
    private var shard = made()
    shard.tick(start)

    private def made(): Shard = {
      val fresh = new Shard(spec, aggregates, new ColumnRules(spec, layout))
      fresh.out = told
      fresh.restore(stored.iterator.map { case (key, value) => (key.array.clone(), value.clone()) }, layout.keys.length)
      spec.roster.foreach(fresh.expect)
      fresh
    }

    def batch(batch: JsonNode, pieces: Seq[(Piece, Seq[UnsafeRow])]): Unit = {
      if (batch.get("restart").asBoolean) {
        shard = made()
        shard.resumed()
      }
      after(shard.tick(batch.get("tick").asLong))
      pieces.foreach { case (piece, _) => after(shard.announced(piece.source)) }
      pieces.foreach { case (piece, rows) =>
        rows.foreach { row =>
          val mark = after(shard.heard(piece.source, row.getLong(Layout.MARK)))
          after(shard.row(row, key(row), row.getLong(Layout.TIME), mark))
        }
        after(shard.heard(piece.source, piece.mark))
      }
      if (batch.get("drain").asBoolean) {
        after(shard.drain())
        after(shard.finish())
      }
      shard.flush((key, value) => stored(ByteBuffer.wrap(key)) = value, key => stored -= ByteBuffer.wrap(key))
    }

    private def after[T](event: T): T = {
      while (shard.fireOne()) ()
      event
    }
  }

  private val shown = new Rehearsal.Shown(operator.prepared.results.map(_.toAttribute))
  private val left = new Rehearsal.Shown(layout.late)
  private val asLate = UnsafeProjection.create(layout.late, layout.output)

  private final class Told(spec: Spec, to: JsonGenerator) extends Output {
    def pane(
        keyed: UnsafeRow, result: UnsafeRow, start: Long, end: Long, op: String, timing: Int, index: Int,
        last: Boolean): Unit = {
      to.writeStartObject()
      shown.write(result, to)
      window(spec.hasWindow, start, end)
      to.writeStringField("op", op)
      to.writeStringField("timing", Timing.NAMES(timing))
      to.writeNumberField("index", index)
      to.writeBooleanField("final", last)
      to.writeEndObject()
    }

    def missed(rows: Long): Unit = ()

    def late(row: UnsafeRow, windowed: Boolean, start: Long, end: Long, mark: Long): Unit = {
      to.writeStartObject()
      left.write(asLate(row), to)
      window(windowed, start, end)
      if (mark == Channel.NONE) to.writeNullField("mark") else to.writeNumberField("mark", mark)
      to.writeEndObject()
    }

    private def window(there: Boolean, start: Long, end: Long): Unit = {
      to.writeFieldName("window")
      if (there) to.writeArray(Array(start, end), 0, 2) else to.writeNull()
    }
  }
}

object Rehearsal {
  private val mapper = new ObjectMapper()

  def of(
      frame: DataFrame,
      spec: String,
      keys: java.util.List[String],
      rules: java.util.List[String],
      late: java.util.List[String],
      aggregates: java.util.List[Column]): Rehearsal =
    new Rehearsal(WindowOperator.over(
      frame.asInstanceOf[Dataset[_]], Spec.read(spec), keys.asScala.toSeq, rules.asScala.toSeq, late.asScala.toSeq,
      aggregates.asScala.toSeq))

  private def some(node: JsonNode, name: String): Option[Long] =
    Option(node.get(name)).filterNot(_.isNull).map(_.asLong)

  private def row(values: JsonNode, columns: Seq[Attribute]): InternalRow =
    InternalRow.fromSeq(columns.zip(values.elements.asScala.toSeq).map { case (column, value) =>
      if (value.isNull) null
      else column.dataType match {
        case LongType => value.asLong
        case DoubleType => value.asDouble
        case BooleanType => value.asBoolean
        case StringType => UTF8String.fromString(value.asText)
      }
    })

  /** A row as the field `row` of an object. */
  private final class Shown(columns: Seq[Attribute]) {
    private val schema = StructType(columns.map(column => StructField(column.name, column.dataType)))
    private val options = new JSONOptions(Map("ignoreNullFields" -> "false"), "UTC")

    def write(row: InternalRow, to: JsonGenerator): Unit = {
      val text = new StringWriter
      val generator = new JacksonGenerator(schema, text, options)
      generator.write(row)
      generator.flush()
      to.writeFieldName("row")
      to.writeRawValue(text.toString)
    }
  }
}
