package org.apache.spark.sql.headrace

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.Dataset

/** What Python asks about a plan that Spark has analysed. */
object Plans {

  /** How many operators of the plan make Spark keep state between batches. */
  def stateful(frame: DataFrame): Int =
    frame.asInstanceOf[Dataset[_]].queryExecution.analyzed.collect {
      case node if node.isStreaming && keepsState(node) => node
    }.size

  private def keepsState(node: LogicalPlan): Boolean = node match {
    case _: Aggregate | _: Distinct | _: Deduplicate | _: DeduplicateWithinWatermark => true
    case join: Join => join.left.isStreaming && join.right.isStreaming
    case _: FlatMapGroupsWithState | _: FlatMapGroupsInPandasWithState => true
    case _: TransformWithState | _: TransformWithStateInPySpark => true
    case _: GlobalLimit => true
    case _ => false
  }
}
