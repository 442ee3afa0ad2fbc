"""DoorKey beside MiniGrid's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from beside import Array, Chooser, State, drawn
from minigrids import FORWARD, cells_with, compared, of_agent

from hamlet.package.module import Module

SIDE = 8
PICKUP, DROP, TOGGLE = 3, 4, 5
KEY, DOOR = 5, 4
OPEN, CLOSED, LOCKED = range(3)


def state(world: Any) -> State:
    """Where the agent, the wall with the door, and the key are; one that is carried lies in the corner."""
    walls, key, gate = (cells_with(world, kind) for kind in ("wall", "key", "door"))
    there, at = key.index(True) if any(key) else 0, gate.index(True)
    door = world.grid.grid[at]
    return {
        **of_agent(world),
        "position": [int(each) for each in world.agent_pos],
        "column": at % SIDE,
        "row": at // SIDE,
        "door": LOCKED if door.is_locked else OPEN if door.is_open else CLOSED,
        "held": world.carrying is not None,
        "gate": gate,
        "stone": walls,
        "key_x": there % SIDE,
        "key_y": there // SIDE,
    }


def handy(seed: int) -> Chooser:
    """Half of the agents pick up and toggle what is ahead of them, most times; the others do anything."""
    at_random = drawn(7, seed)
    rng = np.random.default_rng(seed)

    def choose(tick: int, observations: Array) -> Array:
        actions = at_random(tick, observations)
        ahead = observations[..., 5 * 7 + 3]
        wanted = np.where(ahead == KEY, PICKUP, np.where(ahead == DOOR, TOGGLE, FORWARD))
        wanted = np.where(rng.random(actions.shape) < 0.6, wanted, actions % 3)
        hands = (np.arange(len(actions))[:, None] % 2 == 0) & (rng.random(actions.shape) < 0.9)
        return np.where(hands, wanted, actions)

    return choose


def test_door_key_is_minigrids(port: Callable[[str], Module]) -> None:
    compared(port("minigrid_door_key_8x8"), "MiniGrid-DoorKey-8x8-v0", state, 700, 4, handy(5))
