"""The grammar of wishes, and how far variants are from them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from hamlet.package.module import Module
from hamlet_lab.design.wishes import FORMS, Share, Statistic, Wish, parse
from hamletc.errors import CompileError

SHOP = """
universe shop
space grid 3 x 3
param wage = 0.1 in 0 .. 0.5
lifespan 60 ticks
meter food = 0.5 { decay 0.03 }
affordance Bed at random { instantly { food += wage } }
affordance `Fast food` at (0, 0) { instantly { food += 0.01 } }
dies when food <= 0
reward food
observe { meters }
"""
INFINITE = math.inf


@pytest.fixture(scope="module")
def shop(compiled: Callable[[str], Module]) -> Module:
    return compiled(SHOP)


@pytest.mark.parametrize(
    ("text", "what", "low", "high"),
    [
        ("median life 200 .. 300", Statistic("life", 0.5), 200, 300),
        ("median life 200..300 ticks", Statistic("life", 0.5), 200, 300),
        ("  mean   return above -3.5e-1", Statistic("return", None), -0.35, INFINITE),
        ("quantile 10 % of life below 50 ticks", Statistic("life", 0.1), -INFINITE, 50),
        ("quantile 0.9 of return 1 .. 2", Statistic("return", 0.9), 1, 2),
        ("use of Bed 10 % .. 30%", Share("uses", (0,)), 0.1, 0.3),
        ("use of `Fast food` below .5", Share("uses", (1,)), -INFINITE, 0.5),
        ("end by `food <= 0` above 50 %", Share("ends", (0,)), 0.5, INFINITE),
        ("end by lifespan below 20 %", Share("ends", (1,)), -INFINITE, 0.2),
        ("no affordance above 60 % of uses", Share("uses", (0, 1)), -INFINITE, 0.6),
        ("every affordance above 5 %", Share("uses", (0, 1)), 0.05, INFINITE),
        ("no cause below 5 % of ends", Share("ends", (0, 1)), 0.05, INFINITE),
        ("every cause below 95 %", Share("ends", (0, 1)), -INFINITE, 0.95),
    ],
)
def test_forms(text: str, what: Statistic | Share, low: float, high: float, shop: Module) -> None:
    wish = parse(text, shop.universe, 1000)
    assert (wish.text, wish.what, wish.low, wish.high) == (text, what, low, high)


def test_forms_that_messages_show_are_wishes(shop: Module) -> None:
    for form in FORMS:
        assert parse(form, shop.universe, 1000).text == form


@pytest.mark.parametrize(
    ("text", "problem", "like"),
    [
        ("", "here it ends; wanted: a wish begins with mean, median, quantile, use, end, no or every", FORMS[0]),
        ("medan life 1 .. 2", "medan begins no wish: did you mean median?", FORMS[0]),
        ("median live 1 .. 2", "write life or return, not live", FORMS[0]),
        ("median life", "here it ends; wanted: a range, as in 200 .. 300, or above or below", FORMS[0]),
        ("median life 5", "here it ends; wanted: ..", FORMS[0]),
        ("median life above", "here it ends; wanted: a number", FORMS[0]),
        ("median life above many", "many stands where a number should", FORMS[0]),
        ("mean return above 1 or so", "or is too much", FORMS[1]),
        ("mean return above 1 ticks", "ticks is too much", FORMS[1]),
        ("no shop above 3 %", "write affordance or cause, not shop", FORMS[5]),
        ("no affordance over 3 %", "write above or below, not over", FORMS[5]),
        ("no affordance above 60 % of ends", "ends stands where uses should", FORMS[5]),
        ("end by `food", "a backtick has no other", FORMS[4]),
        ("median life 3 .. 2", "the range begins with the lower number", None),
        ("mean return above 1e999", "a number is finite", None),
        ("quantile 120 % of life above 3", "a quantile is of a share between 0 and 1, or 0 % and 100 %", None),
        ("median life 1 .. 5000", "no life of 5000 ticks can be seen in 1,000: take more --ticks", None),
        ("median life below 0.5", "every life lasts a tick at least", None),
        ("use of Bd above 3 %", "shop has no affordance Bd: did you mean Bed?", None),
        ("end by hunger above 3 %", "shop has no cause hunger: it has food <= 0, lifespan", None),
        ("use of Bed above 300 %", "a share lies in 0 % .. 100 %, or 0 .. 1", None),
        ("no affordance above 40 %", "2 shares cannot all be below 50 %", None),
        ("every cause above 60 %", "2 shares cannot all be above 50 %", None),
    ],
)
def test_what_is_no_wish(text: str, problem: str, like: str | None, shop: Module) -> None:
    with pytest.raises(CompileError) as caught:
        parse(text, shop.universe, 1000)
    example = "" if like is None else f'; a wish is, for example, "{like}"'
    assert str(caught.value) == f'--want "{text}": {problem}{example}'


def test_misses_are_in_units_of_the_bound() -> None:
    wish = Wish("", Statistic("life", 0.5), 200, 300)
    assert wish.misses(np.array([[200, 300, 250, 100, 450, np.nan]])).tolist() == [0, 0, 0, 0.5, 0.5, 1000]
    assert Wish("", Statistic("return", 0.5), 0, INFINITE).misses(np.array([[-0.25]])).tolist() == [0.25]
    shares = Wish("", Share("uses", (0, 1)), -INFINITE, 0.5, ("Bed", "Job"))
    assert np.allclose(shares.misses(np.array([[0.6, 0.5], [0.4, 0.5]])), [0.2, 0])


def test_the_value_that_is_shown_is_the_farthest() -> None:
    shares = Wish("", Share("uses", (0, 1, 2)), 0.1, 0.5, ("Bed", "Job", "Bar"))
    assert shares.spelled((0.3, 0.65, 0.05)) == "Bar 5 %"
    assert shares.spelled((0.3, 0.6, 0.1)) == "Job 60 %"
    assert shares.spelled((0.3, 0.45, 0.25)) == "Job 45 %"
    assert Wish("", Statistic("life", 0.5), 200, 300).spelled((250.0,)) == "250"
    assert Wish("", Statistic("life", 0.5), 200, 300).spelled((math.nan,)) == "nothing happened"
