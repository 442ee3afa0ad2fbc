"""The phases of a tick on the interpreter, each against values worked out by hand in binary32."""

from __future__ import annotations

import numpy as np
import pytest

from hamlet.universe import (
    Affordance,
    After,
    Age,
    Assign,
    Cascade,
    Cause,
    Clock,
    Deficit,
    Edges,
    Every,
    Here,
    Hour,
    Hours,
    If,
    Lifespan,
    Mask,
    Meter,
    Rule,
    Shortfall,
    Together,
    Unary,
)
from samples.by_hand import (
    SPAN,
    Player,
    binary,
    custom,
    f32,
    grid,
    meter,
    number,
    place,
    reward,
    rule,
    universe,
    value,
    write,
)

# --- act -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ("clamp", {-7: 0, -1: 0, 4: 4, 5: 4, 9: 4, 12: 4}),
        ("wrap", {-7: 3, -1: 4, 4: 4, 5: 0, 9: 4, 12: 2}),
        ("sticky", {-7: 2, -1: 2, 4: 4, 5: 2, 9: 2, 12: 2}),
        ("bounce", {-7: 1, -1: 1, 4: 4, 5: 3, 9: 0, 12: 0}),
    ],
)
def test_edges(edges: Edges, expected: dict[int, int]) -> None:
    """From cell 2 of 5 to where the displacement leads."""
    for target, cell in expected.items():
        jump = custom("JUMP", move=(target - 2,))
        player = Player(universe(space=grid(5, edges=edges), actions=(jump,)))
        assert player.set("position", 2).do("JUMP").position == [(cell,)], (edges, target)


def test_moves_along_each_axis() -> None:
    space = grid(3, 4, 5)
    moves = {"UP": (1, 0, 1), "DOWN": (1, 2, 1), "LEFT": (0, 1, 1), "RIGHT": (2, 1, 1), "UP_Z": (1, 1, 0)}
    for move, cell in moves.items():
        assert Player(universe(space=space)).set("position", 1).do(move).position == [cell]


def test_a_custom_action_runs_its_statements_where_it_was_then_moves_then_teleports() -> None:
    pays_here = write("+=", If(Here("Spot", SPAN), number(0.25), number(0.0), SPAN))
    go = custom("GO", pays_here, move=(1,))
    home = custom("HOME", needs=binary(">", value(), number(0.6)), move=(1,), teleport=(4,))
    player = Player(universe(actions=(go, home), affordances=(place("Spot", (1,)),))).set("position", 1)
    assert player.do("GO").meter() == [f32(0.75)]
    assert player.position == [(2,)]
    assert player.do("HOME").position == [(4,)]
    player.set("meters", 0.5).set("position", 0)
    assert player.do("HOME").position == [(0,)]
    assert player.coverage.counts["action HOME: refused"] == 1


def test_moving_costs_also_into_a_wall() -> None:
    player = Player(universe(meters=(meter(move=0.1),))).set("position", 0).do("LEFT")
    assert player.meter() == [f32(0.5) - f32(0.1)]
    assert player.do("WAIT", "INTERACT").meter() == [f32(0.5) - f32(0.1)]
    assert player.coverage.counts["action LEFT: at the edge"] == 1


# --- interact --------------------------------------------------------------------------------------------------------


def lasting(duration: int, **fields: object) -> Affordance:
    return place(
        "Job", (1,), duration=duration, each_tick=(write("+=", 0.01),), on_completion=(write("+=", 0.1),), **fields
    )


def test_a_lasting_affordance_is_used_tick_by_tick() -> None:
    player = Player(universe(affordances=(lasting(3),))).set("position", 1)
    expected = f32(0.5)
    for engaged, progress in ((0, 1), (0, 2), (-1, 0), (0, 1)):
        player.do("INTERACT")
        expected += f32(0.01)
        expected += f32(0.1) if engaged < 0 else f32(0.0)
        assert (player["engaged"], player["progress"]) == (engaged, progress)
        assert player.meter() == [expected]
        assert player["used"] == [0]
    player.do("WAIT")
    assert (player["engaged"], player["progress"], player["used"]) == (0, 1, -1)
    player.do("RIGHT")
    assert (player["engaged"], player["progress"]) == (-1, 0)
    player.do("LEFT", "INTERACT")
    assert (player["engaged"], player["progress"]) == (0, 1)


def test_moving_into_a_wall_keeps_progress() -> None:
    player = Player(universe(affordances=(place("Job", (0,), duration=3, on_completion=(write("+=", 0.1),)),)))
    player.set("position", 0).do("INTERACT", "LEFT")
    assert (player["engaged"], player["progress"]) == (0, 1)


def test_an_affordance_of_one_tick_completes_at_once() -> None:
    player = Player(universe(affordances=(lasting(1),))).set("position", 1).do("INTERACT")
    assert player.meter() == [f32(0.5) + f32(0.01) + f32(0.1)]
    assert (player["engaged"], player["progress"]) == (-1, 0)


def test_needs_refuse_but_interacting_costs() -> None:
    shop = place("Shop", (1,), write("+=", 0.25), needs=binary(">=", value(), number(0.45)))
    player = Player(universe(meters=(meter(interact=0.1),), affordances=(shop,))).set("position", 1).do("INTERACT")
    assert player.meter() == [f32(0.5) - f32(0.1)]
    assert player["used"] == [-1]
    assert player.coverage.counts["affordance Shop: refused"] == 1


@pytest.mark.parametrize(
    ("hours", "open_at"), [(Hours(1, 3), {1, 2}), (Hours(3, 1), {3, 0}), (Hours(0, 4), {0, 1, 2, 3})]
)
def test_opening_hours(hours: Hours, open_at: set[int]) -> None:
    shop = place("Shop", (1,), write("+=", 0.01), hours=hours)
    player = Player(universe(clock=Clock(4, SPAN), affordances=(shop,))).set("position", 1)
    for tick in range(8):
        assert player["hour"] == [tick % 4]
        assert player.mask("INTERACT") == [tick % 4 in open_at]
        assert (player.do("INTERACT")["used"][0] == 0) == (tick % 4 in open_at)


# --- statements, rules, cascades -------------------------------------------------------------------------------------


def test_each_statement_clamps_unless_told_not_to() -> None:
    statements = (write("+=", 0.8), write("-=", 0.3), write("+=", 0.9, clamped=False))
    player = Player(universe(dynamics=(Rule("r", None, statements, SPAN),))).do("WAIT")
    assert player.meter() == [f32(1.0) - f32(0.3) + f32(0.9)]


def test_together_clamps_once_at_its_end() -> None:
    inner = (write("+=", 0.8, clamped=False), write("-=", 0.9, clamped=False), write("=", 7.0, "n", clamped=False))
    player = Player(
        universe(meters=(meter(), meter("n")), dynamics=(Rule("r", None, (Together(inner, SPAN),), SPAN),))
    ).do("WAIT")
    assert player.meter() == [f32(0.5) + f32(0.8) - f32(0.9)]
    assert player.meter("n") == [f32(1.0)]


def test_a_guard_is_tested_once_and_sees_earlier_writes() -> None:
    first = Rule("first", None, (write("=", 0.2),), SPAN)
    statements = (write("+=", 0.5), write("+=", 0.1))
    second = Rule("second", binary("<", value(), number(0.3)), statements, SPAN)
    never = Rule("never", binary("<", value(), number(0.3)), (write("=", 0.0),), SPAN)
    player = Player(universe(dynamics=(first, second, never))).do("WAIT")
    assert player.meter() == [f32(0.2) + f32(0.5) + f32(0.1)]
    assert player.coverage.never_fired == ("action LEFT", "action RIGHT", "action INTERACT", "action LEFT: at the edge",
        "action RIGHT: at the edge", "rule never")  # fmt: skip


def test_a_cascade_measures_when_it_is_tested() -> None:
    body = (
        write("+=", 0.5),
        Assign("n", "-=", Deficit(SPAN), True, SPAN),
        Assign("o", "-=", Shortfall(SPAN), True, SPAN),
    )
    cascade = Cascade("c", "m", 0.6, body, SPAN)
    player = Player(universe(meters=(meter(), meter("n"), meter("o")), dynamics=(cascade,))).do("WAIT")
    shortfall = f32(0.6) - f32(0.5)
    assert player.meter("n") == [f32(0.5) - shortfall / f32(0.6)]
    assert player.meter("o") == [f32(0.5) - shortfall]
    again = player.do("WAIT").meter("o")
    assert again == [f32(0.5) - shortfall]


def test_decay_comes_before_rules_in_file_order() -> None:
    decaying = (meter(decay=0.1), Meter("n", 0.5, 0.0, 1.0, value(), None, None, SPAN))
    rule = Rule("r", None, (Assign("o", "=", binary("+", value(), value("n")), True, SPAN),), SPAN)
    player = Player(universe(meters=(*decaying, meter("o")), dynamics=(rule,))).do("WAIT")
    m = f32(0.5) - f32(0.1)
    n = f32(0.5) - m
    assert (player.meter(), player.meter("n"), player.meter("o")) == (m, n, m + n)


def test_age_and_hour_in_rules_are_those_before_the_tick() -> None:
    rule = Rule("r", None, (write("=", binary("/", binary("+", Age(SPAN), Hour(SPAN)), number(10.0))),), SPAN)
    player = Player(universe(clock=Clock(3, SPAN), dynamics=(rule,)))
    for age in range(5):
        assert player.do("WAIT").meter() == [f32(age + age % 3) / f32(10.0)]


# --- death, lifespan, reward -----------------------------------------------------------------------------------------

STARVES = Cause("m <= 0.3", binary("<=", value(), number(0.3)), SPAN)
FREEZES = Cause("m <= 0.4", binary("<=", value(), number(0.4)), SPAN)


def test_the_first_cause_in_file_order_counts() -> None:
    doomed = universe(meters=(meter(start=0.3),), causes=(STARVES, FREEZES))
    assert Player(doomed).do("WAIT")["cause"] == [0]
    player = Player(doomed).set("meters", 0.35).do("WAIT")
    assert (player["cause"], player["terminated"], player["truncated"]) == (1, True, False)
    player = Player(doomed).set("meters", 0.5).do("WAIT")
    assert (player["cause"], player["terminated"], player["reward"]) == (-1, False, f32(0.5))


def test_death_is_not_rewarded_and_a_full_life_is() -> None:
    mortal = universe(
        causes=(STARVES,), lifespan=Lifespan(2, 0.25, SPAN), rewards=reward(binary("+", value(), Age(SPAN)))
    )
    player = Player(mortal).do("WAIT")
    assert player["reward"] == [f32(1.5)]
    player.do("WAIT")
    assert (player["truncated"], player["terminated"], player["cause"]) == (True, False, 1)
    assert player["reward"] == [f32(2.5) + f32(0.25)]
    player.do("WAIT").set("meters", 0.1).do("WAIT")
    assert (player["truncated"], player["terminated"], player["cause"], player["reward"]) == (False, True, 0, 0.0)


def test_the_reward_sees_the_new_position_and_the_old_hour() -> None:
    pay = If(Here("Spot", SPAN), number(1.0), Unary("-", Hour(SPAN), SPAN), SPAN)
    player = Player(universe(affordances=(place("Spot", (1,)),), clock=Clock(4, SPAN), rewards=reward(pay))).set(
        "position", 0
    )
    assert player.do("WAIT")["reward"] == [f32(0.0)]
    assert np.signbit(player["reward"])
    assert player.do("RIGHT")["reward"] == [1.0]
    assert player.do("RIGHT")["reward"] == [-2.0]


# --- the number of a tick --------------------------------------------------------------------------------------------


def test_time_counts_the_tick_that_runs_in_rules_and_in_rewards() -> None:
    """Masks are about the tick to come: at the beginning that is the first."""
    third, late = Every(3, SPAN), After(4, SPAN)
    body = (rule(write("=", 0.75), guard=third), rule(write("=", 0.25), guard=Unary("not", third, SPAN), name="s"))
    paid = tuple(If(condition, number(1.0), number(0.0), SPAN) for condition in (third, late))
    masks = (Mask(("WAIT",), third, SPAN), Mask(("INTERACT",), late, SPAN))
    player = Player(universe(dynamics=body, rewards=reward(*paid), masks=masks), agents=2)
    assert player.buffers.mask[2:].T.tolist() == [[False, False]] * 2
    seen = []
    for _ in range(7):
        player.do("WAIT")
        seen.append((player.meter()[0], player["reward"][1], *player.buffers.mask[2:, 0].tolist()))
    assert seen == [
        (0.25, 0, False, False),
        (0.25, 0, False, True),
        (0.75, 1, False, False),
        (0.25, 0, True, False),
        (0.25, 1, True, True),
        (0.75, 2, True, False),
        (0.25, 1, True, False),
    ]
