"""The node of a Python function that is called row by row, and what it has in common with windows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headrace.model.expression import Expr
from headrace.model.schema import Schema
from headrace.model.state import Shape
from headrace.plan.nodes import KernelWindow, Node, by, function_name


@dataclass(frozen=True, eq=False, kw_only=True)
class Process(Node):
    """A Python function called with each row, its key's state and timers; `on_timer` takes those that fire.

    `named` is what the user gave: the function, or the object that has both as methods.
    """

    verb = "process"
    input: Node
    keys: tuple[Expr, ...]
    function: Callable[..., Any]
    on_timer: Callable[..., Any] | None
    schema: Schema
    state: Shape
    named: Any

    @property
    def text(self) -> str:
        state = f" (state: {self.state.text})" if self.state.text else ""
        return by(self.keys, f"{function_name(self.named)} to {self.schema}{state}")

    @property
    def state_text(self) -> str:
        """The function and what it gives may change; what is kept for a key may not."""
        return f"{self.verb} by {', '.join(map(str, self.keys))}, state: {self.state.text or 'none'}"


KERNELS = (KernelWindow, Process)
"""The nodes that the kernel runs, with state of its own."""
