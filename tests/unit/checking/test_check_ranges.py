"""Interval arithmetic, and what ranges prove about a universe."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest
from checking_cases import BASE, checked, codes
from hypothesis import given
from hypothesis import strategies as st

from hamlet.numbers.binary32 import round32
from hamlet.universe.functions import FUNCTIONS
from hamletc import intervals
from hamletc.checking import operations
from hamletc.intervals import Interval

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False)
Two = tuple[Interval, float]


@st.composite
def members(draw: st.DrawFn) -> Two:
    """An interval and a number in it."""
    low, middle, high = sorted(draw(st.tuples(FLOATS, FLOATS, FLOATS)))
    return Interval(low, high), middle


def rounded(operation: Callable[[float, float], float]) -> Callable[[float, float], float]:
    return lambda a, b: round32(operation(a, b))


@given(members(), members())
def test_results_lie_in_the_interval(first: Two, second: Two) -> None:
    (a, x), (b, y) = first, second
    for on_intervals, on_numbers in (
        (intervals.add, rounded(lambda p, q: p + q)),
        (intervals.subtract, rounded(lambda p, q: p - q)),
        (intervals.multiply, rounded(lambda p, q: p * q)),
        (intervals.minimum, FUNCTIONS["min"].exact),
        (intervals.maximum, FUNCTIONS["max"].exact),
        (intervals.hull, lambda p, _: p),
    ):
        try:
            result = on_intervals(a, b)
        except OverflowError:
            continue
        assert result.low <= on_numbers(x, y) <= result.high
    for alone, number in ((intervals.negate(a), -x), (intervals.absolute(a), abs(x))):
        assert alone.low <= number <= alone.high


@given(members(), members(), st.booleans())
def test_quotients_lie_in_the_interval(first: Two, second: Two, negative: bool) -> None:
    (a, x), (b, y) = first, second
    b, y = Interval(*sorted((abs(y) or 1.0, max(abs(b.low), abs(b.high)) or 1.0))), abs(y) or 1.0
    b, y = (intervals.negate(b), -y) if negative else (b, y)
    try:
        result = intervals.divide(a, b)
    except OverflowError:
        return
    assert result.low <= round32(x / y) <= result.high


@given(members(), members(), st.sampled_from(["<", "<=", ">", ">=", "==", "!="]))
def test_decisions_hold(first: Two, second: Two, op: intervals.Comparison) -> None:
    (a, x), (b, y) = first, second
    decided = intervals.decide(op, a, b)
    assert decided in (None, operations.COMPARISONS[op](x, y))


def test_operations_round_like_binary32() -> None:
    tenth = struct.unpack("<f", struct.pack("<f", 0.1))[0]
    assert intervals.add(intervals.single(0.1), intervals.single(0.2)) == intervals.single(
        round32(tenth + round32(0.2))
    )


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        ("reward 1 / mood", ["H050"]),
        ("reward 1 / level", []),
        ("reward 1 / (mood + 0.5)", []),
        ("reward 1 / max(mood, 0.01)", []),
        ("reward 1 / clamp(mood, 0.1, 0.9)", []),
        ("reward 1 / hour", ["H050"]),
        ("reward 1 / (hour + 1)", []),
        ("reward 1 / age", []),  # it is at least 1 when a reward is given
        ("rule a: mood += 1 / age", ["H050"]),
        ("reward 1 / distance to Bed", ["H050"]),
        ("reward 1 / (1 + distance to Bed)", []),
        ("reward 1 / (if mood < 0.5 then mood else 1)", ["H050"]),
        ("reward 1 / (mood - 2)", []),
        ("rule a: mood > 0.5 -> energy -= 0.1 / mood", ["H050"]),
        ("cascade a: mood < 0.5 -> energy -= 0.1 / deficit", ["H050"]),
        ("cascade a: mood < 0.5 -> energy -= 0.1 / (shortfall + 0.1)", []),
        ("cascade a: mood < 0.5 -> energy -= 0.1 / (0.6 - shortfall)", []),
        ("cascade a: mood < 0.5 -> energy -= 0.1 / (0.5 - shortfall)", ["H050"]),
        ("reward 1e38 * level * level", ["H051"]),
        ("report r: 1e38 * level", []),
        ("reward 0.1 when mood < 0", ["H062"]),
        ("reward 0.1 when mood <= 0", []),
        ("reward 0.1 when mood >= 0", ["H062"]),
        ("reward 0.1 when hour < 24", ["H062"]),
        ("reward 0.1 when hour < 23", []),
        ("reward 0.1 when age > 100", ["H062"]),
        ("reward 0.1 when age >= 100", []),
        ("rule a: age >= 100 -> mood += 0.1", ["H062"]),
        ("reward 0.1 when distance to Bed > 6", ["H062"]),
        ("reward 0.1 when distance to Bed > 5", []),
        ("reward 0.1 when level == 3", ["H062"]),
        ("reward 0.1 when (mood < 0.5 and not mood > 1)", ["H062"]),
        ("cascade a: mood < 0 -> energy -= 0.1", ["H061"]),
        ("cascade a: mood < 1e-40 -> energy -= 0.1", []),
        ("cascade a: mood < 0.99 -> energy -= 0.1", []),
        ("cascade a: mood < 1.1 -> energy -= 0.1", ["H070"]),
        ("rule a: mood += 0 * energy", ["H063"]),
        ("rule a: mood = mood", ["H063"]),
        ("meter fuel = 1 { decay 0  move 0.1 }\nrule a: fuel += 0.1\nreward fuel", ["H063"]),
        ("rule a: mood = energy", []),
        ("rule a: mood += 0.1 when (hour < 12 and energy > 0.5)", []),
    ],
)
def test_findings(added: str, expected: list[str]) -> None:
    assert codes(added) == expected


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        # Decay clamps mood before rules and rewards look at it.
        ("action SING { mood -= 1 unclamped }\nreward 0.1 when mood < 0", ["H062"]),
        ("rule a: mood -= 0.4 unclamped\nreward 0.1 when mood < 0", []),
        ("rule a: mood -= 1 unclamped\nreward 0.1 when mood < -1", ["H062"]),
        ("rule a: mood -= 1 unclamped\nrule b: mood += 0.1\nreward 0.1 when mood < 0", ["H062"]),
        ("rule a { together { mood -= 0.4  energy = mood } }", []),
        ("rule a: energy < 0.5 -> together { mood -= 1  energy = 1 / (mood - 1.5) }", []),
        ("rule a { together { mood -= 1  energy = 1 / (mood + 0.5) } }", ["H050"]),
        # Nothing ever clamps fuel: it can drift to where sums stall, but not beyond.
        ("meter fuel = 0 in -1 .. 1\nrule a: fuel += energy - 0.5 unclamped\nreward 1 when fuel > 8e6", []),
        ("meter fuel = 1 in 0 .. 1\nrule a: fuel += fuel - 0.5 unclamped\nreward fuel", ["H051"]),
        # The limit is found although the search for it goes too far.
        (
            "meter fuel = 1 in 0 .. 1\nrule a: fuel = clamp(fuel * 1.5, -9, 9) unclamped\nreward 1 when fuel > 9",
            ["H062"],
        ),
        ("meter fuel = 1 in 0 .. 1\nrule a: fuel = clamp(fuel * 1.5, -9, 9) unclamped\nreward 1 when fuel > 8", []),
        # Adding nothing clamps a meter that may be outside its bounds.
        ("meter fuel = 1 in 0 .. 1\naction BURN { fuel -= level unclamped }\nrule a: fuel += 0\nreward fuel", ["H071"]),
        ("meter fuel = 1 in 0 .. 1\naction BURN { fuel -= level }\nrule a: fuel += 0\nreward fuel", ["H071", "H063"]),
    ],
)
def test_unclamped_meters_leave_their_bounds(added: str, expected: list[str]) -> None:
    assert codes(added) == expected


@pytest.mark.parametrize(
    ("declaration", "expected"),
    [
        ("meter fuel = 1 { decay 0.01 }", ["H071"]),
        ("meter fuel = 1 { decay -0.01 }", ["H072"]),
        ("meter fuel = 1 { decay 0.01 * (energy - 0.5) }", []),
        ("meter fuel = 1 { move 0.01 }\naction REFUEL { fuel = 1 }", []),
        ("meter fuel = 1", ["H073"]),
        ("meter fuel = 1 { decay 0.01 }\nrule a { together { fuel += 0.1  mood += 0.1 } }", []),
        ("meter fuel = 0\nrule a: fuel = energy", []),
    ],
)
def test_meters_that_go_one_way(declaration: str, expected: list[str]) -> None:
    assert codes(f"{declaration}\nreward fuel") == expected


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        ("meter fuel = 1 { decay 0.1 }\nrule a: fuel < 0.5 -> energy -= 0.1\naction REFUEL { fuel = 1 }", []),
        ("meter fuel = 1 { decay 0.1 }\nrule a: fuel += 0.1 * fuel", ["H060"]),
        ("meter a = 1 { decay 0.1 * b }\nmeter b = 1 { decay 0.1 * a }", ["H060", "H060"]),
        ("meter fuel = 1 { decay 0.1 }\naction REFUEL { needs fuel < 0.5 fuel = 1 }", []),
        ("param unread = 1 in 0 .. 2", ["H060"]),
    ],
)
def test_what_nobody_reads(added: str, expected: list[str]) -> None:
    assert codes(added, BASE.replace("grid  meters", "grid  meters energy mood")) == expected


def test_distances_on_a_torus() -> None:
    base = BASE.replace("grid 4 x 4", "grid 4 x 5 { edges wrap }")
    assert codes("reward 0.1 when distance to Bed > 4", base) == ["H062"]
    assert codes("reward 0.1 when distance to Bed > 3", base) == []


def test_age_without_a_lifespan_has_no_limit() -> None:
    base = BASE.replace("lifespan 100 ticks\n", "")
    assert codes("reward 0.1 when age > 1000000", base) == []
    assert codes("reward 0.1 when age < 0", base) == ["H062"]


@pytest.mark.parametrize(("blocks", "said"), [("wall", []), ("solid", ["H062"])])
def test_what_makes_a_cell_a_wall_is_not_judged_by_who_asks(blocks: str, said: list[str]) -> None:
    """The map has walls too, so `wall at` may hold where what cells say of walls does not; what is never solid is said
    where somebody asks."""
    text = f"""\
universe u
space grid 3 x 3
lifespan 9 ticks
param heat = 1 in 0 .. 600
cells {{ {blocks} when heat > 300 }}
reward if heat <= 100 then (1 when {blocks} at (position x, position y)) else heat
observe {{ position relative }}
"""
    _, findings = checked(text)
    assert [each.code for each in findings] == said
    assert all(text.splitlines()[each.primary.span.line - 1].startswith("reward") for each in findings)
