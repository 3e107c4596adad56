package org.apache.spark.sql.headrace

import java.nio.ByteBuffer

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Writes what a store keeps: plain numbers and rows, one behind the other. */
final class Writer {
  private var bytes = ByteBuffer.allocate(256)

  private def room(size: Int): ByteBuffer = {
    if (bytes.remaining < size) {
      val larger = ByteBuffer.allocate(math.max(bytes.capacity * 2, bytes.position() + size))
      bytes.flip()
      larger.put(bytes)
      bytes = larger
    }
    bytes
  }

  def long(value: Long): Writer = { room(8).putLong(value); this }
  def int(value: Int): Writer = { room(4).putInt(value); this }
  def bool(value: Boolean): Writer = { room(1).put((if (value) 1 else 0).toByte); this }
  def longs(values: Array[Long]): Writer = {
    int(values.length)
    values.foreach(long)
    this
  }

  def bytes(value: Array[Byte]): Writer = {
    int(value.length)
    room(value.length).put(value)
    this
  }

  /** A row, or its absence. */
  def row(row: UnsafeRow): Writer = {
    if (row == null) return int(-1)
    val size = row.getSizeInBytes
    int(size)
    room(size).put(row.getBytes, 0, size)
    this
  }

  /** The bytes so far, and an empty writer again. */
  def take(): Array[Byte] = {
    val made = java.util.Arrays.copyOf(bytes.array, bytes.position())
    bytes.clear()
    made
  }
}

/** Reads it back in the same order. */
final class Reader(from: Array[Byte]) {
  private val left = ByteBuffer.wrap(from)

  def long(): Long = left.getLong()
  def int(): Int = left.getInt()
  def bool(): Boolean = left.get() != 0
  def more: Boolean = left.hasRemaining
  def longs(): Array[Long] = Array.fill(int())(long())

  def bytes(): Array[Byte] = {
    val copy = new Array[Byte](int())
    left.get(copy)
    copy
  }

  /** A row of this many fields. */
  def row(fields: Int): UnsafeRow = {
    val size = int()
    if (size < 0) return null
    val copy = new Array[Byte](size)
    left.get(copy)
    val row = new UnsafeRow(fields)
    row.pointTo(copy, size)
    row
  }
}
