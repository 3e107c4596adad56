"""What the kernel's windows mean, said once more in plain Python: slow, small, and meant to be read.

It follows the ten items of `docs/design.md`, "What happens, exactly", and nothing else. Where they leave
something open, a comment that begins with `Decision` says what holds here; the kernel does the same.
"""

from reference.folding import folded
from reference.model import Outcome, Reference
from reference.records import Drain, Event, Late, Mark, Pane, Row, Tick

__all__ = ["Drain", "Event", "Late", "Mark", "Outcome", "Pane", "Reference", "Row", "Tick", "folded"]
