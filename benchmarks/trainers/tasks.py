"""What the trainers learn: three universes, and how long an episode is under a policy that one of them learnt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

import hamlet
from hamlet.env.environment import Env
from hamlet.numbers.random import multiply_high
from hamlet_train.crews import Crew, crews_of
from hamlet_train.evaluate import Episodes, first_episodes

ROOT = Path(__file__).resolve().parents[2]
SEATS, EPISODES = 1_024, 512
"""Agents that learn, in all worlds of a training; and in those of an evaluation."""
UNSEEN = 1_000_003
"""The seed of the worlds of evaluations."""

Layers = list[tuple[Tensor, Tensor]]
"""Weights [outputs, inputs] and biases [outputs] of the layers of a policy, tanh between them."""


@dataclass(frozen=True, slots=True)
class Task:
    """A universe, and who learns in it.

    Attributes:
        universe: its file below the folder of universes.
        role: whose agents learn, while the others act at random; `None` where a world has one agent.
        agents: of a world.
        learners: how many of them learn.
        shows: what of an episode says how good a policy is, `length` or `return`.
    """

    universe: str
    role: str | None = None
    agents: int = 1
    learners: int = 1
    shows: str = "return"

    @property
    def path(self) -> Path:
        """Its file."""
        return ROOT / "universes" / f"{self.universe}.hamlet"

    @property
    def worlds(self) -> int:
        """Worlds of a training."""
        return SEATS // self.learners

    def env(self, worlds: int, seed: int) -> Env:
        """Worlds of it."""
        settings: dict[str, Any] = {"seed": seed, "backend": "c", "validate": False, "quiet": True}
        return hamlet.make(hamlet.compile(self.path), worlds=worlds, agents=self.agents, **settings)

    def crew(self, env: Env) -> Crew:
        """Who learns."""
        return next(crew for crew in crews_of(env, shared=self.role is None) if crew.role == self.role)


TASKS = {
    "town": Task("town", shows="length"),
    "grid": Task("ports/minigrid_lava_gap_s7"),
    "roles": Task("ports/pursuit", "pursuer", agents=38, learners=8),
}


def by_chance(env: Env) -> Tensor:
    """Random actions [lanes] of all agents."""
    return multiply_high(env.policy_words(), env.num_actions).to(torch.int32)


def evaluated(task: Task, layers: Layers | None, masked: bool) -> tuple[float, float]:
    """Mean return and length of first episodes in worlds that nobody learnt in. Actions are drawn by the policy, with
    `masked` among those that make sense; without layers all are random."""
    env = task.env(EPISODES // task.learners, UNSEEN)
    crew = task.crew(env)
    lanes = np.arange(env.num_lanes) if crew.lanes is None else crew.lanes
    chooser = (lambda: (by_chance(env), None)) if layers is None else drawn(env, crew, lanes, layers, masked)
    episodes: Episodes = first_episodes(env, chooser).of(lanes)
    return episodes.returned, episodes.length


def drawn(
    env: Env, crew: Crew, lanes: np.ndarray, layers: Layers, masked: bool
) -> Callable[[], tuple[Tensor, Tensor | None]]:
    """Actions of a policy for the lanes of a crew, and random ones of others."""
    generator = torch.Generator().manual_seed(UNSEEN)
    numbers = np.arange(env.num_actions) if crew.actions is None else crew.actions
    mine, named = torch.from_numpy(lanes), torch.from_numpy(numbers)

    def choose() -> tuple[Tensor, Tensor | None]:
        assert env.observation is not None
        values = env.observation[mine][:, : len(crew.reach)]
        for number, (weights, biases) in enumerate(layers):
            values = torch.nn.functional.linear(torch.tanh(values) if number else values, weights, biases)
        if masked:
            values = values.masked_fill(~env.action_mask[mine][:, named], -torch.inf)
        actions = by_chance(env)
        chosen = torch.multinomial(values.softmax(dim=1), 1, generator=generator)[:, 0]
        actions[mine] = named[chosen].to(torch.int32)
        return actions, None

    return choose
