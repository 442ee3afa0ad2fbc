"""Names mean what they mean where they are written: no template, role, thing, copy or movement that is written out
captures one. Whatever names authors choose, a universe is the same but for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from string import Template

import pytest
from checking_cases import BASE, checked, codes
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from hamlet.universe import ObserveValue, Span, Universe
from hamletc.checking.check import check
from hamletc.expansion.binding import REFERRED
from hamletc.language import syntax
from hamletc.language.parser import parse
from hamletc.language.words import MEANINGS, RESERVED

TOWN = Template("""
universe town
space grid 6 x 6 { edges wrap }
clock 24 hours
lifespan 100 ticks
track uses by world
param $wage = 0.1 in 0 .. 1
control $steer in -1 .. 1
input $signal = 0 in -1 .. 1
meter $energy = 0.8 { decay $drain }
meter $fun = 0.5 { decay 0.01 }
state $mood: $calm $angry = $calm
let $tired = $energy < 0.3 and hour > 2 and $mood != $angry
let $drain = 0.01 * $wage
let $worth($amount, $place) = $amount * $wage - 0.01 * $energy * distance to $place
rule $temper: $mood = if $tired then $angry else choice($calm: 3, $angry: 1)
cells { meter $moss = 0.5 in 0 .. 1  rule $grow: $moss += 0.02 * neighbours($moss) - 0.01 * count(here == $Bed) }
world { meter $stock = 5 in 0 .. 20  rule $trade: $stock -= count(used == $Bed) - 0.5 }
stages { $easy -> $hard when ($stock > 10)  $hard -> $easy when ($stock < 5) }
slots 3
item $wood { lying 2 when chance(0.3)  up to 5  appears when chance(0.01 * $wage)  can pick drop give to highest $fun }
item $axe { wear 3  craft from 2 $wood { needs $energy > 0.1 }  use { $energy += 0.1 } }
effect $ill lasts 5 ticks { each tick { $energy -= 0.01 * $wage } }
template Shop(shop, price) {
    affordance shop at random { meter $goods = 3 in 0 .. 9  instantly { $energy += price * $goods  begin $ill } }
    let $cheap = price < $halved(0.4)
    let $halved($sum) = $sum / 2 + 0.001 * price
    meter $visits = 0 in 0 .. 50
    rule $visiting: used == shop and $cheap -> $visits += 1
    rule $selling: $mood = if last == shop and $visits > 3 then $angry else $mood
    reward $buying: 0.01 * $visits when (last == shop and action == $REST)
}
use Shop($Bakery, 0.1 + $wage)
affordance $Bed at random { instantly { $energy += 0.2 * $wage  $fun += 0.1 when $tired } }
affordance $Bus at random {
    wanders every 3 ticks
    meter $seats = 4 in 0 .. 8
    state $heat: $cold $hot = $cold
    rule $fill: $seats -= count(used == $Bus) - $stock
    rule $warm: $heat = if $seats > 2 then $hot else $cold
    instantly { $energy += 0.01 * $steer * $moss  $fun += 0.1 when $heat == $hot }
    action $RIDE { needs $seats > 1  $fun += 0.01 * $signal }
}
affordance $Tram { follows (0, 0), (3, 3), (1, 4) every 2 ticks  instantly { $fun += 0.1 * $wage * $moss * $steer } }
affordance $Bush: 3 copies at random {
    meter $berries = 3 in 0 .. 10
    rule $ripen: chance(0.1) -> $berries += $stock
    open when $berries >= 1
    instantly { $energy += 0.1 * $moss }
    action $SHAKE { $fun += 0.01 * $berries }
}
action $REST { $energy += 0.002 when $heat of $Bus == $cold }
role $wolf: 1 agent {
    meter $hunger = 0.5 { decay -0.01 }
    state $face: $kind $grim = $kind
    let $hungry = $hunger > 0.6 and $face == $grim
    let $bite($much) = $much * $hunger + $worth($much, $Den)
    rule $scowl: $face = if $hunger > 0.5 then $grim else $kind
    action $HOWL { needs $hungry  $hunger -= $bite(0.1) }
    affordance $Den at (4, 4) { meter $bones = 2 in 0 .. 5  instantly { $hunger -= 0.25 * $bones } }
}
role $sheep: others { meter $wool = 0.5 { decay -0.01 }  reward $fleece: $wool  reward 0.1 when $mood == $angry }
rule $shear: $sheep and $wool > 0.75 -> { $wool -= 0.25  $energy += 0.0625 }
rule $greet: count($wolf and here == $Bush) > 0 and stage == $hard -> $fun += 0.01 * left of $ill
dies when $energy <= 0
reward $living: $energy * $worth($fun, $Bed) + 0.01 * $berries of $Bush - 0.01 * distance to $Bus
reward 0.1 when (here == $Bush or action == $SHAKE)
reward 0.1 * count($wolf and $hungry) + 0.1 * lying of $wood + 0.01 * nearest($energy > 0.5, $energy, 0)
report $rests: count(action == $REST)
observe { grid  meters  state $mood  here $Bed $Bush  items }
""")
"""Everything that is written out, and names of each kind inside and outside of it."""

VALUES = (
    *("wage", "steer", "signal", "energy", "fun", "mood", "tired", "drain", "moss", "stock", "wood", "axe", "ill"),
    *("goods", "cheap", "visits", "seats", "heat", "berries", "wolf", "hunger", "face", "hungry", "bones", "sheep"),
    *("wool", "worth", "amount", "place", "halved", "sum", "bite", "much"),
)
RULES = (*("temper", "grow", "trade", "visiting", "selling", "fill", "warm", "ripen", "scowl", "shear", "greet"),)
NAMESPACES = (
    VALUES,
    RULES,
    ("Bakery", "Bed", "Bus", "Tram", "Bush", "Den"),
    ("REST", "RIDE", "SHAKE", "HOWL"),
    ("buying", "fleece", "living", "rests"),
    ("calm", "angry"),
    ("easy", "hard"),
    ("cold", "hot"),
    ("kind", "grim"),
)
"""Names of which no two may be the same."""
HOLDS = {"calm": ("mood",), "cold": ("heat",), "kind": ("face",)}
"""The states that hold options, by the first of these."""
WRITTEN_OUT = (
    *("gifts", "stages", "ticks", "stop", "way", "route", "wandering", "agent", "agents", "apart", "other", "here"),
    *("hour", "position x", "hunger of Den", "random", "nothing", "lying"),
)
"""Names that what is written out has of its own, and words of the language."""
PLAIN = {name: name for names in NAMESPACES for name in names}
EVERY = (*PLAIN, *WRITTEN_OUT)


def spelled(name: str) -> str:
    bare = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and name not in MEANINGS and name not in RESERVED
    return name if bare else f"`{name}`"


def town(names: Mapping[str, str]) -> Universe:
    file, problems = parse(TOWN.substitute({name: spelled(other) for name, other in names.items()}))
    assert file is not None
    assert not problems, problems
    universe, found = check(file, ("town.hamlet",))
    errors = [each for each in found if each.severity == "error"]
    assert universe is not None, (names, errors)
    return universe


def strings(left: object, right: object) -> Iterator[tuple[str, str]]:
    """The strings that stand in the same place of two universes; all else in these is the same."""
    assert type(left) is type(right), (left, right)
    if isinstance(left, str) and isinstance(right, str):
        yield left, right
    elif isinstance(left, tuple) and isinstance(right, tuple):
        assert len(left) == len(right), (left, right)
        for one, other in zip(left, right, strict=True):
            yield from strings(one, other)
    elif is_dataclass(left) and not isinstance(left, Span):
        for field in fields(left):
            if field.name == "site":  # which random words a draw takes is said by the name of its construct
                continue
            yield from strings(getattr(left, field.name), getattr(right, field.name))
    elif not isinstance(left, Span):
        assert left == right, (left, right)


def assert_same_but_for_names(left: Universe, right: Universe) -> None:
    meant: dict[str, str] = {}
    for one, other in strings(left, right):
        assert meant.setdefault(one, other) == other, f"`{one}` is `{meant[one]}` and `{other}`"


@st.composite
def namings(draw: st.DrawFn) -> dict[str, str]:
    """Other names for all: those of other kinds of things, words, and what is written out has of its own."""
    names: dict[str, str] = {}
    for namespace in NAMESPACES:
        taken = {names[state] for state in HOLDS.get(namespace[0], ())}  # a state is no option of itself
        others = (each for each in draw(st.permutations(EVERY)) if each not in taken)
        names |= zip(namespace, others, strict=False)
    return names


@pytest.fixture(scope="module")
def plain() -> Universe:
    return town(PLAIN)


@settings(max_examples=12, deadline=None, phases=(Phase.generate,), suppress_health_check=[HealthCheck.too_slow])
@given(names=namings())
def test_a_universe_is_the_same_but_for_its_names(plain: Universe, names: dict[str, str]) -> None:
    assert_same_but_for_names(plain, town(names))


@pytest.mark.parametrize(
    ("name", "other"),
    [
        *(("energy", "agent"), ("wage", "apart"), ("steer", "way"), ("moss", "way"), ("signal", "ticks")),
        *(("steer", "stop"), ("seats", "ticks"), ("seats", "way"), ("fill", "wandering"), ("temper", "gifts")),
        *(("greet", "stages"), ("hot", "seats"), ("grim", "hunger"), ("angry", "visits"), ("mood", "Bed")),
        *(("ill", "Bush"), ("Den", "wood"), ("REST", "visits"), ("easy", "energy"), ("goods", "Bed")),
    ],
)
def test_nothing_that_is_written_out_captures_a_name(plain: Universe, name: str, other: str) -> None:
    assert_same_but_for_names(plain, town(PLAIN | {name: other}))


@pytest.mark.parametrize(
    "part",
    ["cells { meter berries = 0.5  rule r: berries += 0.01 }", "control berries in -1 .. 1", "role berries: others"],
)
def test_a_meter_of_an_affordance_has_the_name_of_nothing_else(part: str) -> None:
    bush = "affordance Bush at random { meter berries = 3 in 0 .. 10  rule eaten: berries -= 1  open when berries > 1 }"
    assert "H022" in codes(f"{bush}\n{part}")


LAYERS = """universe layers
space grid 4 x 4
map { "ff.." "...." "...." "...."  region forest "f" }
template Layer(ground) {
    cells { meter moss = 0 in 0 .. 1  rule grow: moss += 0.01 }
    observe { grid of moss  window 1 of ground }
}
use Layer(forest)
meter energy = 1 { only falls  decay 0.01 }
dies when energy <= 0
reward energy
"""


def test_a_parameter_stands_for_a_region_that_is_observed() -> None:
    assert [each.code for each in checked(LAYERS)[1]] == []
    assert [each.code for each in checked(LAYERS.replace("Layer(forest)", "Layer(other)"))[1]] == ["H020"]


def test_a_role_does_not_take_the_names_of_cells() -> None:
    assert "H022" in codes(
        "cells { meter moss = 0.5  rule grow: moss += 0.01 }\nrole sheep: others { meter moss = 0.5 { decay 0.1 } }"
    )


WORDS_ONLY: Mapping[type, tuple[str, ...]] = {
    syntax.AbleItem: ("verbs", "lowest"),
    syntax.AffordanceDecl: ("duration", "copy_of", "moving"),
    syntax.AxisExpr: ("axis",),
    syntax.BirthSpec: ("asked", "waits"),
    syntax.CallExpr: ("function",),
    syntax.CapacityItem: ("lowest",),
    syntax.ControlDecl: ("kind",),
    **dict.fromkeys(
        (syntax.DrawAgents, syntax.DrawWall, syntax.DrawRegion, syntax.DrawMark, syntax.DrawLine, syntax.DrawLinks),
        ("colour",),
    ),
    **dict.fromkeys((syntax.DrawAffordance, syntax.DrawThing, syntax.DrawLook), ("name", "colour")),
    syntax.DrawRole: ("name", "colour"),
    syntax.DrawCell: ("option", "colour"),
    syntax.Each: ("names",),
    syntax.EffectDecl: ("duration",),
    syntax.File: ("name",),
    syntax.LetDecl: ("parameters",),
    syntax.LetStmt: ("name",),
    syntax.ObserveGrid: ("name", "opened"),
    syntax.ObserveWindow: ("turned", "within", "name", "opened"),
    syntax.ObserveHotWindow: ("turned", "within"),
    syntax.LifespanDecl: ("ticks", "counted"),
    syntax.MapLetters: ("kind",),
    syntax.ObserveListed: ("names",),
    syntax.PostedExpr: ("post",),
    syntax.ObservePosition: ("encoding",),
    syntax.ObserveTime: ("names",),
    syntax.ObserveGroup: ("name", "numbers"),
    syntax.ObserveImage: ("name", "numbers", "axes"),
    syntax.ObserveDiscrete: ("name",),
    syntax.ObserveText: ("name",),
    syntax.ObserveHot: ("name",),
    syntax.ObserveValue: ("name",),
    syntax.ObserveVelocity: ("names",),
    syntax.OfExpr: ("quantity",),
    **dict.fromkeys((syntax.WordProperty, *syntax.WordProperty.__subclasses__()), ("value",)),
    syntax.PushStmt: ("axis",),
    syntax.RoleDecl: ("meters", "actions"),
    syntax.SpaceDecl: ("kind",),
    syntax.SpreadItem: ("kind",),
    syntax.StateSpec: ("options",),
    syntax.Switch: ("source", "target"),
    syntax.TemplateDecl: ("parameters",),
    syntax.TrackDecl: ("by",),
    syntax.UseDecl: ("template",),
    syntax.WithoutDecl: ("kind", "name"),
}
"""Fields whose names are words, labels or options, or depend on one, or stand there only when all is written out."""


def test_every_field_with_names_says_what_these_refer_to() -> None:
    missing = []
    for kind in vars(syntax).values():
        if not isinstance(kind, type) or not is_dataclass(kind):
            continue
        for field in fields(kind):
            has_names = re.search(r"\bName\b", str(field.type)) is not None and "Expr" not in str(field.type)
            declares = field.name == "name" and kind.__name__.endswith("Decl")
            said = (kind, field.name) in REFERRED or field.name in WORDS_ONLY.get(kind, ())
            if has_names and not said and not declares:
                missing.append((kind.__name__, field.name))
    assert missing == []


@pytest.mark.parametrize("name", ["Bush of Rome", "lying of Rome", "Bush 1", "wolf.Bush"])
def test_a_name_that_looks_like_one_made_of_names_is_not_taken_apart(name: str) -> None:
    bush = f"""affordance `{name}`: 2 copies at random {{
        meter stock = 3 in 0 .. 9
        rule use: stock -= count(used == `{name}`)
        instantly {{ mood += 0.1 * stock }}
    }}"""
    base = BASE.replace("meters }", f"meters  world `stock of {name}` }}")
    found, findings = checked(base + bush)
    assert found is not None, findings
    names = [each.name for each in found.observations if isinstance(each, ObserveValue)]
    assert names[-2:] == [f"world.stock of {name} {number}" for number in (1, 2)]
