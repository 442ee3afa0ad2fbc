"""Features of an agent by which a table of a policy can be indexed, and the number of its situation.

A situation is a combination of features. Each feature has a number 0 .. its size - 1 and a stride; the number of a
situation is the sum of number * stride over the features.
"""

from __future__ import annotations

from typing import TypeAlias

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.universe import Continuous, Grid, NoSpace, Universe

MOST_BINS = 1 << 20
"""Bins of a quantity: fewer than 2**22, so that the nearest integer of a binary32 number is found by adding to it."""


@dataclass(frozen=True, slots=True)
class Count:
    """A feature that is a whole number, 0 .. size - 1; more counts as size - 1."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Quantity:
    """A feature that is a number in low .. high, which bins of equal width make whole: bin = floor((value - low) *
    scale), at least 0 and at most bins - 1, with scale = bins / (high - low), rounded once."""

    name: str
    low: float
    high: float


Feature: TypeAlias = Count | Quantity

HOUR, AGE, HERE = "hour", "age", "here"


def features(universe: Universe) -> tuple[Feature, ...]:
    """All features of a universe: coordinates by axis, the hour where there is a clock, the age where there is a
    lifespan, `here` on a grid with computed places (the number of the affordance under the agent plus 1, or 0), and
    meters. A meter with the name of another feature is called `meter.` and its name, or `meter.meter.` and so on."""
    result: list[Feature] = []
    match universe.space:
        case Grid(sizes=sizes):
            result += [Count(name, size) for name, size in zip(schema.axes(universe), sizes, strict=True)]
        case Continuous(axes=axes):
            names = schema.axes(universe)
            result += [Quantity(name, axis.low, axis.high) for name, axis in zip(names, axes, strict=True)]
        case NoSpace():
            pass
    if universe.clock is not None:
        result.append(Count(HOUR, universe.clock.hours))
    if universe.lifespan is not None:
        result.append(Count(AGE, universe.lifespan.ticks))
    if isinstance(universe.space, Grid) and universe.space.places == "computed":
        result.append(Count(HERE, len(universe.affordances) + 1))
    taken = {feature.name for feature in result}
    for meter in universe.meters:
        name = meter.name
        while name in taken:
            name = f"meter.{name}"
        taken.add(name)
        result.append(Quantity(name, meter.low, meter.high))
    return tuple(result)


def quantities(universe: Universe) -> tuple[Quantity, ...]:
    """The features that have bins, in order."""
    return tuple(feature for feature in features(universe) if isinstance(feature, Quantity))
