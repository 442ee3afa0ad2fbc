"""Blackjack beside Gymnasium's, which draws its own cards: returns and lengths of episodes, and how each first hand
ends that is stuck to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache

import gymnasium
import numpy as np
from beside import Array, Single, of_worlds, same_episodes, stepped, uniform

import hamlet
import hamlet_gym
from hamlet.package.module import Module

EPISODES = 8000
HANDS = 200_000
CARDS = tuple((card, (4 if card == 10 else 1) / 13) for card in range(1, 11))
"""Each card with its share of the pack."""


def sticks_at_17(observations: Array) -> Array:
    return (observations[:, 0] < 17).astype(int)


def basic_strategy(observations: Array) -> Array:
    """The best policy of Sutton and Barto, Reinforcement Learning, second edition, figure 5.2."""
    total, shown, usable = observations.T
    last = np.where((shown >= 2) & (shown <= 6), np.where((shown <= 3), 13, 12), 17)
    soft = np.where((shown >= 9) | (shown == 1), 19, 18)
    return (total < np.where(usable > 0, soft, last)).astype(int)


@cache
def dealt(hard: int, ace: bool) -> tuple[tuple[int, float], ...]:
    """How likely a dealer comes to each total, 0 beyond 21, from cards that add up to `hard`."""
    total = hard + 10 if ace and hard <= 11 else hard
    if total >= 17:
        return ((total if total <= 21 else 0, 1.0),)
    totals = defaultdict[int, float](float)
    for card, share in CARDS:
        for after, likely in dealt(hard + card, ace or card == 1):
            totals[after] += share * likely
    return tuple(totals.items())


def test_blackjack_is_gymnasiums(port: Callable[[str], Module]) -> None:
    module = port("blackjack")
    env = gymnasium.make("Blackjack-v1")
    original = Single(env, lambda _: {})
    assert same_episodes(module, original, uniform(2, seed=1), uniform(2, seed=2), EPISODES) < -0.3
    assert same_episodes(module, original, sticks_at_17, sticks_at_17, EPISODES) < -0.05
    assert same_episodes(module, original, basic_strategy, basic_strategy, EPISODES) > -0.07
    port_ = hamlet_gym.Env(module, backend="c")
    assert (port_.action_space, port_.observation_space) == (env.action_space, env.observation_space)
    assert port_.reset(seed=1)[0] in env.observation_space


def test_hands_end_as_often_as_they_must(port: Callable[[str], Module]) -> None:
    """Each first hand that is stuck to is won and lost as often as the dealer's totals say."""
    env = hamlet.make(port("blackjack"), worlds=HANDS, backend="c", quiet=True)
    hands = of_worlds(env.observation, env)[:, 0].astype(int)
    rewards = stepped(env, np.zeros((HANDS, 1))).reward[:, 0]
    ends = Counter(zip(hands[:, 0].tolist(), hands[:, 1].tolist(), rewards.tolist(), strict=True))
    starts = Counter((total, shown) for total, shown, _ in ends.elements())
    assert len(starts) == 18 * 10
    for (total, shown), count in starts.items():
        dealers = [(each, s * p) for card, s in CARDS for each, p in dealt(shown + card, 1 in (shown, card))]
        for reward in (-1.0, 0.0, 1.0):
            share = sum(p for each, p in dealers if np.sign(total - each) == reward)
            room = 4.5 * np.sqrt(count * share * (1 - share)) + 1e-9
            assert abs(ends[total, shown, reward] - share * count) <= room, (total, shown, reward)
