from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from language_cases import bare, expression, parsed
from syntax_trees import expressions, files

from examples import examples
from hamlet.universe import Span
from hamletc.language import syntax
from hamletc.language.formatter import format_file, format_source
from hamletc.language.spelling import spell_expression
from hamletc.language.tokens import scan


def formatted(text: str) -> str:
    result, diagnostics = format_source(text)
    assert diagnostics == ()
    assert result is not None
    return result


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


def test_long_lines_without_operators_are_broken_between_words_but_not_in_names() -> None:
    names = "  ".join(f"`a - b or c {n}`" for n in range(30))
    zeros = ", ".join(["0"] * 100)
    text = formatted(
        f"universe u space grid {'8 x ' * 99}8 allow {names} when true moves {{ `a and b` ({zeros}) }} "
        f"reward {' + '.join(['`a - b`'] * 60)} observe {{ constant {'0.5 ' * 100} }}"
    )
    assert max(map(len, text.splitlines())) <= 120
    assert [line for line in text.splitlines() if line.count("`") % 2] == []
    assert formatted(text) == text


@pytest.mark.parametrize(
    "text",
    [
        f"space grid {'8 x ' * 99}8",
        f"moves {{ {' '.join(f'M{n} ({n % 3 - 1}, {n % 5 - 2})' for n in range(200))} }}",
    ],
)
def test_large_declarations_are_formatted_quickly(text: str) -> None:
    start = time.process_time()
    formatted(f"universe u {text}")
    assert time.process_time() - start < 2  # seconds of CPU; about 0.015 is usual, also where others use the machine


def test_long_lines_are_broken_before_operators() -> None:
    summands = " + ".join(f"meter_number_{n}" for n in range(20))
    text = formatted(f"universe u reward {summands}")
    lines = text.splitlines()
    assert max(map(len, lines)) <= 120
    assert all(line.startswith("    + ") for line in lines[3:])
    assert formatted(text) == text


def test_long_sums_through_series_are_broken_before_the_series() -> None:
    numbers = ", ".join(map(str, range(24)))
    text = formatted(f"universe u let around = total(moss at (position x + dx, position y)) over dx in ({numbers})")
    assert text.splitlines()[-2:] == [
        "let around = total(moss at (position x + dx, position y))",
        f"    over dx in ({numbers})",
    ]
    assert formatted(text) == text


_comparisons = st.builds(
    "{} {} {}".format,
    st.sampled_from(
        ["energy", "position x", "hour", "distance to Bed", "energy - 2 * food", "-(energy + 1)", "`a or b`"]
    ),
    st.sampled_from(["<", ">=", "=="]),
    st.sampled_from(["0.5", "food", "energy * 3 + food", "max(energy, food - 1)"]),
)
_conditions = st.lists(st.tuples(_comparisons, st.sampled_from(["and", "or"])), min_size=1, max_size=12).map(
    lambda parts: " ".join(word for part in parts for word in part).rsplit(" ", 1)[0]
)
_choices = st.builds("if {} then {} else {}".format, _conditions, st.sampled_from(["1", "food"]), st.just("0.25"))
_long = st.one_of(
    st.builds("rule r: {} -> energy -= {}".format, _conditions, _choices),
    st.builds("rule r: {} -> {{ energy -= {} }}".format, _conditions, _choices),
    st.builds("rule r {{ energy -= {} }}".format, _choices),
    st.builds("dies when {}".format, _conditions),
    st.builds("affordance Bed at random {{ needs {}  instantly {{ energy += {} }} }}".format, _conditions, _choices),
    st.builds("reward {}".format, _choices),
    st.builds("reward 0.1 when ({})".format, _conditions),
)


@settings(max_examples=examples(200), deadline=None)
@given(_long)
def test_lines_are_broken_between_conditions_and_never_within_one(declaration: str) -> None:
    text = formatted(f"universe u {declaration}")
    assert bare(parsed(text)) == bare(parsed(f"universe u {declaration}"))
    assert formatted(text) == text
    lines = text.splitlines()[2:]
    assert max(map(len, lines)) <= 120
    for before, line in pairwise(lines):
        words = ("and ", "or ", "then ", "else ", "}", "needs ", "instantly ")
        assert line.lstrip().startswith(words) or before.endswith(("{", "->")), text


def test_a_lone_statement_keeps_its_braces() -> None:
    condition = "position x >= 5 and position y >= 5"
    choice = "if position x >= 7 and position y >= 7 then 0.05 else 0.01"
    text = f"""\
universe u

rule swamp: {condition} -> {{
    energy -= {choice}
}}
rule river: {condition} and position y < 9 or position x == 1 ->
    energy -= {choice}
rule short: energy < 1 -> {{ food -= 1 }}
rule plain: energy < 1 -> food -= 1
rule always {{ food -= 1 }}
cascade sea: energy < 1 -> {{ food -= 1 }}
"""
    assert formatted(re.sub(r"\s+", " ", text)) == text


def test_a_brace_stays_behind_its_arrow() -> None:
    condition = "energy == max(energy, food - 1) and distance to Bed >= food or energy > max(energy, food - 1)"
    text = formatted(f"universe u rule r_of_some_length: {condition} -> {{ energy -= 1 together {{ food = 1 }} }}")
    assert text.splitlines()[2:4] == [
        "rule r_of_some_length: energy == max(energy, food - 1) and distance to Bed >= food",
        "    or energy > max(energy, food - 1) -> {",
    ]


def test_a_chain_of_choices_is_broken_before_each_else() -> None:
    choice = "if hour < 6 and position x == 1 then 0.25 else if hour < 12 and position x == 2 then 0.5"
    text = formatted(f"universe u reward 0.5 * ({choice} else 0.125 * energy)")
    assert text.splitlines()[2:] == [
        "reward 0.5 * (if hour < 6 and position x == 1 then 0.25 else if hour < 12 and position x == 2 then 0.5",
        "    else 0.125 * energy)",
    ]


def test_a_long_block_gets_a_line_for_each_item() -> None:
    statements = "  ".join(f"meter_{n} += {n}" for n in range(12))
    text = formatted(f"universe u action A {{ {statements} }}")
    assert text.splitlines()[2:5] == ["action A {", "    meter_0 += 0", "    meter_1 += 1"]


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
