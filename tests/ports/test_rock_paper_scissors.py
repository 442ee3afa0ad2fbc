"""Rock paper scissors beside PettingZoo's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from beside import Players, drawn, side_by_side
from spaces_beside import same_spaces_of_players

from hamlet.package.module import Module

rps = pytest.importorskip("pettingzoo.classic.rps_v2", reason="hamletc[ports] is not installed: rps_v2 needs pygame-ce")


def original() -> Players:
    return Players(rps.parallel_env(), lambda _: {}, lambda observation: np.atleast_1d(observation))


def test_rock_paper_scissors_is_pettingzoos(port: Callable[[str], Module]) -> None:
    module = port("rock_paper_scissors")
    comparison = side_by_side(module, [original() for _ in range(25)], drawn(3), 101).sufficient(terminated=0)
    assert comparison.differences == 0
    same_spaces_of_players(module, rps.parallel_env())
