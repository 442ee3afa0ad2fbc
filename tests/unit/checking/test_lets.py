"""`let`: what it stands for is as if it had been written out, and what is wrong with it is told where it is used."""

from __future__ import annotations

from time import process_time

import pytest
from checking_cases import BASE, checked, codes, universe

from hamlet.universe import Universe, draws
from hamletc.checking.numbers import Constants
from hamletc.checking.settings import declared_space, declared_steps
from hamletc.expansion.expand import expand
from hamletc.expansion.lets import MOST_PARTS
from hamletc.expansion.places import rewritten
from hamletc.language.parser import parse
from hamletc.language.syntax import NOWHERE

WITH = """
universe small
let price = 0.05
let size = side - 2
let side = 2 * 3
let day = 24
let opens = 8
let west = -1.5
let hunger = 1 - satiation
let starving = satiation < low
let low = 0.2 + 0.1
let gone = energy <= 0 or satiation <= 0
let luck = uniform(0, price)
let away = not here == Bed
space grid size x size
clock day hours
lifespan life ticks { reward 20 * price }
let life = 5 * 100
param level = price in price / 2 .. 20 * price
meter energy = 20 * price in 0 .. 1 { decay price * level }
meter satiation = 0.5 in 0 .. top { decay luck }
let top = 2 * 0.5
affordance Bed at (opens_x, 0) open opens .. closes lasts four ticks {
    needs hunger < 0.9
    each tick { energy += 5 * price  satiation += luck }
}
let opens_x = 1
let closes = 18
let four = 4
action STEP { move (-opens_x, 0)  energy -= price }
cascade hungry: starving -> energy -= price * deficit
rule chill: chance(price) and away -> energy -= hunger * luck when starving
dies when gone
reward hunger * energy + luck
observe { constant 1 -west west  window radius  meters  progress per four }
let radius = 1
"""

WITHOUT = """
universe small
space grid 4 x 4
clock 24 hours
lifespan 500 ticks { reward 20 * 0.05 }
param level = 0.05 in 0.05 / 2 .. 20 * 0.05
meter energy = 20 * 0.05 in 0 .. 1 { decay 0.05 * level }
meter satiation = 0.5 in 0 .. 1 { decay uniform(0, 0.05) }
affordance Bed at (1, 0) open 8 .. 18 lasts 4 ticks {
    needs (1 - satiation) < 0.9
    each tick { energy += 5 * 0.05  satiation += uniform(0, 0.05) }
}
action STEP { move (-1, 0)  energy -= 0.05 }
cascade hungry: satiation < (0.2 + 0.1) -> energy -= 0.05 * deficit
rule chill: chance(0.05) and not here == Bed ->
    energy -= (1 - satiation) * uniform(0, 0.05) when (satiation < 0.2 + 0.1)
dies when energy <= 0 or satiation <= 0
reward (1 - satiation) * energy + uniform(0, 0.05)
observe { constant 1 1.5 -1.5  window 1  meters  progress per 4 }
"""


def placeless(universe: Universe) -> Universe:
    """The universe with all its places the same."""
    return rewritten(universe, lambda _: NOWHERE)


def test_a_let_stands_for_what_could_have_been_written() -> None:
    made = universe("", WITH)
    assert placeless(made) == placeless(universe("", WITHOUT))
    assert len(draws(made)) == len({draw.site for draw in draws(made)}) == 5


def test_places_are_those_of_the_uses() -> None:
    made = universe("let hunger = 1 - energy\nlet sad = 1 - hunger\nreward sad\n")
    span = made.rewards[-1].value.span
    assert (span.line, span.column, span.end_column, span.file) == (15, 8, 11, 0)


def test_a_universe_without_lets_is_the_tree_that_was_read() -> None:
    file, _ = parse(BASE)
    assert file is not None
    written = expand(file, 1, declared_space, declared_steps, Constants().written_out).file
    assert written.declarations is file.declarations


def test_what_is_wrong_in_a_let_is_said_once_with_both_places() -> None:
    _, found = checked(BASE + "let bad = enrgy + 1\nlet worse = 2 * bad\nreward worse\nreward bad\n")
    (error,) = found
    assert (error.code, error.primary.span.line, error.primary.span.column) == ("H020", 15, 8)
    others = [(label.span.line, label.text) for label in error.secondary]
    assert others == [(13, "in `let bad`"), (14, "in `let worse`")]


@pytest.mark.parametrize(
    ("added", "code", "message"),
    [
        ("let a = 1", "H060", "nobody uses the let `a`"),
        ("let a = b\nlet b = 1", "H060", "nobody uses the let `a`"),
        ("let a = b\nlet b = 2 * a", "H085", "`a` stands for itself: `a` -> `b` -> `a`"),
        ("let a = 1 - a\nreward a", "H085", "`a` stands for itself: `a` -> `a`"),
        ("let energy = 1", "H022", "the name `energy` is declared twice"),
        ("let level = 1", "H022", "the name `level` is declared twice"),
        ("let a = 1\nlet a = 2\nreward a * energy", "H022", "the name `a` is declared twice"),
        ("let hour = 1", "H023", "a let cannot be called `hour`"),
        ("let a = energy\nrule r: a -= 0.01", "H021", "`a` is a let, not a meter"),
        ("let a = energy\naffordance B at (a, 0) { instantly { mood += 0.1 } }", "H031",
         "`a`, which stands for a number, must be a constant"),
        ("let a = 1.5\naffordance B at (a, 0) { instantly { mood += 0.1 } }", "H032",
         "a coordinate must be a whole number"),
        ("affordance B at (a, 0) { instantly { mood += 0.1 } }", "H020", "there is no `a`"),
        ("let a = energy > 0.5\nreward a", "H027", "a number is needed here"),
        ("let a = 1\nlet `a` = 2\nreward `a` * energy", "H022", "the name `a` is declared twice"),
        ("let home = Bed\nreward 1 when here == home", "H021", "`home` is a let, not an affordance"),
        ("let a = 1 / 0\nreward a", "H050", ""),
    ],
)  # fmt: skip
def test_mistakes(added: str, code: str, message: str) -> None:
    _, found = checked(BASE + added + "\n")
    errors = [(error.code, error.message) for error in found if error.severity == "error"]
    assert errors[0][0] == code
    assert message in errors[0][1]
    assert all(error.hint.endswith((".", "?")) for error in found)


def test_a_let_may_have_the_name_of_an_affordance() -> None:
    """... which is not what is compared with `here`; readers are warned."""
    assert codes("let Bed = 0.5\nreward Bed when here == Bed\n") == ["H076"]


def test_a_quoted_let_means_itself() -> None:
    made = universe("let `hour` = 0.5\nreward `hour` * energy + 0.001 * hour\n")
    assert placeless(made).rewards == placeless(universe("reward 0.5 * energy + 0.001 * hour\n")).rewards


def test_explosions_are_refused_at_once() -> None:
    lets = "".join(f"let a{n} = a{n + 1} * a{n + 1}\n" for n in range(40))
    begin = process_time()
    _, (error,) = checked(f"{BASE}{lets}let a40 = energy\nreward a0\n")
    assert (error.code, f"{MOST_PARTS:,}" in error.message) == ("H086", True)
    assert process_time() - begin < 5


def test_chains_that_are_too_long_are_refused() -> None:
    lets = "".join(f"let a{n} = a{n + 1}\n" for n in range(5000))
    _, (error,) = checked(f"{BASE}{lets}let a5000 = energy\nreward a0\n")
    assert error.code == "H015"


def test_long_circles_are_found() -> None:
    lets = "".join(f"let a{n} = a{n + 1}\n" for n in range(3000))
    _, (error,) = checked(f"{BASE}{lets}let a3000 = a0\n")
    assert error.code == "H085"


def test_nothing_of_a_let_reaches_a_package_but_numbers() -> None:
    made = universe('let `"; import os; """ #` = 0.25\nreward `"; import os; """ #` * energy\n')
    assert "import os" not in repr(placeless(made))
