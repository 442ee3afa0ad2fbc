"""The time of day: sin and cos of every hour, in binary64, rounded once."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Literal

from hamlet.numbers.binary32 import round32
from hamlet.universe import Universe
from hamletc.ir.function import Table
from hamletc.ir.ops import F32


def day_time(universe: Universe, function: Literal["sin", "cos"]) -> Table:
    """The table of one of them."""
    if universe.clock is None:
        raise ValueError(f"universe {universe.name} refers to the time and has no clock")
    hours, of_angle = universe.clock.hours, sin if function == "sin" else cos
    return Table(f"time.{function}", F32, tuple(round32(of_angle(2.0 * pi * hour / hours)) for hour in range(hours)))


def day_tables(universe: Universe) -> tuple[Table, ...]:
    """Both tables; none without a clock."""
    return () if universe.clock is None else (day_time(universe, "sin"), day_time(universe, "cos"))
