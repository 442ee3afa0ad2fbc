"""What agents remember of their uses, and where a lasting affordance was begun."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hamlet import schema
from hamlet.universe import ActionTaken, Here, If, LastUse, Move, Streak, Tracking, Universe, Used, Visited
from samples.by_hand import (
    SPAN,
    Player,
    binary,
    continuous,
    custom,
    f32,
    grid,
    number,
    place,
    report,
    universe,
    value,
    write,
)

BED, SHOP, SHUT = (
    place("Bed", (1.0,), write("+=", 0.01)),
    place("Shop", (2.0,), write("+=", 0.01)),
    place("Shut", (3.0,), write("+=", 0.01), needs=binary("<", value(), number(0.0))),
)
REPORTS = report(
    bed=Streak("Bed", SPAN),
    shop=Streak("Shop", SPAN),
    visited=Visited(SPAN),
    last_bed=If(LastUse("Bed", SPAN), number(1.0), number(0.0), SPAN),
    last_none=If(LastUse(None, SPAN), number(1.0), number(0.0), SPAN),
)


def tracked(by: Any = "agent", **fields: Any) -> Universe:
    usual = {"affordances": (BED, SHOP, SHUT), "reports": REPORTS}
    return universe(tracking=Tracking(by, SPAN), **(usual | fields))


def test_streaks_last_and_seen() -> None:
    player = Player(tracked()).set("position", 1)
    assert player.do("WAIT")["reports"].T.tolist() == [[0, 0, 0, 0, 1]]
    for position, action, reported in (
        (1, "INTERACT", [1, 0, 1, 1, 0]),
        (1, "INTERACT", [2, 0, 1, 1, 0]),
        (1, "WAIT", [2, 0, 1, 1, 0]),
        (1, "INTERACT", [3, 0, 1, 1, 0]),
        (2, "INTERACT", [0, 1, 2, 0, 0]),
        (1, "INTERACT", [1, 0, 2, 1, 0]),
        # wasted, beside everything and refused: nothing is the last use, but streaks stay
        (0, "INTERACT", [1, 0, 2, 0, 1]),
        (3, "INTERACT", [1, 0, 2, 0, 1]),
        # so that the same again begins anew
        (1, "INTERACT", [1, 0, 2, 1, 0]),
        (1, "RIGHT", [1, 0, 2, 1, 0]),
    ):
        assert player.set("position", position).do(action)["reports"].T.tolist() == [reported], (position, action)
    assert player["streaks"].T.tolist() == [[1, 0, 0]]
    assert player["seen"].T.tolist() == [[True, True, False]]
    assert player["last"] == [0]


def test_an_episode_begins_with_an_empty_memory() -> None:
    player = Player(tracked()).set("position", 1).do("INTERACT")
    player.backend.reset(player.buffers, player.stream)
    assert (player["last"], player["streaks"].any(), player["seen"].any()) == ([-1], False, False)


@pytest.mark.parametrize(("by", "expected"), [("agent", [0, 1, -1]), ("world", [0, -1, -1])])
def test_by_world_others_forget_when_one_interacts(by: str, expected: list[int]) -> None:
    """Agent 0 uses the bed, agent 1 used the shop before and waits now, agent 2 never used anything."""
    player = Player(tracked(by), worlds=2, agents=3)
    player.set("position", [1, 2, 0, 1, 2, 0]).do(["WAIT", "INTERACT", "WAIT"] * 2)
    assert player["last"].tolist() == [-1, 1, -1] * 2
    player.do(["INTERACT", "WAIT", "WAIT"] + ["WAIT"] * 3)
    assert player["last"].tolist() == [*expected, -1, 1, -1]
    assert player["streaks"].T.tolist()[1] == [0, 1, 0]


def test_by_world_the_dead_do_not_count() -> None:
    player = Player(tracked("world"), agents=2).set("position", [1, 2]).do("INTERACT")
    player.set("alive", [True, False]).do(["WAIT", "INTERACT"])
    assert player["last"].tolist() == [0, 1]


def test_the_last_of_several_at_once_is_remembered() -> None:
    spots = (BED, replace(SHOP, place=(1.0,)))
    player = Player(tracked(space=grid(5, places="stored"), affordances=spots)).set("position", 1).do("INTERACT")
    assert player["last"] == [1]
    assert player["seen"].T.tolist() == [[False, True]]


def test_without_tracking_there_is_no_memory() -> None:
    names = {field.name for field in schema.state_fields(universe(affordances=(BED,)))}
    assert not names & {"last", "streaks", "seen", "used_at"}


# --- the action and the uses of a tick --------------------------------------------------------------------------------


def told(**conditions: Any) -> Any:
    """Reports that are 1 where a condition holds."""
    ones = {name: If(condition, number(1.0), number(0.0), SPAN) for name, condition in conditions.items()}
    return report(**ones)


USED = told(bed=Used("Bed", SPAN), shop=Used("Shop", SPAN), nothing=Used(None, SPAN))


def test_what_was_used_in_this_tick() -> None:
    player = Player(universe(affordances=(BED, SHOP, SHUT), reports=USED))
    for position, action, reported in (
        (1, "INTERACT", [1, 0, 0]),
        (1, "WAIT", [0, 0, 1]),
        (2, "INTERACT", [0, 1, 0]),
        (3, "INTERACT", [0, 0, 1]),
        (0, "INTERACT", [0, 0, 1]),
    ):
        assert player.set("position", position).do(action)["reports"].T.tolist() == [reported], (position, action)


def test_each_of_several_at_once_was_used() -> None:
    spots = (BED, replace(SHOP, place=(1.0,)), replace(SHUT, place=(1.0,)))
    player = Player(universe(space=grid(5, places="stored"), affordances=spots, reports=USED)).set("position", 1)
    assert player.do("INTERACT")["reports"].T.tolist() == [[1, 1, 0]]
    assert player["used"] == [1]
    assert player.do("WAIT")["reports"].T.tolist() == [[0, 0, 1]]


def test_the_action_that_was_chosen() -> None:
    """Also one whose `needs` does not hold, and a move against an edge; by hand also that of the dead."""
    names = ("LEFT", "RIGHT", "INTERACT", "WAIT", "TRY")
    taken = told(**{name: ActionTaken(name, SPAN) for name in names})
    action = custom("TRY", write("+=", 0.1), needs=binary("<", value(), number(-1.0)))
    player = Player(universe(actions=(action,), reports=taken, by_hand=True), agents=len(names))
    player.set("alive", [True, False, True, False, True]).do(list(names))
    assert player["reports"].T.tolist() == [[float(a == b) for b in names] for a in names]


# --- used_at ---------------------------------------------------------------------------------------------------------

JOB = place("Job", (1.0,), duration=3, each_tick=(write("+=", 0.01),), on_completion=(write("+=", 0.1),))


def wide(**fields: Any) -> Universe:
    """A job with a reach, and a way to step aside without leaving it."""
    space = continuous((0.0, 4.0), reach=0.5)
    aside = custom("ASIDE", move=(0.25,), keeps_progress=True)
    return universe(space=space, moves=(Move("ON", (0.25,)),), affordances=(JOB,), actions=(aside,), **fields)


def test_keeping_progress_on_the_way() -> None:
    player = Player(wide()).set("position", 0.75).do("INTERACT", "ASIDE")
    assert (player["engaged"], player["progress"]) == ([0], [1])
    assert player.coverage.counts["progress kept on the way"] == 1
    assert player.do("INTERACT")["progress"] == [2]
    assert player.do("ON")["engaged"] == [-1]
    assert player["progress"] == [0]


def test_with_tracking_an_affordance_goes_on_only_where_it_was_begun() -> None:
    player = Player(wide(tracking=Tracking("agent", SPAN))).set("position", 0.75).do("INTERACT")
    assert player["used_at"] == [[0.75]]
    assert player.do("INTERACT")["progress"] == [2]
    player.do("ASIDE")
    assert (player["engaged"], player["progress"], player["used_at"]) == ([0], [2], [[0.75]])
    player.do("INTERACT")
    assert (player["engaged"], player["progress"], player["used_at"]) == ([0], [1], [[1.0]])
    assert player.do("INTERACT", "INTERACT")["progress"] == [0]
    expected = f32(0.5)
    for _ in range(5):
        expected += f32(0.01)
    assert player.meter() == [expected + f32(0.1)]


def test_here_counts_after_stepping_aside() -> None:
    seen = report(here=If(Here("Job", SPAN), number(1.0), number(0.0), SPAN))
    player = Player(wide(reports=seen)).set("position", 1.25)
    assert player.do("ASIDE").report("here") == [1.0]
    assert player.do("ASIDE").report("here") == [0.0]
