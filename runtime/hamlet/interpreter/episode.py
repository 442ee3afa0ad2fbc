"""The clock, and new episodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import Buffers
from hamlet.backend.protocol import Stream
from hamlet.interpreter.expressions import evaluate
from hamlet.interpreter.lanes import Lanes
from hamlet.interpreter.places import Places
from hamlet.interpreter.space import clamp
from hamlet.numbers.random import layout_of
from hamlet.schema.grid import cell_of
from hamlet.universe import Grid, Meter, Universe, WorldMeter


def advance_clock(universe: Universe, buffers: Buffers) -> None:
    """An hour passes in every world."""
    if universe.clock is not None:
        hour = buffers.state["hour"] + 1
        buffers.state["hour"].copy_(hour.masked_fill(hour == universe.clock.hours, 0))


Starts: TypeAlias = tuple[tuple[schema.Field, int | bool], ...]


def constant_starts(universe: Universe) -> Starts:
    """The fields of the state that begin with a constant of the language, and the constants."""
    return tuple((field, field.start) for field in schema.state_fields(universe) if field.start is not None)


def begin_episodes(
    universe: Universe,
    constant: Starts,
    buffers: Buffers,
    places: Places,
    worlds: Tensor,
    stream: Stream,
) -> None:
    """Start these worlds (i64 [n], numbers in the buffers) anew, with the episode number that they have; `constant` is
    what `constant_starts` gives."""
    state, shape = buffers.state, buffers.shape

    def lanes_of(field: str) -> Tensor:
        return state[field].view(-1, shape.worlds, shape.agents)

    layout = layout_of((stream.low, stream.high), worlds + shape.first_world, state["episode"][worlds].long())
    state["layout"][worlds] = as_i32(layout)
    for axis, x in enumerate(places.starts(state["layout"][worlds], shape.agents)):
        lanes_of("position")[axis, worlds] = x.T
    if "places" in state:
        state["places"][:, worlds] = places.stored(state["layout"][worlds])
    for row, meter in enumerate(universe.meters):
        if isinstance(meter.start, float):
            lanes_of("meters")[row, worlds] = meter.start
    for row, of_world in enumerate(() if universe.world is None else universe.world.meters):
        if isinstance(of_world.start, float):
            begins = beginning(of_world, state, worlds)
            state["world_meters"][row, begins] = of_world.start
    _begin_moving(universe, state, worlds)
    for field, start in constant:
        values = lanes_of(field.name) if field.per == "lane" else state[field.name].view(-1, shape.worlds)
        values[:, worlds] = start
    if universe.start is not None:
        for axis, begin in enumerate(universe.start.velocity):
            lanes_of("velocity")[axis, worlds] = begin
        if universe.start.speed is not None:
            lanes_of("speed")[:, worlds] = universe.start.speed


def _begin_moving(universe: Universe, state: dict[str, Tensor], worlds: Tensor) -> None:
    """Put affordances that move on their stored places, but for those that begin elsewhere."""
    names = [] if universe.world is None else [meter.name for meter in universe.world.meters]
    rows = len(schema.place_rows(universe))
    for number, affordance in enumerate(universe.affordances):
        if affordance.moving and not affordance.elsewhere:
            place = state["places"][number * rows : (number + 1) * rows, worlds]
            position = cell_of(tuple(place), universe.space) if isinstance(universe.space, Grid) else tuple(place)
            for meter, x in zip(affordance.moving, position, strict=True):
                state["world_meters"][names.index(meter), worlds] = x.to(torch.float32)


def begin_meters(lanes: Lanes, buffers: Buffers, worlds: Tensor) -> None:
    """Give the meters whose start is an expression their values in these worlds, which begin an episode. `lanes` are
    views of the state, so that a start value reads those before it."""
    declared = lanes.universe.meters
    meters = buffers.state["meters"].view(len(declared), buffers.shape.worlds, buffers.shape.agents)
    for row, meter in enumerate(declared):
        if not isinstance(meter.start, float):
            meters[row, worlds] = within(meter, evaluate(meter.start, lanes), lanes).expand(meters[row].shape)[worlds]


def begin_world_meters(lanes: Lanes, buffers: Buffers, worlds: Tensor, *, lasting: bool) -> None:
    """Start values of the meters of worlds: of those that last over episodes (`lasting`), or of the others, which may
    read them. `lanes` are views of the state, and their draws are those of the worlds.
    """
    meters = buffers.state["world_meters"]
    for row, meter in enumerate(() if lanes.universe.world is None else lanes.universe.world.meters):
        if not isinstance(meter.start, float) and meter.kept == lasting:
            begins = beginning(meter, buffers.state, worlds)
            start = within(meter, evaluate(meter.start, lanes), lanes)
            meters[row, begins] = start.expand(len(meters[row]), 1)[begins, 0]


def beginning(meter: WorldMeter, state: Mapping[str, Tensor], worlds: Tensor) -> Tensor:
    """Of these worlds (i64 [n]), which begin an episode, those in which the meter begins anew."""
    return worlds[state["episode"][worlds] == 0] if meter.kept else worlds


def within(meter: Meter | WorldMeter, value: Tensor, lanes: Lanes) -> Tensor:
    """A value within the bounds of the meter that begins with it."""
    return clamp(value, lanes.constant(meter.low), lanes.constant(meter.high))


def as_i32(word: Tensor) -> Tensor:
    """The 32 bits of words 0 .. 2**32 - 1 (i64) as i32."""
    return torch.where(word >= 1 << 31, word - (1 << 32), word).to(torch.int32)
