"""Comparing a recorded stream with what an environment gave, bit for bit.

All NaNs are the same one. So are the two zeros, but zeros whose signs differ are counted. HAMLET's polynomial rewards
take powers from a library, and a square root that is not correctly rounded (quirks 3 and 5): their bits depend on the
machine that recorded, so a stated number of units in the last place is let pass.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hamlet.universe import Binary, Report, Reward, Unary, Universe, nodes
from hamlet_townlet.traces.trace import REPORTS, Array

POWER_ULPS = 4
"""Units in the last place by which a reward may differ that has a power or a square root in it."""


@dataclass(frozen=True, slots=True)
class StreamComparison:
    """A stream that was compared.

    Attributes:
        name: of the stream.
        count: how many values were compared; `None` for a stream that the trace gives.
        first: the first place where the values differ: number of the step or reset, then of agent and value.
        differing: how many values differ.
        zeros: how many zeros have another sign.
        ulps: units in the last place that were let pass.
        largest: the largest difference that was let pass, in such units.
    """

    name: str
    count: int | None
    first: tuple[int, ...] | None = None
    differing: int = 0
    zeros: int = 0
    ulps: int = 0
    largest: int = 0

    def line(self) -> str:
        """The comparison in words."""
        name = f"  {self.name:<28}"
        if self.count is None:
            return f"{name}              given"
        if self.count == 0:
            return f"{name}           0  nothing was recorded"
        line = f"{name}{self.count:>12,}  "
        if self.first is not None:
            first = ", ".join(map(str, self.first))
            return f"{line}{self.differing:,} differ, the first at [{first}]"
        if self.ulps:
            line += f"equal within {self.ulps} ulp (at most {self.largest}): library powers, Q3 and Q5"
        else:
            line += "equal"
        return f"{line}; {self.zeros:,} zeros have another sign" if self.zeros else line


def compare(name: str, recorded: Array, actual: Array, ulps: int) -> StreamComparison:
    """Compare two arrays of the same shape. What is NaN in f64 `found` was not asked for."""
    if actual.dtype == np.float64:
        asked = ~np.isnan(actual)
        differs = asked & (recorded != actual)
        return _comparison(name, int(asked.sum()), differs, 0, 0, 0)
    if actual.dtype != np.float32:
        differs = recorded.astype(np.int64) != actual.astype(np.int64)
        return _comparison(name, differs.size, differs, 0, 0, 0)
    zeros = int(((recorded == 0) & (actual == 0) & (np.signbit(recorded) != np.signbit(actual))).sum())
    # the order of these integers is that of the numbers
    distance = np.abs(_ordered(recorded) - _ordered(actual))
    passed = distance <= ulps
    largest = int(distance[passed].max(initial=0))
    return _comparison(name, distance.size, ~passed, zeros, ulps, largest)


def _comparison(name: str, count: int, differs: Array, zeros: int, ulps: int, largest: int) -> StreamComparison:
    places = np.argwhere(differs)
    first = tuple(int(index) for index in places[0]) if len(places) else None
    return StreamComparison(name, count, first, len(places), zeros, ulps, largest)


def _ordered(values: Array) -> Array:
    """f32 as i64 in the same order; the zeros are 0, every NaN is the same number."""
    bits = values.view(np.int32).astype(np.int64)
    ordered = np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)
    return np.where(np.isnan(values), np.int64(1) << 40, ordered)


def tolerances(universe: Universe) -> dict[str, int]:
    """The streams that depend on powers of a library, and how many units in the last place they may differ by."""
    terms: list[Reward | Report] = [*universe.rewards, *universe.reports]
    using = {term.name for term in terms if any(_is_power(node) for node in nodes(term.value))}
    streams = [stream for stream, report in REPORTS.items() if report in using]
    if any(term.name in using for term in universe.rewards):
        streams.append("rewards")
    return dict.fromkeys(streams, POWER_ULPS)


def _is_power(node: object) -> bool:
    match node:
        case Binary(op="pow") | Unary(op="sqrt"):
            return True
        case _:
            return False
