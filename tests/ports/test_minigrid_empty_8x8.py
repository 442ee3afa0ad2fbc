"""Empty-8x8 beside MiniGrid's."""

from __future__ import annotations

from collections.abc import Callable

from minigrids import compared, of_agent

from hamlet.package.module import Module


def test_empty_is_minigrids(port: Callable[[str], Module]) -> None:
    compared(port("minigrid_empty_8x8"), "MiniGrid-Empty-8x8-v0", of_agent, 600, 1)
