"""Random draws: where they may stand, what their arguments must be, and where their values lie."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import torch
from checking_cases import codes, universe
from hypothesis import given, settings
from hypothesis import strategies as st

from hamlet.interpreter import draws as drawn
from hamlet.numbers.binary32 import round32
from hamlet.numbers.counters import BLOCKS
from hamlet.universe import DrawChoice, Expression, draws
from hamletc import intervals
from hamletc.checking import sites
from hamletc.checking.ranges import Ranges
from hamletc.checking.report import Findings
from hamletc.checking.sites import key
from hamletc.checking.surroundings import Surroundings
from hamletc.checking.wholes import Wholes
from hamletc.intervals import Interval

AROUND = Surroundings(
    {}, {}, {}, {}, None, None, None, None, None, None, Interval(0, 0), Wholes(cells=False, counts=False)
)


@pytest.mark.parametrize(
    "added",
    [
        "rule r: mood += uniform(-0.1, 0.1)",
        "rule r: chance(0.1) and energy > 0.2 -> mood -= 0.01 * integer(1, 6)",
        "rule r: mood += 0.1 when chance(level / 4)",
        "rule r: mood += 0.1 when not chance(energy)",
        "rule r: energy = normal(energy, 0.1 * mood)",
        "cascade c: energy < 0.3 -> mood -= uniform(0, deficit)",
        "reward choice(0, energy, uniform(0, 1)) when (chance(0.5) or chance(energy))",
        "report chancy: uniform(mood, energy)",
        "report certain: normal(0, 1) when (if chance(0.5) then mood > 0.5 else chance(0.1))",
        "action LUCK { mood += uniform(0, 0.5) }",
        "meter tired = 0.1 { decay uniform(-0.1, 0.01)  move normal(0, 0.1)  interact choice(0, 0.1) }\nreward -tired",
        "rule r: mood += choice(0: 3, 0.1: 1 / 3, energy: 1e-3) - 0.05",
        "let often = 3\nrule r: mood -= choice(0: often, 0.1: 1, choice(0.2, 0.3): 4 - often)",
        "meter luck = uniform(0, choice(0.5: 3, 1: 1)) { decay 0.1 }\nreward luck",
        "meter `chance` = 0.1 { decay -0.01 }\nreward `chance` when chance(0.5)",
    ],
)
def test_where_draws_may_stand(added: str) -> None:
    assert [code for code in codes(added + "\n") if code not in ("H071", "H072")] == []


@pytest.mark.parametrize(
    ("added", "code"),
    [
        ("action LUCK { needs chance(0.5)  mood += 0.1 }", "H068"),
        ("affordance B at random { needs integer(1, 6) > 3  instantly { mood += 0.1 } }", "H068"),
        ("allow WAIT when chance(0.5)", "H068"),
        ("rule r: mood += previous(uniform(0, 1))", "H068"),
        ("rule r: previous(chance(0.5)) -> mood += 0.1", "H068"),
        ("param luck = uniform(0, 1) in 0 .. 1\nreward luck", "H031"),
        ("cascade c: energy < uniform(0, 1) -> mood -= 0.1", "H031"),
        ("rule r: mood += chance(0.5)", "H027"),
        ("rule r: uniform(0, 1) -> mood += 0.1", "H027"),
        ("rule r: mood += 1 when uniform(0, 1)", "H027"),
        ("rule r: mood += choice(chance(0.5), 1)", "H027"),
        ("rule r: mood += uniform(1)", "H030"),
        ("rule r: mood += normal(0, 1, 2)", "H030"),
        ("rule r: mood += choice(1)", "H030"),
        ("rule r: chance(0.1, 0.2) -> mood += 1", "H030"),
        ("rule r: mood += choice(1: 1)", "H030"),
        ("rule r: mood += choice(0: 1, 0.1)", "H030"),
        ("rule r: mood += choice(0, 0.1: 2)", "H030"),
        ("rule r: mood += max(0: 1, energy: 2)", "H030"),
        ("rule r: mood += 0.1 when chance(0.1: 2)", "H030"),
        ("rule r: mood += 0.1 * previous(energy: 2)", "H030"),
        ("rule r: mood += choice(0: 1, 0.1: energy)", "H031"),
        ("rule r: mood += choice(0: 1, 0.1: level)", "H031"),
        ("rule r: mood += choice(0: 1, 0.1: uniform(0, 1))", "H031"),
        ("rule r: mood += choice(0: 1, 0.1: 0)", "H033"),
        ("rule r: mood += choice(0: 0, 0.1: 0)", "H033"),
        ("rule r: mood += choice(0: 1, 0.1: -1)", "H033"),
        ("rule r: mood += choice(0: 1, 0.1: 1e-10)", "H035"),
        ("rule r: mood += choice(0: 1e-12, 0.1: 1e-12, 0.2: 1)", "H035"),
        ("rule r: mood += choice(energy < 0.5: 1, 0.1: 2)", "H027"),
        ("rule r: mood += uniform", "H030"),
        ("rule r: mood += integer(0, energy)", "H031"),
        ("rule r: mood += integer(0, 1.5)", "H032"),
        ("rule r: mood += integer(0, 16777217)", "H033"),
        ("rule r: mood += integer(-16777217, 0)", "H033"),
        ("rule r: mood += integer(3, 3)", "H040"),
        ("rule r: mood += uniform(1, 0)", "H040"),
        ("rule r: mood += uniform(0.5, 0.5)", "H040"),
        ("rule r: mood += normal(0, 0)", "H033"),
        ("rule r: mood += normal(0, -1)", "H033"),
        ("rule r: chance(0) -> mood += 0.1", "H062"),
        ("rule r: chance(1) -> mood += 0.1", "H062"),
        ("rule r: chance(level + 0.5) -> mood += 0.1", "H062"),
        ("rule r: chance(-energy) -> mood += 0.1", "H062"),
        ("rule r: mood += uniform(-3e38, 3e38)", "H051"),
        ("rule r: mood += normal(0, 1e38)", "H051"),
        ("rule r: mood += 1 / uniform(-1, 1)", "H050"),
        ("rule r: mood += log(uniform(0, 1))", "H054"),
        ("rule r: mood += 1 when uniform(0, 1) < 1.5", "H062"),
        ("meter uniform = 1 { decay 0.1 }\nreward energy", "H071"),
    ],
)
def test_what_is_wrong_with_a_draw(added: str, code: str) -> None:
    assert code in codes(added + "\n")


def chosen(text: str) -> tuple[int, ...] | None:
    (draw,) = draws(universe(f"report r: {text}\n"))
    assert isinstance(draw, DrawChoice)
    return draw.thresholds


def test_options_have_the_words_that_their_weights_say() -> None:
    """By exact arithmetic on the weights in binary64, whatever their sizes."""
    assert chosen("choice(1: 3, 2: 1)") == (3 << 30,)
    assert chosen("choice(1: 1, 2: 2)") == (-(-(2**32) // 3),)
    assert chosen("choice(1: 1e30, 2: 3e30, 3: 1e30)") == chosen("choice(1: 1, 2: 3, 3: 1)")
    parts = [Fraction(0.1), Fraction(0.2), Fraction(0.7)]
    assert chosen("choice(1: 0.1, 2: 0.2, 3: 0.7)") == (
        math.ceil(2**32 * parts[0] / sum(parts)),
        math.ceil(2**32 * (parts[0] + parts[1]) / sum(parts)),
    )
    assert chosen("choice(1: 1, 2: 4294967295)") == (1,)
    assert chosen("choice(1: 4294967295, 2: 1)") == (2**32 - 1,)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(st.integers(1, 2**20), min_size=2, max_size=6))
def test_each_option_has_its_share_to_one_word(weights: list[int]) -> None:
    found = chosen(f"choice({', '.join(f'{n}: {weight}' for n, weight in enumerate(weights))})")
    if len(set(weights)) == 1:
        assert found is None
        return
    assert found is not None
    begins = (0, *found, 2**32)
    for weight, begin, end in zip(weights, begins, begins[1:], strict=False):
        assert abs(end - begin - Fraction(2**32 * weight, sum(weights))) < 1


def test_options_that_weigh_the_same_are_those_without_weights() -> None:
    """The same words choose them: mulhigh(word, n) goes up where the thresholds are."""
    assert chosen("choice(1: 0.2, 2: 0.2, 3: 0.2)") is chosen("choice(1, 2, 3)") is None
    for count in (2, 3, 7, 1000):
        thresholds = tuple(-(-(2**32) * number // count) for number in range(1, count))
        ends = torch.tensor([word for each in thresholds for word in (each - 1, each)] + [0, 2**32 - 1])
        assert torch.equal(drawn.choice(ends, count, None), drawn.choice(ends, count, thresholds))


def test_a_chance_between_is_neither_always_nor_never() -> None:
    for added in ("chance(16777215 / 16777216)", "chance(1e-9)", "chance(energy)"):
        assert "H062" not in codes(f"rule r: {added} -> mood += 0.1\n")
    assert "H062" in codes("rule r: chance(0.99999998) -> mood += 0.1\n")


DOCS = Path(__file__).parents[3] / "docs"
DRIZZLE = "rule drizzle: mood += uniform(0, 0.1)\n"


def words(text: str) -> list[tuple[int, int]]:
    """The block and the word that each draw begins with, in file order."""
    return [divmod(draw.site, 4) for draw in draws(universe(text))]


def test_sites_are_those_of_the_construct() -> None:
    """A `normal` takes two words; what is in an argument comes after what holds it; the fifth word is in a block of its
    own. Keys have the known answers of FNV-1a."""
    found = words(
        "reward uniform(normal(0, 1), 9)\nrule r: mood += choice(0, integer(1, 6)) when chance(0.5)\n"
        "reward joy: uniform(0, 1) * uniform(0, 2) + normal(0, 1) * normal(0, uniform(1, 2))\n"
    )
    reward, rule, joy = key("reward: uniform(normal(0, 1), 9)"), key("rule r"), key("reward joy")
    assert found == [
        *((reward, 0), (reward, 1), (rule, 0), (rule, 1), (rule, 2)),
        *((joy, 0), (joy, 1), (joy, 2), (joy + 1, 0), (joy + 1, 2)),
    ]
    semantics = (DOCS / "semantics.md").read_text(encoding="utf-8")
    assert f"The key of `rule drizzle` is {key('rule drizzle')}, so" in semantics
    assert f"first draw has site {draws(universe(DRIZZLE))[0].site}." in semantics
    assert (key(""), key("a"), key("foobar")) == (0x811C9DC5, 0xE40C292C, 0xBF9CF968)


@pytest.mark.parametrize(
    ("text", "construct"),
    [
        (DRIZZLE, "rule drizzle"),
        ("cascade c: energy < 0.3 -> mood -= uniform(0, deficit)", "cascade c"),
        ("meter luck = 0.5 { decay 0.1  interact uniform(-1, 1) }\nreward luck", "meter luck"),
        ("affordance Den at random { instantly { mood += uniform(0, 1) } }", "affordance Den"),
        ("affordance `Öde Straße` at random { instantly { mood += uniform(0, 1) } }", "affordance Öde Straße"),
        ("meter luck = uniform(0, 1) { decay 0.1 }\nreward luck", "start luck"),
        ("world { meter w = 0.5  rule w: w = uniform(0, 1) }\nreward w", "world rule w"),
        ("action LUCK { mood += uniform(0, 0.5) }", "action LUCK"),
        ("reward joy: uniform(0, 1)", "reward joy"),
        ("reward  uniform(0,1)*(mood)", "reward: uniform(0, 1) * mood"),
        ("let luck = uniform(0, 1)\nreward luck", "reward: uniform(0, 1)"),
        ("report roll: uniform(0, 1)", "report roll"),
        ("dies when mood <= 0 or (energy < 0.1 and chance( 0.1 ))", "dies when energy < 0.1 and chance(0.1)"),
        ("template T(n) { rule n: mood += uniform(0, 0.1) }\nuse T(drizzle)", "rule drizzle"),
    ],
)
def test_names_of_constructs(text: str, construct: str) -> None:
    assert words(text + "\n") == [(key(construct), 0)]


def test_rewards_of_the_same_text_count_on() -> None:
    roll = key("reward: uniform(0, 1)")
    assert words("reward uniform(0, 1)\nreward uniform(0, 1)\n") == [(roll, 0), (roll, 1)]


def test_constructs_that_collide(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first by its text keeps its blocks, wherever it stands; others take the next ones that are free together."""
    five = " + ".join(["uniform(0, 1)"] * 5)
    keys = {"report a": BLOCKS - 1, "report b": BLOCKS - 2, "report c": BLOCKS - 2, "rule d": 1, "report e": 0}
    monkeypatch.setattr(sites, "key", keys.__getitem__)
    lines = {
        "report a": "report a: uniform(0, 1)",
        "report b": f"report b: {five}",
        "report c": "report c: uniform(0, 1)",
        "report e": "report e: uniform(0, 1)",
        "rule d": "rule d: mood += uniform(0, 1)",
    }
    where = {"report a": BLOCKS - 1, "report b": 0, "report c": BLOCKS - 2, "report e": 2, "rule d": 3}
    for order in (list(lines), list(reversed(lines))):
        found = draws(universe("".join(f"{lines[name]}\n" for name in order)))
        begun = {draw.site // 4: None for draw in found}
        expected = [block for name in order for block in ([0, 1] if name == "report b" else [where[name]])]
        assert list(begun) == expected
        assert len({draw.site for draw in found}) == len(found)


def test_no_two_draws_share_a_word_where_all_keys_collide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "key", lambda _: BLOCKS - 2)
    text = "".join(f"report r{n}: {' + '.join(['normal(0, 1)'] * (1 + n % 7))}\n" for n in range(20))
    found = [draw.site for draw in draws(universe(text))]
    taken = [word for site in found for word in (site, site + 1)]
    assert len(set(taken)) == len(taken)
    assert max(taken) < 4 * BLOCKS


def lies(expression: Expression) -> Interval:
    found = Ranges(AROUND, {}, Findings(), error=None).number(expression, {})
    assert found is not None
    return found


def expression(text: str) -> Expression:
    return next(report.value for report in universe(f"report r: {text}\n").reports)


LARGE = round32(1e30)
WORDS = torch.tensor([0, 1, 255, 256, 2**31, 2**32 - 257, 2**32 - 256, 2**32 - 1])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.floats(-LARGE, LARGE, width=32), st.floats(-LARGE, LARGE, width=32))
def test_values_lie_where_ranges_say(first: float, second: float) -> None:
    low, high = min(first, second), max(first, second)
    if not low < high:
        return
    size = intervals.multiply(intervals.subtract(Interval(high, high), Interval(low, low)), intervals.SHARE)
    found = intervals.add(Interval(low, low), size)
    assert low <= found.low
    assert found.high <= high
    values = drawn.uniform(WORDS, torch.tensor(low), torch.tensor(high))
    assert found.low == float(values.min())
    assert found.high == float(values.max())


def test_ranges_of_each_draw() -> None:
    assert lies(expression("uniform(-1, 3)")) == Interval(-1.0, round32(3 - 2.0**-22))
    assert lies(expression("integer(-2, 6)")) == Interval(-2.0, 6.0)
    assert lies(expression("choice(-1: 5, uniform(0, 4): 0.001, 0.5: 7)")) == Interval(-1.0, round32(4 - 2.0**-22))
    assert lies(expression("choice(-1, uniform(0, 4), 0.5)")) == Interval(-1.0, round32(4 - 2.0**-22))
    assert lies(expression("normal(10, 2)")) == Interval(round32(10 - 2 * 5.77), round32(10 + 2 * 5.77))


def test_normal_numbers_reach_no_farther_than_their_range() -> None:
    """The farthest one: of the smallest share and an angle whose cosine is 1 or -1."""
    zero, one = torch.tensor(0.0), torch.tensor(1.0)
    first, angles = torch.tensor([0]), torch.tensor([0, 2**31])
    ends = drawn.normal(first, angles, zero, one).tolist()
    assert ends == pytest.approx([math.sqrt(48 * math.log(2)), -math.sqrt(48 * math.log(2))], abs=1e-5)
    assert intervals.NORMAL.low < ends[1]
    assert ends[0] < intervals.NORMAL.high
    words = torch.from_numpy(np.random.default_rng(2).integers(0, 2**32, 100_000))
    assert float(drawn.normal(first, words, zero, one).abs().max()) <= ends[0]
