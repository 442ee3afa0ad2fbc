"""Runs a universe of the gallery with kernels in C, and keeps what happened in every tick."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module, in_memory
from hamletc.compile import Options, build_checked, check_file
from hamletc.frontend import Stopwatch

GALLERY = Path(__file__).parents[2] / "universes" / "gallery"
NAMES = sorted(path.stem for path in GALLERY.glob("*.hamlet"))


@cache
def module(name: str) -> Module:
    """The package of a universe of the gallery, with kernels in C alone."""
    stopwatch = Stopwatch()
    checked = check_file(GALLERY / f"{name}.hamlet", stopwatch)
    return in_memory(Path(name), build_checked(checked, Options(("c",)), stopwatch))


def make(name: str, worlds: int = 1, agents: int = 1, seed: int = 1) -> Env:
    """Worlds of it; thousands of ticks on the interpreter would take much longer than to compile the kernels."""
    return hamlet.make(module(name), worlds=worlds, agents=agents, seed=seed, backend="c", quiet=True)


@dataclass(frozen=True, slots=True)
class Watched:
    """What happened, a row for each tick: tensors [ticks, worlds, agents].

    Attributes:
        values: f32 by name, of meters and of the world's meters as after the tick, and of reports.
        reward: f32.
        used: i32, the number of an affordance or -1.
    """

    values: dict[str, Tensor]
    reward: Tensor
    used: Tensor

    def __getitem__(self, name: str) -> Tensor:
        return self.values[name]


Policy = Callable[[Env, int], Tensor]


def always(action: str) -> Policy:
    """Everybody always takes this action."""
    return cycle(action)


def cycle(*actions: str) -> Policy:
    """Everybody takes these actions in turn."""

    def policy(env: Env, tick: int) -> Tensor:
        action = env.action_names.index(actions[tick % len(actions)])
        return torch.full((env.num_lanes,), action, dtype=torch.int32)

    return policy


def watch(env: Env, ticks: int, policy: Policy, meters: Sequence[str] = (), controls: Policy | None = None) -> Watched:
    """So many ticks under a policy, which is given the environment and the number of the tick, from 0 on; so are its
    `controls`, [controls, lanes]."""
    shape = (env.num_worlds, env.num_agents)
    rows: dict[str, list[Tensor]] = {name: [] for name in (*meters, *env.reports)}
    rewards, uses = [], []
    for tick in range(ticks):
        _, reward, _, _, info = env.step(policy(env, tick), None if controls is None else controls(env, tick))
        for name, values in rows.items():
            value = env.reports[name] if name in env.reports else env.meter(name)
            values.append(value.reshape(env.num_worlds, -1).clone())
        rewards.append(reward.reshape(shape).clone())
        uses.append(info["used"].reshape(shape).clone())
    return Watched(
        {name: torch.stack(values) for name, values in rows.items()}, torch.stack(rewards), torch.stack(uses)
    )
