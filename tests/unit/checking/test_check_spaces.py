"""Spaces, the moves in them and places."""

from __future__ import annotations

import math
import struct

import pytest
from checking_cases import BASE, checked, codes, universe

from hamlet.numbers.binary32 import canonical32
from hamlet.schema import action_names, axes
from hamlet.universe import Axis, Continuous, Grid, NoSpace, Universe

REST = """
lifespan 100 ticks
meter energy = 1.0 { decay 0.01 }
action REST { energy += 0.1 }
dies when energy <= 0
reward energy
observe { meters }
"""
PLANE = "(0 .. 10) x (-1 .. 1)"


def within(space: str, added: str = "") -> list[str]:
    """The findings about a universe with this space."""
    return codes(added, f"universe small\nspace {space}\n{REST}")


def made(space: str, added: str = "") -> Universe:
    """The universe with this space, which has no errors."""
    return universe(added, f"universe small\nspace {space}\n{REST}")


def moves(space: str, added: str = "") -> dict[str, tuple[float, ...]]:
    return {move.name: move.by for move in made(space, added).moves}


def test_a_grid_by_default() -> None:
    space = made("grid 4 x 5").space
    assert isinstance(space, Grid)
    assert (space.sizes, space.edges, space.metric) == ((4, 5), "clamp", "manhattan")
    assert (space.places, space.starts) == ("computed", "apart")


def test_a_grid_with_everything() -> None:
    space = made("grid 4 { edges wrap  distance chebyshev  places stored  starts anywhere }").space
    assert isinstance(space, Grid)
    assert (space.edges, space.metric, space.places, space.starts) == ("wrap", "chebyshev", "stored", "anywhere")


def test_a_continuous_space() -> None:
    result = made(f"continuous {PLANE} {{ step 0.5  reach 1 }}")
    space = result.space
    assert isinstance(space, Continuous)
    assert space.axes == (Axis(0.0, 10.0, 10.0), Axis(-1.0, 1.0, 2.0))
    assert (space.reach, space.edges, space.metric) == (1.0, "clamp", "euclidean")
    assert axes(result) == ("x", "y")


def test_the_size_is_rounded_once() -> None:
    """0.7 - 0.1 in binary64, then rounded, is not the difference of binary32 numbers."""
    space = made("continuous (0.1 .. 0.7) { step 0.5  reach 1 }").space
    assert isinstance(space, Continuous)
    (axis,) = space.axes
    assert axis.size == canonical32(0.7 - 0.1)
    low, high = (struct.unpack("<f", struct.pack("<f", end))[0] for end in (0.1, 0.7))
    assert canonical32(high - low) != axis.size


def test_no_space() -> None:
    result = made("none", "affordance Bed { instantly { energy += 0.1 } }")
    assert isinstance(result.space, NoSpace)
    assert action_names(result) == ("INTERACT", "WAIT", "REST")
    assert result.affordances[0].place is None


@pytest.mark.parametrize(
    ("sizes", "names"),
    [
        ("4", ["LEFT", "RIGHT"]),
        ("4 x 4", ["UP", "DOWN", "LEFT", "RIGHT"]),
        ("4 x 4 x 4", ["UP", "DOWN", "LEFT", "RIGHT", "UP_Z", "DOWN_Z"]),
        ("2 x 2 x 2 x 2", [f"DIM{axis}_{sign}" for axis in range(4) for sign in ("NEG", "POS")]),
    ],
)
def test_moves_of_a_grid(sizes: str, names: list[str]) -> None:
    assert list(moves(f"grid {sizes}")) == names


def test_displacements_of_a_grid() -> None:
    assert moves("grid 4 x 4 x 4") == {
        "UP": (0, -1, 0),
        "DOWN": (0, 1, 0),
        "LEFT": (-1, 0, 0),
        "RIGHT": (1, 0, 0),
        "UP_Z": (0, 0, -1),
        "DOWN_Z": (0, 0, 1),
    }
    four = moves("grid 2 x 2 x 2 x 2")
    assert four["DIM0_NEG"] == (-1, 0, 0, 0)
    assert four["DIM3_POS"] == (0, 0, 0, 1)


def test_moves_of_a_continuous_space() -> None:
    assert moves("continuous (0 .. 10) { step 0.3  reach 1 }") == {"LEFT": (-0.3,), "RIGHT": (0.3,)}
    assert moves(f"continuous {PLANE} {{ step 0.5  reach 1 }}")["UP"] == (0.0, -0.5)


def test_directions() -> None:
    found = moves(f"continuous {PLANE} {{ step 0.7  reach 1  directions 6  speeds 3 }}")
    assert list(found) == ["STOP", *(f"MOVE_{i}_{k}" for i in range(6) for k in (1, 2, 3))]
    assert found["STOP"] == (0.0, 0.0)
    angle = 2 * math.pi * 1 / 6
    assert found["MOVE_1_2"] == (canonical32(math.cos(angle) * 2 / 3 * 0.7), canonical32(math.sin(angle) * 2 / 3 * 0.7))
    assert len(moves(f"continuous {PLANE} {{ step 0.7  reach 1  directions 6 }}")) == 7


def test_moves_of_ones_own() -> None:
    assert moves("grid 4 x 4", "moves { STAY (0, 0)  NE (1, -1)  `if` (-3, 3) }") == {
        "STAY": (0, 0),
        "NE": (1, -1),
        "if": (-3, 3),
    }
    assert moves("continuous (0 .. 1) { reach 0.1 }", "moves { HOP (0.3) }") == {"HOP": (0.3,)}


@pytest.mark.parametrize(
    ("space", "added", "expected"),
    [
        ("grid " + " x ".join(["2"] * 100), "moves { A (" + ", ".join(["1"] * 100) + ") }", ["H033"]),
        ("grid " + " x ".join(["2"] * 100) + " { places stored }", "", []),
        ("grid " + " x ".join(["2"] * 101), "", ["H042"]),
        ("grid 16384 x 16384 { places stored }", "", []),
        ("grid 16384 x 16384", "", ["H033"]),
        ("grid 4 { places somewhere }", "", ["H026"]),
        ("grid 4 { starts somewhere }", "", ["H026"]),
        ("grid 16384 x 1024 { distance euclidean }", "", ["H075"]),
        ("grid " + " x ".join(["16384"] * 9) + " { places stored distance euclidean }", "", ["H033"]),
        ("continuous (0 .. 10)", "", ["H025"]),
        ("continuous (0 .. 10) { reach 1 }", "", ["H025"]),
        ("continuous (0 .. 10) { step 0  reach 1 }", "", ["H033"]),
        ("continuous (0 .. 10) { step -1  reach 1 }", "", ["H033"]),
        ("continuous (0 .. 10) { step 1e8  reach 1 }", "", ["H033"]),
        ("continuous (0 .. 10) { step energy  reach 1 }", "", ["H031"]),
        ("continuous (0 .. 10) { step 1  reach -0.5 }", "", ["H033"]),
        ("continuous (0 .. 10) { step 1  reach 0 }", "", []),
        ("continuous (10 .. 0) { step 1  reach 1 }", "", ["H040"]),
        ("continuous (1 .. 1) { step 1  reach 1 }", "", ["H040"]),
        ("continuous (1 .. 1.00000001) { step 1  reach 1 }", "", ["H040"]),
        ("continuous (0 .. 1e-50) { step 1  reach 1 }", "", ["H035"]),
        ("continuous (0 .. 2e9) { step 1  reach 1 }", "", ["H033"]),
        (f"continuous {' x '.join(['(0 .. 1)'] * 100)} {{ step 1  reach 1 }}", "", []),
        (f"continuous {' x '.join(['(0 .. 1)'] * 101)} {{ step 1  reach 1 }}", "", ["H042"]),
        ("continuous (0 .. 10) { step 1  reach 1  directions 8 }", "", ["H042"]),
        (f"continuous {PLANE} {{ step 1  reach 1  speeds 8 }}", "", ["H025"]),
        (f"continuous {PLANE} {{ step 1  reach 1  directions 0 }}", "", ["H033"]),
        (f"continuous {PLANE} {{ step 1  reach 1  directions 2.5 }}", "", ["H032"]),
        (f"continuous {PLANE} {{ step 1  reach 1  directions 9997 }}", "", ["H067"]),
        (f"continuous {PLANE} {{ step 1  reach 1  directions 9996 }}", "", []),
        (f"continuous {PLANE} {{ step 1  reach 1  directions 200  speeds 200 }}", "", ["H067"]),
        (f"continuous {PLANE} {{ step 1  reach 1 }}", "moves { A (1, 1) }", ["H064"]),
        ("grid 4 x 4", "moves { A (1) }", ["H042"]),
        ("grid 4 x 4", "moves { A (4, 0) }", ["H033"]),
        ("grid 4 x 4", "moves { A (0.5, 0) }", ["H032"]),
        ("grid 4 x 4", "moves { A (1, 0)  A (0, 1) }", ["H022"]),
        ("grid 4 x 4", "moves { WAIT (1, 0) }", ["H066"]),
        ("grid 4 x 4", "moves { `INTERACT` (1, 0) }", ["H066"]),
        ("grid 4 x 4", "moves { REST (1, 0) }", ["H066"]),
        ("grid 4 x 4", "moves { A (1, 0) }\nmoves { B (1, 0) }", ["H024"]),
        ("none", "moves { A (1, 0) }", ["H055"]),
        ("none", "affordance Bed at random { instantly { energy += 0.1 } }", ["H055"]),
        ("none", "affordance Bed at (1, 2) { instantly { energy += 0.1 } }", ["H055"]),
        ("none", "action HOP { move (1, 2) }", ["H055"]),
        ("none", "action HOP { teleport (1, 2) }", ["H055"]),
        ("none", "reward position x", ["H055"]),
        ("none", "reward velocity x", ["H055"]),
        ("none", "reward speed", ["H055"]),
        ("none", "meter mood = 1 { move 0.1 }\nreward mood\nrule a: mood += 0.1", ["H064"]),
        ("grid 4 x 4", "affordance Bed { instantly { energy += 0.1 } }", ["H025"]),
        ("grid 4 x 4", "affordance Bed at (1) { instantly { energy += 0.1 } }", ["H042"]),
        ("grid 4 x 4", "reward position z", ["H065"]),
        ("grid 4 x 4 x 4 x 4", "reward velocity y", ["H065"]),
        ("grid 4 x 4 x 4 x 4", "reward 0.1 * velocity x3", []),
    ],
)
def test_findings(space: str, added: str, expected: list[str]) -> None:
    assert within(space, added) == expected


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("(10, 1)", []),
        ("(0, -1)", []),
        ("(3.5, 0.25)", []),
        ("(10.1, 0)", ["H043"]),
        ("(-0.1, 2)", ["H043", "H043"]),
        ("(3)", ["H042"]),
    ],
)
def test_places_in_a_continuous_space(place: str, expected: list[str]) -> None:
    space = f"continuous {PLANE} {{ step 0.5  reach 1 }}"
    assert within(space, f"affordance Bed at {place} {{ instantly {{ energy += 0.1 }} }}") == expected
    assert within(space, f"action GO {{ teleport {place} }}") == expected


def test_displacements_in_a_continuous_space() -> None:
    space = f"continuous {PLANE} {{ step 0.5  reach 1 }}"
    assert made(space, "action DASH { move (0.3, -2) }").actions[1].move == (0.3, -2.0)
    assert within(space, "action DASH { move (0.3, 3e6) }") == ["H033"]


BEDS = "affordance Bed{} at {} {{ instantly {{ energy += 0.1 }} }}\n"


@pytest.mark.parametrize(
    ("space", "places", "expected"),
    [
        # Two of three cells are taken; an agent needs one of its own unless it starts anywhere.
        ("grid 3", ["(0)", "random"], []),
        ("grid 3", ["(0)", "random", "random"], ["H045"]),
        ("grid 3 { starts anywhere }", ["(0)", "random", "random"], []),
        ("grid 3 { starts anywhere }", ["(0)", "random", "random", "random"], ["H045"]),
        ("grid 3", ["(0)", "(0)"], ["H044"]),
        # Stored places may be the same; what is at random is not on them.
        ("grid 3 { places stored }", ["(0)", "(0)", "(0)", "random"], []),
        ("grid 3 { places stored }", ["(0)", "(0)", "(1)", "random"], ["H045"]),
        ("grid 3 { places stored  starts anywhere }", ["(0)", "(0)", "(1)", "random"], []),
        ("grid 3 { places stored }", ["(0)", "(1)", "(2)"], ["H045"]),
        # Only the first axis is dealt; fixed places do not count.
        ("grid 2 x 16384 x 16384 { places stored }", ["(0, 0, 0)"] * 3 + ["random"] * 50, []),
        ("grid 16384 x 16384 { places stored }", ["random"] * 64, []),
        ("grid 16384 x 16384 { places stored }", ["random"] * 65, ["H067"]),
        ("continuous (0 .. 1) { step 0.1  reach 0.1 }", ["(0)"] * 64, []),
        ("continuous (0 .. 1) { step 0.1  reach 0.1 }", ["(0)"] * 65, ["H067"]),
        ("grid 9 x 9", ["random"] * 80, []),
        ("grid 9 x 9", ["random"] * 81, ["H045"]),
    ],
)
def test_room(space: str, places: list[str], expected: list[str]) -> None:
    assert within(space, "".join(BEDS.format(number, place) for number, place in enumerate(places))) == expected


MAP = 'grid map\nmap {{ "{0}.#{0}" "{0}..." wall "#" {1} }}'
STARTS = MAP.format("a", 'starts "a"')
STARTS_IN = MAP.format("a", 'starts in far region far "a"')


@pytest.mark.parametrize(
    ("space", "agents", "others", "expected"),
    [
        ("grid 4", 3, False, []),
        ("grid 4", 4, False, ["H045"]),
        ("grid 4", 3, True, ["H045"]),
        ("grid 4 { starts anywhere }", 9, True, []),
        (MAP.format(".", ""), 6, False, []),
        (MAP.format(".", ""), 6, True, ["H045"]),
        (STARTS, 3, False, []),
        (STARTS, 3, True, ["H045"]),
        (STARTS_IN, 2, True, []),
        (STARTS_IN, 3, True, ["H045"]),
        ("graph { home - road  road - shop }", 2, False, []),
        ("graph { home - road  road - shop }", 2, True, ["H045"]),
        ("graph { home - road  road - shop  starts home }", 9, True, []),
    ],
)
def test_room_for_all_agents_of_roles(space: str, agents: int, others: bool, expected: list[str]) -> None:
    roles = f"role cat: {agents} agents\n" + ("role dog: others\n" if others else "")
    assert within(space, roles + BEDS.format(1, "random")) == expected


def test_a_large_grid_deals_its_first_axes() -> None:
    sizes = " x ".join(["2"] * 3 + ["16384"] * 2)
    beds = "".join(BEDS.format(number, "random") for number in range(64))
    assert within(f"grid {sizes} {{ places stored }}", beds) == []
    assert within("grid 16 x 16384 x 16384 { places stored }", beds) == []
    assert within("grid 16 x 1 { places stored }", beds) == ["H045"]


def test_the_metric_of_a_continuous_space_is_used_by_reach() -> None:
    assert within("continuous (0 .. 1) { step 0.1  reach 0.1  distance manhattan }") == []


@pytest.mark.parametrize(
    ("observed", "expected"),
    [
        ("grid", ["H055"]),
        ("window 1", ["H055"]),
        ("position relative  velocity  speed", []),
        ("velocity y  velocity x", []),
        ("velocity y  velocity", ["H024"]),
        ("velocity z", ["H065"]),
        ("velocity y y", ["H024"]),
    ],
)
def test_observing_a_continuous_space(observed: str, expected: list[str]) -> None:
    base = f"universe small\nspace continuous {PLANE} {{ step 0.5  reach 1 }}\n{REST}"
    assert codes(base=base.replace("meters", observed)) == expected


@pytest.mark.parametrize("observed", ["grid", "window 1", "position relative", "velocity", "speed"])
def test_observing_no_space(observed: str) -> None:
    assert codes(base=f"universe small\nspace none\n{REST}".replace("meters", observed)) == ["H055"]


def test_velocity_is_state_where_something_reads_it() -> None:
    assert not made("grid 4 x 4").velocity
    assert made("grid 4 x 4", "report fast: velocity x").velocity
    assert made("grid 4 x 4", "rule tire: speed > 0 -> energy -= 0.1").velocity
    assert made("grid 4 x 4", "allow REST when velocity y == 0").velocity
    observed = checked(f"universe small\nspace grid 4 x 4\n{REST}".replace("meters", "speed"))[0]
    assert observed is not None
    assert observed.velocity


def test_an_error_in_the_space_is_the_only_one() -> None:
    base = BASE.replace("grid 4 x 4", "grid 0 x 4").replace("grid  meters", "grid  velocity z  meters")
    assert codes(
        "reward position z\nallow NORTH when mood > 0.5\naffordance Sofa at (9) { instantly { mood += 0.1 } }", base
    ) == ["H033"]
