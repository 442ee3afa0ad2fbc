"""Worlds on the interpreter: several agents, new episodes, rollouts, statistics, shards."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from hamlet import schema
from hamlet.backend.buffers import Buffers, Shape, allocate, allocate_statistics
from hamlet.backend.protocol import RandomPolicy, RecordedPolicy, Stream
from hamlet.interpreter import Interpreter
from hamlet.numbers.permutation import domain
from hamlet.numbers.random import layout_of, multiply_high, permute, policy_words
from hamlet.universe import Cause, Clock, Universe
from samples import EVERY, sample
from samples.by_hand import CPU, SPAN, Player, binary, f32, number, place, universe, value, write

SEED = 0x0123456789ABCDEF
MORTAL = universe(causes=(Cause("m <= 0.1", binary("<=", value(), number(0.1)), SPAN),), clock=Clock(5, SPAN))


def test_the_dead_are_frozen_and_the_world_goes_on() -> None:
    player = Player(MORTAL, worlds=2, agents=3)
    player.set("meters", [0.05, 0.5, 0.5, 0.5, 0.5, 0.5]).set("position", 2).do("LEFT")
    assert player["terminated"].tolist() == [True] + 5 * [False]
    assert player["alive"].tolist() == [False] + 5 * [True]
    before = {name: player[name][..., :1] for name in ("meters", "position", "age", "episode_return")}
    player.do("LEFT")
    assert player["reward"][0] == 0
    assert not player["terminated"][0]
    assert player["cause"][0] == -1
    for name, frozen in before.items():
        assert np.array_equal(player[name][..., :1], frozen), name
    assert player["hour"].tolist() == [2, 2]
    assert player.mask("WAIT") == 6 * [True]
    assert player.mask("RIGHT") == [False] + 5 * [True]


def test_a_world_starts_anew_when_all_its_agents_are_dead() -> None:
    player = Player(MORTAL, worlds=2, agents=3).do("WAIT").set("meters", [0.05, 0.5, 0.5, 0.05, 0.06, 0.07]).do("WAIT")
    assert player["episode"].tolist() == [0, 1]
    assert player["hour"].tolist() == [2, 0]
    assert player["age"].tolist() == [2, 2, 2, 0, 0, 0]
    assert player["alive"].tolist() == [False, True, True, True, True, True]
    assert player["episode_return"].tolist() == [0.5, 1.0, 1.0, 0.0, 0.0, 0.0]
    assert player.meter().tolist() == [f32(0.05), 0.5, 0.5, 0.5, 0.5, 0.5]
    assert player["terminated"].tolist() == [True, False, False, True, True, True]
    final = player.buffers.final_observation
    assert final is not None
    assert final[0].tolist() == [0.0, 0.0, 0.0, f32(0.05), f32(0.06), f32(0.07)]
    assert player.buffers.observation is not None
    assert player.buffers.observation[0].tolist() == player.meter().tolist()


def test_places_come_from_the_layout() -> None:
    """Random affordances and agents on distinct free cells, by the permutation of the world's layout."""
    spots = (place("A", None, write("+=", 0.1)), place("B", (1,), write("+=", 0.1)), place("C", None, write("+=", 0.1)))
    player = Player(universe(affordances=spots), worlds=9, agents=2, seed=SEED)
    layout = layout_of((SEED & 0xFFFFFFFF, SEED >> 32), torch.arange(9), torch.zeros(9, dtype=torch.int64))
    assert torch.equal(player.buffers.state["layout"].long() & 0xFFFFFFFF, layout)
    free = torch.tensor([0, 2, 3, 4])
    cells = free[permute(torch.arange(4).unsqueeze(1), layout, domain(4))]
    assert player["position"].reshape(9, 2).tolist() == cells[2:].T.tolist()
    player.set("position", cells[0].repeat_interleave(2).tolist()).do("INTERACT")
    assert player["used"].tolist() == 18 * [0]
    player.set("position", 1).do("INTERACT")
    assert player["used"].tolist() == 18 * [1]
    player.set("position", cells[1].repeat_interleave(2).tolist()).do("INTERACT")
    assert player["used"].tolist() == 18 * [2]


def clone(buffers: Buffers, universe: Universe) -> Buffers:
    twin = allocate(universe, buffers.shape, CPU, torch.float32)
    for name, array in arrays(twin).items():
        array.copy_(arrays(buffers)[name])
    return twin


def arrays(buffers: Buffers) -> dict[str, torch.Tensor]:
    assert buffers.observation is not None
    assert buffers.final_observation is not None
    seen = {"observation": buffers.observation, "final": buffers.final_observation, "mask": buffers.mask}
    return buffers.state | buffers.outcome | seen


def assert_same(left: Buffers, right: Buffers, but: tuple[str, ...] = ()) -> None:
    for name, array in arrays(left).items():
        assert name in but or torch.equal(array, arrays(right)[name]), name


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("agents", [pytest.param(1, marks=pytest.mark.long), 3])
def test_a_rollout_is_so_many_steps(name: str, agents: int) -> None:
    """Also its statistics: they are what can be counted from the outcomes of the steps."""
    world = sample(name)
    backend, shape = Interpreter(world, CPU), Shape(50, agents, first_world=7)
    ticks = 60 if world.lifespan is None else 14
    stepped = allocate(world, shape, CPU, torch.float32)
    backend.reset(stepped, Stream(SEED, 2))
    if world.lifespan is not None:
        # Agents of all ages: some reach the lifespan in the first ticks.
        youth = torch.arange(shape.lanes) * 7 % world.lifespan.ticks
        stepped.state["age"].copy_(world.lifespan.ticks - 1 - youth)
        backend.observe(stepped)
    rolled, silent, recorded = (clone(stepped, world) for _ in range(3))
    counts, mirror = (allocate_statistics(world, shape, CPU) for _ in range(2))
    history = []
    for tick in range(2, 2 + ticks):
        lanes = torch.arange(shape.lanes) + 7 * agents
        words = policy_words(lanes, tick, (SEED & 0xFFFFFFFF, SEED >> 32))
        history.append(multiply_high(words[tick % 4], len(schema.action_names(world))).int())
        # a lane's age and return before the tick, as a new episode overwrites them
        age, total = stepped.state["age"].clone(), stepped.state["episode_return"].clone()
        backend.step(stepped, history[-1], Stream(SEED, tick))
        outcome = {name: stepped.outcome[name].tolist() for name in ("used", "terminated", "truncated", "cause")}
        for used in outcome["used"]:
            if used >= 0:
                mirror.uses[used] += 1
        for lane in range(shape.lanes):
            if outcome["terminated"][lane] or outcome["truncated"][lane]:
                mirror.causes[outcome["cause"][lane]] += 1
                mirror.lengths[min(int(age[lane]) + 1, len(mirror.lengths) - 1)] += 1
                mirror.finished_return[lane] += total[lane] + stepped.outcome["reward"][lane]
    backend.rollout(rolled, ticks, RandomPolicy(), Stream(SEED, 2), True, counts)
    backend.rollout(silent, ticks, RandomPolicy(), Stream(SEED, 2), False, None)
    backend.rollout(recorded, ticks, RecordedPolicy(torch.stack(history)), Stream(SEED, 2), True, None)
    assert_same(stepped, rolled)
    assert_same(stepped, recorded)
    assert_same(stepped, silent, but=("final",))
    for field in ("uses", "causes", "lengths", "finished_return"):
        assert torch.equal(getattr(counts, field), getattr(mirror, field)), field
    assert counts.uses.sum() > 0 or name in ("galaxy", "many_moves")
    assert counts.causes.sum() > 0 or name == "shifts"


def test_shards_are_parts_of_the_whole() -> None:
    world = sample("wrap")
    whole = allocate(world, Shape(10, 2), CPU, torch.float32)
    parts = [allocate(world, Shape(5, 2, first_world=first), CPU, torch.float32) for first in (0, 5)]
    for buffers in (whole, *parts):
        backend = Interpreter(world, CPU)
        backend.reset(buffers, Stream(SEED, 0))
        backend.rollout(buffers, 80, RandomPolicy(), Stream(SEED, 0), True, None)
    assert whole.state["episode"].sum() > 0
    for name, array in arrays(whole).items():
        assert torch.equal(array, torch.cat([arrays(part)[name] for part in parts], dim=-1)), name


def test_one_interpreter_serves_several_batches() -> None:
    """What it remembers about layouts is no state."""
    world = sample("town")
    shared = Interpreter(world, CPU)
    for seed in (1, 2, 1):
        ours, fresh = (allocate(world, Shape(6, 1), CPU, torch.float32) for _ in range(2))
        for backend, buffers in ((shared, ours), (Interpreter(world, CPU), fresh)):
            backend.reset(buffers, Stream(seed, 0))
            backend.rollout(buffers, 5, RandomPolicy(), Stream(seed, 0), True, None)
        assert_same(ours, fresh)
