"""FourRooms beside MiniGrid's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from beside import State
from minigrids import cells_with, compared, of_agent

from hamlet.package.module import Module

SIDE = 19


def state(world: Any) -> State:
    """Where the agent, the goal and the walls are."""
    walls, goal = cells_with(world, "wall"), cells_with(world, "goal").index(True)
    return {
        **of_agent(world),
        "position": [int(each) for each in world.agent_pos],
        "across": [wall and cell % SIDE == SIDE // 2 for cell, wall in enumerate(walls)],
        "along": [wall and cell // SIDE == SIDE // 2 for cell, wall in enumerate(walls)],
        "stone": walls,
        "goal_x": goal % SIDE,
        "goal_y": goal // SIDE,
    }


def test_four_rooms_is_minigrids(port: Callable[[str], Module]) -> None:
    compared(port("minigrid_four_rooms"), "MiniGrid-FourRooms-v0", state, 300, 3)
