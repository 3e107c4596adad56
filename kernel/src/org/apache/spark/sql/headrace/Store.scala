package org.apache.spark.sql.headrace

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import org.apache.hadoop.conf.Configuration

import org.apache.spark.SparkContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.runtime.MicroBatchExecution
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BinaryType, DataType, StructType}
import org.apache.spark.util.SerializableConfiguration

/** Where an operator's state lies, and the batch that is running: the state before it has its number. */
case class Place(root: String, operator: Int, version: Long, run: String)

object Place {
  /** Where an operator of the batch that is being planned keeps its state, if it is one of a query that goes on. */
  def of(root: Option[String], operator: Int, streaming: Boolean, context: SparkContext): Option[Place] =
    for (at <- root if streaming; version <- Option(context.getLocalProperty(MicroBatchExecution.BATCH_ID_KEY)))
      yield Place(at, operator, version.toLong, Option(context.getLocalProperty("spark.jobGroup.id")).getOrElse(""))

  /** How many shards operators have: what a checkpoint began with stands, whatever the session says now. */
  def shards(conf: SQLConf): Int =
    conf.getConf(SQLConf.STATEFUL_SHUFFLE_PARTITIONS_INTERNAL).getOrElse(conf.numShufflePartitions)
}

/** A shard's durable state: Spark's state store, one version a batch, under the query's own checkpoint. */
final class Store(place: Place, shard: Int, conf: StateStoreConf, hadoop: Configuration) {
  private val id = StateStoreProviderId(
    StateStoreId(place.root, place.operator, shard), UUID.nameUUIDFromBytes(place.run.getBytes("UTF-8")))
  private val store = StateStore.get(
    id, Store.KEY, Store.VALUE, NoPrefixKeyStateEncoderSpec(Store.KEY), place.version,
    stateStoreCkptId = None, stateSchemaBroadcast = None, useColumnFamilies = false, conf, hadoop)
  private val project = UnsafeProjection.create(Array[DataType](BinaryType))

  private def row(bytes: Array[Byte]): UnsafeRow = project(InternalRow(bytes))

  def put(key: Array[Byte], value: Array[Byte]): Unit = {
    val kept = row(key).copy()
    store.put(kept, row(value))
  }
  def remove(key: Array[Byte]): Unit = store.remove(row(key))

  def all: Iterator[(Array[Byte], Array[Byte])] =
    store.iterator().map(pair => (pair.key.getBinary(0), pair.value.getBinary(0)))

  def commit(): Unit = store.commit()
  def abort(): Unit = store.abort()
}

object Store {
  val KEY: StructType = new StructType().add("key", BinaryType)
  val VALUE: StructType = new StructType().add("value", BinaryType)
  val CLOCKS: Array[Byte] = Array(0.toByte)

  def keyOf(key: UnsafeRow): Array[Byte] = {
    val bytes = new Array[Byte](key.getSizeInBytes + 1)
    bytes(0) = 1
    System.arraycopy(key.getBytes, 0, bytes, 1, key.getSizeInBytes)
    bytes
  }

  def rowOf(key: Array[Byte], fields: Int): UnsafeRow = {
    val row = new UnsafeRow(fields)
    val copy = java.util.Arrays.copyOfRange(key, 1, key.length)
    row.pointTo(copy, copy.length)
    row
  }
}

/**
 * Shards as they were left by the batch before, in the memory of this process. One is taken out when it is
 * used, and given back when its batch is stored, so that what a failed attempt has touched is never seen again.
 */
sealed abstract class KeptShards[S] {
  private case class Name(root: String, operator: Int, run: String, shard: Int)
  private val shards = new ConcurrentHashMap[Name, (Long, S)]()

  private def name(place: Place, shard: Int) = Name(place.root, place.operator, place.run, shard)

  def take(place: Place, shard: Int): Option[S] =
    Option(shards.remove(name(place, shard))).collect { case (version, kept) if version == place.version => kept }

  def give(place: Place, number: Int, shard: S): Unit =
    shards.put(name(place, number), (place.version + 1, shard))

  /** Forget what was kept for queries under this checkpoint. */
  def drop(root: String): Unit = shards.keySet.removeIf(_.root == root)
}

object Kept extends KeptShards[Shard]

object KeptProcesses extends KeptShards[ProcessShard]

/** Opens the stores of an operator's shards, in the tasks that they run in. */
final class Stores(place: Option[Place], conf: StateStoreConf, hadoop: Broadcast[SerializableConfiguration])
    extends Serializable {
  def open(shard: Int): Option[Store] = place.map(new Store(_, shard, conf, hadoop.value.value))
}

object Stores {
  def of(session: SparkSession, place: Option[Place]): Stores = {
    val conf = session.sessionState.conf.clone()
    conf.setConf(SQLConf.STATE_STORE_CHECKPOINT_FORMAT_VERSION, 1)
    // To count its rows, RocksDB would look each key up before it puts it; nobody asks this store for the number.
    conf.setConfString("spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows", "false")
    val hadoop = new SerializableConfiguration(session.sessionState.newHadoopConf())
    new Stores(place, new StateStoreConf(conf), session.sparkContext.broadcast(hadoop))
  }
}
