"""Affordances: where they stand, when they are open, whom they serve, and what a use of them does."""

from __future__ import annotations

from typing import Literal

from hamlet.frozen import dataclass
from hamlet.universe.expressions import Binary, Expression
from hamlet.universe.quantities import Hour, Number
from hamlet.universe.span import Span
from hamlet.universe.statements import Statement

__all__ = ["Affordance", "Capacity", "Hours", "Spread"]


@dataclass(frozen=True, slots=True)
class Hours:
    """Open from hour `opens` (inclusive) to hour `closes` (exclusive); wraps past midnight where closes < opens."""

    opens: int
    closes: int

    def condition(self, span: Span) -> Expression:
        """The condition that the hour of the day is one of these."""
        since = Binary(">=", Hour(span), Number(float(self.opens), span), span)
        until = Binary("<", Hour(span), Number(float(self.closes), span), span)
        return Binary("and" if self.opens < self.closes else "or", since, until, span)


@dataclass(frozen=True, slots=True)
class Capacity:
    """How many agents of a world an affordance serves in a tick. Of those that claim it the agents that are engaged in
    it come first, then those with the highest `priority` (`None`: all have the same), then those with the lowest
    number.

    Attributes:
        places: how many are served, the same for all agents of a world; a number that is not whole is rounded down.
    """

    places: Expression
    priority: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class Spread:
    """Where an affordance at random may stand; `None` where that is not said. Distances are those of the space.

    Attributes:
        region: on its cells.
        apart: at least so far from each other affordance for which that is said; the greater number counts.
        near, within: at most so far from this affordance, which has a fixed place or stands before it in the file.
    """

    region: str | None
    apart: int | None
    near: str | None
    within: int | None
    span: Span


@dataclass(frozen=True, slots=True)
class Affordance:
    """An affordance: INTERACT on its cell has its effects.

    Attributes:
        place: its coordinates, whole numbers on a grid; `None` for a random place, and without a space.
        duration: `None` for an instantaneous affordance (`instantly`), else the ticks it lasts (`each_tick`,
            `on_completion`); 0 for one that is never completed.
        capacity: how many agents can use it in a tick; `None`: any number.
        opening: the condition, about what a world has, under which it is open besides; `None`: always.
        spread: of one at random, where it may stand; `None`: on any free cell.
        together: `each_tick` and `on_completion` are like one `together`: every `Assign` in them has `clamped=False`,
            and the meters that they write are clamped once, after both, in order of first appearance.
        copy_of: the name of all copies of which this is one; `None` where there are none.
        moving: the meters of the world that say where it is, one per axis, of one that moves; none of one that stays.
        elsewhere: where it begins is what these meters start with, not its `place`, whose cell is nobody's.
        appears: where the `opening` does not hold it is not there, neither to be used nor to be seen.
        solid: no displacement leads to its cell; in step 1 one that would is an INTERACT with what is there.
    """

    name: str
    place: tuple[float, ...] | None
    hours: Hours | None
    duration: int | None
    together: bool
    needs: Expression | None
    instantly: tuple[Statement, ...]
    each_tick: tuple[Statement, ...]
    on_completion: tuple[Statement, ...]
    span: Span
    capacity: Capacity | None = None
    opening: Expression | None = None
    spread: Spread | None = None
    copy_of: str | None = None
    moving: tuple[str, ...] = ()
    appears: Literal["by opening"] | None = None
    solid: bool = False
    elsewhere: bool = False

    @property
    def stands(self) -> tuple[float, ...] | None:
        """The place whose cell it has for itself: where it begins each episode; `None` where there is none."""
        return None if self.elsewhere else self.place
