"""Adapters that give arrays wait once for a step: what it wrote crosses to the host in one transfer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from hamlet.package.module import Module
from rehearsal import simulating
from samples import text

WORLDS, TICKS = 40, 12

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no CUDA device")


@pytest.fixture
def module(compiled: Callable[..., Module]) -> Module:
    return compiled(re.sub(r"lifespan \d+ ticks", "lifespan 7 ticks", text("luck")), "triton")


def gymnasium(mode: str) -> Callable[[Module, dict[str, Any]], Callable[[Any], Any]]:
    def made(module: Module, given: dict[str, Any]) -> Callable[[Any], Any]:
        from hamlet_gym import VectorEnv

        env = VectorEnv(WORLDS, module, mode, **given)
        env.reset()
        return lambda actions: env.step(actions)[:4]

    return made


def sb3(module: Module, given: dict[str, Any]) -> Callable[[Any], Any]:
    from hamlet_sb3 import VecEnv

    env = VecEnv(WORLDS, module, **given)
    env.reset()
    return lambda actions: (*env.step(actions)[:3], env.action_masks())


def pettingzoo(module: Module, given: dict[str, Any]) -> Callable[[Any], Any]:
    from hamlet_pettingzoo import ParallelEnv

    env = ParallelEnv(module, agents=8, **given)
    env.reset()

    def step(actions: Any) -> Any:
        results = env.step({name: actions[env.possible_agents.index(name)] for name in env.agents})
        if not env.agents:
            env.reset()
        return [np.array(list(each.values())) for each in results[:4]]

    return step


ADAPTERS = {
    "Gymnasium, SAME_STEP": gymnasium("SameStep"),
    "Gymnasium, NEXT_STEP": gymnasium("NextStep"),
    "Stable-Baselines3": sb3,
    "PettingZoo": pettingzoo,
}


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_step_waits_once(adapter: str, module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an episode ended its last observations are fetched too, where they are no longer shown."""
    on_gpu, on_cpu = (
        ADAPTERS[adapter](module, {"seed": 3, "device": device, "backend": backend})
        for device, backend in (("cuda", "triton"), ("cpu", "interpreter"))
    )
    waits = Counter[str]()
    event = type(torch.cuda.current_stream().record_event())
    synchronize = event.synchronize

    def counted(self: Any) -> None:
        waits["event"] += 1
        synchronize(self)

    monkeypatch.setattr(event, "synchronize", counted)
    if simulating():
        from rehearsal.tensors import Simulated

        # Actions on their way to the device are no results on their way back.
        monkeypatch.setattr(
            Simulated, "_wait", lambda _self, name: waits.update([name] if not name.endswith(".to") else [])
        )
    rng, events, ends = np.random.default_rng(1), 0, 0
    for _ in range(TICKS):
        actions = rng.integers(0, 4, WORLDS)
        waits.clear()
        one = on_gpu(actions)
        now, over = dict(waits), bool(np.any(one[2]) or (adapter != "Stable-Baselines3" and np.any(one[3])))
        other = on_cpu(actions)
        assert all(np.array_equal(x, y) for x, y in zip(one, other, strict=True))
        if adapter == "PettingZoo" and now.get("event") == 2:
            # A reset followed.
            now["event"] = 1
        assert now.pop("event") == 1
        assert not now or (over and sum(now.values()) <= 2), now
        events, ends = events + 1, ends + int(over)
    assert events == TICKS
    assert ends > 0
