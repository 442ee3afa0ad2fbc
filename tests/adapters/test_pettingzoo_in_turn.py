"""PettingZoo's interface for agents that are asked one after the other: its own tests, and games by turns."""

from __future__ import annotations

import itertools
import pickle
import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet_pettingzoo import AECEnv, ParallelEnv

NIM = """
universe nim
space none
lifespan 60 ticks
world {
    state turn: int in 0 .. 2 = integer(0, 2)
    state heap: int in 0 .. 20 = 20
    rule takes: heap -= count(action == ONE) + 2 * count(action == TWO)
    rule on: turn = mod(turn + 1, 3)
}
role player: 3 agents
action ONE { }
action TWO { needs heap >= 2 }
actions ONE TWO
acts when agent == turn
world ends when heap == 0
reward (if action == WAIT then -1 else 2) when heap == 0
observe { state }
"""
"""Whoever takes the last one wins."""

KUHN = """
universe kuhn
space none
role player: 2 agents
world {
    state first:   int in 0 .. 2 = integer(0, 2)
    state gap:     int in 1 .. 2 = integer(1, 2)
    state history: none p b pb pp pbp pbb bp bb = none
    rule bets: history = if history == none then (if count(action == BET) > 0 then b else p)
        else if history == p then (if count(action == BET) > 0 then pb else pp)
        else if history == b then (if count(action == BET) > 0 then bb else bp)
        else if count(action == BET) > 0 then pbb else pbp
}
action PASS { }
action BET { }
actions PASS BET
acts when agent == (if history == p or history == b then 1 else 0)
world ends when history == pp or history == pbp or history == pbb or history == bp or history == bb
let second = mod(first + gap, 3)
let card   = if agent == 0 then first else second
let higher = if agent == 0 then (if first > second then 1 else -1) else if second > first then 1 else -1
reward if history == pp then higher else if history == pbb or history == bb then 2 * higher
    else if history == bp then (if agent == 0 then 1 else -1) else if history == pbp then (if agent == 1 then 1 else -1)
    else 0
observe { card: card  state history }
"""
"""Poker of two players with a card each of three, by Kuhn (1950): each sees its own card alone."""
STAKES = {"pp": 1, "bb": 2, "pbb": 2}
FOLDED = {"bp": (1, -1), "pbp": (-1, 1)}

SLOW = """
universe slow
space none
lifespan 40 ticks
state waited: int in 0 .. 99 = 0
state turned: int in 0 .. 99 = 0
action TURN { turned += 1 }
actions TURN
acts when mod(waited, 3) == 2 and agent == 0
rule on: waited += 1
dies when agent == 1 and waited >= 5
reward 1
observe { state }
"""
"""Agent 0 acts in every third tick, and agent 1 never does: it dies after five."""


COUNTED = """
universe counted
space grid 2 x 2
lifespan 20 ticks
state n: int in 0 .. 99 = 0
action ADD { n += 1 }
action TWICE { n += 2 }
actions ADD TWICE
world { state turn: int in 0 .. 1 = 0  rule next: turn = 1 - turn }
acts when agent == turn
reward n
observe { OBSERVED }
"""


@pytest.fixture(scope="module")
def games(compiled: Callable[[str], Module], stall: Module) -> dict[str, Module]:
    return {"nim": compiled(NIM), "kuhn": compiled(KUHN), "slow": compiled(SLOW), "stall": stall}


@pytest.mark.parametrize("game", ["nim", "kuhn", "slow", "stall"])
@pytest.mark.parametrize("mask", ["observation", "info"])
def test_its_own_checks(games: dict[str, Module], game: str, mask: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # It warns of spaces that have no size, of numbers as large as those of an age, and of plain arrays.
        warnings.filterwarnings("ignore", message=".*([Oo]bservation|space).*")
        api_test(AECEnv(games[game], action_mask=mask), num_cycles=1000)
    if mask == "observation":
        seed_test(lambda: AECEnv(games[game]), num_cycles=20)


def test_its_own_check_of_pictures(games: dict[str, Module]) -> None:
    pytest.importorskip("pygame", reason="hamletc[window] is not installed")
    render_test(lambda render_mode: AECEnv(games["nim"], render_mode=render_mode))


def test_one_after_the_other_is_asked(games: dict[str, Module]) -> None:
    env = AECEnv(games["nim"])
    assert env.action_space("player_0").n == 2
    assert not env.metadata["is_parallelizable"]
    firsts = set()
    for seed in range(6):
        env.reset(seed=seed)
        first, taken, number = int(env.agent_selection[-1]), 0, 0
        firsts.add(first)
        while not any(env.terminations.values()):
            name = env.agent_selection
            assert name == f"player_{(first + number) % 3}"
            observation, reward, *_, info = env.last()
            assert observation["action_mask"].tolist() == info["action_mask"].tolist() == [1, int(taken < 19)]
            assert all(env.observe(other)["action_mask"].tolist() == [0, 0] for other in env.agents if other != name)
            assert reward == 0
            action = min(number % 2, 19 - taken)
            taken, number = taken + action + 1, number + 1
            env.step(action)
        assert taken == 20
        paid = {agent: 2.0 if agent == name else -1.0 for agent in env.possible_agents}
        assert env.rewards == env._cumulative_rewards == paid
        for _ in range(3):
            assert env.last()[2]
            env.step(None)
        assert env.agents == []
    assert firsts == {0, 1, 2}


def test_cards_are_seen_by_those_who_hold_them(games: dict[str, Module]) -> None:
    """All games of Kuhn's poker pay what its rules say, and players observe nothing but what they know."""
    env, seen, deals = AECEnv(games["kuhn"], seed=1), dict[Any, set[Any]](), set()
    for number in range(120):
        plan = list(itertools.product((0, 1), repeat=3))[number % 8]
        env.reset()
        cards = [int(env.observe(name)["observation"][0]) for name in env.possible_agents]
        deals.add(tuple(cards))
        played = ""
        while not any(env.terminations.values()):
            player = int(env.agent_selection[-1])
            assert player == len(played) % 2
            observation, *_ = env.last()
            known = cards[player], played
            seen.setdefault(known, set()).add(tuple(observation["observation"].tolist()))
            played += "pb"[plan[len(played)]]
            env.step(plan[len(played) - 1])
        won = 1 if cards[0] > cards[1] else -1
        paid = FOLDED.get(played) or (won * STAKES[played], -won * STAKES[played])
        assert tuple(env._cumulative_rewards.values()) == paid, (cards, played)
    assert len(deals) == 6
    assert len(seen) == 12
    assert all(len(rows) == 1 for rows in seen.values())


def test_ticks_in_which_nobody_acts_run_by_themselves(games: dict[str, Module]) -> None:
    env = AECEnv(games["slow"], seed=1)
    env.reset()
    assert env.agent_selection == "agent_0"
    assert env.last()[1] == 0.0
    env.step(0)
    assert env.rewards == {"agent_0": 5.0, "agent_1": 4.0}
    assert env.agent_selection == "agent_1"
    assert env.last()[1:3] == (4.0, True)
    env.step(None)
    assert env.agents == ["agent_0"]
    assert env.last()[1] == 5.0
    steps = sum(1 for _ in _played(env))
    assert steps == 12
    assert env.agents == []


def _played(env: AECEnv) -> Any:
    for name in env.agent_iter():
        *_, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else 0)
        if not (terminated or truncated):
            yield name


def test_all_who_act_at_once_are_asked_before_the_tick(stall: Module) -> None:
    env, below = AECEnv(stall, agents=3, seed=2, action_mask="info"), ParallelEnv(stall, agents=3, seed=2)
    env.reset(), below.reset()
    assert env.metadata["is_parallelizable"]
    for tick in range(6):
        names, actions = list(below.agents), {name: (tick + lane) % 6 for lane, name in enumerate(below.agents)}
        for lane, name in enumerate(names):
            assert env.agent_selection == name
            assert lane == 0 or set(env.rewards.values()) == {0.0}
            env.step(actions[name])
        observations, rewards, *_ = below.step(actions)
        assert env.rewards == rewards
        assert all(np.array_equal(env.observe(name), observations[name]) for name in names)
        if len(below.agents) < len(names):
            break


def test_a_copy_goes_on_by_itself(games: dict[str, Module]) -> None:
    env = AECEnv(games["nim"], seed=3)
    env.reset()
    env.step(1)
    copy = pickle.loads(pickle.dumps(env))
    generator = random.Random(0)
    for _ in range(8):
        assert env.agent_selection == copy.agent_selection
        assert np.array_equal(env.last()[0]["observation"], copy.last()[0]["observation"])
        assert np.array_equal(env.last()[0]["action_mask"], copy.last()[0]["action_mask"])
        action = generator.randrange(2)
        env.step(action), copy.step(action)


def test_what_is_wrong_is_said(games: dict[str, Module], compiled: Callable[[str], Module]) -> None:
    with pytest.raises(EnvError, match='action_mask is "observation" or "info"'):
        AECEnv(games["nim"], action_mask="both")  # type: ignore[arg-type]
    env = AECEnv(games["nim"])
    with pytest.raises(EnvError, match="call reset"):
        env.step(0)
    with pytest.raises(EnvError, match="call reset"):
        env.observe("player_0")
    env.reset(seed=0)
    with pytest.raises(EnvError, match="there is no agent"):
        env.observe("player_3")
    for wrong in (2, None, "x"):
        with pytest.raises(EnvError, match="an action of player_"):
            env.step(wrong)
    never = compiled(
        SLOW.replace("agent == 0", "turned > 0")
        .replace("lifespan 40 ticks", "lifespan forever")
        .replace("dies when agent == 1 and waited >= 5\n", "inert allowed\n")
    )
    with pytest.raises(EnvError, match="nobody acted in 10,000 ticks of slow: look at its `acts when`"):
        AECEnv(never).reset()
    env.close()
    with pytest.raises(EnvError, match="closed"):
        env.reset()


@pytest.mark.parametrize("observed", ["discrete n", "group a { hot n }  discrete m: n + 1", "image i { grid }"])
def test_what_is_observed_in_groups_is_handed_out_anew(observed: str, compiled: Callable[[str], Module]) -> None:
    """Numbers of Python, dictionaries and images are in their space, and what a caller writes into one stays there."""
    env = AECEnv(compiled(COUNTED.replace("OBSERVED", observed)), backend="interpreter", seed=1)
    env.reset()
    for name in env.agent_iter(6):
        observation = env.last()[0]
        assert env.observation_space(name).contains(observation)
        again = env.observe(name)
        for part in (observation["observation"], *getattr(observation["observation"], "values", tuple)()):
            if isinstance(part, np.ndarray):
                part += 1
        assert env.observation_space(name).contains(env.observe(name))
        assert str(env.observe(name)) == str(again)
        env.step(0)
