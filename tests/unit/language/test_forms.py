"""The form of a node is its rule in the grammar, its builder, and its text: what one of them knows all know."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest
from language_cases import bare, parsed

from hamletc.language import build, syntax, tables
from hamletc.language.build import maker
from hamletc.language.formatter import format_file, format_source
from hamletc.language.forms import forms_of, nodes_with_forms
from hamletc.language.grammar import whole
from hamletc.language.losses import FormattingError

UNIVERSES = sorted((Path(__file__).parents[3] / "universes").rglob("*.hamlet"))
FURTHER = """universe further extends "base.hamlet"
space grid map { edges clamp  distance manhattan  places stored  starts anywhere  moves diagonal }
space grid 3 x 3 { agents block to highest -a  starts when a > 0 }
space grid 3 x 3 { agents push a up to 2 to highest -a  agents push b up to 3 }
space grid 3 x 3 { agents push a to highest b  agents push b }
space hexagons 3 x 3 { agents block }
space continuous (0 .. 1) x (0 .. 1) { step 1  reach 1  directions 8  speeds 2  momentum up to 1 }
space graph { a - b  region ring { a b }  starts in ring }
map { "ab"  wall "a"  starts "b"  starts in r  region r "b"  terrain t = 1 { r 2 }  wall between (0, 0) (1, 0) }
map { level one { "ab" "ba" }  wall "a" }
moves { STAY (0, 0) }
cells { wall when stone  solid when stone }
start velocity (1, 0) speed 2
start speed 2
lifespan forever
episodes by hand
track uses by world
actions STAY WAIT
let task = once integer(0, 11)
control order: int in 0 .. 9
inert allowed
input signal = 0 in -1 .. 1
control thrust in -1 .. 1
include "needs.hamlet"
without rule old
without reward
without reward home
without clock
template T(first, second) { meter first = second }
use T(a, 1)
use T(c1 .. c2, 1)
state wet = false
stages { easy -> hard when a > 1 }
role owl: 1 agent
pairs { state a = false  rule b: a = true }
role wolf: others { slots 4 }
role wolf { dies when a <= 0 }
effect tired lasts forever {
    on start { position x += 1 unclamped  together { a of Bed += 1 } }
    again renew
    until a > 1
}
effect poisoned lasts 3 hours { each tick { a -= 1 }  on end { begin tired }  again add up to 5 hours }
effect bored lasts 1 day { again stack up to 3 }
item axe { wear 3  craft from 1 wood, 2 stone { a += 1 }  use { a -= 1 }  can pick drop to lowest number }
item wood { can give }
item stone { can pick to highest a }
affordance Bus: 2 copies at random apart 3 near Stop within 2 in forest { follows (1, 2), home every 3 hours }
affordance Dog { wanders  open when a > 1  capacity 2  instantly { move (a, -1)  teleport home  teleport (a, 0) } }
affordance Cat { wanders every 2 ticks  appears when a > 1  capacity 2 to lowest number  on completion { } }
rule rounds: repeat 3 { a += 1 }
rule branches { if a > 1 { a += 1 } if a > 1 { a += 1 } else { a -= 1 } if a > 1 { a += 1 } else if a > 0 { a = 0 } }
rule hurts { let hurt = 2 * a  a -= hurt }
rule rounds: repeat (a, b) in (c1 .. c2, 1 .. 2) { a += b }
rule breeds { spawn owl  spawn owl { a = a / 2 } }
rule paints { moss at left 2 = 1  moss at (1, 2) -= 0.5 }
role cub: 4 agents { begins with 2  respawns after 5 ticks }
affordance Cow { capacity 2 to highest a  each tick { } }
action JUMP { needs a > 1  move (1, 0)  teleport "B"  keeps progress }
action RUN { needs wall at left  move ahead 2 }
allow all when a > 1
acts when a > 1
allow JUMP STAY when a > 1
ends when a > 1
world ends when a > 1 { reward 1 }
reward a
reward home: a
report fun: a
observe nothing
observe { lack: 1 - a  meters a  time: a  grid  grid of r  window 1  window 2 of r in sight  position relative  speed }
observe { window 3 x 2 ahead of r in view  window 1 turned of more: 2 * t beyond 2 own a in sight }
observe { hot window 3 x 2 ahead of s in view }
observe { progress  progress per 2  blank 2  constant 1 2  lifetime  state wet  params p  world stock  cell moss }
observe { group g { meters  hot grid of wet }  image i { grid  hot window 1 of wet }  discrete d: a  discrete a }
observe { grid of more: 2 * t own a  grid of open Bus own 2  grid own 1 }
observe { text said "here"  text told: a { "no"  "yes" } }
observe { hot a: 1 + a  hot a wet  here Bed nothing  effects tired  items axe  velocity x  time sin }
meter m = 1 in 0 .. 1 { decay 0.1  move 0.1  interact 0.1  only falls }
item apple { lying 1  carried 1  appears when a > 1  rots when a > 1  up to 3 }
lifespan 5 ticks { reward 1 }
draw { agents "@"  agents in gold  role owl "O" in blue  affordance Bus in red  item axe "x" }
draw { wall in grey  region r in sand }
draw { canvas (-1 .. 1) x (0 .. 2)  cell moss in green  cell moss dry in tan  gauges a wet }
draw { mark (a, 1)  mark (a, 1 + 2) "h" in red when a > 1 }
draw { links when a > 1  links in red when a > 1 }
draw { line (0, 0) to (a, 1)  line (0, 0) to (a, 1) in red when a > 1 }
"""


def test_rules_follow_from_forms() -> None:
    rules = set(whole(tables.GRAMMAR.read_text(encoding="utf-8")).splitlines())
    assert {
        'param_decl: "param" NAME "=" expression "in" bounds',
        'start_decl: "start" "velocity" cell ["speed" signed] -> start_decl_0',
        'clock_decl: "clock" signed ("hour" | "hours")',
        'use_decl: "use" NAME "(" list_of_given ")"',
        'list_of_given: given ("," given)* -> listed',
        'ends_decl: ["world"] "ends" "when" expression [block_of_reward_property]',
        'block_of_reward_property: "{" reward_property* "}" -> listed',
        "    | begin_stmt",
    } <= rules


def test_each_form_is_read_and_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text of each tree is read as the same tree, in the shipped universes and in one that has all forms."""
    met: set[str] = set()

    def noted(rule: str) -> Any:
        met.add(rule)
        return maker(rule)

    monkeypatch.setattr(tables, "maker", noted)
    for text in (*(path.read_text(encoding="utf-8") for path in UNIVERSES), FURTHER):
        tree = parsed(text)
        assert bare(parsed(format_file(tree))) == bare(tree)
    forms = {
        name if len(forms_of(node)) == 1 else f"{name}_{number}"
        for name, node in nodes_with_forms().items()
        for number in range(len(forms_of(node)))
    }
    assert forms - met == set()


@pytest.mark.parametrize("node", nodes_with_forms().values())
def test_no_field_of_a_node_is_left_out(node: Any) -> None:
    """A field without a default is in some form: nothing that was read is kept from whoever writes."""
    named = {element.field for form in forms_of(node) for element in form.flat if hasattr(element, "field")}
    needed = {field.name for field in fields(node) if field.default is MISSING}
    assert needed - {"span"} <= named


@pytest.mark.parametrize(
    ("node", "form", "text"),
    [
        (syntax.ClockDecl, "clock $hours", "clock 24 hours"),
        (syntax.ReportDecl, "report $name: & of $value", "report a: b"),
        (syntax.ParamDecl, "param $name & = $default [in $bounds] {", "param a = 1 in 0 .. 2"),
    ],
)
def test_a_form_that_does_not_say_what_was_read_is_found(
    monkeypatch: pytest.MonkeyPatch, node: Any, form: str, text: str
) -> None:
    """Whoever formats by another form than was read by is told, before anything is written."""
    text = f"universe u\n\n{text}\n"
    assert format_source(text) == (text, ())
    monkeypatch.setattr(node, "form", form)
    forms_of.cache_clear()
    with pytest.raises(FormattingError):
        assert format_source(text) == (text, ())
    forms_of.cache_clear()


@pytest.mark.parametrize(
    ("form", "wrong"), [("clock $hour", "$hour"), ("clock $hours ?", "?"), ("clock $hours $", "$")]
)
def test_what_is_no_form_is_named(monkeypatch: pytest.MonkeyPatch, form: str, wrong: str) -> None:
    monkeypatch.setattr(syntax.ClockDecl, "form", form)
    message = f"`{wrong}` is no part of a form of these fields: hours, span"
    with pytest.raises(ValueError, match=re.escape(message)):
        forms_of.__wrapped__(syntax.ClockDecl)


def test_a_node_with_two_forms_is_written_as_the_one_that_says_all_of_it() -> None:
    (first, second) = (parsed(f"universe u\n{text}\n").declarations[0] for text in ("reward a", "reward b: a"))
    assert [build.maker(f"reward_decl_{n}") is not None for n in (0, 1)] == [True, True]
    assert isinstance(first, syntax.RewardDecl)
    assert isinstance(second, syntax.RewardDecl)
    assert format_source("universe u\nreward a\nreward b: a\n")[0] == "universe u\n\nreward a\nreward b: a\n"
