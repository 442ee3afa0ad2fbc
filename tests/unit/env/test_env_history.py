"""`Env.keep_history` and `Env.at`: every tick of a run is what it was, in so many bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import hamlet
from hamlet import MLP, EnvError
from hamlet.env.environment import Env
from hamlet.env.handover import hand_over
from hamlet.env.keep.keeping import Keeping
from hamlet.package.module import Module

FARM = """
universe farm
space grid 4 x 3
lifespan 20 ticks
param rate = 1 in 0.5 .. 2
input wage = 0 in -1 .. 1
meter food = 1 { decay 0.01 * rate }
meter luck = 0.5 { decay -0.01 * wage }
affordance Stall at random { instantly { food += 0.1 } }
rule hail: uniform(0, 1) < 0.1 -> luck -= 0.05
dies when food <= 0
reward food + wage + luck
observe { meters }
"""
STEERED = """
universe boat
space none
lifespan 30 ticks
control lift in -1 .. 1
meter height = 0 in -9 .. 9
rule flying: height += lift
reward height
observe { meters }
"""
WORLDS, AGENTS, WORLD = 3, 2, 2
MEMORY = 2400


@pytest.fixture(scope="module")
def farm(compiled: Callable[[str], Module]) -> Module:
    return compiled(FARM)


@pytest.fixture(scope="module")
def boat(compiled: Callable[[str], Module]) -> Module:
    return compiled(STEERED)


def made(module: Module, worlds: int = WORLDS, **given: Any) -> Env:
    arguments = {"backend": "interpreter", "seed": 4, "first_world": 5, "quiet": True} | given
    return hamlet.make(module, worlds=worlds, agents=AGENTS, **arguments)


def history_of(env: Env) -> Any:
    assert isinstance(env._backend, Keeping)
    return env._backend.history


class Notes:
    """Copies of a world at the ticks where something may have been noted of it."""

    def __init__(self, env: Env) -> None:
        self._env = env
        self._then = {env.tick: env.alone(WORLD)}

    def note(self) -> None:
        self._then[self._env.tick] = self._env.alone(WORLD)

    def check(self) -> None:
        """Every tick is what it was, whatever is asked first."""
        for tick, then in reversed(self._then.items()):
            now = self._env.at(tick, WORLD)
            assert (now.tick, now.seed, now.first_world) == (tick, then.seed, then.first_world)
            assert same_state(now, then), tick
            assert now.observation is not None
            assert then.observation is not None
            assert torch.equal(now.observation, then.observation)


def same_state(left: Env, right: Env) -> bool:
    """Whether all bits of two states are equal; what happened in the last tick is no part of them."""
    bits = [
        {name: values.contiguous().view(torch.uint8) for name, values in env.state.items()} for env in (left, right)
    ]
    return all(torch.equal(values, bits[1][name]) for name, values in bits[0].items())


def test_every_tick_is_what_it_was_whoever_acted(farm: Module) -> None:
    env = made(farm)
    env.keep_history()
    notes, draw = Notes(env), torch.Generator().manual_seed(3)
    actions = torch.randint(env.num_actions, (90, env.num_lanes), generator=draw)
    for each in actions[:5]:
        env.step(each)
        notes.note()
    env.rollout(70)
    notes.note()
    wages = torch.rand(90, env.num_lanes, generator=draw)
    env.rollout(90, actions, inputs={"wage": wages})
    kept = history_of(env).marks[-1].tick
    assert 75 < kept < 165
    for tick in (kept, kept + 1):
        assert torch.equal(env.at(tick).inputs["wage"], wages[tick - 76, :AGENTS])
    notes.note()
    env.rollout(4, env.tabular(torch.tensor([1, 2, 0, 3]), ["x"]))
    notes.note()
    env.rollout(3, MLP.random(len(env.observation_names), env.num_actions))
    notes.note()
    env.rollout(2)
    notes.note()
    notes.check()


def test_what_was_written_between_ticks_is_there(farm: Module) -> None:
    env = made(farm)
    env.keep_history()
    notes = Notes(env)
    writes: list[Callable[[], object]] = [
        lambda: env.set("food", 0.3),
        lambda: env.params.update(rate=2.0),
        lambda: env.inputs["wage"].fill_(0.5),
        lambda: env.reset(worlds=[False, True, True]),
        lambda: env.state["meters"].mul_(0.5),
    ]
    for write in writes:
        env.rollout(3)
        write()
        env.observe()
        notes.note()
    env.rollout(5)
    notes.check()
    assert float(env.at(3, 0).meter("food")[0]) == pytest.approx(0.3)


def test_controls_are_written_down(boat: Module) -> None:
    env = made(boat)
    env.keep_history()
    notes = Notes(env)
    lift = torch.linspace(-1, 1, 6 * env.num_lanes).reshape(6, 1, env.num_lanes)
    for each in lift:
        env.step(torch.zeros(env.num_lanes, dtype=torch.int32), each)
        notes.note()
    env.rollout(40, controls=lift.repeat(7, 1, 1)[:40])
    env.rollout(40)
    notes.note()
    notes.check()


def test_a_world_goes_on_from_there_as_it_did(farm: Module) -> None:
    env = made(farm)
    env.keep_history()
    env.rollout(100)
    then = env.at(37, WORLD)
    then.rollout(63)
    assert same_state(then, env.alone(WORLD))


def test_states_thin_out_and_the_oldest_ticks_are_forgotten(farm: Module) -> None:
    env = made(farm)
    env.keep_history(memory=MEMORY)
    notes, history = Notes(env), history_of(env)
    assert history.every == 64
    for ticks in (64, 128, 80):
        env.rollout(ticks)
        env.set("luck", 0.25)
        notes.note()
        assert history.size <= MEMORY
    assert history.every > 64
    notes.check()
    env.rollout(200, torch.zeros(200, env.num_lanes, dtype=torch.int32))
    assert history.size <= MEMORY
    with pytest.raises(EnvError, match=r"there is no tick 64: the history has ticks [1-9]\d* \.\. 472"):
        env.at(64)


def test_another_backend_goes_on_with_the_history(farm: Module) -> None:
    env = made(farm)
    env.keep_history()
    notes = Notes(env)
    env.rollout(10)
    notes.note()
    hand_over(env, "interpreter", "a test", quiet=True)
    env.step(torch.ones(env.num_lanes, dtype=torch.int32))
    notes.note()
    env.rollout(1)
    notes.check()


def test_what_a_history_has_not(farm: Module) -> None:
    env = made(farm)
    with pytest.raises(EnvError, match=r"^no history is kept: call keep_history\(\) before the ticks"):
        env.at(0)
    with pytest.raises(EnvError, match=r"3 worlds take [0-9]+ bytes: two states do not fit in 99"):
        env.keep_history(memory=99)
    env.rollout(5)
    env.keep_history()
    assert same_state(env.at(5), env.alone())
    with pytest.raises(EnvError, match="there is no tick 2: nothing has been run since the history is kept"):
        env.at(2)
    env.rollout(5)
    for tick, said in ((4, "5 .. 10"), (11, "5 .. 10")):
        with pytest.raises(EnvError, match=f"^there is no tick {tick}: the history has ticks {said}$"):
            env.at(tick)
    with pytest.raises(EnvError, match=r"a world is a number in 0 .. 2"):
        env.at(6, 3)
    saved = env.state_dict()
    env.load_state_dict({**saved, "tick": 20})
    env.rollout(2)
    assert env.at(21).tick == 21
    with pytest.raises(EnvError, match=r"^tick 15 is not in the history: what ran ticks 10 and later was a graph"):
        env.at(15)
    env.reset(seed=9)
    env.rollout(3)
    with pytest.raises(EnvError, match=r"^there is no tick 7: the history has ticks 0 .. 3$"):
        env.at(7)
    env.keep_history(memory=0)
    with pytest.raises(EnvError, match="no history is kept"):
        env.at(2)
