"""Inputs, previous values, times of day, lasting for ever, together, rewards and reports, masks, episodes by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hamlet.backend.buffers import allocate_statistics
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.interpreter import Trace
from hamlet.universe import (
    Age,
    Assign,
    Cause,
    Clock,
    Coordinate,
    DayTime,
    Expression,
    Here,
    Hour,
    If,
    Input,
    InputValue,
    Lifespan,
    Mask,
    ObserveBlank,
    ObserveConstant,
    ObserveGrid,
    ObserveHere,
    ObserveWindow,
    Param,
    ParamValue,
    Previous,
    Progress,
    Reward,
    Truth,
    Unary,
    Universe,
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
    report,
    reward,
    rule,
    shown,
    universe,
    value,
    write,
)

# --- expressions -----------------------------------------------------------------------------------------------------


def test_inputs_are_per_lane() -> None:
    world = universe(inputs=(Input("bonus", 0.25, -1.0, 1.0, SPAN),), rewards=reward(InputValue("bonus", SPAN)))
    player = Player(world, worlds=2, agents=2).do("WAIT")
    assert player["reward"].tolist() == [0.25] * 4
    player.set("inputs", [0.0, 0.5, -0.5, 1.0], 0).do("WAIT")
    assert player["reward"].tolist() == [0.0, 0.5, -0.5, 1.0]
    player.backend.reset(player.buffers, player.stream)
    assert player["inputs"][0].tolist() == [0.0, 0.5, -0.5, 1.0]


def test_previous_is_the_state_at_the_beginning_of_the_tick() -> None:
    """Meter, position, age and what is here: all before the move, the decay and the rule that sees them."""
    before = [
        value(),
        Coordinate("x", SPAN),
        Age(SPAN),
        Hour(SPAN),
        If(Here("Spot", SPAN), number(1.0), number(0.0), SPAN),
        binary("-", value(), Coordinate("x", SPAN)),
    ]
    reports = report(**{f"r{index}": Previous(operand, SPAN) for index, operand in enumerate(before)})
    now = report(**{f"n{index}": operand for index, operand in enumerate(before)})
    keep = rule(Assign("n", "=", Previous(value(), SPAN), True, SPAN))
    world = universe(
        meters=(meter(decay=0.1, move=0.05), meter("n")),
        clock=Clock(9, SPAN),
        affordances=(place("Spot", (2.0,)),),
        dynamics=(keep,),
        reports=(*reports, *now),
    )
    player = Player(world).set("position", 2).do("RIGHT")
    after = f32(0.5) - f32(0.05) - f32(0.1)
    assert player["reports"].T.tolist() == [[0.5, 2.0, 0.0, 0.0, 1.0, -1.5, after, 3.0, 1.0, 0.0, 0.0, after - f32(3)]]
    assert player.meter("n") == [0.5]
    player.do("LEFT")
    assert player.report("r0") == [after]
    assert player.report("r2") == [1.0]
    assert player.meter("n") == [after]


def test_times_of_day() -> None:
    terms = report(sin=DayTime("sin", SPAN), cos=DayTime("cos", SPAN))
    player = Player(universe(clock=Clock(7, SPAN), reports=terms))
    for hour in range(7):
        angle = 2.0 * math.pi * hour / 7
        assert player.do("WAIT")["reports"].T.tolist() == [[f32(math.sin(angle)), f32(math.cos(angle))]]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (If(Truth(True, SPAN), number(2.0), number(3.0), SPAN), 2.0),
        (If(Truth(False, SPAN), number(2.0), number(3.0), SPAN), 3.0),
        (Unary("sqrt", number(2.0), SPAN), f32(math.sqrt(2.0))),
        (Unary("exp", number(0.0), SPAN), 1.0),
        (binary("pow", number(3.0), number(2.0)), 9.0),
    ],
)
def test_small_expressions(expression: Expression, expected: float) -> None:
    assert Player(universe(reports=report(r=expression))).do("WAIT").report("r") == [expected]


def test_a_condition_can_be_true_for_all() -> None:
    world = universe(
        dynamics=(rule(write("=", 0.25), guard=Truth(True, SPAN)),), causes=(Cause("false", Truth(False, SPAN), SPAN),)
    )
    player = Player(world, worlds=2, agents=2).do("WAIT")
    assert player.meter().tolist() == [0.25] * 4
    assert not player["terminated"].any()


# --- affordances -----------------------------------------------------------------------------------------------------


def test_lasting_for_ever() -> None:
    counted = write("=", binary("/", Progress(SPAN), number(16.0)))
    well = place("Well", (1.0,), duration=0, each_tick=(counted,))
    progress = shown("progress", binary("/", Progress(SPAN), number(8.0)))
    player = Player(universe(affordances=(well,), observations=(progress,))).set("position", 1)
    for tick in range(1, 12):
        player.do("INTERACT")
        assert (player["engaged"], player["progress"]) == ([0], [tick])
        assert player.meter() == [tick / 16]
        assert player.seen == [tick / 8]
    assert player.do("RIGHT")["progress"] == [0]
    assert "affordance Well: on completion" not in player.coverage.counts


def together(duration: int = 2) -> Any:
    loose = {"clamped": False}
    return place(
        "Feast",
        (1.0,),
        duration=duration,
        together=True,
        each_tick=(write("+=", 0.75, **loose), write("+=", 0.5, "n", **loose)),
        on_completion=(write("-=", 1.0, **loose), write("=", -3.0, "o", **loose)),
    )


def test_together_clamps_after_both_blocks() -> None:
    """m: 0.5 + 0.75 is clamped at once in the first tick, but only after - 1.0 in the second."""
    meters = (meter(), meter("n"), meter("o", start=0.5))
    player = Player(universe(meters=meters, affordances=(together(),))).set("position", 1).do("INTERACT")
    assert [player.meter(name).tolist() for name in "mno"] == [[1.0], [1.0], [0.5]]
    player.do("INTERACT")
    assert [player.meter(name).tolist() for name in "mno"] == [[0.75], [1.0], [0.0]]


def test_together_also_clamps_what_only_completion_writes() -> None:
    """In a tick without completion too; in the order in which the meters appear."""
    over = rule(write("=", 7.0, "o", clamped=False))
    world = universe(meters=(meter(), meter("n"), meter("o")), affordances=(together(5),), dynamics=(over,))
    trace = Trace(0, 0)
    player = Player(world, trace=trace).set("position", 1).do("WAIT")
    assert player.meter("o") == [7.0]
    trace.writes.clear()
    player.do("INTERACT")
    clamps = [write.meter for write in trace.writes if write.construct == "affordance Feast: together"]
    assert clamps == ["m", "n", "o"]
    assert next(write.value for write in trace.writes if write.meter == "o") == 1.0


# --- rewards and reports ---------------------------------------------------------------------------------------------

STARVES = Cause("m <= 0.3", binary("<=", value(), number(0.3)), SPAN)


def test_terms_are_added_from_left_to_right() -> None:
    large, one, less = number(2.0**24), number(1.0), number(-(2.0**24))
    player = Player(universe(rewards=reward(large, one, less, one))).do("WAIT")
    assert player["reward"] == [1.0]
    player = Player(universe(rewards=reward(large, less, one, one))).do("WAIT")
    assert player["reward"] == [2.0]
    assert player.do("WAIT")["episode_return"] == [4.0]


def test_named_terms_and_reports() -> None:
    """Terms are 0 in death, reports are not; both are 0 of those who were dead before."""
    terms = (Reward("base", number(0.5), SPAN), Reward(None, number(0.25), SPAN), Reward("age", Age(SPAN), SPAN))
    world = universe(rewards=terms, reports=report(m=value()), causes=(STARVES,), lifespan=Lifespan(2, 8.0, SPAN))
    player = Player(world, agents=3).set("meters", [0.5, 0.25, 0.5]).set("alive", [True, True, False]).do("WAIT")
    assert player["reports"].T.tolist() == [[0.5, 1.0, 0.5], [0.0, 0.0, 0.25], [0.0, 0.0, 0.0]]
    assert player["reward"].tolist() == [1.75, 0.0, 0.0]
    player.do("WAIT")
    assert player["reports"].T.tolist() == [[0.5, 2.0, 0.5], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    assert player["reward"].tolist() == [2.75 + 8.0, 0.0, 0.0]


def test_a_single_term_keeps_its_sign_of_zero() -> None:
    player = Player(universe(rewards=reward(number(-0.0)))).do("WAIT")
    assert np.signbit(player["reward"])


# --- observations ----------------------------------------------------------------------------------------------------


def test_blanks_constants_and_chosen_places() -> None:
    items = (
        ObserveBlank(2, SPAN),
        ObserveConstant((0.5, -2.0), SPAN),
        shown("m", value()),
        ObserveHere((None, "B"), SPAN),
        shown("m", value()),
    )
    spots = (place("A", (1.0,)), place("B", (2.0,)))
    player = Player(universe(affordances=spots, observations=items))
    assert player.set("position", 2).seen == [0, 0, 0.5, -2.0, 0.5, 0, 1, 0.5]
    assert player.set("position", 1).seen == [0, 0, 0.5, -2.0, 0.5, 0, 0, 0.5]
    assert player.set("position", 0).seen == [0, 0, 0.5, -2.0, 0.5, 1, 0, 0.5]


def test_a_lifetime_is_at_most_1() -> None:
    lifetime = binary("min", binary("/", Age(SPAN), number(3.0)), number(1.0))
    world = universe(by_hand=True, lifespan=Lifespan(3, 0.0, SPAN), observations=(shown("lifetime", lifetime),))
    player = Player(world)
    assert [player.do("WAIT").seen[0] for _ in range(5)] == [f32(1) / f32(3), f32(2) / f32(3), 1.0, 1.0, 1.0]


def test_several_affordances_on_a_cell_are_one_in_the_grid() -> None:
    spots = (place("A", (1.0,)), place("B", (1.0,)), place("C", (3.0,)))
    world = universe(
        space=grid(5, places="stored"), affordances=spots, observations=(ObserveGrid(SPAN), ObserveWindow(1, SPAN))
    )
    assert Player(world).set("position", 1).seen == [0, 2, 0, 1, 0, 0, 1, 0]


# --- masks -----------------------------------------------------------------------------------------------------------


def masked(*masks: Mask, **fields: Any) -> Universe:
    return universe(masks=masks, affordances=(place("Spot", (1.0,)),), actions=(custom("HOP", move=(2.0,)),), **fields)


def allowed(player: Player) -> dict[str, list[bool]]:
    return {name: player.mask(name) for name in ("LEFT", "RIGHT", "INTERACT", "WAIT", "HOP")}


def test_allow_takes_the_place_of_what_is_built_in() -> None:
    masks = (Mask(("LEFT", "HOP"), binary(">", value(), number(0.4)), SPAN), Mask(("WAIT",), Truth(False, SPAN), SPAN))
    player = Player(masked(*masks)).set("position", 0)
    usual = {"RIGHT": [True], "INTERACT": [False], "WAIT": [False]}
    assert allowed(player) == {"LEFT": [True], "HOP": [True], **usual}
    assert allowed(player.set("meters", 0.3)) == {"LEFT": [False], "HOP": [False], **usual}


def test_allow_all_restricts_everything() -> None:
    masks = (
        Mask((), binary(">", value(), number(0.4)), SPAN),
        Mask(("INTERACT",), Truth(True, SPAN), SPAN),
        Mask((), binary("<", ParamValue("p", SPAN), number(0.5)), SPAN),
    )
    player = Player(masked(*masks, params=(Param("p", 0.25, 0.0, 1.0, SPAN),)), worlds=2, agents=2).set("position", 0)
    player.set("meters", [0.5, 0.3, 0.3, 0.5]).set("alive", [True, False, True, True])
    off = [False] * 4
    for name, on in {"LEFT": off, "RIGHT": [True, False, False, True], "INTERACT": [True, False, False, True]}.items():
        assert player.mask(name) == on, name
    assert player.mask("WAIT") == [True, True, False, True]
    player.set("params", [0.25, 0.75], 0)
    assert player.mask("RIGHT") == [True, False, False, False]
    assert player.mask("WAIT") == [True, True, False, False]


def test_masks_see_the_state_after_the_tick() -> None:
    player = Player(masked(Mask(("LEFT",), binary("==", Coordinate("x", SPAN), number(2.0)), SPAN))).set("position", 1)
    assert player.do("RIGHT").mask("LEFT") == [True]
    assert player.do("RIGHT").mask("LEFT") == [False]


# --- episodes by hand ------------------------------------------------------------------------------------------------


def by_hand(**fields: Any) -> Universe:
    usual = {
        "causes": (STARVES,),
        "lifespan": Lifespan(3, 0.25, SPAN),
        "clock": Clock(5, SPAN),
        "reports": report(m=value()),
    }
    named = (Reward("pay", number(1.0), SPAN),)
    return universe(by_hand=True, meters=(meter(move=0.01),), rewards=named, **(usual | fields))


def test_the_dead_go_on_and_are_paid_nothing_but_the_lifespan() -> None:
    player = Player(by_hand(), agents=2).set("meters", [0.25, 0.5]).set("position", 2).do("RIGHT")
    assert (player["terminated"].tolist(), player["cause"].tolist()) == ([True, False], [0, -1])
    assert player["reward"].tolist() == [0.0, 1.0]
    player.do("RIGHT")
    assert (player["terminated"].any(), player["truncated"].any(), player["cause"].tolist()) == (False, False, [-1, -1])
    assert player["position"].tolist() == [[4, 4]]
    assert player["age"].tolist() == [2, 2]
    assert player["alive"].tolist() == [False, True]
    assert player["reports"].T.tolist() == [[0.0, player.meter()[0]], [1.0, player.meter()[1]]]
    player.do("WAIT")
    assert (player["truncated"].tolist(), player["cause"].tolist()) == ([False, True], [-1, 1])
    assert player["reward"].tolist() == [0.25, 1.25]
    player.do("WAIT")
    assert (player["truncated"].any(), player["cause"].tolist()) == (False, [-1, -1])
    assert player["reward"].tolist() == [0.25, 0.25]
    assert player["episode_return"].tolist() == [0.5, 2.0 + 1.25 + 0.25]
    assert player["alive"].tolist() == [False, False]
    assert player["hour"] == [4]
    assert player["episode"] == [0]
    assert player.mask("LEFT") == [True, True]


def test_one_that_dies_at_its_lifespan_gets_its_reward_too() -> None:
    player = Player(by_hand()).set("age", 2).set("meters", 0.25).do("WAIT")
    assert (player["terminated"], player["truncated"], player["cause"], player["reward"]) == (True, False, 0, 0.25)


def test_a_rollout_by_hand_ends_every_lane_once() -> None:
    player = Player(by_hand(), worlds=9, agents=2)
    counts = allocate_statistics(player.universe, player.buffers.shape, player.backend.device)
    player.backend.rollout(player.buffers, 20, RandomPolicy(), Stream(3, 0), True, counts)
    assert counts.causes.sum() == 18
    assert player["episode"].tolist() == [0] * 9
    assert player["age"].tolist() == [20] * 18
    assert player.buffers.final_observation is not None
    assert not player.buffers.final_observation.any()
    player.backend.reset(player.buffers, player.stream)
    assert player["alive"].all()
    assert "new episode" not in player.coverage.counts
    assert player.coverage.counts["ticks after the end of an episode"] > 0


def test_masks_of_the_dead_by_hand_are_like_any_others() -> None:
    world = replace(by_hand(), masks=(Mask((), Truth(True, SPAN), SPAN),))
    player = Player(world).set("alive", False).set("position", 0)
    assert [player.mask(name) for name in ("LEFT", "RIGHT", "WAIT")] == [[False], [True], [True]]
