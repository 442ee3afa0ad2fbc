"""What an agent observes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet.universe.span import Span


@dataclass(frozen=True, slots=True)
class ObserveGrid:
    """Every cell by index: 1.0 where an affordance is, plus 1.0 at the agent's own cell."""

    span: Span


@dataclass(frozen=True, slots=True)
class ObserveWindow:
    """The (2 radius + 1)^D cells around the agent, x fastest: 1.0 where an affordance is; 0.0 beyond the edges."""

    radius: int
    span: Span


Encoding: TypeAlias = Literal["relative", "absolute", "scaled"]


@dataclass(frozen=True, slots=True)
class ObservePosition:
    """relative: x / (size - 1) per axis; absolute: x per axis; scaled: relative, then the size of each axis."""

    encoding: Encoding
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveMeters:
    """These meters' values, in this order."""

    meters: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveHere:
    """One 0/1 per item: the agent stands on that affordance (`None`: on none). Without words in the source: all
    affordances in file order, then `None`."""

    affordances: tuple[str | None, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveTime:
    """These functions of 2 pi hour / hours, in this order, computed in binary64 and rounded once."""

    span: Span
    functions: tuple[Literal["sin", "cos"], ...] = ("sin", "cos")


@dataclass(frozen=True, slots=True)
class ObserveProgress:
    """The ticks spent on the engaged affordance, divided by `per`, or by its duration where `per` is `None`."""

    per: int | None
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveLifetime:
    """age / lifespan, at most 1."""

    span: Span


@dataclass(frozen=True, slots=True)
class ObserveParams:
    """These params' values, in this order."""

    params: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveVelocity:
    """The velocity on these axes, in this order."""

    axes: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveSpeed:
    """The length of the velocity."""

    span: Span


@dataclass(frozen=True, slots=True)
class ObserveBlank:
    """So many zeros."""

    count: int
    span: Span


@dataclass(frozen=True, slots=True)
class ObserveConstant:
    """These numbers."""

    values: tuple[float, ...]
    span: Span


Observation: TypeAlias = (
    ObserveGrid
    | ObserveWindow
    | ObservePosition
    | ObserveMeters
    | ObserveHere
    | ObserveTime
    | ObserveProgress
    | ObserveLifetime
    | ObserveParams
    | ObserveVelocity
    | ObserveSpeed
    | ObserveBlank
    | ObserveConstant
)
