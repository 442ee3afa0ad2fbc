"""Loops over the lanes of a chunk, vector by vector, what functions take that draw for a lane or for a world, and
which arrays are passed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hamletc.kernel.code import Code, For, assign, loop
from hamletc.kernel.expressions import Expression, Name, Operand, call, names

LANES, WIDE = names("LANES WIDE")
first, lane = names("first lane")
start, world, first_world, agents, now = names("start world first_world agents now")

SEEDED: Mapping[str, Expression] = {f"seed_{half}": call("u32", f"seed_{half}") for half in ("low", "high")}
"""The seed."""
DRAWN_BY: Mapping[str, Expression] = {
    "lane": call("ramp", call("u32", first_world * agents + start + first)),
    "tick": call("u32", now),
    **SEEDED,
}
"""What a tick that draws random words takes, for the lanes of a vector."""
OF_WORLD: Mapping[str, Expression] = {
    "world": call(
        "add",
        call("shift_right", call("multiply", call("ramp", call("u32", first)), call("u32", "turns")), 16),
        call("u32", first_world + world),
    ),
    "tick": call("u32", now),
    **SEEDED,
}
"""What the rules of a world take that draw, for the lanes of a vector."""


def vectors(body: Iterable[Code], end: Operand = LANES, begin: Operand = 0) -> For:
    """Statements for each vector `lane` of the lanes from `begin` to `end`."""
    return loop(first, begin, end, WIDE, body=(assign(lane, call("wide", first)), *body))


def selected(body: Iterable[Code]) -> For:
    """Statements for each single `lane` of the first `chosen` of `lanes`."""
    return loop("index", "chosen", body=(assign(lane, Name("lanes")["index"]), *body))


def numbers() -> Expression:
    """The numbers of the lanes of the vector from `first` on (U32)."""
    return call("ramp", call("u32", first))


def is_passed(array: str) -> Expression:
    """Whether an array is passed that callers may leave out: it is empty then."""
    return length(array) > 0


def length(array: str, axis: int = 0) -> Expression:
    """The size of an array along an axis."""
    return Name(array).member("shape")[axis]


def each_lane(body: Iterable[Code], *bounds: Operand) -> For:
    """Statements for each single `lane` of a range."""
    return loop(lane, *bounds, body=body)


def flagged(value: Operand) -> For:
    """A condition on the vector from `first` on, as flags of lanes."""
    return loop(first, 0, LANES, WIDE, body=[assign(Name("flags")[call("wide", first)], value)])
