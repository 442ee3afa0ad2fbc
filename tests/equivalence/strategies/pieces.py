"""What an author has in mind: expressions with the place where they lie, meters, spaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hamlet.universe import Continuous, Grid, Space
from hamletc.intervals import Interval

IF, OR, AND, NOT, COMPARISON, SUM, WHEN, CLOSED_SUM, PRODUCT, FACTOR, ATOM = range(11)
"""How tightly an expression binds. A SUM ends in `when`, a CLOSED_SUM does not; a WHEN is only a `when`."""


@dataclass(frozen=True, slots=True)
class Piece:
    """An expression: its text, how tightly it binds, and where it lies (`None` for a condition)."""

    text: str
    level: int
    range: Interval | None

    def at_least(self, level: int) -> str:
        """The text, in parentheses where it binds less tightly than `level`."""
        return self.text if self.level >= level else f"({self.text})"

    @property
    def lies(self) -> Interval:
        """Where a number lies."""
        if self.range is None:
            raise TypeError(f"a condition: {self.text}")
        return self.range


@dataclass(frozen=True, slots=True)
class MeterPlan:
    """A meter. A `loose` one may be written without a clamp; it decays, which clamps it in every tick, unless it is
    `adrift`: then it may have any value."""

    name: str
    low: float
    high: float
    loose: bool
    adrift: bool

    @property
    def span(self) -> float:
        return self.high - self.low


@dataclass(slots=True)
class LinksPlan:
    """Links between so many agents, and a number that they have of each other; whether something asks for these."""

    name: str
    agents: int
    trust: MeterPlan
    read: bool = False
    trusted: bool = False


@dataclass(frozen=True, slots=True)
class TablePlan:
    """A table of numbers, with its declaration, and where its numbers lie."""

    name: str
    sizes: tuple[int, ...]
    line: str
    lies: Interval


@dataclass(frozen=True, slots=True)
class AffordancePlan:
    """An affordance: how many ticks it lasts; 0 for ever, `None` not at all."""

    name: str
    duration: int | None


@dataclass(frozen=True, slots=True)
class EffectPlan:
    """An effect: how many ticks can be left of it, and how often it can be stacked; 0 where it cannot be."""

    name: str
    most: int
    stacks: int
    head: str


@dataclass(frozen=True, slots=True)
class SpacePlan:
    """A space, its text, its axes, and the names of the moves in it, which are own actions of agents that turn. A graph
    has no axes, but `nodes`."""

    text: str
    space: Space
    axes: tuple[str, ...]
    moves: tuple[str, ...]
    nodes: tuple[str, ...] = ()
    turns: bool = False

    @property
    def sizes(self) -> tuple[int, ...]:
        """Of a grid."""
        return self.space.sizes if isinstance(self.space, Grid) else ()

    @property
    def stored(self) -> bool:
        """Whether several affordances can be at one place."""
        return isinstance(self.space, Continuous) or (isinstance(self.space, Grid) and self.space.places == "stored")


def joined(parts: Sequence[str], separator: str = "  ") -> str:
    """The parts that are not empty, one after the other."""
    return separator.join(part for part in parts if part)
