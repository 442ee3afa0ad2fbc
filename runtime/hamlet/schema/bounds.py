"""Where values of the state lie. Compiled code relies on these bounds (`hamletc.passes.facts`), and the runtime holds
to them what users bring from elsewhere (`hamlet.env.keep.state`). `hamlet.schema.fields` says which field has which."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Protocol

from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import LARGEST, round32
from hamlet.universe import (
    Action,
    Affordance,
    AnyMeter,
    Cascade,
    Continuous,
    Control,
    Grid,
    Lifespan,
    Meter,
    NoSpace,
    Rule,
    Statement,
    Universe,
)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The least and the greatest value, both exact in binary32 where values are real numbers; `whole`: these are whole
    numbers, because an author declared it, and the compiler proved it or the runtime holds to it."""

    low: float
    high: float
    whole: bool = False


ANY_COUNT = Bounds(0, 2**31 - 1)
"""A count in an i32."""
FINITE = Bounds(-LARGEST, LARGEST)
"""Any number of binary32."""


class Bounded(Protocol):
    """A declaration with bounds: a param, an input, an axis, a meter."""

    @property
    def low(self) -> float: ...

    @property
    def high(self) -> float: ...


def number_bounds(declared: Iterable[Bounded]) -> tuple[Bounds, ...]:
    """The bounds of numbers that an author declared, rounded as their values are."""
    return tuple(Bounds(round32(each.low), round32(each.high), _whole(each)) for each in declared)


def _whole(declared: Bounded) -> bool:
    """Whether it is a state that holds whole numbers, or a control that is one."""
    if isinstance(declared, Control):
        return declared.whole
    return isinstance(declared, AnyMeter) and declared.type is not None and declared.type.whole


def meter_bounds(universe: Universe) -> tuple[Bounds, ...]:
    """The bounds of each meter. One that a statement leaves unclamped lies within what it reaches, where that is known,
    or is any number."""
    loose = unclamped_meters(universe)
    return tuple(_meter_bounds(meter, meter.name in loose) for meter in universe.meters)


def _meter_bounds(meter: Meter, loose: bool) -> Bounds:
    if meter.reach is not None:
        low, high = meter.reach
        return Bounds(round32(low), round32(high), _whole(meter))
    return FINITE if loose else Bounds(round32(meter.low), round32(meter.high), _whole(meter))


def coordinates(universe: Universe) -> tuple[tuple[float, float], ...]:
    """The least and the greatest coordinate of an agent on each axis; in a continuous space binary32 numbers."""
    match universe.space:
        case Grid(sizes=sizes):
            return tuple((0, size - 1) for size in sizes)
        case Continuous(axes=axes):
            # where edges wrap or bounce, rounding can lead just beyond
            beyond = (round32(round32(axis.low) + round32(axis.size)) for axis in axes)
            return tuple(
                (round32(axis.low), max(round32(axis.high), most)) for axis, most in zip(axes, beyond, strict=True)
            )
        case NoSpace():
            return ()


def fastest(universe: Universe) -> tuple[float, ...]:
    """The greatest velocity on each axis: from one end to the other, or what episodes begin with; with momentum its
    limit."""
    if isinstance(universe.space, Continuous) and universe.space.momentum is not None:
        return (round32(universe.space.momentum),) * len(universe.space.axes)
    ends = [round32(high - low) for low, high in coordinates(universe)]
    begins = universe.start.velocity if universe.start is not None else (0.0,) * len(ends)
    return tuple(max(end, round32(abs(begin))) for end, begin in zip(ends, begins, strict=True))


def speeds(universe: Universe) -> tuple[float, float]:
    """The least and the greatest speed, where it is state: the length of a velocity, or what episodes begin with."""
    ends = [round32(high - low) for low, high in coordinates(universe)]
    # the squares and their sums are rounded
    longest = round32(math.hypot(*ends) * (1 + len(ends) * 2.0**-23))
    begin = universe.start.speed if universe.start is not None and universe.start.speed is not None else 0.0
    return min(0.0, round32(begin)), max(longest, round32(begin))


LONGEST_COUNTED = 2**22
"""Ticks of a longer life are not counted, where it is said how far rewards add up."""


@dataclass(frozen=True, slots=True)
class Returns:
    """How far from 0 rewards may be, and returns are then.

    Attributes:
        reward: the largest reward of a tick, on either side, with which no sum ever becomes infinite.
        begun, per_tick: at an age, `episode_return` is at most begun + per_tick * age.
    """

    reward: float
    begun: float
    per_tick: float


def returns(lifespan: Lifespan | None, by_hand: bool, ends: bool) -> Returns:
    """The limits of a universe; `ends`: some episode of it ends, so that `finished_return` sums returns.

    Sums of binary32 numbers stall: where |s| <= 2**103 and |r| <= 2**79, s + r is at most 2**103, once it is rounded
    (to even, where it lies in the middle). So does the sum of returns, at 2**127. In a life of few ticks rewards may be
    larger. Rounding a sum of at most 2**103 adds at most 2**78 to it; half of `per_tick` is the largest reward, at
    least 2**79 for all lives that are counted, and the other half is more than that.
    """
    if not ends:
        return Returns(2.0**103, 2.0**127, 0.0)
    if lifespan is None or by_hand or lifespan.ticks > LONGEST_COUNTED:
        return Returns(2.0**79, 2.0**103, 0.0)
    return Returns(2.0**101 / lifespan.ticks, 2.0**101, 2.0**102 / lifespan.ticks)


def returns_of(universe: Universe) -> Returns:
    """The limits of a universe."""
    ends = universe.lifespan is not None or bool(universe.causes)
    return returns(universe.lifespan, universe.by_hand, ends)


def unclamped_meters(universe: Universe) -> frozenset[str]:
    """The meters that some statement writes without clamping, so that they may leave their bounds."""
    bodies: list[tuple[Statement, ...]] = []
    construct: Rule | Cascade | Affordance | Action
    for construct in (*universe.dynamics, *universe.affordances, *universe.actions):
        match construct:
            case Affordance(together=True):
                pass
            case Affordance():
                bodies += [construct.instantly, construct.each_tick, construct.on_completion]
            case _:
                bodies.append(construct.body)
    return frozenset(meter for body in bodies for statement in body for meter in statement.unclamped)
