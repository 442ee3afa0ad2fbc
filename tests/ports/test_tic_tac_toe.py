"""Tic-tac-toe beside PettingZoo's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from turns import same_games

from hamlet.package.module import Module
from hamlet_pettingzoo import AECEnv

tictactoe = pytest.importorskip(
    "pettingzoo.classic.tictactoe_v3", reason="hamletc[ports] is not installed: tictactoe_v3 needs pygame-ce"
)


def test_tic_tac_toe_is_pettingzoos(port: Callable[[str], Module]) -> None:
    ours, theirs = AECEnv(port("tic_tac_toe"), backend="c"), tictactoe.env()
    played = same_games(ours, theirs, lambda board: np.moveaxis(board, 0, 2), 300)
    assert played.ends == 600
    assert played.even > 40
    assert played.moves > 2000
