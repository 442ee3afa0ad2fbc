"""Where nobody named a backend the interpreter begins, and kernels in C go on: the bits are those of either."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from test_single import MEAL, equal

from hamlet.env.environment import Env as Core
from hamlet.env.make import make
from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet_adapters import handover
from hamlet_gym import Env
from hamlet_pettingzoo import ParallelEnv

FIRST = 4


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handover, "STEPS", FIRST)


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The backend of each step that was launched by the general way."""
    backends = list[str]()
    step = Core.step

    def noted(core: Core, *arguments: Any, **given: Any) -> Any:
        backends.append(core.backend)
        return step(core, *arguments, **given)

    monkeypatch.setattr(Core, "step", noted)
    return backends


def test_a_long_run_is_one_of_kernels_with_the_bits_of_the_interpreter(stall: Module, launched: list[str]) -> None:
    """Whoever has the world, a tensor or a copy of it has it still."""
    one, other = Env(stall, seed=2), Env(stall, backend="interpreter", seed=2)
    core = one.env
    meters, kept = core.state["meters"], []
    assert equal(one.reset(), other.reset())
    before = copy.deepcopy(one)
    for number in range(60):
        assert core.backend == ("interpreter" if number <= FIRST else "c"), number
        action = number % core.num_actions
        stepped = one.step(action)
        assert equal(stepped, other.step(action)), number
        kept.append((stepped, copy.deepcopy(stepped)))
        if number in (FIRST - 1, FIRST, 30):
            one, before = pickle.loads(pickle.dumps(one)), one
            core, meters = one.env, one.env.state["meters"]
        if stepped[2] or stepped[3]:
            assert equal(one.reset(), other.reset())
    assert all(equal(now, then) for now, then in kept)
    assert one.env is core
    assert core.state["meters"] is meters
    assert np.array_equal(meters, other.env.state["meters"])
    assert "in the place of the interpreter" in core.choice
    assert before.env.backend == "c"
    # All others take the short way, in each copy after one that finds its memory.
    assert launched.count("c") == 3


def test_what_counts_and_rolls_goes_on(stall: Module) -> None:
    """Telemetry, rollouts, params and steps that the world itself is given."""
    records: dict[str, list[Any]] = {"": [], "interpreter": []}
    envs = [Env(stall, seed=5, **({"backend": name} if name else {})) for name in records]
    for env in envs:
        env.reset()
    one, other = (
        env.env.telemetry(every=3, to=found.append) for env, found in zip(envs, records.values(), strict=True)
    )
    with one, other:
        for number in range(20):
            given = [env.step(number % 3) for env in envs]
            assert equal(*given)
            if any(given[0][2:4]):
                assert equal(*(env.reset() for env in envs))
            if number == FIRST + 2:
                for env in envs:
                    env.env.params["haste"] = 1.5
                    env.env.rollout(2)
    assert envs[0].env.backend == "c"
    counts = [[(each.ticks, each.episodes, each.uses) for each in found] for found in records.values()]
    assert counts[0] == counts[1]
    assert len(counts[0]) > 5


def test_agents_of_pettingzoo_are_handed_over_too(stall: Module) -> None:
    one, other = ParallelEnv(stall, seed=3), ParallelEnv(stall, seed=3, backend="interpreter")
    for env in (one, other):
        env.reset()
    for number in range(20):
        actions = {name: (number + place) % 3 for place, name in enumerate(one.agents)}
        assert equal(one.step(actions), other.step(actions)), number
        if not one.agents:
            assert equal(one.reset(), other.reset())
    assert (one.env.backend, other.env.backend) == ("c", "interpreter")
    # What runs steps is the backend that the environment says it has.
    assert getattr(one.env._stepping._run, "__self__", None) is one.env._backend


def run(env: Env, steps: int = 3 * FIRST) -> None:
    env.reset()
    for _ in range(steps):
        if any(env.step(0)[2:4]):
            env.reset()


def test_a_backend_that_was_named_stays() -> None:
    for name in ("interpreter", "c"):
        env = Env(MEAL, backend=name)
        run(env)
        assert env.env.backend == name


def test_ctrl_c_while_kernels_are_compiled_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = Env(MEAL, seed=1), Env(MEAL, seed=1)
    pressed = list[bool]()

    def interrupted(*arguments: Any, **given: Any) -> Core:
        assert given["quiet"] is False
        if not pressed:
            pressed.append(True)
            raise KeyboardInterrupt
        return make(*arguments, **given)

    monkeypatch.setattr("hamlet.env.handover.make", interrupted)
    for env in (one, other):
        env.reset()
        for _ in range(FIRST):
            env.step(1)
    with pytest.raises(KeyboardInterrupt):
        one.step(2)
    assert (one.env.backend, one.env.tick) == ("interpreter", FIRST)
    assert equal(one.step(2), other.step(2))
    assert one.env.backend == other.env.backend == "c"


@pytest.mark.parametrize("error", [ImportError("a library is missing"), EnvError("no threads")])
def test_where_kernels_cannot_run_a_line_says_so_once(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: Any, **_given: Any) -> Core:
        raise error

    monkeypatch.setattr("hamlet.env.handover.make", broken)
    env, quiet = Env(MEAL), Env(MEAL, quiet=True)
    run(env)
    run(quiet)
    assert env.env.backend == quiet.env.backend == "interpreter"
    assert capfd.readouterr().err == f"hamlet: first_meal stays on the interpreter: {error}\n"


def test_a_package_with_machine_code_begins_on_it(monkeypatch: pytest.MonkeyPatch, launched: list[str]) -> None:
    monkeypatch.setattr(handover, "find", lambda _module: (object(), ""))
    env = Env(MEAL)
    assert env.env.backend == "interpreter"
    run(env, 2)
    assert launched == ["c"]


def test_a_package_without_kernels_for_cpus_stays_on_the_interpreter() -> None:
    sources = {name: text for name, text in MEAL.sources.items() if not name.startswith("c")}
    env = Env(replace(MEAL, sources=sources))
    run(env)
    assert env.env.backend == "interpreter"
