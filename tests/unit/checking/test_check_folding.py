"""Constants are folded in binary64 as the tree stands, and rounded once."""

from __future__ import annotations

import math
import struct

from checking_cases import codes, universe
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hamlet.numbers.binary32 import bits32
from hamlet.universe import Assign, Binary, MeterValue, Number, Rule

LEAVES = st.floats(0.001, 1000).map(repr)


def combined(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.tuples(children, children)
    return st.one_of(
        st.tuples(children, st.sampled_from("+-*/"), children).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        pairs.map(lambda t: f"min({t[0]}, {t[1]})"),
        pairs.map(lambda t: f"max({t[0]}, {t[1]})"),
        children.map(lambda c: f"abs({c})"),
        children.map(lambda c: f"(-{c})"),
    )


EXPRESSIONS = st.recursive(LEAVES, combined, max_leaves=12)


def written(expression: str) -> object:
    added = f"meter big = 0 in -3e38 .. 3e38\nreport shown: big\nrule probe: energy < 0.5 -> big = {expression}"
    rule = universe(added).dynamics[0]
    assert isinstance(rule, Rule)
    assert isinstance(rule.body[0], Assign)
    return rule.body[0].value


@settings(deadline=None)
@given(EXPRESSIONS)
def test_folding_is_python_rounded_once(expression: str) -> None:
    try:
        expected = eval(expression, {"min": min, "max": max, "abs": abs})
    except ZeroDivisionError:
        assume(False)
    assume(expected == 0 or 1e-37 < abs(expected) < 3e38)
    number = written(expression)
    assert isinstance(number, Number)
    assert bits32(number.value) == struct.unpack("<I", struct.pack("<f", expected))[0]


def test_numbers_are_kept_in_their_shortest_spelling() -> None:
    number = written("0.1 + 0.2")
    assert isinstance(number, Number)
    assert repr(number.value) == "0.3"


def test_only_maximal_constant_subtrees_fold() -> None:
    """`energy * 2 * 3` is `(energy * 2) * 3`; `2 * 3 * energy` is `6 * energy`."""
    match written("2 * 3 * energy"):
        case Binary("*", Number(6.0), MeterValue("energy")):
            pass
        case other:
            raise AssertionError(other)
    match written("energy * 2 * 3"):
        case Binary("*", Binary("*", MeterValue("energy"), Number(2.0)), Number(3.0)):
            pass
        case other:
            raise AssertionError(other)


def test_a_product_is_not_rounded_between() -> None:
    """5 * 0.075 in binary64, rounded once, is not the product of binary32 numbers."""
    number = written("3 * (1 / 3)")
    assert isinstance(number, Number)
    assert number.value == 1.0
    tiny = written("1e-30 * 1e-30 * 1e35")
    assert isinstance(tiny, Number)
    assert tiny.value == 1e-25


def test_min_and_max_of_signed_zeros() -> None:
    for expression, sign in (("min(0, -0)", -1), ("min(-0, 0)", 1), ("max(0, -0)", -1), ("max(-0, 0)", 1)):
        number = written(expression)
        assert isinstance(number, Number)
        assert math.copysign(1, number.value) == sign, expression


def test_constants_that_do_not_fit() -> None:
    assert codes("reward 3e38 * 2") == ["H034"]
    assert codes("reward 1e30 * 1e30") == ["H034"]
    assert codes("reward 1e-46 * energy") == ["H035"]
    assert codes("reward 1e-45 * energy") == []
    assert codes("report r: 3e38 * 2 * 0.1 * energy") == []
    assert codes("report r: 0 * 3.4028235e38 + energy") == []
    assert codes("meter big = 3.4028235e38 in 0 .. 3.4028235e38\nrule a: big = energy\nreport r: big") == []
    assert codes("reward energy / (0.5 - 1 / 2)") == ["H050"]
