"""The trace of one lane's meters in a tick: every write, with the construct and the line that made it."""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor

from hamlet.universe import Span


@dataclass(frozen=True, slots=True)
class Write:
    """A statement wrote `value` to a meter. `construct` is as in `hamlet.interpreter.coverage`."""

    construct: str
    span: Span
    meter: str
    value: float


@dataclass(slots=True)
class Trace:
    """Records the writes to the meters of one agent, in order."""

    world: int
    agent: int
    writes: list[Write] = field(default_factory=list)

    def record(self, construct: str, span: Span, meter: str, values: Tensor, who: Tensor) -> None:
        """A statement left these values [worlds, agents] in the lanes `who`; [worlds, 1] for a meter of the world."""
        worlds, agents = values.shape
        lane = (self.world, self.agent if agents > 1 else 0)
        if bool(who.expand(worlds, agents)[lane]):
            self.writes.append(Write(construct, span, meter, float(values[lane])))
