"""Copies of affordances, affordances that move and appear, and things: what they are written out as, and what is
refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from checking_cases import BASE, codes, universe

from hamlet.universe import CellMetric, Grid, ObserveHere, ObserveValue, draws
from hamlet.universe.codec import from_json, to_json
from hamletc.checking.check import check
from hamletc.expansion.moving import Room
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse
from samples import universe_of

HEXAGONS = BASE.replace("space grid", "space hexagons")
BUSH = """
affordance Bush: 3 copies at random {
    meter berries = 3 in 0 .. 10
    rule grows: chance(0.1) -> berries += 1
    rule picked: berries -= count(used == Bush)
    open when berries >= 1
    instantly { mood += 0.1 }
    action SHAKE { mood += 0.01 * berries }
}
"""
BY_HAND = "".join(
    BUSH.replace(": 3 copies", "")
    .replace("Bush", f"`Bush {number}`")
    .replace("SHAKE", f"SHAKE{number}")
    .replace(f"    action SHAKE{number} {{ mood += 0.01 * berries }}\n", "")
    for number in (1, 2, 3)
)
ASKS = """
rule near: here == Bush and distance to Bush < 2 -> mood += 0.001
reward 0.1 when used == Bush
reward 0.001 * berries of Bush
"""
ASKS_BY_HAND = """
rule near: (here == `Bush 1` or here == `Bush 2` or here == `Bush 3`) and
    min(distance to `Bush 1`, distance to `Bush 2`, distance to `Bush 3`) < 2 -> mood += 0.001
reward 0.1 when (used == `Bush 1` or used == `Bush 2` or used == `Bush 3`)
reward 0.001 * (berries of `Bush 1` + berries of `Bush 2` + berries of `Bush 3`)
"""
CAMP = """
slots 4
item wood { lying 3 when chance(0.3)  up to 5  can pick drop give }
item axe { wear 3  craft from 2 wood { needs energy > 0.1 }  use { energy += 0.1 } }
"""


def test_copies_are_what_could_have_been_written_by_hand() -> None:
    shaken = BUSH.replace("    action SHAKE { mood += 0.01 * berries }\n", "")
    made, by_hand = universe(shaken + ASKS), universe(BY_HAND + ASKS_BY_HAND)
    assert [each.name for each in made.affordances] == [each.name for each in by_hand.affordances]
    assert {each.copy_of for each in made.affordances} == {None, "Bush"}
    assert {draw.site for draw in draws(made)} == {draw.site for draw in draws(by_hand)}
    assert len({draw.site for draw in draws(made)}) == 3
    assert [meter.name for meter in made.world.meters] == [f"berries of Bush {n}" for n in (1, 2, 3)]  # type: ignore[union-attr]


def test_copies_have_one_action_and_one_value_in_observations() -> None:
    made = universe(BUSH, BASE.replace("grid  meters", "grid  meters  here"))
    assert [action.name for action in made.actions] == ["SHAKE"]
    (shown,) = (item for item in made.observations if isinstance(item, ObserveHere))
    assert shown.affordances == ("Bed", "Bush", None)


def test_things_that_are_not_there_are_not_observed() -> None:
    assert codes("", BASE.replace("grid  meters", "grid  meters  items")) == ["H064"]
    assert codes("", BASE.replace("grid  meters", "grid  meters  items axe")) == ["H020"]
    assert codes(CAMP, BASE.replace("grid  meters", "grid  meters  items axes")) == ["H020"]


def test_places_can_be_listed() -> None:
    made = universe("affordance Well at (1, 2), (3, 3) { instantly { mood += 0.1 } }\n")
    assert [each.place for each in made.affordances] == [None, (1.0, 2.0), (3.0, 3.0)]


def test_what_moves_is_kept_by_the_world_and_places_are_stored() -> None:
    made = universe("affordance Bus { follows (0, 0), (3, 0) every 2 ticks  instantly { mood += 0.1 } }\n")
    bus = made.affordances[-1]
    assert bus.moving == ("position x of Bus", "position y of Bus")
    assert bus.place == (0.0, 0.0)
    assert isinstance(made.space, Grid)
    assert made.space.places == "stored"
    assert (
        universe("affordance Bus at (0, 0) { appears when hour < 3  instantly { mood += 0.1 } }\n")
        .affordances[-1]
        .appears
    )


def test_on_hexagons_things_lie_and_what_wanders_takes_six_ways() -> None:
    duck = "affordance Duck at random { wanders  instantly { mood += 0.1 } }"
    made = universe(CAMP + duck, HEXAGONS.replace("grid  meters", "meters  cell wood"))
    (way,) = (meter for meter in made.world.meters if meter.name == "way of Duck")  # type: ignore[union-attr]
    assert (way.low, way.high) == (0.0, 5.0)
    assert isinstance(made.space, Grid)
    assert set(Room.of(made.space).ways) == {(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)}
    # Whatever the distance, what wanders on squares takes a step along an axis.
    metrics: tuple[CellMetric, ...] = ("manhattan", "chebyshev")
    for metric in metrics:
        assert set(Room.of(replace(made.space, metric=metric)).ways) == {(1, 0), (-1, 0), (0, 1), (0, -1)}


def test_errors_of_a_space_are_told_as_such_where_something_moves() -> None:
    duck = "affordance Duck at random { wanders  instantly { mood += 0.1 } }"
    assert codes(duck, BASE.replace("grid 4 x 4", "grid 4 x energy")) == ["H031"]
    assert codes(duck, BASE.replace("grid 4 x 4", "grid 4 x 4 { edges wobbly }")) == ["H026"]


def test_state_observes_what_is_declared_as_such() -> None:
    coins = "state coins: int in 0 .. 5 = 1  rule earns: coins += 1"
    made = universe(CAMP + coins, BASE.replace("grid  meters", "meters  items  state"))
    seen = [item.name for item in made.observations if isinstance(item, ObserveValue)]
    # Neither what agents carry, nor what the compiler keeps for picking and for what wanders.
    assert seen[2:] == ["state.wood", "state.axe", "state.wear of axe", "state.coins"]
    assert codes("", BASE.replace("grid  meters", "meters  state")) == ["H064"]
    assert codes(coins, BASE.replace("grid  meters", "meters  state  state")) == ["H024"]


def test_what_lies_and_what_is_worn_can_be_asked_for() -> None:
    made = universe(CAMP + "reward 0.1 when (lying of wood > 0 and wear of axe > 1)\n")
    assert "lying of wood" in str(made.rewards[-1])
    assert "wear of axe" in str(made.rewards[-1])


def test_things_are_states_meters_of_cells_and_actions() -> None:
    made = universe(CAMP, BASE.replace("grid  meters", "grid  meters  items"))
    assert [meter.name for meter in made.meters[2:]] == ["wood", "moved of wood", "axe", "wear of axe"]
    assert made.cells is not None
    assert [meter.name for meter in made.cells.meters] == ["lying of wood"]
    assert [action.name for action in made.actions] == ["PICK_wood", "DROP_wood", "GIVE_wood", "USE_axe", "CRAFT_axe"]
    assert [rule.name for rule in made.dynamics] == ["gifts"]
    shown = [item.name for item in made.observations if isinstance(item, ObserveValue)]
    assert shown[-3:] == ["state.wood", "state.axe", "state.wear of axe"]


@pytest.mark.parametrize(
    ("added", "code", "message"),
    [
        ("affordance A: 65 copies at random { instantly { mood += 0.1 } }", "H220", "65 copies"),
        ("affordance A: 3 copies at (0, 0), (1, 1) { instantly { mood += 0.1 } }", "H220", "3 copies and 2 places"),
        ("affordance A: level copies at random { instantly { mood += 0.1 } }", "H031", "no constant"),
        ("affordance A at (0, 0) { wanders  follows (0, 0), (1, 1)  instantly { mood += 0.1 } }", "H224", "two ways"),
        ("affordance A { follows (0, 0), (9, 9)  instantly { mood += 0.1 } }", "H223", "stop 2"),
        ("affordance A { follows (0, 0)  instantly { mood += 0.1 } }", "H223", "one stop"),
        ("affordance A at (0, 0) { rule r: position z += 1  instantly { mood += 0.1 } }", "H065", "no axis `z`"),
        ("affordance A at (0, 0) { wanders every 0 ticks  instantly { mood += 0.1 } }", "H033", "so often"),
        ("item apple { carried 1  use { mood += 0.1 } }", "H230", "nobody can carry"),
        ("slots 4", "H230", "nothing to carry"),
        ("slots 4 item apple { carried 1  wear 0  use { mood += 0.1 } }", "H235", "so many uses"),
        ("slots 4 item apple { craft from 1 apple  use { mood += 0.1 } }", "H231", "made of itself"),
        ("slots 4 item apple { carried 1  use { mood += 0.1 } } rule r: apple = 3", "H233", "could make things"),
        ("slots 4 item apple { carried 1  use { mood += 0.1 } } rule r: wear apple", "H236", "does not wear out"),
        (
            "slots 4 item apple { carried 1  use { mood += 0.1 } } rule r: count(apple > 1) > 2 -> apple += 1",
            "H233",
            "this trade",
        ),
    ],
)
def test_what_is_refused(added: str, code: str, message: str) -> None:
    file, problems = parse(BASE + added)
    assert file is not None
    assert not problems
    found = check(file, ("small.hamlet",))[1]
    assert [finding.code for finding in found] == [code]
    assert message in found[0].message


def test_an_affordance_moves_on_axes_of_several_cells() -> None:
    text = BASE.replace("4 x 4", "1 x 4") + "affordance A { wanders  instantly { mood += 0.1 } }\n"
    (found,) = check(parse(text)[0] or pytest.fail("no tree"), ("small.hamlet",))[1]
    assert (found.code, "the axis `x` has one cell" in found.message) == ("H223", True)


def test_names_of_copies_and_things_reach_nothing_but_names() -> None:
    """What looks like code is a name in backticks, and stays one."""
    odd = "`__import__('os') 1`"
    text = f"affordance {odd}: 2 copies at random {{ wanders  instantly {{ mood += 0.1 }} }}\n"
    text += f"slots 2 item {odd} {{ carried 1  use {{ mood += 0.1 }} }}\n"
    made = universe(text)
    assert [each.name for each in made.affordances[1:]] == [f"{odd.strip('`')} {n}" for n in (1, 2)]
    assert made.actions[-1].name == f"USE_{odd.strip('`')}"


@pytest.mark.parametrize("text", [BUSH, CAMP, "affordance A { follows (0, 0), (1, 1) every 2 ticks }\n"])
def test_the_formatter_keeps_them(text: str) -> None:
    once = format_source(BASE + text)[0]
    assert once is not None
    assert format_source(once)[0] == once
    assert codes("", once) == codes(text)


def test_things_are_given_where_there_is_no_space() -> None:
    """All agents are within reach, and the file of the universe can be read again."""
    text = "universe gifts\nspace none\nlifespan 9 ticks\nmeter m = 0 { decay 0.01 }\nreward m\nslots 4\n"
    gifts = universe_of(f"{text}item bread {{ carried 1 can give }}\nobserve {{ meters }}\n")
    assert from_json(to_json(gifts)) == gifts
