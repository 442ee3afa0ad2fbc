"""Worlds whose agents meet: what is resolved, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from checking_cases import BASE, checked, codes, universe

from hamlet.universe import Among, Capacity, Number, Span, Universe, WorldValue, meet, nodes
from hamletc.compile import check_file
from hamletc.expansion.places import rewritten
from hamletc.frontend import Stopwatch
from hamletc.language.syntax import NOWHERE

WORLD = """
world {
    meter stock = 20 in 0 .. 100
    meter rain = 0
    rule sale: stock -= count(used == Bed)
    rule refill: hour == 6 -> stock += 50 * level
    rule shower: rain = if chance(0.1) then 1 else 0
}
rule wet: mood -= 0.1 * rain
report left: stock
"""


def test_what_a_world_has() -> None:
    made = universe(WORLD)
    assert made.world is not None
    assert [(item.name, item.start, item.low, item.high) for item in made.world.meters] == [
        ("stock", 20.0, 0.0, 100.0),
        ("rain", 0.0, 0.0, 1.0),
    ]
    assert [rule.name for rule in made.world.rules] == ["sale", "refill", "shower"]
    assert made.world.rules[1].guard is not None
    assert isinstance(made.reports[0].value, WorldValue)
    assert [node.op for node in nodes(made) if isinstance(node, Among)] == ["count"]
    assert meet(made)
    assert not meet(universe())


def test_capacities() -> None:
    two = "affordance Pub at random { capacity 2 to lowest number  instantly { mood += 0.2 } }\n"
    (found,) = (node for node in nodes(universe(two)) if isinstance(node, Capacity))
    assert isinstance(found.places, Number)
    assert found.places.value == 2.0
    assert found.priority is None
    made = universe(WORLD + two.replace("2 to lowest number", "stock to highest 1 - mood"))
    (found,) = (node for node in nodes(made) if isinstance(node, Capacity))
    assert isinstance(found.places, WorldValue)
    assert found.priority is not None


PUB = "affordance Pub at random { needs energy > 0.1  capacity @  instantly { mood += 0.2 } }\n"


@pytest.mark.parametrize(
    ("added", "expected"),
    [
        # Who writes what.
        (f"{WORLD}rule eat: stock -= 1", ["H090"]),
        (f"{WORLD}action EAT {{ stock -= 1 }}", ["H090"]),
        ("world { meter x = 0 in 0 .. 9  rule r: energy -= 0.1 }\nreport a: x", ["H091"]),
        ("world { meter x = 0 in 0 .. 9  rule r: x += 1 unclamped }\nreport a: x", ["H096"]),
        ("world { meter x = 0 in 0 .. 9  rule r: level = 1 }\nreport a: x", ["H021"]),
        # What a rule of the world can read.
        *(
            (f"world {{ meter x = 0 in 0 .. 9  rule r: x += {each} }}\nreport a: x", ["H092"])
            for each in ("energy", "age", "position x", "distance to Bed", "speed", "1 when here == Bed")
        ),
        *(
            (f"world {{ meter x = 0 in 0 .. 9  rule r: {each} -> x += 1 }}\nreport a: x", ["H092"])
            for each in ("used == Bed", "action == WAIT", "previous(mood) > 0.5")
        ),
        *(
            (f"world {{ meter x = 0 in 0 .. 9  rule r: {each} -> x += 1 }}\nreport a: x", expected)
            for each, expected in (
                ("every 3 ticks", []),
                ("after 3 ticks and every 2 ticks", []),
                ("every 1 ticks", ["H062"]),
                ("after 1000000 ticks", ["H062"]),
            )
        ),
        ("input i = 0 in 0 .. 1\nworld { meter x = 0 in 0 .. 9  rule r: x += i }\nreport a: x + i", ["H092"]),
        ("world { meter x = 0 in 0 .. 9  rule r: x += day_sin * level }\nreport a: previous(x)", []),
        ("world { meter x = 0 in 0 .. 9  rule r: count(every 3 ticks) > 1 -> x += total(age) }\nreport a: x", []),
        ("world { meter x = 0 in 0 .. 9  rule r { together { x += 1  x -= 2 } } }\nreport a: x", []),
        # Where agents are counted.
        ("rule r: mood -= 0.01 * count(used == Bed)", ["H082"]),
        ("report r: count(used == Bed)", []),
        ("rule r: mood -= 0.01 * count(action == WAIT)", []),
        ("action EAT { needs count(energy > 0.5) > 2  mood += 0.1 }", ["H093"]),
        ("world { meter x = 0 in 0 .. 9  rule r: x += agent }\nreport a: x", ["H092"]),
        ("world { meter x = 0 in 0 .. 9  rule r: x += total(agent) / agents }\nreport a: x", []),
        ("allow WAIT when average(energy) > 0.5", ["H093"]),
        ("report r: previous(count(energy > 0.5))", ["H093"]),
        ("report r: total(highest(energy))", ["H093"]),
        ("report r: total(previous(energy))", ["H097"]),
        ("cascade c: mood < 0.3 -> energy -= 0.1 * total(deficit)", ["H097"]),
        ("cascade c: mood < 0.3 -> energy -= 0.1 * deficit * count(mood < 0.3)", []),
        ("report r: count(energy)", ["H027"]),
        ("report r: total(energy > 0.5)", ["H027"]),
        ("report r: average()", None),
        ("report r: average(energy, mood)", ["H030"]),
        # The place of one among them.
        ("rule r: mood -= 0.01 * rank(energy > 0.5, mood)", []),
        ("rule r: mood -= 0.01 * rank(true, mood)", []),
        ("rule r: rank(energy > 0.5, mood) < count(energy > 0.5) -> mood -= 0.01", []),
        ("action EAT { needs rank(energy > 0.5, mood) < 2  mood += 0.1 }", ["H093"]),
        ("reward rank(used == Bed, uniform(0, 1))", []),
        ("world { meter x = 0 in 0 .. 9  rule r: x += rank(energy > 0.5, mood) }\nreport a: x", ["H092"]),
        ("world { meter x = 0 in 0 .. 9  rule r: x += count(rank(true, mood) < 2) }\nreport a: x", ["H093"]),
        ("report r: rank(rank(true, mood) < 3, mood)", ["H093"]),
        ("report r: rank(true, average(mood))", ["H093"]),
        ("report r: previous(rank(true, mood))", ["H093"]),
        ("allow WAIT when rank(true, mood) < 3", ["H093"]),
        ("rule r: mood -= 0.01 * rank(used == Bed, mood)", ["H082"]),
        ("report r: rank(true, previous(mood))", ["H097"]),
        ("report r: rank(mood, energy)", ["H027"]),
        ("report r: rank(mood > 0.5, energy > 0.5)", ["H027"]),
        ("report r: rank(mood > 0.5)", ["H030"]),
        ("report r: rank(mood > 0.5, 3)", ["H064"]),
        ("rule r: rank(true, mood) > 1023 -> mood -= 0.1", ["H062"]),
        ("rule r: rank(true, mood) >= 1023 -> mood -= 0.1", []),
        ("rule r: rank(true, mood) == 0.5 -> mood -= 0.1", ["H062"]),
        ("report r: rank(true, mood / energy)", ["H050"]),
        ("meter place = rank(true, mood) in 0 .. 9 { decay 0.1 }\nreport r: place", ["H083"]),
        # What depends on who asks.
        ("rule r: mood -= 0.01 * count(apart <= 2 and energy < own(energy))", []),
        ("rule r: mood -= 0.01 * rank(level + energy < own(energy), mood)", []),
        ("rule r: mood -= 0.01 * count(other)", []),
        ("rule r: chance(0.01 * count(apart <= 2) / agents) -> mood -= 0.01", []),
        ("meter apart = 0.5 { decay 0.1 }\nrule r: mood -= 0.01 * apart", ["H071"]),
        ("rule r: mood -= 0.01 * nearest(true) + nearest(energy > 0.5, mood) + nearest(other, mood, energy)", []),
        ("rule r: mood -= 0.01 * nearest(mood > own(mood), if own(here == Bed) then energy else mood, -1)", []),
        ("report r: total(own(used == Bed) and energy > 0.5)", ["H027"]),
        ("report r: count(own(used == Bed) and energy > 0.5)", []),
        ("rule r: mood -= 0.01 * count(own(used == Bed) and energy > 0.5)", ["H082"]),
        ("rule r: mood -= 0.01 * apart", ["H200"]),
        ("rule r: other -> mood -= 0.01", ["H200"]),
        ("rule r: mood -= own(energy)", ["H200"]),
        ("allow WAIT when nearest(true) > 3", ["H093"]),
        ("report r: previous(nearest(true))", ["H093"]),
        ("report r: total(nearest(true))", ["H093"]),
        ("world { meter x = 0 in 0 .. 9  rule r: x += nearest(true) }\nreport a: x", ["H092"]),
        ("world { meter x = 0 in 0 .. 9  rule r: x += count(apart < 2) }\nreport a: x", ["H201"]),
        (PUB.replace("@", "1 to highest own(mood)"), ["H200"]),
        ("rule r: mood -= 0.01 * count(energy < own(own(mood)))", ["H202"]),
        ("rule r: mood -= 0.01 * nearest(true, mood, apart)", ["H202"]),
        ("rule r: mood -= 0.01 * count(chance(own(mood)))", ["H203"]),
        ("rule r: mood -= 0.01 * count(own(chance(mood)) and energy > 0.5)", []),
        ("rule r: mood -= 0.01 * rank(true, mood - own(mood))", ["H203"]),
        ("rule r: mood -= 0.01 * count(energy < own(level * agents))", ["H204"]),
        ("rule r: mood -= 0.01 * total(own(energy + level))", ["H205"]),
        ("rule r: mood -= 0.01 * nearest(own(energy) > 0.5)", ["H205"]),
        ("rule r: mood -= 0.01 * count(energy < own(previous(energy)))", ["H097"]),
        ("rule r: mood -= 0.01 * nearest()", None),
        ("rule r: mood -= 0.01 * nearest(true, energy, energy, energy)", ["H030"]),
        ("rule r: mood -= 0.01 * count(energy < own(energy, mood))", ["H030"]),
        ("rule r: mood -= 0.01 * nearest(energy)", ["H027"]),
        ("rule r: count(apart > 99) > 0 -> mood -= 0.1", ["H062"]),
        ("rule r: nearest(true) > 99 -> mood -= 0.1", ["H062"]),
        ("rule r: nearest(energy > 0.5, mood, 0.5) > 1 -> mood -= 0.1", ["H062"]),
        ("report r: total(own(energy) / energy)", ["H050"]),
        # Where what they have together lies.
        ("rule r: count(energy > 0.5) > 1024 -> mood -= 0.1", ["H062"]),
        ("rule r: count(energy > 0.5) >= 1024 -> mood -= 0.1", []),
        ("rule r: total(energy) > 1024 -> mood -= 0.1", ["H062"]),
        ("rule r: lowest(energy + 1) < 0 -> mood -= 0.1", ["H062"]),
        ("rule r: lowest(energy + 1) > 0 -> mood -= 0.1", []),
        ("report r: total(energy * 3e37)", ["H051"]),
        ("report r: 1 / average(energy + 1)", ["H050"]),
        ("report r: energy / max(1, count(energy > 0.5))", []),
        ("rule r: mood > 0.5 -> mood -= 0.01 * count(mood > 0.5)", []),
        # Capacities.
        (PUB.replace("@", "2"), ["H094"]),
        (PUB.replace("@", "2 to lowest mood"), ["H026"]),
        (PUB.replace("@", "2 to highest number"), ["H026"]),
        (PUB.replace("@", "mood to lowest number"), ["H095"]),
        (PUB.replace("@", "count(mood > 0.5) to lowest number"), ["H093"]),
        (PUB.replace("@", "agents / 2 to highest agent"), []),
        (PUB.replace("@", "integer(1, 2) to lowest number"), ["H068"]),
        (PUB.replace("@", "1 + previous(level) to lowest number"), ["H097"]),
        (PUB.replace("@", "1 + floor(hour / 12) to highest uniform(0, 1)"), []),
        (PUB.replace("@", "1 to highest mood * (1 + count(mood > 0.5))"), ["H093"]),
        (PUB.replace("@", "1 to highest previous(mood)"), ["H097"]),
        (PUB.replace("@", "1 to highest mood when used == Bed"), ["H082"]),
        (PUB.replace("@", "1 to highest 3"), ["H064"]),
        (PUB.replace("@", "1 to highest mood > 0.5"), ["H027"]),
        (PUB.replace("@", "0 to lowest number"), ["H098"]),
        (PUB.replace("@", "0.5 to lowest number"), ["H098"]),
        (PUB.replace("@", "level - 1.5 to lowest number"), ["H098"]),
        (PUB.replace("@", "1 to lowest number  capacity 2 to lowest number"), ["H024"]),
        # Nothing is inert.
        ("world { meter x = 0 in 0 .. 9  rule r: x += 1 }", ["H060"]),
        ("world { meter x = 1 }\nreport a: x", ["H073"]),
        ("state x: int in 0 .. 9 = 3\nreport a: x", ["H073"]),
        ("state x: int in 0 .. 9 = integer(0, 9)\nreport a: x", []),
        ("world { meter x = 0 in 0 .. 9  meter y = 1  rule r: y -= 0.1  rule s: x += y }\nreport a: x", []),
        ("world { meter x = 0 in 0 .. 9  rule r: x += 0 }\nreport a: x", ["H073", "H063"]),
        ("world { meter x = 0 in 0 .. 9  rule r: x += 1  rule s: x > 10 -> x = 0 }\nreport a: x", ["H062"]),
        ("world { meter x = 0 in 0 .. 9 { decay 1 }  rule r: x += 1 }\nreport a: x", ["H099"]),
        ("world { meter x = 9.5 in 0 .. 9  rule r: x += 1 }\nreport a: x", ["H041"]),
        # One block, and names.
        (WORLD + "world { rule more: stock -= 1 }", ["H024"]),
        (WORLD + "meter stock = 1 { decay 0.1 }", ["H022"]),
        (WORLD + "param rain = 1 in 0 .. 2", ["H022"]),
        (WORLD + "rule sale: mood -= 0.1", ["H022"]),
        ("world { meter count = 1  rule r: `count` -= 0.1 }", ["H060"]),
        ("world { meter `count` = 1  rule r: `count` -= 0.1 }\nreport a: total(`count` * energy)", []),
    ],
)
def test_what_is_said(added: str, expected: list[str] | None) -> None:
    if expected is None:
        with pytest.raises(AssertionError):
            checked(BASE + added)
        return
    assert codes(f"{added}\n") == expected


def test_world_is_observed() -> None:
    observed = BASE.replace("meters }", "meters  world }")
    assert codes("", observed) == ["H064"]
    assert codes(WORLD, observed) == []
    assert codes(WORLD, BASE.replace("meters }", "meters  world stock  world rain }")) == []
    assert codes(WORLD, BASE.replace("meters }", "meters  world stock  world }")) == ["H024"]
    assert codes(WORLD, BASE.replace("meters }", "meters  world energy }")) == ["H021"]


EASY = (
    BASE.strip()
    .replace("universe small", "universe easy")
    .replace("observe { grid  meters }", "observe { meters  world }")
)
LAYERS = f"""{EASY}
world {{
    meter stock = 20 in 0 .. 100
    rule sale: stock -= count(used == Bed)
    rule refill: stock += 1
}}
"""
HARD = """universe hard extends "easy.hamlet"
without rule refill
override world { meter stock = 5 in 0 .. 50 }
template Good(name, start) {
    world { meter price = start in 0 .. 9  rule rises: price += 0.01 * count(here == name) }
    affordance name at random { capacity price to lowest number  instantly { mood += 0.1 } }
}
use Good(Bread, 2)
use Good(Wine, 3)
world { rule less: stock -= 2 * level }
"""
WRITTEN = f"""{EASY.replace("universe easy", "universe hard")}
world {{
    meter stock = 5 in 0 .. 50
    rule sale: stock -= count(used == Bed)
    meter Bread_price = 2 in 0 .. 9
    rule Bread_rises: Bread_price += 0.01 * count(here == Bread)
    meter Wine_price = 3 in 0 .. 9
    rule Wine_rises: Wine_price += 0.01 * count(here == Wine)
    rule less: stock -= 2 * level
}}
affordance Bread at random {{ capacity Bread_price to lowest number  instantly {{ mood += 0.1 }} }}
affordance Wine at random {{ capacity Wine_price to lowest number  instantly {{ mood += 0.1 }} }}
"""


def read(path: Path, text: str) -> Universe:
    path.write_text(text, encoding="utf-8")
    found = check_file(path, Stopwatch()).universe
    return rewritten(replace(found, sources=()), lambda _: Span(NOWHERE.line, 1, 1, 1))


def test_worlds_are_extended_and_made_by_templates(tmp_path: Path) -> None:
    read(tmp_path / "easy.hamlet", LAYERS)
    found = read(tmp_path / "hard.hamlet", HARD)
    assert found == read(tmp_path / "written.hamlet", WRITTEN)
    left = HARD.replace("override world { meter stock = 5 in 0 .. 50 }", "without world").replace("2 * level", "0")
    left = left.replace("world { rule less: stock -= 0 }", "").replace("without rule refill\n", "")
    made = read(tmp_path / "left.hamlet", left)
    assert made.world is not None
    assert [meter.name for meter in made.world.meters] == ["Bread_price", "Wine_price"]
