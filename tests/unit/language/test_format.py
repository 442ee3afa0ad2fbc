from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from language_cases import bare, expression, formatted, parsed
from syntax_trees import expressions, files

from examples import examples
from hamlet.universe import Span
from hamletc.language import syntax
from hamletc.language.formatter import format_file, format_source
from hamletc.language.spelling import spell_expression
from hamletc.language.tokens import scan


@settings(max_examples=examples(400), deadline=None)
@given(expressions)
def test_a_spelled_expression_parses_to_the_same_tree(tree: syntax.Expr) -> None:
    assert bare(expression(spell_expression(tree))) == bare(tree)


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("(a when b == c) < d", "(a when b == c) < d"),
        ("(a + b when c == d) < e", "(a + b when c == d) < e"),
        ("a < (b when (c == d))", "a < b when c == d"),
        ("a when (b + c < d)", "a when (b + c) < d"),
        ("a when (not (b))", "a when not b"),
        ("a when (b)", "a when b"),
        ("a when (chance(b))", "a when chance(b)"),
        ("a - (b - c) * -(d)", "a - (b - c) * -d"),
        ("(if a then b else c) + 1", "(if a then b else c) + 1"),
        ("not (a and b)", "not (a and b)"),
        ("(a < b) == c", "(a < b) == c"),
    ],
)
def test_parentheses_stand_only_where_they_are_needed(text: str, spelled: str) -> None:
    assert spell_expression(expression(text)) == spelled
    assert bare(expression(spelled)) == bare(expression(text))


@settings(max_examples=examples(200), deadline=None)
@given(files)
def test_a_formatted_tree_parses_to_the_same_tree(tree: syntax.File) -> None:
    text = format_file(tree)
    assert bare(parsed(text)) == bare(tree)


@settings(max_examples=examples(150), deadline=None)
@given(files, st.randoms(use_true_random=False))
def test_formatting_keeps_tree_and_comments_and_is_idempotent(tree: syntax.File, random: Random) -> None:
    text = _disturbed(format_file(tree), random)
    once = formatted(text)
    assert bare(parsed(once)) == bare(tree)
    assert [c.text for c in scan(once).comments] == [c.text for c in scan(text).comments]
    assert formatted(once) == once


def _disturbed(text: str, random: Random) -> str:
    """The same tokens with comments, line ends and blank lines between them."""
    choices = [" "] * 12 + ["\n", "\n\n", "\t", "\n\n\n", " # one\n", "\n# two\n", "\n\n  # three\n\n"]
    return "".join(token.text + random.choice(choices) for token in scan(text).tokens)


def test_canonical_form() -> None:
    text = """\
# About the town.

universe   town
space grid 8 x 8{edges clamp distance manhattan} clock 24 hours
lifespan 1 ticks { reward (1.0) }   # short


param difficulty = 1.0 in 0..4
meter energy = 1.0 { decay 0.005*difficulty }
meter fun = 0.50   # half
rule a_rule: fun -= ((1)) - (2 - energy)
rule b: { energy < 0.3 -> fun += 1 }
"""
    text = text.replace("rule b: { energy < 0.3 -> fun += 1 }", "rule b: energy < 0.3 -> { fun += 1 }")
    text += """\
affordance Bed at (1,2) open 8..18 lasts 4 ticks {needs fun>0  # or else


  # Nothing here.
  each tick {fun+=1 unclamped together{energy=1 fun=2}} }
reward energy * (fun) when (here == Bed)   dies when energy<=0
observe{grid progress per 10}
# The end.
"""
    assert (
        formatted(text)
        == """\
# About the town.

universe town

space grid 8 x 8 { edges clamp  distance manhattan }
clock 24 hours
lifespan 1 tick { reward 1.0 }  # short

param difficulty = 1.0 in 0 .. 4

meter energy = 1.0 { decay 0.005 * difficulty }
meter fun    = 0.50  # half

rule a_rule: fun -= 1 - (2 - energy)
rule b:      energy < 0.3 -> { fun += 1 }

affordance Bed at (1, 2) open 8 .. 18 lasts 4 ticks {
    needs fun > 0  # or else

    # Nothing here.
    each tick {
        fun += 1 unclamped
        together { energy = 1  fun = 2 }
    }
}

reward energy * fun when here == Bed
dies when energy <= 0
observe { grid  progress per 10 }
# The end.
"""
    )


def test_canonical_form_of_further_constructs() -> None:
    text = """\
universe `a b`
space continuous (0..10)x(-1 .. 1) {step 0.5 reach 1 edges wrap}
moves{STAY (0,0) `go on` (1,-0.5)}   episodes by hand
track uses by world  inert allowed
param p = 1 in 0 .. 1
input curiosity = 0 in -10 .. 10
input x = 1 in 0 .. 1
affordance Sign { } affordance Sea at random lasts forever together { each tick {}  # nothing
}
affordance Quiet {
   # nothing
}
action FLY{keeps progress move(1,1)}
allow FLY `go on` when position x>0 and not(streak of `Sea`>3)  allow all when true
reward straight   distance to Sea
reward homesick : velocity y
reward b: previous( exp(p) )
report `c d`: 1
report e: 1
observe { here Sea nothing constant 0 1 -0.5 }
"""
    assert (
        formatted(text)
        == """\
universe `a b`

space continuous (0 .. 10) x (-1 .. 1) { step 0.5  reach 1  edges wrap }
moves { STAY (0, 0)  `go on` (1, -0.5) }
episodes by hand
track uses by world
inert allowed
param p = 1 in 0 .. 1
input curiosity = 0 in -10 .. 10
input x         = 1 in 0 .. 1

affordance Sign { }
affordance Sea at random lasts forever together {
    each tick { }  # nothing
}
affordance Quiet {
    # nothing
}

action FLY { keeps progress  move (1, 1) }
allow FLY `go on` when position x > 0 and not streak of Sea > 3
allow all when true

reward straight distance to Sea
reward homesick: velocity y
reward b:        previous(exp(p))
report `c d`: 1
report e:     1
observe { here Sea nothing  constant 0 1 -0.5 }
"""
    )


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("meter `open` = `energy` + `position`", "meter open = energy + position"),
        ("meter `if` = `Fast Food` + `1st` + `é`", "meter `if` = `Fast Food` + `1st` + `é`"),
        ("meter `age` = age + `age`", "meter `age` = age + `age`"),
        ("rule r: `hour` += `min` + min(`min`, 1)", "rule r: `hour` += min + min(min, 1)"),
        ("rule r: a += `max`(a, 1)", "rule r: a += `max`(a, 1)"),
        ("observe { meters `time` `a` time  here `grid` }", "observe { meters `time` a  time  here `grid` }"),
        ("allow `UP` `all` when `true`", "allow UP `all` when `true`"),
        ("reward `r`: distance to `Bed` + streak of `nothing`", "reward r: distance to Bed + streak of `nothing`"),
        (
            "affordance A { capacity 1 + `distance` to lowest number }",
            "affordance A { capacity 1 + `distance` to lowest number }",
        ),
        (
            "affordance A { capacity distance to `distance` to highest a }",
            "affordance A { capacity distance to distance to highest a }",
        ),
        ("affordance A { capacity `distance` }", "affordance A { capacity distance }"),
        ("table `on` 2 { 0 1 } let `map` = 3", "table `on` 2 { 0 1 }\nlet `map` = 3"),  # bare they hide keywords
        ("action A { `needs` at ahead += 1 }", "action A { `needs` at ahead += 1 }"),
        ("action A { `moss` at ahead += 1 }", "action A { moss at ahead += 1 }"),
        ("observe { meters meter  hot lane }", "observe { meters meter  hot lane }"),  # no meter `hot` is declared here
        ("observe { meters `table` window 1 }", "observe { meters table  window 1 }"),
        ("observe { meters `effect`  time }", "observe { meters effect  time }"),
        ("without reward `home`", "without reward home"),
        ("without reward `action`", "without reward `action`"),  # `action` alone would begin a declaration
    ],
)
def test_backticks_stand_only_where_they_are_needed(text: str, same: str) -> None:
    assert formatted(f"universe u {text}") == f"universe u\n\n{same}\n"


def test_a_tree_without_a_source_is_formatted_whatever_its_spans_say() -> None:
    text = """\
universe u

space grid 3

meter energy = 1
meter b      = 2 { decay 1 }

affordance Bed at random {
    needs b > 1
    instantly { b += 1 }
}
"""
    tree = parsed(text)
    places = iter(range(900, 0, -7))
    assert format_file(_moved(tree, lambda: Span(next(places), 5, 950, 3, 2))) == text
    assert format_file(_moved(tree, lambda: Span(1, 1, 1, 1))) == text
    assert format_file(parsed(text.replace("\nmeter b", "\n\n\nmeter b"))) == text


def _moved(node: Any, place: Callable[[], Span]) -> Any:
    """The tree with other spans."""
    if isinstance(node, Span):
        return place()
    if isinstance(node, tuple):
        return tuple(_moved(item, place) for item in node)
    if is_dataclass(node) and not isinstance(node, type):
        return replace(node, **{f.name: _moved(getattr(node, f.name), place) for f in fields(node)})
    return node


@pytest.mark.parametrize("comment", ["# a", "#", "#é # b", "# {"])
def test_comments_stay_behind_what_they_follow(comment: str) -> None:
    text = f"universe u  {comment}\n\nmeter a = 1  {comment}\nmeter b = 1 {{  {comment}\n    decay 1\n}}\n"
    assert formatted(text) == re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)


def test_a_text_with_errors_is_not_formatted() -> None:
    result, (diagnostic,) = format_source("universe u meter")
    assert result is None
    assert diagnostic.code == "H009"


def test_what_stands_in_a_world_is_aligned() -> None:
    text = """universe w
world { meter stock=20 in 0..100
  meter rain =0  # it rains
  # now rules
rule sale: stock -= count(used == Shop)
 rule x: hour==6->stock+=50

 rule lots { stock += 1 stock -= 2}
}
affordance Shop at random { capacity   stock  to  highest (hunger+1)   instantly { a += 1 } }
"""
    assert (
        formatted(text)
        == """universe w

world {
    meter stock = 20 in 0 .. 100
    meter rain  = 0  # it rains
    # now rules
    rule sale: stock -= count(used == Shop)
    rule x:    hour == 6 -> stock += 50

    rule lots { stock += 1  stock -= 2 }
}

affordance Shop at random {
    capacity stock to highest hunger + 1
    instantly { a += 1 }
}
"""
    )
    assert formatted(formatted(text)) == formatted(text)
