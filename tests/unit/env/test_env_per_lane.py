"""What a rollout counts of each lane: by hand from single steps, and the same on every backend."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.backend.buffers import LaneCounts
from hamlet.env.environment import Env
from hamlet.package.module import Module
from processes import Run

KEPT = 2
DINER = """
universe diner
space grid 30 x 20
lifespan 24 ticks { reward 2 }
meter food = 0.4 { decay 0.03 }
meter mood = 0.5 { move 0.04 }
affordance Stall at random { instantly { food += 0.3 } }
affordance Booth at (3, 2) { instantly { food += 0.2 } }
affordance Bench at random { instantly { mood += 0.2 } }
dies when food <= 0 or mood <= 0
reward food + mood
observe { meters }
"""
BARE = """
universe bare
space none
meter food = 0.4 { decay 0.05 * hunger }
param hunger = 1 in 0 .. 2
dies when food <= 0
reward food
observe { meters }
"""
TEXTS = {
    "diner": DINER,
    "by hand": DINER.replace("universe diner", "universe by_hand").replace(
        "meter food", "episodes by hand\nmeter food"
    ),
    "bare": BARE,
}


def by_steps(env: Env, ticks: int) -> LaneCounts:
    """The same counts from the outcomes of single steps of an environment that acts as the random policy does."""
    lanes = range(env.num_lanes)
    uses = [[0 for _ in lanes] for _ in env.universe.affordances]
    finished: list[list[tuple[int, float, int]]] = [[] for _ in lanes]
    total, age = np.zeros(env.num_lanes, np.float32), np.zeros(env.num_lanes, np.int32)
    for _ in range(ticks):
        # One tick at random, whose outcomes a step would have.
        env.rollout(1, statistics=False)
        outcome = {name: env.outcome[name].tolist() for name in ("used", "terminated", "truncated", "cause")}
        total += env.outcome["reward"].numpy()
        age += 1
        for lane in lanes:
            if outcome["used"][lane] >= 0:
                uses[outcome["used"][lane]][lane] += 1
            if outcome["terminated"][lane] or outcome["truncated"][lane]:
                finished[lane].append((int(age[lane]), float(total[lane]), outcome["cause"][lane]))
        begun = env.state["age"].numpy() == 0
        total[begun], age[begun] = 0, 0
    kept = [[each[number] if number < len(each) else (0, 0.0, 0) for each in finished] for number in range(KEPT)]
    lengths, returns, causes = ([[each[place] for each in row] for row in kept] for place in range(3))
    return LaneCounts(
        torch.tensor(uses, dtype=torch.int32).view(len(uses), env.num_lanes),
        torch.tensor([len(each) for each in finished], dtype=torch.int32),
        torch.tensor(lengths, dtype=torch.int32),
        torch.tensor(returns, dtype=torch.float32),
        torch.tensor(causes, dtype=torch.int32),
    )


def make(module: Module, backend: str, agents: int, worlds: int) -> Env:
    return hamlet.make(module, worlds=worlds, agents=agents, backend=backend, seed=6, obs_dtype=None, quiet=True)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(("agents", "worlds", "ticks"), [(1, 300, 61), (3, 90, 61), (270, 2, 40)])
def test_counts_of_lanes(name: str, agents: int, worlds: int, ticks: int, compiled: Callable[..., Module]) -> None:
    module = compiled(TEXTS[name])
    found = {}
    for backend in ("interpreter", "c"):
        env = make(module, backend, agents, worlds)
        first = env.rollout(ticks // 2, per_lane=KEPT)
        rollout = env.rollout(ticks - ticks // 2, statistics=first.counts)
        found[backend] = rollout.lanes
        assert int(rollout.lanes.episodes.sum()) == rollout.episodes()
        assert rollout.lanes.uses.sum(dim=1).tolist() == list(rollout.uses().values())
        assert int(rollout.lanes.episodes.max()) >= (1 if name == "by hand" else KEPT), "nothing was too much"
        assert not rollout.uses() or min(rollout.uses().values()) > 0
    expected = by_steps(make(module, "c", agents, worlds), ticks)
    for counts in found.values():
        for one, other in zip(counts.arrays, expected.arrays, strict=True):
            assert one.dtype == other.dtype
            assert torch.equal(one, other)


def test_who_does_not_ask_gets_nothing(compiled: Callable[..., Module]) -> None:
    env = make(compiled(DINER), "c", 1, 4)
    rollout = env.rollout(3)
    assert rollout.counts.lanes is None
    with pytest.raises(EnvError, match="did not count per lane"):
        print(rollout.lanes)
    with pytest.raises(EnvError, match="not begun with per_lane=2"):
        env.rollout(3, statistics=rollout.counts, per_lane=2)
    with pytest.raises(EnvError, match="leave out statistics=False"):
        env.rollout(3, statistics=False, per_lane=2)
    some = env.rollout(3, per_lane=1)
    with pytest.raises(EnvError, match="not begun with per_lane=2"):
        env.rollout(3, statistics=some.counts, per_lane=2)
    assert env.tick == 6


def test_triton_counts_the_same(compiled: Callable[..., Module], run_program: Run) -> None:
    program = """
import sys, hamlet, torch
for path in sys.argv[1:]:
    module = hamlet.load(path)
    for agents, ticks in ((1, 60), (3, 30)):
        found = []
        for backend in ("interpreter", "triton"):
            env = hamlet.make(module, worlds=40, agents=agents, device="cpu", backend=backend, seed=5, obs_dtype=None)
            first = env.rollout(ticks, per_lane=1)
            lanes, records = env.rollout(5, statistics=first.counts).lanes.arrays, []
            assert int(first.lanes.episodes.max()) > 0
            with env.telemetry(every=ticks, to=records.append): env.rollout(ticks)
            assert set(records[0].meters) == {meter.name for meter in env.universe.meters}
            found.append((lanes, records))
        (lanes, records), (others, same) = found
        for one, other in zip(lanes, others): assert torch.equal(one, other)
        assert repr(records) == repr(same)
"""
    done = run_program(program, *(compiled(text, "triton").path for text in (DINER, BARE)), TRITON_INTERPRET="1")
    assert done.returncode == 0, done.stderr
