package org.apache.spark.sql.headrace

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ArrayNode

import org.apache.spark.sql.classic.Dataset
import org.apache.spark.sql.types.DataType

/** What the state of a window operator is made of: only the same can read it again. */
object Form {
  private val mapper = new ObjectMapper()

  /** Of the operator that a frame ends in, as JSON. */
  def of(frame: Dataset[_]): String = frame.queryExecution.analyzed match {
    case operator: WindowOperator =>
      val node = mapper.createObjectNode()
      val functions = operator.prepared.functions
      node.put("kept", if (Windows.sliced(operator.spec, Aggregates.ordered(functions))) "slices" else "windows")
      list(node.putArray("keys"), operator.prepared.keys.map(_.dataType))
      list(node.putArray("values"), functions.flatMap(_.aggregateFunction.aggBufferAttributes.map(_.dataType)))
      mapper.writeValueAsString(node)
    case other => throw new IllegalArgumentException(s"${other.nodeName} is no window operator")
  }

  private def list(node: ArrayNode, kinds: Seq[DataType]): Unit = kinds.foreach(kind => node.add(kind.catalogString))
}
