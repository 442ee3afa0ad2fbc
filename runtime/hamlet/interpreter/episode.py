"""The clock, and new episodes."""

from __future__ import annotations

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend import Stream
from hamlet.interpreter.places import Places, coordinates
from hamlet.random import layout_of
from hamlet.state import Buffers
from hamlet.universe import Universe


def advance_clock(universe: Universe, buffers: Buffers) -> None:
    """An hour passes in every world."""
    if universe.clock is not None:
        hour = buffers.state["hour"] + 1
        buffers.state["hour"].copy_(hour.masked_fill(hour == universe.clock.hours, 0))


def begin_episodes(universe: Universe, buffers: Buffers, places: Places, worlds: Tensor, stream: Stream) -> None:
    """Start these worlds (i64 [n], numbers in the buffers) anew, with the episode number that they have."""
    state, shape = buffers.state, buffers.shape

    def lanes_of(field: str) -> Tensor:
        return state[field].view(-1, shape.worlds, shape.agents)

    layout = layout_of((stream.low, stream.high), worlds + shape.first_world, state["episode"][worlds].long())
    state["layout"][worlds] = as_i32(layout)
    start = coordinates(places.start_cells(state["layout"][worlds], shape.agents), universe.space.sizes)
    for axis, x in enumerate(start):
        lanes_of("position")[axis, worlds] = x.T
    for row, meter in enumerate(universe.meters):
        lanes_of("meters")[row, worlds] = meter.start
    lanes_of("age")[:, worlds] = 0
    lanes_of("alive")[:, worlds] = True
    lanes_of("episode_return")[:, worlds] = 0.0
    if schema.has_progress(universe):
        lanes_of("engaged")[:, worlds] = schema.NOWHERE
        lanes_of("progress")[:, worlds] = 0
    if universe.clock is not None:
        state["hour"][worlds] = 0


def as_i32(word: Tensor) -> Tensor:
    """The 32 bits of words 0 .. 2**32 - 1 (i64) as i32."""
    return torch.where(word >= 1 << 31, word - (1 << 32), word).to(torch.int32)
