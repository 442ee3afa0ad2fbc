"""A game by turns beside PettingZoo's, agent by agent."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from beside import Array

from hamlet_pettingzoo import AECEnv


@dataclass(slots=True)
class Played:
    """What was compared.

    Attributes:
        moves: of all games.
        ends: of agents.
        even: ends with a reward of 0.
    """

    moves: int = 0
    ends: int = 0
    even: int = 0


def same_games(ours: AECEnv, theirs: Any, planes: Callable[[Any], Array], games: int) -> Played:
    """Play games at random: who is on turn, boards, masks, rewards and ends are equal after each move.

    Args:
        planes: the board as the original shows it, of an observation of the port.
    """
    generator, played = random.Random(1), Played()
    names = dict(zip(theirs.possible_agents, ours.possible_agents, strict=True))
    for original, name in names.items():
        assert ours.action_space(name) == theirs.action_space(original)
        assert ours.observation_space(name)["action_mask"] == theirs.observation_space(original)["action_mask"]
    for _ in range(games):
        ours.reset()
        theirs.reset()
        while theirs.agents:
            assert ours.agents == [names[each] for each in theirs.agents]
            assert ours.agent_selection == names[theirs.agent_selection]
            for original in theirs.agents:
                name = names[original]
                here, there = ours.observe(name), theirs.observe(original)
                assert np.array_equal(planes(here["observation"]), there["observation"])
                if not any(theirs.terminations.values()):
                    assert np.array_equal(here["action_mask"], there["action_mask"])
                assert ours.rewards[name] == theirs.rewards[original]
                assert ours.terminations[name] == theirs.terminations[original]
                assert ours.truncations[name] == theirs.truncations[original]
            here, there = ours.last(), theirs.last()
            assert here[1:4] == there[1:4]
            if there[2]:
                played.ends += 1
                played.even += there[1] == 0
                action = None
            else:
                played.moves += 1
                action = generator.choice(np.flatnonzero(there[0]["action_mask"]).tolist())
            ours.step(action)
            theirs.step(action)
    return played
