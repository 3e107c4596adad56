"""How a job will run, for people and for programs: as text, as JSON, as a Mermaid graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.model.modes import Mode
from headrace.origin import short
from headrace.plan.nodes import Node, Read, Write
from headrace.planner.divide import Query
from headrace.planner.notes import notes
from headrace.planner.physical import Physical


@dataclass(frozen=True, slots=True)
class Explained:
    """A physical plan as plain data."""

    content: dict[str, Any]

    def text(self) -> str:
        """The plan as a person reads it."""
        job = self.content
        lines = [f"{job['job']} in {job['mode']}", "", "Steps"]
        lines += _aligned([_step_cells(step) for step in job["steps"]])
        lines += ["", f"Queries ({len(job['queries'])})"]
        for query in job["queries"]:
            lines += _query_lines(query)
        lines += ["", "Real time"]
        lines += _real_time_lines(job["real_time"])
        if job["notes"]:
            lines += ["", "Notes", *(f"  {note}" for note in job["notes"])]
        return "\n".join(lines)

    def mermaid(self) -> str:
        """The plan as a Mermaid flowchart."""
        lines = ["flowchart TD"]
        for step in self.content["steps"]:
            opening, closing = _SHAPES[step["kind"]]
            label = f"{step['step']} {step['what']}".strip().replace('"', "#quot;")
            lines.append(f'  n{step["id"]}{opening}"{label}"{closing}')
        lines += [f"  n{start} --> n{end}" for start, end in self.content["edges"]]
        return "\n".join(lines)


_SHAPES = {"source": ("([", "])"), "step": ("[", "]"), "state": ("[[", "]]"), "sink": ("[/", "/]")}


def explain(physical: Physical) -> Explained:
    """Gather what there is to say of a physical plan."""
    numbers = {node: number for number, (node, _support) in enumerate(physical.steps, 1)}
    reasons = [
        {"step": numbers.get(node), "what": str(node), "reason": reason, "at": _at(node)}
        for node, reason in physical.real_time
    ]
    return Explained(
        {
            "job": physical.job.name,
            "mode": str(physical.mode),
            "steps": [_step(node, number, physical) for node, number in numbers.items()],
            "edges": [
                [numbers[before], number] for node, number in numbers.items() for before in node.inputs
            ],
            "queries": [_query(query, numbers, physical) for query in physical.queries],
            "real_time": {"possible": not reasons, "reasons": reasons},
            "notes": notes(physical),
        }
    )


def kind_of(node: Node, physical: Physical) -> str:
    """Whether a node is a source, a sink, keeps state, or is just a step."""
    if isinstance(node, Read):
        return "source"
    if isinstance(node, Write):
        return "sink"
    return "state" if any(found.state for step, found in physical.steps if step is node) else "step"


def _step(node: Node, number: int, physical: Physical) -> dict[str, Any]:
    found = next(support for step, support in physical.steps if step is node)
    runs = found.how
    if isinstance(node, Write):
        runs = _sink_runs(node, physical)
    return {
        "id": number,
        "step": node.verb,
        "what": node.text,
        "runs_on": runs,
        "keeps_state": found.state,
        "kind": kind_of(node, physical),
        "at": _at(node),
    }


def _sink_runs(node: Write, physical: Physical) -> str:
    query = next(query for query in physical.queries if node in query.writes)
    if physical.mode is Mode.BATCH:
        return "written once"
    if query.shared:
        live = physical.mode is Mode.REAL_TIME
        return "one writer, a topic a row" if live else "each batch, kept once for all its sinks"
    native = physical.mode is Mode.REAL_TIME or node.sink.native
    return "Spark's own sink" if native else "each batch, by Python"


def _query(query: Query, numbers: dict[Node, int], physical: Physical) -> dict[str, Any]:
    outputs = []
    for write in query.writes:
        guarantee = physical.guarantee(write)
        outputs.append(
            {
                "name": write.name,
                "sink": write.sink.text,
                "output": str(write.output),
                "guarantee": str(guarantee.delivery),
                "because": guarantee.because,
            }
        )
    return {"name": query.name, "cut": numbers.get(query.cut), "outputs": outputs}


def _at(node: Node) -> dict[str, Any] | None:
    return {"file": short(node.origin.file), "line": node.origin.line} if node.origin else None


def _step_cells(step: dict[str, Any]) -> list[str]:
    at = f"{step['at']['file']}:{step['at']['line']}" if step["at"] else ""
    return [f"{step['id']:>3}  {step['step']}", step["what"], step["runs_on"], at]


def _query_lines(query: dict[str, Any]) -> list[str]:
    shared = f", fed from step {query['cut']}" if len(query["outputs"]) > 1 else ""
    lines = [f"  {query['name']}{shared}"]
    for output in query["outputs"]:
        to = f"{output['name']} to {output['sink']} ({output['output']})"
        lines.append(f"    {to}: {output['guarantee']}, as {output['because']}")
    return lines


def _real_time_lines(real_time: dict[str, Any]) -> list[str]:
    if real_time["possible"]:
        return ["  possible"]
    lines = ["  not possible:"]
    for reason in real_time["reasons"]:
        at = f" ({reason['at']['file']}:{reason['at']['line']})" if reason["at"] else ""
        lines.append(f"    {reason['what']}: {reason['reason']}{at}")
    return list(dict.fromkeys(lines))


def _aligned(rows: list[list[str]], most: int = 56) -> list[str]:
    cut = [[cell if len(cell) <= most else cell[: most - 1] + "…" for cell in row] for row in rows]
    widths = [max(len(row[at]) for row in cut) for at in range(len(cut[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cut
    ]
