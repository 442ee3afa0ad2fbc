"""Functions of a universe's own: `let square(a) = a * a` stands for its text, with arguments in place of parameters."""

from __future__ import annotations

import pytest

from hamlet.universe import Binary, Universe, draws, nodes
from hamletc.checking.check import check
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.places import rewritten
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse
from hamletc.language.syntax import NOWHERE

WITH = """
universe small
space grid 4 x 4
lifespan 500 ticks
let square(a) = a * a
let norm(x, y) = sqrt(square(x) + square(y))
let far(place, most) = distance to place > most and not here == place
let either(p, q) = p or q
let once(s) = if s == calm then 1 else 0
template Tax(name, share) {
    let part(money) = money * share
    rule name: money -= part(money) + part(square(0.1))
}
meter energy = 1 { decay square(0.1) }
meter money = 0.5
state mood: calm angry = calm
use Tax(tax, 0.01)
affordance Bed at random { needs either(energy < 0.9, money > 0.1)  instantly { energy += square(0.7) } }
rule tired: far(Bed, 2) -> energy -= 0.001 * norm(position x - 3, position y - 3)
rule shout: mood = if far(Bed, 1) then angry else calm
role wolf: 1 agent {
    meter hunger = 0.5 { decay -0.01 }
    let bite(a) = a * hunger
    rule eats: energy -= bite(0.01)
}
role sheep: others { reward 0.1 when (count(wolf and wolf.bite(2) > 1) > 0) }
dies when energy <= 0
reward energy * once(mood)
observe { meters  state mood }
"""
WITHOUT = """
universe small
space grid 4 x 4
lifespan 500 ticks
template Tax(name, share) {
    rule name: money -= money * share + 0.1 * 0.1 * share
}
meter energy = 1 { decay 0.1 * 0.1 }
meter money = 0.5
state mood: calm angry = calm
use Tax(tax, 0.01)
affordance Bed at random { needs energy < 0.9 or money > 0.1  instantly { energy += 0.7 * 0.7 } }
rule tired: distance to Bed > 2 and not here == Bed ->
    energy -= 0.001 * sqrt((position x - 3) * (position x - 3) + (position y - 3) * (position y - 3))
rule shout: mood = if distance to Bed > 1 and not here == Bed then angry else calm
role wolf: 1 agent {
    meter hunger = 0.5 { decay -0.01 }
    rule eats: energy -= 0.01 * hunger
}
role sheep: others { reward 0.1 when (count(wolf and 2 * hunger > 1) > 0) }
dies when energy <= 0
reward energy * (if mood == calm then 1 else 0)
observe { meters  state mood }
"""
BASE = """
universe small
space none
lifespan 100 ticks
meter energy = 1 { decay 0.01 }
action REST { energy += 0.02 }
reward energy
observe { meters }
"""


def checked(text: str) -> tuple[Universe | None, tuple[Diagnostic, ...]]:
    """The result for a text without syntax errors."""
    file, problems = parse(text)
    assert file is not None
    assert not problems, problems
    return check(file, ("small.hamlet",))


def universe(text: str) -> Universe:
    """The universe of a text without findings, with all its places the same."""
    made, findings = checked(text)
    assert made is not None, findings
    return rewritten(made, lambda _: NOWHERE)


def test_a_function_stands_for_what_could_have_been_written() -> None:
    assert universe(WITH) == universe(WITHOUT)


def test_the_text_of_a_function_draws_anew_and_an_argument_once() -> None:
    made, _ = checked(
        BASE
        + "let square(a) = a * a\nlet luck(a) = uniform(0, a)\n"
        + "rule one: energy -= 0.01 * square(uniform(0, 1))\nrule two: energy -= luck(0.01) + luck(0.02)\n"
        + "rule three: energy -= 0.01 * square(square(luck(1)))\n"
    )
    assert made is not None
    assert len(draws(made)) == 8
    assert len({draw.site for draw in draws(made)}) == 4


def test_a_parameter_hides_a_declaration_and_no_argument_is_captured() -> None:
    function = "let less(energy, x) = energy - luck * x\nmeter luck = 0.5 { decay 0.001 }\n"
    with_function = BASE + function + "rule r: energy -= 0.01 * less(luck, energy)\n"
    written = BASE + "meter luck = 0.5 { decay 0.001 }\nrule r: energy -= 0.01 * (luck - luck * energy)\n"
    assert universe(with_function) == universe(written)


def test_a_template_hands_a_function_on_and_hides_no_parameter_of_one() -> None:
    common = BASE + "meter luck = 0.5 { decay 0.001 }\n"
    passed = (
        "let half(a) = a / 2\ntemplate Loss(name, of) { rule name: energy -= 0.01 * of(luck) }\nuse Loss(loss, half)\n"
    )
    assert universe(common + passed) == universe(common + "rule loss: energy -= 0.01 * (luck / 2)\n")
    own = "template Loss(a) { let f(a) = a * luck\nrule r: energy -= f(a) }\nuse Loss(0.5)\n"
    assert universe(common + own) == universe(common + "rule r: energy -= 0.5 * luck\n")
    brought = "template Loss(x) { let f(luck) = luck * x\nrule r: energy -= 0.01 * f(2) }\nuse Loss(luck)\n"
    assert universe(common + brought) == universe(common + "rule r: energy -= 0.01 * (2 * luck)\n")


@pytest.mark.parametrize(
    ("added", "code", "message"),
    [
        ("let f(a) = f(a) + 1\nreward f(1)", "H085", "`f` stands for itself: `f` -> `f`"),
        ("let f(a) = g + a\nlet g = f(1)\nreward g", "H085", "`f` stands for itself: `f` -> `g` -> `f`"),
        ("let f(a, b) = a\nreward f(energy, 1)", "H060", "`f` does not use its parameter `b`"),
        ("let f(a) = a\nreward f(energy, 1)", "H030", "`f` takes 1 argument, not 2"),
        ("let f(a) = a\nreward f", "H030", "`f` is a function of 1 argument"),
        ("let f(a) = a", "H060", "nobody uses the function `f`"),
        ("let max(a) = a\nreward max(energy)", "H023", "a function cannot be called `max`"),
        ("let f(hour) = hour\nreward f(energy)", "H023", "a parameter cannot be called `hour`"),
        ("let f(a, a) = a\nreward f(energy, 1)", "H022", "two parameters are called `a`"),
        ("let energy(a) = a\nreward energy(1)", "H022", "the name `energy` is declared twice"),
        ("let f(a) = distance to a\nreward f(1 + energy)", "H087", "`f` needs a name for `a`"),
        ("let f(a) = a\nreward f(energy) over cells", "H243", ""),
        ("let f(a) = a / energy\nreward f(1)", "H050", ""),
        ("let fun(a) = a\nreward fum(energy)", "H020", "there is no `fum`"),
        ("let f(a) = a\nrule r: f -= 0.01\nreward f(energy)", "H021", "`f` is a function, not a meter"),
        ("let f(a) = a + a\nreward " + "f(" * 20 + "energy" + ")" * 20, "H086", "lets stand for more than"),
        ("let f(a) = 1 - (1 - (1 - a))\nreward " + "f(" * 90 + "1 - (1 - energy)" + ")" * 90, "H015", ""),
    ],
)  # fmt: skip
def test_mistakes(added: str, code: str, message: str) -> None:
    _, findings = checked(f"{BASE}{added}\n")
    errors = [each for each in findings if each.severity == "error"]
    assert errors[0].code == code, errors
    assert message in errors[0].message
    assert all(each.hint.endswith((".", "?")) for each in errors)


def test_what_is_wrong_in_a_function_is_told_where_it_is_called() -> None:
    _, (error,) = checked(f"{BASE}let f(a) = a + enrgy\nreward f(1)\nreward f(2)\n")
    assert (error.code, error.primary.span.line, error.primary.span.column) == ("H020", 10, 8)
    assert [(label.span.line, label.text) for label in error.secondary] == [(9, "in `let f`")]
    _, (error,) = checked(f"{BASE}let f(a) = a + energy\nreward f(enrgy)\n")
    assert (error.primary.span.line, error.primary.span.column) == (10, 10)


def test_what_one_call_decides_another_need_not() -> None:
    """A condition that arguments make always true is an error where it is the whole call, and not inside of it."""
    head = f"{BASE}let low(a) = energy <= a\nlet both(a) = low(a) and not low(a - 0.9)\n"
    _, errors = checked(f"{head}reward 1 when both(1)\nreward 1 when both(0.95)\n")
    assert not errors
    _, errors = checked(f"{head}reward 1 when low(1)\nreward 1 when both(0.95)\n")
    assert [(each.code, each.primary.span.line) for each in errors] == [("H062", 11)]


def test_names_in_backticks_are_functions_and_parameters() -> None:
    odd = "let `a\"b */ {{ '`(`min`, `x \\ y`) = `min` - `x \\ y` * energy\nreward `a\"b */ {{ '`(2, 3)\n"
    assert universe(BASE + odd).rewards[-1] == universe(f"{BASE}reward 2 - 3 * energy\n").rewards[-1]
    assert universe(f"{BASE}let `min`(a) = a\nreward `min`(energy) + min(energy, 1)\n") is not None


def test_functions_are_formatted() -> None:
    text = "universe small\n\nlet square( a )=a*a\nlet `if`(a,b) = a-(b-`hour`(a))\nlet hungry = energy\n"
    formatted, problems = format_source(text)
    assert not problems
    assert formatted is not None
    assert formatted.splitlines()[2:] == [
        "let square(a)  = a * a",
        "let `if`(a, b) = a - (b - `hour`(a))",
        "let hungry     = energy",
    ]


def test_later_functions_give_way() -> None:
    """A text that declares a function of the name means its own."""
    text = HEAD_OF_LATER + "let atan2(y, x) = y - x\nrule r: a += 0.001 * atan2(a, 0.5)\n"
    file, problems = parse(text)
    assert file is not None
    assert not problems
    found, diagnostics = check(file, ("t.hamlet",))
    assert found is not None
    assert [each.code for each in diagnostics] == []
    assert {each.op for each in nodes(found) if isinstance(each, Binary)} == {"*", "-"}


HEAD_OF_LATER = "universe t\nspace none\nlifespan 9 ticks\nmeter a = 1 { decay 0.1 }\nreward a\nobserve { meters }\n"
