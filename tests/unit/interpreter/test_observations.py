"""Observations and masks of the interpreter, worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import torch

from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Interpreter
from hamlet.schema import observation_segments
from hamlet.universe import (
    Age,
    Clock,
    Coordinate,
    DayTime,
    Lifespan,
    Observation,
    ObserveGrid,
    ObserveHere,
    ObserveOneHot,
    ObserveWindow,
    Param,
    ParamValue,
    Progress,
    ShareOfUse,
    Universe,
)
from samples.by_hand import CPU, SPAN, Player, binary, f32, grid, number, place, shown, universe, value, write

SHOP, JOB = place("Shop", (0, 0), write("+=", 0.1)), place("Job", (2, 1), duration=3, each_tick=(write("+=", 0.1),))
EVERYWHERE = ObserveHere(("Shop", "Job", None), SPAN)
BOARD = grid(3, 2)


def board(*observations: Observation, **fields: object) -> Universe:
    return universe(space=BOARD, affordances=(SHOP, JOB), observations=observations, **fields)


def at(player: Player, x: int, y: int) -> Player:
    return player.set("position", x, 0).set("position", y, 1)


def test_the_grid_adds_the_agent_to_the_affordances() -> None:
    player = Player(board(ObserveGrid(SPAN)))
    assert at(player, 1, 0).seen == [1, 1, 0, 0, 0, 1]
    assert at(player, 2, 1).seen == [1, 0, 0, 0, 0, 2]


def test_the_window_is_around_the_agent_and_empty_beyond_the_edges() -> None:
    player = Player(board(ObserveWindow(1, SPAN)))
    assert at(player, 1, 0).seen == [0, 0, 0, 1, 0, 0, 0, 0, 1]
    assert at(player, 2, 1).seen == [0, 0, 0, 0, 1, 0, 0, 0, 0]


def test_an_expression_is_one_number_and_an_option_one_of_several() -> None:
    chosen = ObserveOneHot("x", Coordinate("x", SPAN), ("west", "middle", "east"), SPAN)
    player = at(Player(board(shown("lack", binary("-", number(1.0), value())), chosen)), 2, 1)
    assert player.seen == [0.5, 0, 0, 1]


def test_here_meters_params_and_lifetime() -> None:
    lifetime = binary("min", binary("/", Age(SPAN), number(3.0)), number(1.0))
    items = (EVERYWHERE, shown("m", value()), shown("p", ParamValue("p", SPAN)), shown("lifetime", lifetime))
    player = Player(board(*items, params=(Param("p", 0.25, 0.0, 1.0, SPAN),), lifespan=Lifespan(3, 0.0, SPAN)))
    assert at(player, 2, 1).set("age", 1).seen == [0, 1, 0, 0.5, 0.25, f32(1) / f32(3)]
    assert at(player, 1, 1).seen == [0, 0, 1, 0.5, 0.25, f32(1) / f32(3)]


def test_time_is_rounded_once_from_binary64() -> None:
    player = Player(board(*(shown(f, DayTime(f, SPAN)) for f in ("sin", "cos")), clock=Clock(24, SPAN)))
    for hour in range(24):
        angle = 2.0 * math.pi * hour / 24
        assert player.set("hour", hour).seen == [f32(math.sin(angle)), f32(math.cos(angle))]


def test_progress_is_a_share_of_the_duration_or_of_a_given_number() -> None:
    player = Player(board(shown("progress", ShareOfUse(SPAN))))
    assert player.seen == [0.0]
    assert at(player, 2, 1).do("INTERACT", "INTERACT").seen == [f32(2) / f32(3)]
    player = Player(board(shown("progress", binary("/", Progress(SPAN), number(7.0)))))
    assert at(player, 2, 1).do("INTERACT", "INTERACT").seen == [f32(2) / f32(7)]


def test_bf16_is_f32_rounded_to_nearest_even() -> None:
    world = universe()
    buffers = allocate(world, Shape(4096, 1), CPU, torch.bfloat16)
    backend = Interpreter(world, CPU)
    backend.reset(buffers, Stream(0, 0))
    words = np.random.default_rng(0).integers(0, 0x3F800000, 4096).astype(np.uint32)
    words[:512] = words[:512] & 0xFFFF0000 | 0x8000
    buffers.state["meters"].copy_(torch.from_numpy(words.view(f32)))
    backend.observe(buffers)
    expected = (words + 0x7FFF + (words >> 16 & 1)) >> 16
    assert buffers.observation is not None
    assert np.array_equal(buffers.observation[0].view(torch.int16).numpy().view(np.uint16), expected.astype(np.uint16))


def test_masks() -> None:
    player = at(Player(board(shown("m", value()), actions=())), 0, 1)
    on = {name: player.mask(name)[0] for name in ("UP", "DOWN", "LEFT", "RIGHT", "INTERACT", "WAIT")}
    assert on == {"UP": True, "DOWN": False, "LEFT": False, "RIGHT": True, "INTERACT": False, "WAIT": True}
    assert at(player, 2, 1).mask("INTERACT") == [True]


def test_only_a_lone_cell_stops_moves_that_wrap_or_bounce() -> None:
    for edges in ("wrap", "bounce"):
        space = grid(1, 2, edges=edges)
        player = Player(universe(space=space))
        assert [player.mask(name) for name in ("UP", "DOWN", "LEFT", "RIGHT")] == [[True], [True], [False], [False]]


def test_segments_are_what_is_written() -> None:
    options = ObserveOneHot("x", Coordinate("x", SPAN), ("a", "b", "c"), SPAN)
    items = (ObserveGrid(SPAN), ObserveWindow(1, SPAN), options, shown("m", value()), EVERYWHERE)
    world = board(*items)
    assert sum(segment.count for segment in observation_segments(world)) == 6 + 9 + 4 + 3
    assert len(Player(world).seen) == 22
