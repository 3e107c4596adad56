package org.apache.spark.sql.headrace

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import org.apache.hadoop.conf.Configuration

import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.types.{BinaryType, DataType, StructType}

/** Where an operator's state lies, and the batch that is running: the state before it has its number. */
case class Place(root: String, operator: Int, version: Long, run: String)

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
object Kept {
  private case class Name(root: String, operator: Int, run: String, shard: Int)
  private val shards = new ConcurrentHashMap[Name, (Long, Shard)]()

  private def name(place: Place, shard: Int) = Name(place.root, place.operator, place.run, shard)

  def take(place: Place, shard: Int): Option[Shard] =
    Option(shards.remove(name(place, shard))).collect { case (version, kept) if version == place.version => kept }

  def give(place: Place, number: Int, shard: Shard): Unit =
    shards.put(name(place, number), (place.version + 1, shard))

  /** Forget what was kept for queries under this checkpoint. */
  def drop(root: String): Unit = shards.keySet.removeIf(_.root == root)
}
