"""LavaGapS7 beside MiniGrid's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from beside import State
from minigrids import compared, of_agent

from hamlet.package.module import Module


def state(world: Any) -> State:
    """Where the gap is, too."""
    column, row = (int(each) for each in world.gap_pos)
    return {**of_agent(world), "column": column, "row": row}


def test_lava_gap_is_minigrids(port: Callable[[str], Module]) -> None:
    compared(port("minigrid_lava_gap_s7"), "MiniGrid-LavaGapS7-v0", state, 300, 40)
