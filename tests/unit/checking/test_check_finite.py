"""Nothing is infinite: functions at the edges of binary32, rewards that add up, meters that leave their bounds."""

from __future__ import annotations

import math

import pytest
import torch
from checking_cases import BASE, checked, codes, universe
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from hamlet.interpreter.functions import call, power
from hamlet.numbers.binary32 import LARGEST, bits32, from_bits32, round32
from hamlet.schema.bounds import returns
from hamlet.universe import Lifespan, Span
from hamlet.universe.functions import FUNCTIONS
from hamletc import intervals
from hamletc.intervals import SMALLEST, Interval

POSITIVE = st.integers(1, bits32(LARGEST)).map(from_bits32)
"""Positive numbers of any magnitude, subnormal ones too."""
NUMBERS = st.tuples(POSITIVE, st.sampled_from([-1.0, 1.0])).map(lambda pair: pair[0] * pair[1])
EDGES = [0.0, SMALLEST, 2.0**-126, 1e-38, 1.0, 2.0**24, round32(1e19), round32(1e38), LARGEST]


def f32(value: float) -> torch.Tensor:
    return torch.tensor([value], dtype=torch.float32)


@settings(deadline=None, max_examples=examples(300))
@given(
    st.one_of(POSITIVE, st.sampled_from(EDGES[1:])),
    st.one_of(POSITIVE, st.sampled_from(EDGES[1:])),
    st.one_of(NUMBERS, st.sampled_from(EDGES)),
    st.one_of(NUMBERS, st.sampled_from(EDGES)),
)
def test_powers_of_any_magnitude_lie_in_the_interval_or_are_refused(a: float, b: float, c: float, d: float) -> None:
    a, b, c, d = min(a, b), max(a, b), min(c, d), max(c, d)
    values = [float(power(f32(x), f32(y))[0]) for x in (a, b) for y in (c, d)]
    try:
        result = intervals.power(Interval(a, b), Interval(c, d))
    except OverflowError:
        return
    assert all(math.isfinite(end) and round32(end) == end for end in (result.low, result.high))
    assert all(result.low <= value <= result.high for value in values)


def test_powers_are_as_near_as_the_margin_needs() -> None:
    """Of significands from all over, with exponents that lead to the largest and to the smallest numbers."""
    x = torch.arange(bits32(math.sqrt(0.5)), bits32(math.sqrt(2)), 97, dtype=torch.int32).view(torch.float32)
    for exponent in (127.99, -125.9, 1.0):
        y = (exponent / torch.log2(x.double())).float()
        known = y.isfinite()
        true = torch.pow(x.double()[known], y.double()[known])
        error = (power(x[known], y[known]).double() - true).abs() / true
        assert float(error.max()) < 2.0**-22


@pytest.mark.parametrize("function", ["exp", "exp2", "log", "log2", "tanh", "sigmoid"])
@given(st.one_of(NUMBERS, st.floats(-110, 90, width=32)), st.one_of(NUMBERS, st.floats(-110, 90, width=32)))
@settings(deadline=None, max_examples=examples(60))
def test_functions_of_any_magnitude_lie_in_the_interval_or_are_refused(function: str, a: float, b: float) -> None:
    a, b = min(a, b), max(a, b)
    if function in ("log", "log2"):
        a, b = min(abs(a), abs(b)) or SMALLEST, max(abs(a), abs(b)) or SMALLEST
    try:
        result = intervals.call(FUNCTIONS[function], [Interval(a, b)])
    except OverflowError:
        return
    for x in (a, b):
        assert result.low <= float(call(function, f32(x))[0]) <= result.high  # type: ignore[arg-type]


COLD = BASE + "meter cold = 1 in 0.001 .. 90\nrule colder: cold += mood - 0.5\nreport shown: cold\n"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("pow(cold, 1e30)", ["H051"]),
        ("pow(cold, 2147483646) * pow(cold, -0.4)", ["H051"]),
        ("pow(cold, -1e30)", ["H051"]),
        ("pow(cold, 19)", []),
        ("pow(cold, 20)", ["H051"]),
        ("pow(max(cold, 1), -3e38)", []),
        ("pow(min(cold, 1), 3e38)", []),
        ("exp(cold)", ["H051"]),
        ("exp(min(cold, 88.72283))", []),
        ("exp(min(cold, 88.7229))", ["H051"]),
        ("exp2(cold + 38)", ["H051"]),
        ("exp2(cold + 37.9)", []),
        # What may be 0 where the true value is just not.
        ("1e-10 / exp(-cold - 13.3)", ["H050"]),
        ("1e-10 / exp(-cold + 10)", []),
        # Functions that keep a sign, which what follows may need.
        ("sqrt(tanh(cold))", []),
        ("sqrt(log(1 + cold))", []),
        ("1 / sigmoid(-cold * 0.9)", []),
        ("3e38 * (cold - cold)", ["H051"]),
        ("uniform(-3e38 * level, 0)", ["H051"]),
    ],
)
def test_values_that_may_be_infinite(expression: str, expected: list[str]) -> None:
    assert codes(f"report probed: {expression}", COLD) == expected


@pytest.mark.parametrize("bound", ["0", "1e-45", "1e-38", "1", "16777216", "1e19", "1e38", "3.4028235e38"])
def test_ends_are_always_spelled(bound: str) -> None:
    """A refusal names finite ends, whatever the bounds."""
    for expression in ("pow(x, x)", "exp(x) * x", "x * x * x", "1 / x", "pow(x, -3e38)", "x - -x - -x", "pow(x, 1e30)"):
        _, diagnostics = checked(f"{BASE}input x = {bound} in -1e-45 .. {bound}\nreport probed: {expression}")
        assert all("inf" not in f"{each}" for each in diagnostics)


def test_the_message_says_what_to_bound() -> None:
    _, (diagnostic,) = checked(COLD + "report probed: 1 + pow(cold + level, 1e30)")
    assert diagnostic.hint == "Narrow the bounds of `cold` or `level`, or use `clamp(x, low, high)`."
    assert "0.501 .. 92" in diagnostic.primary.text
    _, (diagnostic,) = checked(COLD + "rule loose: mood += 2e38 unclamped\nrule more: mood += 2e38 unclamped")
    assert diagnostic.hint is not None
    assert "`mood` may have left its bounds" in diagnostic.hint


LOOSE = """
universe loose
space {space}
lifespan 100 ticks
meter heat = 0 in -1 .. 1 {{ decay 0.01 }}
affordance Oven{at} {{ instantly {{ heat += 2e38 unclamped }} }}
affordance Fire{at} {{ instantly {{ heat += 2e38 unclamped }} }}
reward 1 when heat > 0.5
observe {{ meters }}
"""


@pytest.mark.parametrize(
    ("space", "expected"),
    [
        ("none", ["H051"]),
        ("grid 3 x 3 { places stored }", ["H051"]),
        ("continuous (0 .. 1) { step 1  reach 1 }", ["H051"]),
        ("grid 3 x 3", []),
    ],
)
def test_several_uses_in_a_tick_add_up(space: str, expected: list[str]) -> None:
    text = LOOSE.format(space=space, at="" if space == "none" else " at random")
    assert [each.code for each in checked(text)[1] if each.severity == "error"] == expected


@pytest.mark.parametrize(
    ("life", "reward", "expected"),
    [
        ("lifespan 1 tick", "2.5e30 * energy", []),
        ("lifespan 1 tick", "2.6e30 * energy", ["H080"]),
        ("lifespan 500 ticks", "5e27 * energy", []),
        ("lifespan 500 ticks", "-5.1e27 * energy", ["H080"]),
        ("lifespan 500 ticks", "4e27 * energy\nreward 4e27 * mood", ["H080"]),
        ("lifespan 500 ticks", "4e27 * energy\nreward -4e27 * mood", []),
        ("lifespan 500 ticks { reward 6e27 }", "energy", ["H080"]),
        ("lifespan 500 ticks { reward 3e27 }", "3e27 * energy", ["H080"]),
        ("lifespan 500 ticks { reward 3.4e38 }", "3e27 * energy", ["H080"]),
        ("lifespan 500 ticks { reward 3.4e38 }", "3.4e38 * energy", ["H051"]),
        ("lifespan 500 ticks\nepisodes by hand", "6e23 * energy", []),
        ("lifespan 500 ticks\nepisodes by hand", "6.1e23 * energy", ["H080"]),
        ("lifespan 10000000 ticks", "6e23 * energy", []),
        ("lifespan 10000000 ticks", "6.1e23 * energy", ["H080"]),
        ("", "6e23 * energy", []),
        ("", "6.1e23 * energy", ["H080"]),
        ("never", "1e31 * energy", []),
        ("never", "1.1e31 * energy", ["H080"]),
    ],
)
def test_rewards_that_add_up(life: str, reward: str, expected: list[str]) -> None:
    base = BASE.replace("lifespan 100 ticks", "" if life == "never" else life).replace(
        "reward energy", f"reward {reward}"
    )
    base = base.replace("dies when energy <= 0", "") if life == "never" else base
    assert [code for code in codes(base=base) if code != "H074"] == expected


def summed(begin: float, reward: float, ticks: int) -> torch.Tensor:
    total, more = f32(begin), f32(reward)
    for _ in range(ticks):
        total = total + more
    return total


def test_sums_stall_where_it_is_said() -> None:
    """2^79 on 2^103 lies in the middle, and so does 2^103 on 2^127; the next larger numbers go beyond."""
    once, often = returns(None, by_hand=False, ends=False), returns(None, by_hand=False, ends=True)
    assert once.begun == 2.0**127
    assert once.reward == often.begun == 2.0**103
    for far, step in ((often.begun, often.reward), (once.begun, often.begun), (once.begun, once.reward)):
        assert float(summed(far, step, 3)) == far
        assert float(summed(-far, -step, 3)) == -far
        beyond = from_bits32(bits32(step) + 1)
        assert float(summed(far, beyond, 3)) > far


@pytest.mark.parametrize("ticks", [1, 2, 3, 500, 4096])
def test_returns_of_counted_lives_stay_below_their_limit(ticks: int) -> None:
    limits = returns(Lifespan(ticks, 0.0, Span(1, 1, 1, 1)), by_hand=False, ends=True)
    total, reward = f32(limits.begun), f32(round32(limits.reward))
    for age in range(1, ticks + 1):
        total = total + reward
        assert float(total) <= limits.begun + limits.per_tick * age <= 2.0**103


def reach(rule: str, bounds: str = "-1 .. 1") -> tuple[float, float] | None:
    return universe(f"meter fuel = 0 in {bounds}\n{rule}\nreward 0.1 when fuel > 0.1").meters[-1].reach


def test_meters_that_leave_their_bounds_are_known_to_stop_somewhere() -> None:
    assert reach("rule a: fuel += energy - 0.5") is None
    assert reach("rule a: fuel = 3 * mood unclamped") == (-1.0, 3.0)
    assert reach("action BURN { fuel -= level unclamped }\nrule a: fuel += 0") == (-1.0, 1.0)
    assert reach("rule a: fuel += energy - 0.5 unclamped") == (-8388608.0, 8388608.0)
    assert reach("rule a: fuel += 1e30 * (energy - 0.5) unclamped", "-3e38 .. 3e38") is not None
    assert reach("rule a: fuel = clamp(fuel * 1.5, -9, 9) unclamped") == (-9.0, 9.0)
    assert reach("rule a: fuel = 1.5 * min(fuel, 9) unclamped", "0 .. 1") == (0.0, 13.5)


def test_a_meter_that_follows_another_stops_too() -> None:
    found = universe(
        "meter fuel = 0 in -1 .. 1\nmeter after = 0 in -1 .. 1\n"
        "rule a: fuel += energy - 0.5 unclamped\nrule b: after = fuel unclamped\nreward 0.1 when after > fuel"
    )
    assert found.meters[-1].reach == found.meters[-2].reach == (-8388608.0, 8388608.0)


def test_results_that_are_not_even_neighbours_of_the_true_value_are_in_the_interval() -> None:
    """A sigmoid is off by up to 2.4 places: without a margin some of its values would lie outside."""
    x = torch.linspace(-20, 20, 400_001)
    found, true = call("sigmoid", x).double(), torch.sigmoid(x.double())
    place = (torch.nextafter(found.float(), torch.tensor(2.0)).double() - found).abs()
    off = x[(found - true).abs() > 1.2 * place]
    assert len(off) > 20
    for value in off[:200].tolist():
        result = intervals.call(FUNCTIONS["sigmoid"], [Interval(value, value)])
        assert result.low <= float(call("sigmoid", f32(value))[0]) <= result.high
