"""`template` and `use`: what a use stands for is as if it had been written out; mistakes name both."""

from __future__ import annotations

import pytest
from checking_cases import BASE, checked, universe

from hamlet.universe import Universe, draws, nodes
from hamlet.universe.span import Span
from hamletc.expansion.lets import MOST_PARTS
from hamletc.expansion.places import rewritten
from hamletc.language.syntax import NOWHERE

SHOP = """
template Shop(name, price, opens, closes, x) {
    meter stock = 1 - price { decay uniform(0, price) }
    let dear = 2 * price
    affordance name at (x, 0) open opens .. closes lasts x ticks {
        needs energy >= price and stock > 0.1
        each tick { energy -= dear  stock += uniform(0, 1) when chance(price) }
    }
    action GET { needs here == name  mood += 0.1 * distance to name  move (x, -x) }
    allow GET when stock > price
    rule refill: stock += 0.02 when not here == name
    report left: stock
}
"""
BY_HAND = """
meter Bakery_stock = 1 - 0.05 { decay uniform(0, 0.05) }
affordance Bakery at (1, 0) open 8 .. 18 lasts 1 ticks {
    needs energy >= 0.05 and Bakery_stock > 0.1
    each tick { energy -= 2 * 0.05  Bakery_stock += uniform(0, 1) when chance(0.05) }
}
action Bakery_GET { needs here == Bakery  mood += 0.1 * distance to Bakery  move (1, -1) }
allow Bakery_GET when Bakery_stock > 0.05
rule Bakery_refill: Bakery_stock += 0.02 when not here == Bakery
report Bakery_left: Bakery_stock
meter `Fast Food_stock` = 1 - half / 2 { decay uniform(0, half / 2) }
affordance `Fast Food` at (2, 0) open 8 .. 2 lasts 2 ticks {
    needs energy >= half / 2 and `Fast Food_stock` > 0.1
    each tick { energy -= 2 * (half / 2)  `Fast Food_stock` += uniform(0, 1) when chance(half / 2) }
}
action `Fast Food_GET` { needs here == `Fast Food`  mood += 0.1 * distance to `Fast Food`  move (2, -2) }
allow `Fast Food_GET` when `Fast Food_stock` > half / 2
rule `Fast Food_refill`: `Fast Food_stock` += 0.02 when not here == `Fast Food`
report `Fast Food_left`: `Fast Food_stock`
let half = 0.1
"""
USED = "use Shop(Bakery, 0.05, 8, 18, 1)\nuse Shop(`Fast Food`, half / 2, eight, 2, two)\n"
LETS = "let half = 0.1\nlet eight = 8\nlet two = 2\n"


def placeless(universe: Universe) -> Universe:
    """The universe with all its places the same."""
    return rewritten(universe, lambda _: NOWHERE)


def test_a_use_stands_for_what_could_have_been_written() -> None:
    made = universe(SHOP + USED + LETS)
    assert placeless(made) == placeless(universe(BY_HAND))
    assert len(draws(made)) == len({draw.site for draw in draws(made)}) == 6


def test_templates_use_others_in_any_order() -> None:
    made = universe(
        "use Home(Hut, 0.5)\n"
        "template Home(name, much) { use Rest(name, much * 0.5)  rule warm: mood += 0.001 * much }\n"
        "template Rest(it, by) { affordance it at random { instantly { energy += by } } }\n"
    )
    hand = "affordance Hut at random { instantly { energy += 0.5 * 0.5 } }\nrule warm: mood += 0.001 * 0.5\n"
    assert placeless(made) == placeless(universe(hand))


def test_places_are_those_of_the_text() -> None:
    """... of the template; arguments have their own."""
    made = universe(SHOP + USED + LETS)
    places = {span for node in nodes(made) if isinstance(span := getattr(node, "span", None), Span)}
    assert {span.file for span in places} == {0}
    assert made.dynamics[-1].span.line == 23
    lines = {span.line for span in places}
    assert {15, 18, 27} <= lines


def test_what_is_wrong_in_a_template_is_said_once() -> None:
    text = "template T(name) { affordance name at random { instantly { energy += enrgy } } }\nuse T(A)\nuse T(B)\n"
    _, (error,) = checked(BASE + text)
    assert (error.code, error.primary.span.line) == ("H020", 13)
    assert [(label.span.line, label.text) for label in error.secondary] == [(14, "in this use of `T`")]


def test_what_is_wrong_with_an_argument_is_said_at_the_use() -> None:
    text = "template T(name, much) { affordance name at random { instantly { energy += much } } }\nuse T(A, enrgy)\n"
    _, (error,) = checked(BASE + text)
    assert (error.code, error.primary.span.line, error.primary.span.column) == ("H020", 14, 10)
    assert [label.text for label in error.secondary] == ["`much` in `template T`"]


T = "template T(name) { affordance name at random { instantly { energy += 0.1 } } }\n"


@pytest.mark.parametrize(
    ("added", "code", "message"),
    [
        (T, "H060", "nobody uses the template `T`"),
        (T + "use T(A, 1)", "H030", "`T` takes 1 argument, not 2"),
        (T + "use U(A)", "H020", "there is no template `U`"),
        (T + "use T(0.5)", "H087", "`T` needs a name for `name`"),
        (T + "use T(Bed)", "H022", "the name `Bed` is declared twice"),
        (T + "use T(A)\nuse T(A)", "H022", "the name `A` is declared twice"),
        (T + T + "use T(A)", "H022", "the template `T` is declared twice"),
        (T.replace("name", "Bed") + "use T(A)", "H022", "the parameter `Bed` has the name of something else"),
        (T.replace("(name)", "(name, name)") + "use T(A, B)", "H022", "two parameters are called `name`"),
        (T.replace("(name)", "(name, b)") + "use T(A, B)", "H060", "`T` does not use its parameter `b`"),
        (T.replace("name", "hour") + "use T(A)", "H023", "a parameter cannot be called `hour`"),
        ("template T(a) { use U(a) }\ntemplate U(a) { use T(a) }\nuse T(A)", "H085",
         "the template `T` uses itself: `T` -> `U` -> `T`"),
        ("template T(a) { rule a: mood += 0.01\n clock 12 hours }\nuse T(A)", "H024", "`clock` is given twice"),
        ("template T(a) { rule a { mood += 0.01  a = 1 } }\nuse T(A)", "H021", "`A` is a rule, not a meter"),
        ("template T(a) { rule a: mood += 0.01\n rule b: mood += 0.01 }\nuse T(`" + "a" * 63 + "`)", "H007",
         "is too long"),
    ],
)  # fmt: skip
def test_mistakes(added: str, code: str, message: str) -> None:
    _, found = checked(BASE + added + "\n")
    errors = [(error.code, error.message) for error in found if error.severity == "error"]
    assert errors[0][0] == code, errors
    assert message in errors[0][1]
    assert all(error.hint.endswith((".", "?")) for error in found)


def test_explosions_are_refused_at_once() -> None:
    text = "".join(f"template T{n}(a) {{ use T{n + 1}(a)  use T{n + 1}(a) }}\n" for n in range(25))
    _, (error, *_) = checked(f"{BASE}{text}template T25(a) {{ rule a: mood += 0.1 }}\nuse T0(A)\n")
    assert (error.code, f"{MOST_PARTS:,}" in error.message) == ("H086", True)


def test_long_chains_are_refused() -> None:
    text = "".join(f"template T{n}(a) {{ use T{n + 1}(a) }}\n" for n in range(3000))
    _, (error, *_) = checked(f"{BASE}{text}template T3000(a) {{ rule a: mood += 0.1 }}\nuse T0(A)\n")
    assert error.code == "H015"


def test_names_from_arguments_reach_a_package_as_names_only() -> None:
    """The name is that of an affordance written by hand, which targets mangle."""
    odd = '`"; import os; """ #`'
    made = universe(T + f"use T({odd})\n")
    assert placeless(made) == placeless(universe(f"affordance {odd} at random {{ instantly {{ energy += 0.1 }} }}\n"))
