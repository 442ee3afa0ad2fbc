"""Where elementary functions and the quantities of a space lie, against what the interpreter computes."""

from __future__ import annotations

import math
from typing import get_args

import pytest
import torch
from checking_cases import BASE, codes, universe
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from hamlet.interpreter.functions import call, modulo, power, whole_power
from hamlet.interpreter.space import in_continuous, length
from hamlet.numbers.binary32 import canonical32, round32
from hamlet.universe import Axis, Continuous, Edges, Grid, Span
from hamlet.universe.functions import FUNCTIONS, FunctionOfOne
from hamletc import intervals
from hamletc.checking.surroundings import extent, farthest
from hamletc.intervals import Interval

NOWHERE = Span(1, 1, 1, 1)
OF_ONE = get_args(FunctionOfOne)


def numbers(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(round32(low), round32(high), width=32)


def f32(value: float) -> torch.Tensor:
    return torch.tensor([value], dtype=torch.float32)


@settings(deadline=None)
@given(st.sampled_from(OF_ONE), st.lists(numbers(-200, 200), min_size=3, max_size=3), st.booleans())
def test_functions_lie_in_the_interval(function: FunctionOfOne, ends: list[float], tiny: bool) -> None:
    low, middle, high = sorted(round32(end * 1e-38) if tiny else end for end in ends)
    if function in ("sqrt", "log", "log2"):
        low, middle, high = sorted(abs(end) or 1e-45 for end in (low, middle, high))
        low, middle, high = round32(low), round32(middle), round32(high)
    try:
        result = intervals.call(FUNCTIONS[function], [Interval(low, high)])
    except OverflowError:
        assume(False)
    for x in (low, middle, high):
        assert result.low <= float(call(function, f32(x))[0]) <= result.high


@settings(deadline=None)
@given(st.lists(numbers(-1e4, 1e4), min_size=3, max_size=3), st.lists(numbers(1e-8, 30), min_size=3, max_size=3))
def test_remainders_lie_in_the_interval(dividends: list[float], divisors: list[float]) -> None:
    a, x, b = sorted(dividends)
    c, y, d = sorted(divisors)
    result = intervals.modulo(Interval(a, b), Interval(c, d))
    assert result.low <= float(modulo(f32(x), f32(y))[0]) <= result.high


@settings(deadline=None)
@given(st.lists(numbers(1e-30, 1e4), min_size=3, max_size=3), st.lists(numbers(-9, 9), min_size=3, max_size=3))
def test_powers_lie_in_the_interval(bases: list[float], exponents: list[float]) -> None:
    a, x, b = sorted(bases)
    c, y, d = sorted(exponents)
    try:
        result = intervals.power(Interval(a, b), Interval(c, d))
    except OverflowError:
        return
    assert result.low <= float(power(f32(x), f32(y))[0]) <= result.high


@settings(deadline=None)
@given(st.lists(numbers(-1e4, 1e4), min_size=3, max_size=3), st.integers(-9, 9), st.booleans())
def test_whole_powers_lie_in_the_interval(bases: list[float], exponent: int, tiny: bool) -> None:
    a, x, b = sorted(round32(base * 1e-9) if tiny else base for base in bases)
    assume(exponent > 0 or a > 0 or b < 0)
    try:
        result = intervals.whole_power(Interval(a, b), float(exponent))
    except OverflowError:
        return
    assert result.low <= float(whole_power(f32(x), float(exponent))[0]) <= result.high


@settings(deadline=None)
@given(st.lists(numbers(-1e30, 1e30), min_size=3, max_size=3))
def test_squares_lie_in_the_interval(ends: list[float]) -> None:
    a, x, b = sorted(ends)
    try:
        result = intervals.square(Interval(a, b))
    except OverflowError:
        return
    assert 0 <= result.low <= float((f32(x) * f32(x))[0]) <= result.high


AXES = st.tuples(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@settings(deadline=None)
@given(AXES, st.sampled_from(["clamp", "wrap", "bounce", "sticky"]), st.floats(0, 1), numbers(-1e7, 1e7))
def test_positions_stay_in_the_extent(ends: tuple[float, float], edges: Edges, where: float, by: float) -> None:
    low, high = ends
    axis = Axis(canonical32(low), canonical32(high), canonical32(high - low))
    first, last = round32(axis.low), round32(axis.high)
    x = round32(first + (last - first) * where)
    space = Continuous((axis,), 1.0, edges, "euclidean", NOWHERE)
    position = extent(space).position["x"]
    there = float(in_continuous(f32(x), f32(by), f32(first), f32(last), f32(axis.size), edges)[0])
    assert position.low <= there <= position.high
    velocity = extent(space).velocity["x"]
    assert velocity.low <= round32(there - x) <= velocity.high


@settings(deadline=None)
@given(st.lists(st.tuples(numbers(0, 1e6), st.floats(-1, 1)), min_size=1, max_size=20))
@example([(9.274809066380922e-22, 0.0)])
@example([(1e-30, 1.0)] * 9)
def test_lengths_stay_in_the_extent(vector: list[tuple[float, float]]) -> None:
    parts = [f32(most * share) for most, share in vector]
    longest = [f32(most) for most, _ in vector]
    bound = intervals.length([most for most, _ in vector])
    assert float(length(parts, parts[0])[0]) <= bound
    assert float(length(longest, parts[0])[0]) <= bound


@pytest.mark.parametrize(
    ("metric", "expected"), [("manhattan", 12.0), ("chebyshev", 10.0), ("euclidean", math.sqrt(104))]
)
def test_distances_in_a_continuous_space(metric: str, expected: float) -> None:
    base = BASE.replace(
        "grid 4 x 4", f"continuous (0 .. 10) x (-1 .. 1) {{ step 1  reach 1  distance {metric} }}"
    ).replace("grid  ", "")
    assert farthest(universe(base=base).space).high == round32(expected)
    assert codes(f"reward 0.1 when distance to Bed > {math.ceil(expected)}", base) == ["H062"]
    assert codes(f"reward 0.1 when distance to Bed > {math.ceil(expected) - 1}", base) == []


def test_distances_on_a_long_grid() -> None:
    grid = Grid((16384,) * 100, "wrap", "manhattan", "stored", "apart", NOWHERE)
    assert farthest(grid) == Interval(0.0, 819200.0)


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        ("reward sqrt(energy)", []),
        ("reward sqrt(energy - 0.1)", ["H054"]),
        ("reward sqrt(0 - 1)", ["H054"]),
        ("reward log(energy)", ["H054"]),
        ("reward log(0)", ["H054"]),
        ("reward log2(energy + 0.1)", []),
        ("reward log(max(energy, 1e-45))", []),
        ("reward sin(age * 100)", []),
        ("reward sin(1048577 * level)", ["H054"]),
        ("reward cos(-2000000)", ["H054"]),
        ("reward pow(energy, mood)", ["H054"]),
        ("reward pow(energy, 2)", []),
        ("reward pow(energy, 0)", ["H054"]),
        ("reward pow(energy, -1)", ["H054"]),
        ("reward pow(energy, 0.1 + level)", ["H054"]),
        ("reward pow(level, mood)", []),
        ("reward pow(energy - 0.5, 2)", []),
        ("reward sqrt(pow(energy - 0.5, 2) + pow(mood - 0.5, 4))", []),
        ("reward sqrt(pow(energy - 0.5, 3))", ["H054"]),
        ("reward pow(energy - 0.5, -1)", ["H054"]),
        ("reward pow(energy - 0.5, 0)", ["H054"]),
        ("reward pow(energy - 0.5, 2.5)", ["H054"]),
        ("reward pow(energy - 0.5, level)", ["H054"]),
        ("reward pow(energy - 2, -3)", []),
        ("reward sqrt((energy - 0.5) * (energy - 0.5) + (mood - 0.5) * (mood - 0.5))", []),
        ("reward sqrt(0.5 * level * (energy - 0.5) * (energy - 0.5))", []),
        ("reward sqrt((energy - 0.5) * level * (energy - 0.5) * (mood - 1) * (mood - 1))", []),
        ("reward sqrt(-2 * (energy - 0.5) * (energy - 0.5) * -level)", []),
        ("let half = energy - 0.5  reward sqrt(half * half)", []),
        ("reward sqrt((energy - 0.5) * (mood - 0.5))", ["H054"]),
        ("reward sqrt((energy - 0.5) * (energy - 0.5) * (energy - 0.5))", ["H054"]),
        ("reward sqrt(-(energy - 0.5) * (energy - 0.5))", ["H054"]),
        ("reward sqrt(uniform(-1, 1) * uniform(-1, 1))", ["H054"]),
        ("let luck = uniform(-1, 1)  reward sqrt(luck * luck)", ["H054"]),
        ("reward 1 when (energy - 0.5) * (energy - 0.5) >= 0", ["H062"]),
        ("reward pow(1 + 99 * level, 20 * level)", ["H051"]),
        ("reward exp(100 * energy)", ["H051"]),
        ("report r: exp(88 * energy)", []),
        ("reward exp2(128 * energy)", ["H051"]),
        ("report r: exp2(127 * energy)", []),
        ("reward 1 / exp(energy)", []),
        ("reward 1 / (1.5 + tanh(mood))", []),
        ("reward 1 / tanh(mood)", ["H050"]),
        ("reward 1 / sigmoid(mood)", []),
        ("reward 1 / (2 + day_sin)", []),
        ("reward 1 / (1 + day_cos)", ["H050"]),
        ("reward 0.1 when position x > 3", ["H062"]),
        ("reward 0.1 when position x > 2", []),
        ("reward 0.1 when velocity x >= -3", ["H062"]),
        ("reward 0.1 when velocity x >= -2", []),
        ("reward 0.1 when speed < 0", ["H062"]),
        ("reward 0.1 when speed > 4.3", ["H062"]),
        ("reward 0.1 when straight distance to Bed > 4.3", ["H062"]),
        ("reward 0.1 when straight distance to Bed > 4.2", []),
        ("input i = 0 in -1 .. 2\nreward 0.1 when i > 2", ["H062"]),
        ("input i = 0 in -1 .. 2\nreward 1 / (i + 2)", []),
        ("input i = 0 in -1 .. 2\nreward 1 / i", ["H050"]),
        ("track uses\nreward 0.1 when visited > 1", ["H062"]),
        ("track uses\nreward 0.1 when visited >= 1", []),
        ("track uses\nreward 0.1 when streak of Bed > 100", ["H062"]),
        ("track uses\nreward 0.1 when streak of Bed > 99", []),
        (
            "affordance Job at random lasts 4 ticks { each tick { mood += 0.1 } }\nreward 0.1 when progress > 4",
            ["H062"],
        ),
        ("affordance Job at random lasts 4 ticks { each tick { mood += 0.1 } }\nreward 0.1 when progress >= 4", []),
        ("affordance Job at random lasts forever { each tick { mood += 0.1 } }\nreward 0.1 when progress > 1e6", []),
        # The age that a tick began with is one less than that of the reward.
        ("reward 1 / age", []),
        ("reward 1 / previous(age)", ["H050"]),
        ("reward 0.1 when (previous(age < 100))", ["H062"]),
        ("reward 0.1 when (previous(age < 99))", []),
        # A meter that leaves its bounds is within them again after decay, but not at the end of the tick.
        ("rule a: mood -= 1 unclamped\nreward 0.1 when previous(mood) < 0", []),
        ("rule a: mood -= 1 unclamped\nreward 0.1 when previous(mood) < -1", ["H062"]),
        ("action SING { mood -= 1 unclamped }\nreward 0.1 when previous(mood) < 0", ["H062"]),
        ("rule a: mood -= 1 unclamped\nallow UP when mood >= 0", []),
        ("action SING { mood -= 1 unclamped }\nallow UP when mood >= 0", ["H062"]),
        ("allow UP when age <= 100", ["H062"]),
        ("allow UP when age < 100", []),
        ("allow UP when age >= 0", ["H062"]),
        ("allow UP when age > 0", []),
        ("reward 0.1 when floor(2 * mood) > 0", []),
        ("reward 0.1 when floor(2 * mood) > 2", ["H062"]),
        ("reward 0.1 when ceil(mood - 0.5) > 1", ["H062"]),
        ("reward 0.1 when round(mood) == 1", []),
        ("reward 0.1 when (floor(3 * mood) > 2 and floor(3 * mood) < 3)", ["H062"]),
        ("reward floor(1.5)", []),
        ("reward floor(0.5 * mood)", ["H064"]),
        ("reward mod(mood, 0.3)", []),
        ("reward mod(mood, 0)", ["H054"]),
        ("reward mod(5, -2)", ["H054"]),
        ("reward mod(5, 3)", []),
        ("reward mod(mood, energy)", ["H054"]),
        ("reward mod(mood, energy + 0.1)", []),
        ("reward mod(mood * 1e15, energy + 0.1)", ["H054"]),
        ("reward 0.1 when mod(age, 24) >= 24", ["H062"]),
        ("reward 0.1 when mod(age, 24) > 23", ["H062"]),
        ("reward 0.1 when mod(age, 24) > 22.5", []),
        ("reward 0.1 when mod(age + 0.5, 24) > 23", []),
        ("reward 0.1 when mod(mood, 24) > 1", ["H062"]),
        ("reward 1 / (0.5 - mod(mood, 0.5))", []),
        ("reward 3e38\nreward 3e38", ["H051"]),
        ("reward 1e26\nreward -1e26", []),
    ],
)
def test_findings(added: str, expected: list[str]) -> None:
    assert codes(added) == expected


JOB = "affordance Job at random lasts 2 ticks{} {{ each tick {{ mood -= 1 }} on completion {{ energy += {} }} }}"


def test_together_carries_meters_from_each_tick_to_completion() -> None:
    assert codes(JOB.format("", "1 / (mood + 0.5)")) == []
    assert codes(JOB.format(" together", "1 / (mood + 0.5)")) == ["H050"]
    assert codes(JOB.format(" together", "1 / (mood + 1.5)")) == []
    assert codes(JOB.format(" together", "0.1") + "\nrule a: mood < 0 -> energy -= 0.1") == ["H062"]


def test_age_has_no_limit_by_hand() -> None:
    base = BASE + "episodes by hand\n"
    assert codes("reward 0.1 when age > 1000", base) == []
    assert codes("reward 0.1 when age > 1000") == ["H062"]
    lasting = "affordance Job at random lasts 100 ticks { on completion { mood += 0.1 } }"
    assert codes(lasting, base) == []
    assert codes(lasting) == ["H064"]
