"""Tic-tac-toe beside PettingZoo's, agent by agent."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from hamlet.package.module import Module
from hamlet_pettingzoo import AECEnv

tictactoe = pytest.importorskip(
    "pettingzoo.classic.tictactoe_v3", reason="hamletc[ports] is not installed: tictactoe_v3 needs pygame-ce"
)


def test_tic_tac_toe_is_pettingzoos(port: Callable[[str], Module]) -> None:
    ours, theirs, generator = AECEnv(port("tic_tac_toe"), backend="c"), tictactoe.env(), random.Random(1)
    names = dict(zip(("player_1", "player_2"), ours.possible_agents, strict=True))
    for original, name in names.items():
        assert ours.action_space(name) == theirs.action_space(original)
        seen = theirs.observation_space(original)
        assert ours.observation_space(name)["action_mask"] == seen["action_mask"]
        assert ours.observation_space(name)["observation"].shape == (seen["observation"].shape[0] * 6,)
    moves = ends = drawn = 0
    for _ in range(300):
        ours.reset()
        theirs.reset()
        while theirs.agents:
            assert ours.agents == [names[each] for each in theirs.agents]
            assert ours.agent_selection == names[theirs.agent_selection]
            for original in theirs.agents:
                name = names[original]
                here, there = ours.observe(name), theirs.observe(original)
                assert np.array_equal(here["observation"].reshape(3, 3, 2), there["observation"])
                if not any(theirs.terminations.values()):
                    assert np.array_equal(here["action_mask"], there["action_mask"])
                assert ours.rewards[name] == theirs.rewards[original]
                assert ours.terminations[name] == theirs.terminations[original]
                assert ours.truncations[name] == theirs.truncations[original]
            here, there = ours.last(), theirs.last()
            assert here[1:4] == there[1:4]
            if there[2]:
                ends += 1
                drawn += there[1] == 0
                action = None
            else:
                moves += 1
                action = generator.choice(np.flatnonzero(there[0]["action_mask"]).tolist())
            ours.step(action)
            theirs.step(action)
    assert ends == 600
    assert drawn > 40
    assert moves > 2000
