"""Connect four beside PettingZoo's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from turns import same_games

from hamlet.package.module import Module
from hamlet_pettingzoo import AECEnv

connect_four = pytest.importorskip(
    "pettingzoo.classic.connect_four_v3", reason="hamletc[ports] is not installed: connect_four_v3 needs pygame-ce"
)


def test_connect_four_is_pettingzoos(port: Callable[[str], Module]) -> None:
    ours, theirs = AECEnv(port("connect_four"), backend="c"), connect_four.env()
    played = same_games(ours, theirs, lambda board: np.moveaxis(board, 0, 2), 300)
    assert played.ends == 600
    assert played.moves > 5000
