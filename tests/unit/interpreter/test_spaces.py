"""Grids of many axes, continuous spaces, no space: moves, distances, who is where."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hamlet import schema
from hamlet.universe import (
    Clock,
    Coordinate,
    Distance,
    Edges,
    Here,
    If,
    Metric,
    Move,
    NoSpace,
    Speed,
    StraightDistance,
    Universe,
    Velocity,
)
from samples.by_hand import (
    SPAN,
    Player,
    binary,
    continuous,
    custom,
    f32,
    grid,
    meter,
    number,
    place,
    report,
    reward,
    shown,
    universe,
    value,
    write,
)

# --- continuous spaces -----------------------------------------------------------------------------------------------

LOW, HIGH = -0.3, 1.1
L, H = f32(LOW), f32(HIGH)
SIZE = f32(HIGH - LOW)


def line(edges: Edges, by: float = 0.45, **fields: Any) -> Universe:
    moves = (Move("BACK", (-by,)), Move("ON", (by,)))
    return universe(**{"space": continuous((LOW, HIGH), edges=edges), "moves": moves} | fields)


def exact_remainder(value: Any, size: Any) -> Any:
    """docs/semantics.md: the remainder with the sign of the value, exactly; plus the size, rounded, where negative."""
    whole, part = Fraction(float(value)), Fraction(float(size))
    rest = abs(whole) - abs(whole) // part * part
    rest = f32(float(-rest if whole < 0 else rest))
    return rest + size if rest < 0 else rest


def moved(x: Any, by: Any, edges: Edges) -> Any:
    to = x + by
    match edges:
        case "clamp":
            return L if to < L else H if to > H else to
        case "sticky":
            return x if to < L or to > H else to
        case "wrap":
            return exact_remainder(to - L, SIZE) + L
        case "bounce":
            there = exact_remainder(to - L, SIZE + SIZE)
            return (SIZE + SIZE - there if there >= SIZE else there) + L


@pytest.mark.parametrize("edges", ["clamp", "wrap", "sticky", "bounce"])
@pytest.mark.parametrize("by", [0.45, 0.1, 1.4, 3.9, 100.3, 1e-9])
def test_edges(edges: Edges, by: float) -> None:
    """From both ends, next to them, zero and in between, both ways; and where a step of 0 leads."""
    starts = np.array([LOW, HIGH, 0.0, -0.0, 0.4, np.nextafter(L, f32(2)), np.nextafter(H, f32(0)), 0.7], f32)
    player = Player(line(edges, by), worlds=len(starts))
    for action, delta in (("ON", f32(by)), ("BACK", -f32(by)), ("WAIT", f32(0)), ("INTERACT", f32(0))):
        player.set("position", starts[None]).do(action)
        expected = np.array([moved(x, delta, edges) for x in starts], f32)
        assert player["position"][0].view(np.int32).tolist() == expected.view(np.int32).tolist(), action


def test_waiting_at_the_upper_end_of_a_wrapping_space_leads_to_the_lower() -> None:
    """A displacement of 0 is one: edges apply to it."""
    wrapping = universe(space=continuous((0.0, 2.0), edges="wrap"))
    assert Player(wrapping).set("position", 2.0).do("WAIT").position == [(0.0,)]
    hop = custom("HOP", write("=", 0.25))
    player = Player(universe(space=continuous((0.0, 2.0), edges="wrap"), actions=(hop,))).set("position", 2.0)
    assert player.do("HOP").position == [(2.0,)]


def test_the_ends_belong_to_a_sticky_space() -> None:
    world = universe(space=continuous((0.0, 2.0), edges="sticky"), moves=(Move("BACK", (-0.5,)), Move("ON", (0.5,))))
    assert Player(world).set("position", 0.5).do("BACK").position == [(0.0,)]
    assert Player(world).set("position", 1.5).do("ON").position == [(2.0,)]


def test_custom_moves_and_teleports() -> None:
    jump, home = custom("JUMP", move=(0.7,)), custom("HOME", teleport=(-0.3,), move=(0.7,))
    player = Player(line("clamp", actions=(jump, home))).set("position", 0.2)
    assert player.do("JUMP").position == [(f32(0.2) + f32(0.7),)]
    assert player.do("JUMP").position == [(H,)]
    assert player.do("HOME").position == [(L,)]


def test_velocity_is_what_the_move_added() -> None:
    watch = (shown("velocity.x", Velocity("x", SPAN)), shown("speed", Speed(SPAN)))
    terms = reward(Velocity("x", SPAN), Speed(SPAN))
    world = line("clamp", velocity=True, observations=watch, rewards=terms, actions=(custom("JUMP", move=(0.2,)),))
    player = Player(world).set("position", 0.9).do("BACK")
    x = f32(0.9) - f32(0.45)
    assert player["velocity"] == [[x - f32(0.9)]]
    assert player["reward"] == [(x - f32(0.9)) + abs(x - f32(0.9))] == [0.0]
    assert player.seen == [x - f32(0.9), f32(0.9) - x]
    player.do("ON", "ON")
    assert player["velocity"] == [[H - (x + f32(0.45))]]
    assert player.do("ON")["velocity"] == [[0.0]]
    assert player.do("BACK", "JUMP")["velocity"] == [[0.0]]


def test_velocity_on_a_grid_is_a_whole_number_also_around_edges() -> None:
    player = Player(universe(space=grid(5, 4, edges="wrap"), velocity=True)).set("position", 0).do("LEFT")
    assert player["velocity"].T.tolist() == [[4.0, 0.0]]
    assert player.do("DOWN")["velocity"].T.tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("metric", ["manhattan", "euclidean", "chebyshev"])
def test_distances(metric: Metric) -> None:
    """Each operation rounded, from the first axis on; edges do not matter. The straight one is a length."""
    there = (0.3, 0.1, 0.7, 0.9, 0.2)
    bounds = [(0.0, 1.0)] * 5
    spot = place("Spot", there, write("+=", 0.1))
    world = universe(
        space=continuous(*bounds, reach=0.6, metric=metric, edges="wrap"),
        affordances=(spot,),
        reports=report(far=Distance("Spot", SPAN), straight=StraightDistance("Spot", SPAN)),
    )
    player = Player(world, worlds=200)
    x = np.random.default_rng(0).random((5, 200)).astype(f32)
    player.set("position", x)
    player.buffers.state["places"].copy_(player.buffers.state["places"][:, :1].expand(5, 200))
    player.do("INTERACT")
    d = player["position"] - np.array(there, f32)[:, None]
    by_hand = {
        "manhattan": (((abs(d[0]) + abs(d[1])) + abs(d[2])) + abs(d[3])) + abs(d[4]),
        "chebyshev": abs(d).max(0),
        "euclidean": np.sqrt((((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]) + d[3] * d[3]) + d[4] * d[4]),
    }
    assert np.array_equal(player.report("far"), by_hand[metric])
    # the fifth square is exact in binary64, and so nearly is its sum: rounding twice hardly ever shows
    four = ((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]) + d[3] * d[3]
    fused = np.sqrt((four.astype(float) + d[4].astype(float) ** 2).astype(f32))
    assert np.array_equal(player.report("straight"), fused)
    assert np.array_equal(player["used"] == 0, by_hand[metric] <= f32(0.6))
    assert 0 < (player["used"] == 0).sum() < 200


def test_the_reach_is_included() -> None:
    world = universe(space=continuous((0.0, 4.0), reach=0.75), affordances=(place("Spot", (2.0,), write("+=", 0.1)),))
    beyond = np.nextafter(f32(2.75), f32(3))
    player = Player(world, worlds=4).set("position", [[2.75, beyond, 1.25, 1.2499999]])
    assert player.mask("INTERACT") == [True, False, True, False]
    assert player.do("INTERACT")["used"].tolist() == [0, -1, 0, -1]


def test_moves_are_never_masked_in_a_continuous_space() -> None:
    player = Player(line("clamp")).set("position", HIGH)
    assert player.mask("ON") == [True]


# --- grids of many axes ----------------------------------------------------------------------------------------------


def test_a_grid_of_seven_axes() -> None:
    sizes = (3, 4, 2, 5, 3, 2, 6)
    by = [tuple(float(sign * (axis == along)) for axis in range(7)) for along in range(7) for sign in (-1, 1)]
    moves = tuple(Move(f"M{index}", delta) for index, delta in enumerate(by))
    spot = (1, 2, 0, 4, 2, 1, 5)
    world = universe(
        space=grid(*sizes),
        moves=moves,
        affordances=(place("Spot", spot, write("+=", 0.1)),),
        reports=report(far=Distance("Spot", SPAN), last=Coordinate("x6", SPAN)),
    )
    assert schema.axes(world) == ("x0", "x1", "x2", "x3", "x4", "x5", "x6")
    player = Player(world)
    player.buffers.state["position"][:, 0] = player.buffers.state["position"].new_tensor(spot)
    assert player.do("INTERACT")["used"] == [0]
    assert player.do("M12").position == [(1, 2, 0, 4, 2, 1, 4)]
    assert (player.report("far"), player.report("last")) == ([1.0], [4.0])
    assert player.do("INTERACT")["used"] == [-1]
    assert player.do("M13").position == [spot]
    assert player.do("M13").position == [spot]
    assert player.do("M4")["reports"].T.tolist() == [[0.0, 5.0]]


def test_many_cells_have_several_words() -> None:
    """100 axes: places are compared word by word, and coordinates come back from them."""
    space = grid(*[5] * 100, places="stored")
    assert len(schema.cell_words(space)) == 8
    there = tuple(float(axis % 5) for axis in range(100))
    spots = (place("Here", there, write("+=", 0.1)), place("There", (4.0,) * 100, write("+=", 0.1)))
    moves = (Move("BACK", (0.0,) * 99 + (-1.0,)),)
    reports = report(near=Distance("Here", SPAN), far=Distance("There", SPAN), straight=StraightDistance("There", SPAN))
    player = Player(universe(space=space, moves=moves, affordances=spots, reports=reports))
    player.buffers.state["position"][:, 0] = player.buffers.state["position"].new_tensor(there)
    assert player.do("INTERACT")["used"] == [0]
    assert player["reports"].T.tolist() == [[0.0, 200.0, f32(np.sqrt(f32(20 * (16 + 9 + 4 + 1))))]]
    assert player.do("BACK")["reports"][0] == [1.0]
    assert player.do("INTERACT")["used"] == [-1]


def test_a_move_that_goes_nowhere_costs_nothing_and_is_never_masked() -> None:
    moves = (Move("STAY", (0.0, 0.0)), Move("NE", (1.0, -1.0)), Move("N", (0.0, -1.0)))
    player = Player(universe(space=grid(3, 3), moves=moves, meters=(meter(move=0.1),)))
    player.set("position", 2, 0).set("position", 0, 1)
    assert [player.mask(name) for name in ("STAY", "NE", "N")] == [[True], [False], [False]]
    assert player.do("STAY").meter() == [f32(0.5)]
    assert player.do("NE").meter() == [f32(0.5) - f32(0.1)]
    assert player.set("position", 1).do("NE").position == [(2, 0)]


def test_straight_distance_on_a_grid_goes_through_no_edge() -> None:
    space = grid(7, 5, edges="wrap", metric="manhattan")
    reports = report(around=Distance("Spot", SPAN), straight=StraightDistance("Spot", SPAN))
    player = Player(universe(space=space, affordances=(place("Spot", (6, 0)),), reports=reports))
    player.set("position", 0, 0).set("position", 4, 1).do("WAIT")
    assert player["reports"].T.tolist() == [[2.0, f32(np.sqrt(f32(52)))]]


# --- no space --------------------------------------------------------------------------------------------------------


def test_without_a_space_everything_is_within_reach() -> None:
    spots = (place("A", None, write("+=", 0.1)), place("B", None, write("+=", 0.2)))
    reports = report(far=Distance("A", SPAN), straight=StraightDistance("B", SPAN), speed=Speed(SPAN))
    world = universe(space=NoSpace(SPAN), affordances=spots, reports=reports, clock=Clock(3, SPAN))
    player = Player(world, worlds=3, agents=2)
    assert schema.action_names(world) == ("INTERACT", "WAIT")
    assert player.mask("INTERACT") == [True] * 6
    player.do("INTERACT")
    assert player["used"].tolist() == [1] * 6
    assert player.meter().tolist() == [f32(0.5) + f32(0.1) + f32(0.2)] * 6
    assert not player["reports"].any()
    assert "position" not in player.buffers.state


# --- several affordances at once -------------------------------------------------------------------------------------


def test_all_affordances_of_a_place_work_in_file_order() -> None:
    """The second one sees what the first one wrote; the used one is the last that worked."""
    rich = binary(">=", value(), number(0.7))
    spots = (
        place("A", (1,), write("+=", 0.25)),
        place("B", (1,), write("=", 0.9), needs=rich),
        place("C", (1,), write("=", 0.0), needs=binary("<", value(), number(0.0))),
    )
    seen = If(Here("C", SPAN), number(1.0), number(0.0), SPAN)
    player = Player(universe(space=grid(5, places="stored"), affordances=spots, rewards=reward(seen)))
    player.set("position", 1).do("INTERACT")
    assert (player.meter(), player["used"], player["reward"]) == ([f32(0.9)], [1], [1.0])
    assert player.coverage.counts["several affordances at once"] == 1
    player.set("meters", 0.2).do("INTERACT")
    assert (player.meter(), player["used"]) == ([f32(0.2) + f32(0.25)], [0])
    player.set("position", 2).do("INTERACT")
    assert player["used"] == [-1]


def test_two_that_last_take_turns_in_being_engaged() -> None:
    spots = tuple(place(name, (1,), duration=3, each_tick=(write("+=", 0.01),)) for name in "AB")
    player = Player(universe(space=grid(5, places="stored"), affordances=spots)).set("position", 1)
    for _ in range(4):
        player.do("INTERACT")
        assert (player["engaged"], player["progress"], player["used"]) == ([1], [1], [1])
