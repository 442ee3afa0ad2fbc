"""pursuit beside PettingZoo's, whose evaders take the steps that ours have drawn."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module

pytest.importorskip("pettingzoo", reason="hamletc[ports] is not installed: pettingzoo")
WORLDS, PURSUERS, EVADERS = 4, 8, 30
AGENTS = PURSUERS + EVADERS


class Steps:
    """The steps of the evaders that are left, one after the other."""

    def __init__(self) -> None:
        self.left: list[int] = []

    def act(self, _: Any) -> int:
        return self.left.pop(0)


@pytest.fixture
def pursuit(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The class of the original; nothing is drawn, and no map is scaled."""
    missing = [name for name in ("pygame", "scipy") if find_spec(name) is None]
    for name in ("pygame", "scipy", "scipy.ndimage"):
        if name.partition(".")[0] in missing:
            empty = ModuleType(name)
            empty.zoom = None  # type: ignore[attr-defined]
            monkeypatch.setitem(sys.modules, name, empty)
    return import_module("pettingzoo.sisl.pursuit.pursuit_base").Pursuit


def placed(original: Any, env: Env, world: int) -> None:
    """The original where our world begins."""
    position = env.state["position"].view(2, -1, AGENTS)[:, world].tolist()
    original.reset()
    for number in range(AGENTS):
        x, y = position[0][number], position[1][number]
        layer, index = original.pursuer_layer, number
        if number >= PURSUERS:
            layer, index = original.evader_layer, number - PURSUERS
        layer.set_position(index, x, y)
    original.model_state[1] = original.pursuer_layer.get_state_matrix()
    original.model_state[2] = original.evader_layer.get_state_matrix()


def seen(env: Env, world: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """What the pursuers of a world observe, [pursuers, 7, 7, 3] like the original."""
    rows = env.observation.view(-1, AGENTS, 3, 7, 7)[world, :PURSUERS]
    return rows.permute(0, 2, 3, 1).numpy()


def shown(original: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.array([np.swapaxes(original.safely_observe(number), 2, 0) for number in range(PURSUERS)])


def seek(original: Any, number: int, drawn: np.random.Generator) -> int:
    """A step towards the evader that is nearest, or a random one."""
    x, y = original.pursuer_layer.get_position(number)
    if drawn.random() < 0.3 or original.evader_layer.n_agents() == 0:
        return int(drawn.integers(5))
    away = [original.evader_layer.get_position(each) - (x, y) for each in range(original.evader_layer.n_agents())]
    dx, dy = min(away, key=lambda by: (abs(by).sum(), by[0]))
    if abs(dx) + abs(dy) <= 1:
        return 4
    return (0 if dx < 0 else 1) if abs(dx) > abs(dy) else (3 if dy < 0 else 2)


def test_pursuit_is_pettingzoos(port: Callable[[str], Module], pursuit: Any) -> None:
    env = hamlet.make(port("pursuit"), worlds=WORLDS, agents=AGENTS, seed=11, quiet=True)
    env.reset()
    originals = [pursuit(shared_reward=False) for _ in range(WORLDS)]
    drawn = np.random.default_rng(4)
    for world, original in enumerate(originals):
        original.evader_controller = Steps()
        placed(original, env, world)
        assert np.array_equal(seen(env, world), shown(original))
    removed, way = 0, [meter.name for meter in env.universe.meters].index("evader.way")
    for _ in range(120):
        actions = torch.full((WORLDS, AGENTS), 4, dtype=torch.int32)
        for world, original in enumerate(originals):
            for number in range(PURSUERS):
                actions[world, number] = seek(original, number, drawn)
        lived = env.state["alive"].view(WORLDS, AGENTS)[:, PURSUERS:].clone()
        _, reward, _, _, _ = env.step(actions.view(-1))
        alive = env.state["alive"].view(WORLDS, AGENTS)[:, PURSUERS:]
        for world, original in enumerate(originals):
            steps = env.state["meters"][way].view(WORLDS, AGENTS)[world, PURSUERS:]
            original.evader_controller.left = [int(step) for step in steps[alive[world]]]
            total = np.zeros(PURSUERS)
            for number in range(PURSUERS):
                original.step(int(actions[world, number]), number, number == PURSUERS - 1)
                total += original.latest_reward_state
            removed += int((lived[world] & ~alive[world]).sum())
            assert original.evader_controller.left == []
            assert np.array_equal(~original.evaders_gone, alive[world].numpy())
            assert np.array_equal(seen(env, world), shown(original))
            ours = reward.view(WORLDS, AGENTS)[world, :PURSUERS].double().numpy()
            assert np.abs(ours - total).max() < 1e-6
    assert removed > 4


def test_its_spaces_are_those_of_pettingzoo(port: Callable[[str], Module], pursuit: Any) -> None:
    env, original = hamlet.make(port("pursuit"), worlds=1, agents=AGENTS, quiet=True), pursuit()
    height, width, channels = original.observation_space[0].shape
    assert len(env.action_names) == original.action_space[0].n
    assert env.grouped["seen"].shape == (AGENTS, channels, height, width)
