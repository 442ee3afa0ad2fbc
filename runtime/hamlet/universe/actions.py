"""Actions: custom ones, which of them are allowed, in which ticks agents act, and what is in their way."""

from __future__ import annotations

from hamlet.frozen import dataclass
from hamlet.universe.expressions import Expression
from hamlet.universe.span import Span
from hamlet.universe.statements import Statement

__all__ = ["Acting", "Action", "Blocking", "Mask", "Pushing"]


INTERACT, WAIT = "INTERACT", "WAIT"
"""The actions that are no universe's own, and no moves."""


@dataclass(frozen=True, slots=True)
class Action:
    """A custom action: where `needs` holds, its statements run, then it moves by `move`, then it teleports, and what is
    `after` that runs. With `keeps_progress` an agent that it displaces stays engaged.

    Attributes:
        move, teleport: constants. A displacement that is none is the last of the `body`.
        after: a teleport to a place that is no constant.
    """

    name: str
    needs: Expression | None
    body: tuple[Statement, ...]
    move: tuple[float, ...] | None
    teleport: tuple[float, ...] | None
    keeps_progress: bool
    span: Span
    after: tuple[Statement, ...] = ()

    @property
    def displaces(self) -> bool:
        """Whether it can change where an agent is."""
        own = any(statement.relocations for statement in (*self.body, *self.after))
        return own or self.move is not None or self.teleport is not None


@dataclass(frozen=True, slots=True)
class Mask:
    """Says when actions are allowed. For named actions it takes the place of what is built in, or of what was said
    before it; without names (all actions) it restricts whatever else holds. It is said of the agents for whom `who`
    holds."""

    actions: tuple[str, ...]
    allowed: Expression
    span: Span
    who: Expression | None = None


@dataclass(frozen=True, slots=True)
class Acting:
    """Says in which ticks agents act: those for whom `who` holds (`None`: all) only where the condition holds when the
    tick begins. Where there are several, an agent acts where all of them let it. One that does not act does WAIT,
    whatever it chose."""

    condition: Expression
    span: Span
    who: Expression | None = None


@dataclass(frozen=True, slots=True)
class Blocking:
    """Agents block each other on a grid: a move leads to a cell on which no other one stands when the tick begins, and
    of several that lead to one cell only that of the agent with the highest priority leads there. Of equals, and
    without a priority, the one with the lowest number comes first."""

    priority: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class Pushing:
    """Agents push what lies on cells of a grid: a move to a cell where `state`, one of cells, is not 0 moves its value
    on, and those of the cells that follow in a row, `most` at most. Of several agents that claim a cell the one with
    the highest priority goes; of equals, and without a priority, the one with the lowest number."""

    state: str
    most: int
    priority: Expression | None
    span: Span
