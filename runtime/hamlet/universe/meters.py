"""Meters and states: numbers of agents, of the world, of cells and of pairs of agents."""

from __future__ import annotations

from typing import Literal, TypeAlias

from hamlet.frozen import dataclass
from hamlet.universe.expressions import Expression
from hamlet.universe.span import Span

__all__ = ["MADE", "POSTED", "POSTS", "AnyMeter", "CellMeter", "Meter", "PairMeter", "StateType", "WorldMeter"]


Holds: TypeAlias = Literal["real", "int", "bool", "options"]


POSTS, POSTED = "posts", "posted"
"""The `past` of states that say on which cell an agent posts in a tick, and of those that say what."""
MADE = ("what moves", "births", "layouts", POSTS, POSTED)
"""The `past` of states that statements write; that of another one is the construct that looks back."""


@dataclass(frozen=True, slots=True)
class StateType:
    """The type of a meter that is declared as `state`: real numbers, whole numbers, 0 or 1 for a condition, or the
    number of one of its `options`. The compiler proves that nothing else is written into it.

    Attributes:
        past: what the compiler made this state for: a construct that looks back, that asks all cells, that moves,
            births, layouts, or posts on cells; `None` for one of an author's.
    """

    holds: Holds
    options: tuple[str, ...]
    past: str | None = None

    @property
    def whole(self) -> bool:
        """Whether it holds whole numbers only."""
        return self.holds != "real"


@dataclass(frozen=True, slots=True)
class Meter:
    """A number per agent with bounds and a start value. `decay` is subtracted every tick, `move` in a tick with a move
    action, `interact` in a tick with INTERACT; `None` where the author said nothing.

    Attributes:
        start: a constant within the bounds, or an expression of params, draws and the agent's number, whose value is
            clamped to them.
        reach: where it lies between ticks, its bounds included, where some statement leaves it unclamped: proven by the
            compiler. `None` where nothing does; or in a package of an older compiler, and then nothing is known.
        type: what it holds, where it is declared as `state`; `None` for a meter.
    """

    name: str
    start: float | Expression
    low: float
    high: float
    decay: Expression | None
    move: Expression | None
    interact: Expression | None
    span: Span
    reach: tuple[float, float] | None = None
    type: StateType | None = None

    @property
    def of_tick(self) -> bool:
        """Whether it says where an agent posts in a tick: it is 0 when a tick of the agent begins."""
        return self.type is not None and self.type.past == POSTS


@dataclass(frozen=True, slots=True)
class WorldMeter:
    """A number per world with bounds and a start value; `start` and `type` are as those of a meter, but no start value
    of a world reads the number of an agent.

    Attributes:
        kept: it begins with the first episode of its world, and later ones leave it as it is. Start values of what
            begins with every episode may read it.
    """

    name: str
    start: float | Expression
    low: float
    high: float
    span: Span
    type: StateType | None = None
    kept: bool = False


@dataclass(frozen=True, slots=True)
class CellMeter:
    """A number per cell of a grid and world, with bounds. Walls of a map have none.

    Attributes:
        start: a constant within the bounds, or an expression of params, draws and of where the cell is, whose value is
            clamped to them.
        type: as that of a meter.
    """

    name: str
    start: float | Expression
    low: float
    high: float
    span: Span
    type: StateType | None = None


@dataclass(frozen=True, slots=True)
class PairMeter:
    """A state of pairs: a number that each agent has of each other agent of its world, with bounds. Of itself an agent
    has what is next to 0 within them.

    Attributes:
        start: a constant within the bounds, or an expression, whose value is clamped to them: of params, of what the
            world has, of draws, of the number of the other agent, and of what the agent itself begins with (`Own`).
        type: as that of a meter.
    """

    name: str
    start: float | Expression
    low: float
    high: float
    span: Span
    type: StateType


AnyMeter: TypeAlias = Meter | WorldMeter | CellMeter | PairMeter
"""A meter or a state of agents, of the world, of cells or of pairs."""
