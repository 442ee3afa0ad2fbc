"""The course of one of the worlds that a player acts in, as `hamletc trace --player` shows it."""

from __future__ import annotations

import numpy as np
import torch

from hamlet import schema
from hamlet.backend.buffers import Buffers
from hamlet.backend.protocol import Stream
from hamlet.errors import EnvError
from hamlet_lab.divergence.events import Runner
from hamlet_lab.divergence.session import Side
from hamlet_lab.lint.players import Gains, Player, worlds_of
from hamlet_lab.trace.course import Course, Frame
from hamletc.ir.evaluate import Array


def followed(side: Side, name: str, agents: int, world: int, seed: int, ticks: int, gains: Gains) -> Course:
    """The first ticks of a world of a player. All its worlds are played: what it does depends on how many there are.

    Raises:
        EnvError: the player has no such world.
    """
    universe, shape = side.universe, worlds_of(name, agents)
    if world >= shape.worlds:
        raise EnvError(f"there is no world {world}: the {name} player has worlds 0 .. {shape.worlds - 1}")
    runner = Runner(universe, side.candidate, shape, torch.float32 if name == "linear" else None)
    buffers, backend = runner.buffers, side.candidate.backend
    backend.reset(buffers, Stream(seed, 0))
    player = Player(name, universe, shape.lanes, gains)
    lanes = slice(world * agents, (world + 1) * agents)
    before, after, actions = list[Frame](), list[Frame](), list[Array]()
    for tick in range(ticks):
        now = Stream(seed, tick)
        player.steer(buffers, now)
        acts = player.actions(buffers, now).contiguous()
        before.append(_frame(side, buffers, world))
        actions.append(acts[lanes].numpy().copy())
        backend.step(buffers, acts, now)
        after.append(_frame(side, buffers, world))
    return Course(
        f"{side.label}, {name} player",
        universe,
        world,
        agents,
        seed,
        np.arange(ticks, dtype=np.int64),
        np.stack(actions),
        tuple(before),
        tuple(after),
    )


def _frame(side: Side, buffers: Buffers, world: int) -> Frame:
    """The state of one of the worlds."""
    agents, frame = buffers.shape.agents, Frame()
    for each in schema.state_fields(side.universe):
        columns = slice(world, world + 1) if each.per == "world" else slice(world * agents, (world + 1) * agents)
        frame[each.name] = buffers.state[each.name][..., columns].numpy().copy()
    return frame
