"""Where meters that move from tick to tick come to rest."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from hamlet import universe
from hamlet.numbers.binary32 import LARGEST, canonical32
from hamlet.schema.bounds import unclamped_meters
from hamletc.intervals import ANYTHING, Interval


def stalled(before: Interval | None, now: Interval | None) -> Interval | None:
    """Where a meter comes to rest that goes on as far in every tick as in the last one: sums of binary32 numbers stall
    at 2**24 times the next power of two. Whether it does rest there, the next tick shows."""
    if before is None or now is None:
        return anything(before, now)
    return Interval(
        now.low if now.low == before.low else max(-_rest(now.low, before.low), -LARGEST),
        now.high if now.high == before.high else min(_rest(now.high, before.high), LARGEST),
    )


def _rest(now: float, before: float) -> float:
    """A power of two, far enough from 0, which steps of this size do not lead beyond."""
    exponent = max(_next_power(now - before) + 24, _next_power(now))
    return math.ldexp(1.0, exponent) if exponent < 128 else math.inf


def _next_power(value: float) -> int:
    """The exponent of the least power of two that is not below a magnitude."""
    fraction, exponent = math.frexp(abs(value))
    return exponent - 1 if fraction == 0.5 else exponent


def anything(before: Interval | None, now: Interval | None) -> Interval | None:
    """Where a meter lies of which nothing more is known than the ends that no longer move."""
    if before is None or now is None:
        return None if now is None else ANYTHING
    return Interval(now.low if now.low == before.low else -LARGEST, now.high if now.high == before.high else LARGEST)


def with_reach(whole: universe.Universe, ends: Mapping[str, Interval | None]) -> universe.Universe:
    """The universe with how far the meters reach that some statement leaves unclamped."""

    def reaching(meter: universe.Meter) -> universe.Meter:
        end = ends.get(meter.name)
        low, high = (meter.low, meter.high) if end is None else (canonical32(end.low), canonical32(end.high))
        return replace(meter, reach=(low, high))

    loose = unclamped_meters(whole)
    return replace(whole, meters=tuple(reaching(meter) if meter.name in loose else meter for meter in whole.meters))
