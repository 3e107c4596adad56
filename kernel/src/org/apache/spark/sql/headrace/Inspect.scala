package org.apache.spark.sql.headrace

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}

import org.apache.spark.sql.catalyst.expressions.{BoundReference, Cast, UnsafeRow}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

/**
 * Reads what the operators of a job have kept, as of its last batch, without a Spark session: a program of its
 * own that only reads, so that the job may run meanwhile. Arguments: the folder of the job's checkpoints (or of
 * one query's), how many keys of each operator to show, and one key to look for. It prints JSON.
 */
object Inspect {
  private val mapper = new ObjectMapper()
  private val CARD = "headrace.json"

  def main(arguments: Array[String]): Unit = {
    val root = new Path(arguments(0))
    val asked = Asked(arguments(1).toInt, arguments.lift(2))
    val hadoop = new Configuration()
    val files = root.getFileSystem(hadoop)
    val told = mapper.createArrayNode()
    folders(files, root).foreach(folder => new Looked(files, folder, asked, hadoop).tell(told.addObject()))
    System.out.println(mapper.writeValueAsString(told))
    // RocksDB's threads are not waited for: nothing was written.
    System.out.flush()
    Runtime.getRuntime.halt(0)
  }

  private def folders(files: FileSystem, root: Path): Seq[Path] =
    if (!files.exists(root)) Nil
    else if (files.exists(new Path(root, CARD))) Seq(root)
    else files.listStatus(root).toSeq.map(_.getPath).filter(at => files.exists(new Path(at, CARD))).sortBy(_.getName)

  private[headrace] case class Asked(limit: Int, key: Option[String])

  /** One query's folder. */
  private class Looked(files: FileSystem, folder: Path, asked: Asked, hadoop: Configuration) {
    private val card = mapper.readTree(text(new Path(folder, CARD)))
    private val batch: Option[Long] = last("commits")
    private val offsets: Seq[String] =
      batch.toSeq.flatMap(number => Try(text(new Path(folder, s"offsets/$number")).linesIterator.toSeq).getOrElse(Nil))

    def tell(to: ObjectNode): Unit = {
      to.put("query", card.get("query").asText)
      batch.foreach(to.put("batch", _))
      val list = to.putArray("operators")
      card.get("state").elements.asScala.filter(_.has("state")).foreach { kept =>
        list.addObject().put("operator", kept.get("state").asText).put("kept_by", "another")
      }
      Option(card.get("operators")).toSeq.flatMap(_.elements.asScala).foreach(operator(_, list.addObject()))
    }

    private def operator(described: JsonNode, to: ObjectNode): Unit = {
      to.put("operator", described.get("text").asText).put("kept_by", "the kernel")
      val place = new Path(folder, s"kernel/${described.get("number").asInt}")
      to.put("bytes_on_disk", if (files.exists(place)) files.getContentSummary(place).getLength else 0L)
      val conf = stores
      SQLConf.withExistingConf(conf) {
        val keeper = new Keeper(described, numbered, asked, to)
        for (number <- batch; shard <- shards(place)) keeper.shard(shard, rows(place, shard, number + 1, conf))
        keeper.end()
      }
    }

    private def shards(place: Path): Seq[Int] =
      if (!files.exists(place)) Nil
      else files.listStatus(place).toSeq.flatMap(one => one.getPath.getName.toIntOption).sorted

    /** The settings that state was written with lie with the offsets of the batch. */
    private def stores: SQLConf = {
      val conf = new SQLConf
      for (line <- offsets.lift(1); said <- Option(mapper.readTree(line).get("conf")))
        said.properties.forEach(one => conf.setConfString(one.getKey, one.getValue.asText))
      conf.setConfString("spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled", "true")
      conf.setConf(SQLConf.STATE_STORE_CHECKPOINT_FORMAT_VERSION, 1)
      conf
    }

    private def rows(place: Path, shard: Int, version: Long, conf: SQLConf): Iterator[(Array[Byte], Array[Byte])] = {
      val id = StateStoreProviderId(StateStoreId(place.getParent.toString, place.getName.toLong, shard), UUID.randomUUID())
      val provider = StateStoreProvider.createAndInit(
        id, Store.KEY, Store.VALUE, NoPrefixKeyStateEncoderSpec(Store.KEY), useColumnFamilies = false,
        new StateStoreConf(conf), hadoop, useMultipleValuesPerKey = false, stateSchemaProvider = None)
      provider.getReadStore(version).iterator().map(pair => (pair.key.getBinary(0), pair.value.getBinary(0)))
    }

    /** The names of source partitions by their numbers: those of Kafka stand in the offsets. */
    private def numbered: Map[Long, (String, Option[(String, Int)])] = {
      val reads = Option(card.get("reads")).toSeq.flatMap(_.elements.asScala)
      val named = offsets.drop(2).filter(_.startsWith("{")).flatMap(line => Try(Roster.partitions(line)).getOrElse(Nil))
      reads.flatMap { read =>
        val (name, first) = (read.get("name").asText, read.get("number").asLong)
        val alone = Seq(first -> (name -> None))
        read.get("topics").asText match {
          case "none" => alone
          case topics => named.map { case (topic, partition) =>
            Roster.number(first, if (topics == Roster.ONE) None else Some(topic), partition) -> (name -> Some((topic, partition)))
          }
        }
      }.toMap
    }

    private def last(log: String): Option[Long] = {
      val at = new Path(folder, log)
      if (!files.exists(at)) None
      else files.listStatus(at).toSeq.flatMap(one => one.getPath.getName.toLongOption).maxOption
    }

    private def text(at: Path): String = {
      val stream = files.open(at)
      try new String(stream.readAllBytes(), UTF_8) finally stream.close()
    }
  }

  /** One operator's state, shard by shard. */
  private class Keeper(
      described: JsonNode, names: Map[Long, (String, Option[(String, Int)])], asked: Asked, to: ObjectNode) {
    private val form = described.get("form")
    private val types = form.get("keys").elements.asScala.map(kind => CatalystSqlParser.parseDataType(kind.asText)).toArray
    private val columns = described.get("keys").elements.asScala.map(_.asText).toArray
    private val spec = Spec.read(described.get("spec").deepCopy[ObjectNode].set[ObjectNode]("roster", mapper.createArrayNode()).toString)
    private val texts = types.zipWithIndex.map { case (kind, at) =>
      Cast(BoundReference(at, kind, nullable = true), StringType, Some("UTC"))
    }
    private val shown = to.putArray("keys")
    private var keys, bytes, shards = 0L
    private var watermark = Long.MaxValue
    private var clock = Channel.NONE
    private var sources = Map.empty[Long, SourcePartition]

    def shard(number: Int, rows: Iterator[(Array[Byte], Array[Byte])]): Unit = {
      val shard = new Shard(spec, new Aggregates(Nil, Nil, Nil, Nil), NoRules)
      shards += 1
      rows.foreach { case (key, value) =>
        bytes += key.length + value.length
        if (key(0) == Store.CLOCKS(0)) shard.restore(Iterator(key -> value.clone()), types.length)
        else {
          keys += 1
          look(shard, number, key, value)
        }
      }
      watermark = math.min(watermark, shard.watermark)
      clock = math.max(clock, shard.now)
      shard.sources.foreach { case (source, one) =>
        if (!sources.get(source).exists(_.mark <= one.mark)) sources += source -> one
      }
    }

    private def look(shard: Shard, number: Int, key: Array[Byte], value: Array[Byte]): Unit = if (shown.size < asked.limit) {
      val row = Store.rowOf(key, types.length)
      val said = texts.map(_.eval(row).asInstanceOf[UTF8String]).map(text => if (text == null) null else text.toString)
      if (asked.key.forall(wished => said.contains(wished) || said.mkString(",") == wished)) {
        shard.restore(Iterator(key -> value.clone()), types.length)
        val keyed = shard.keys.remove(row)
        val node = shown.addObject()
        val names = node.putObject("key")
        columns.zip(said).foreach { case (column, text) => names.put(column, text) }
        node.put("shard", number).put("bytes", key.length + value.length)
        val list = node.putArray("windows")
        if (keyed != null) shard.glimpses(keyed).foreach(glimpse(_, list.addObject()))
      }
    }

    private def glimpse(one: Glimpse, node: ObjectNode): Unit = {
      if (spec.hasWindow) node.put("start", one.start).put("end", one.end)
      one.rows.foreach(node.put("rows", _))
      node.put("panes", one.panes).put("complete", one.complete)
    }

    def end(): Unit = {
      to.put("shards", shards).put("key_count", keys).put("bytes", bytes)
      moment(to, "watermark", if (shards == 0) Channel.NONE else watermark)
      moment(to, "clock", clock)
      val list = to.putArray("sources")
      sources.toSeq.sortBy(_._1).foreach { case (number, one) =>
        val node = list.addObject()
        names.get(number) match {
          case Some((source, place)) =>
            node.put("source", source)
            place.foreach { case (topic, partition) => node.put("topic", topic).put("partition", partition) }
          case None if number < (1L << 32) && number >= 0 =>
            node.put("source", s"operator ${number >> 16}").put("shard", number & 0xffff)
          case None => node.put("source", number.toString)
        }
        moment(node, "watermark", one.mark)
        moment(node, "heard", one.spoke)
        node.put("idle", one.idle)
      }
    }

    private def moment(node: ObjectNode, name: String, time: Long): Unit =
      if (time == Long.MaxValue) node.put(name, "the end")
      else if (time != Channel.NONE) node.put(name, time)
  }

  /** What is looked at gets no more rows. */
  private object NoRules extends Rules {
    def holds(row: UnsafeRow, predicate: Int): Boolean = false
    def gap(row: UnsafeRow): Long = 0
    def delta(row: UnsafeRow): Option[Double] = None
    def begins(row: UnsafeRow): Boolean = false
    def ends(row: UnsafeRow): Boolean = false
    def timed: Boolean = false
  }
}
