"""Actions and controls of a network, tick by tick: what `Env.step` takes, by the order of operations of kernels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

import torch
from torch import Tensor

from hamlet.backend.protocol import NetworkPolicy
from hamlet.backend.recall import Memories, Recall
from hamlet.errors import EnvError
from hamlet.interpreter import functions
from hamlet.interpreter.draws import Sites, normal
from hamlet.interpreter.networks import choose, evaluate, evaluate_remembering
from hamlet.launch.cpu.heads import Heads, reaches
from hamlet.numbers.counters import CONTROL_DRAWS
from hamlet.package.module import Module

Choice: TypeAlias = tuple[Tensor, Tensor | None]
"""Actions [lanes] i32, and controls [controls, lanes] f32, `None` in a universe without any."""


MANY = 64
"""Lanes from which on machine code computes heads: for fewer, who has no compiler needs none."""


class Role(Protocol):
    """The part of a role that a policy of it sees; see `hamlet.env.roles.RoleInfo`."""

    @property
    def name(self) -> str: ...

    @property
    def agents(self) -> range: ...

    @property
    def lanes(self) -> Tensor: ...

    @property
    def action_numbers(self) -> tuple[int, ...]: ...

    @property
    def observation_names(self) -> tuple[str, ...]: ...


class World(Protocol):
    """The part of an environment that a policy sees; see `hamlet.env.environment.Env`."""

    @property
    def module(self) -> Module: ...

    @property
    def device(self) -> torch.device: ...

    @property
    def first_world(self) -> int: ...

    @property
    def num_agents(self) -> int: ...

    @property
    def num_lanes(self) -> int: ...

    @property
    def num_actions(self) -> int: ...

    @property
    def num_controls(self) -> int: ...

    @property
    def control_low(self) -> Tensor: ...

    @property
    def control_high(self) -> Tensor: ...

    @property
    def roles(self) -> Mapping[str, Role]: ...

    @property
    def observation_names(self) -> Any: ...

    @property
    def seed(self) -> int: ...

    @property
    def tick(self) -> int: ...

    @property
    def observation(self) -> Tensor | None: ...

    @property
    def state(self) -> Mapping[str, Tensor]: ...

    @property
    def action_mask(self) -> Tensor: ...

    @property
    def memories(self) -> Memories: ...

    def policy_words(self) -> Tensor: ...


class Acting:
    """A network that acts in an environment, for all of its agents or for those of a role. What lanes remember is kept
    by the environment."""

    def __init__(
        self, env: World, network: NetworkPolicy, log_deviations: Tensor, named: Tensor, role: Role | None = None
    ) -> None:
        """`log_deviations` [controls]: see `hamlet.policies.described.Layers`; `named` are the weights by which
        memories name the network.

        Raises:
            EnvError: the environment observes something else, or is on another device.
        """
        self._env, self._network, self._named = env, network, named
        _check(env, network, role)
        every = torch.arange(env.num_lanes, device=env.device)
        self.lanes = every if role is None else role.lanes.to(env.device)
        numbers = range(env.num_actions) if role is None else role.action_numbers
        self._numbers = torch.tensor(list(numbers), device=env.device)
        self._all = role is None
        quick = env.device.type == "cpu" and len(self.lanes) >= MANY and reaches(network)
        self._heads = Heads(network, len(self.lanes)) if quick else None
        self._global = self.lanes + env.first_world * env.num_agents
        self._deviations = functions.call("exp", log_deviations)
        low, high = env.control_low, env.control_high
        # Halves first: the sum of two numbers can be infinite.
        self._middle, self._half = low / 2 + high / 2, high / 2 - low / 2

    def __call__(self) -> Choice:
        """The actions and controls of the present tick, those of its lanes."""
        env, network = self._env, self._network
        assert env.observation is not None
        seen, mask = env.observation.T, env.action_mask.T
        words = env.policy_words() if network.sample else None
        if not self._all:
            seen, mask = seen[: network.values, self.lanes], mask[self._numbers][:, self.lanes]
            words = None if words is None else words[self.lanes]
        if network.gates is not None:
            actions, rows = self._remembering(network, seen, mask, words)
        else:
            rows = evaluate(network, seen) if self._heads is None else self._heads.of(seen)
            actions, _ = choose(rows[: len(mask)], mask, words)
        if not self._all:
            actions = self._numbers[actions.long()].to(torch.int32)
        if not env.num_controls:
            return actions, None
        return actions, self._controls(rows[len(mask) : -1])

    def _remembering(
        self, network: NetworkPolicy, seen: Tensor, mask: Tensor, words: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """The actions and the heads of a network with a memory, which goes on."""
        env = self._env
        recall = env.memories.at(self._named, env.tick)
        if recall is None:
            recall = Recall.empty(network.remembers, network.values, len(self.lanes), env.device)
        age = env.state["age"][self.lanes]
        if self._heads is None:
            rows, hidden = evaluate_remembering(replace(network, recall=recall), seen, age)
        else:
            rows, hidden = self._heads.remembering(seen, recall, age)
        actions, _ = choose(rows[: len(mask)], mask, words)
        env.memories.keep(self._named, env.tick + 1, recall.after(hidden, seen, actions), recall)
        return actions, rows

    def _controls(self, means: Tensor) -> Tensor:
        """Controls around these means, in the ranges that they have."""
        env = self._env
        sites = Sites(self._global, env.tick, CONTROL_DRAWS, (env.seed & 0xFFFFFFFF, env.seed >> 32))
        controls = []
        for number, mean in enumerate(means):
            raw = mean
            if self._network.sample:
                raw = normal(sites.word(2 * number), sites.word(2 * number + 1), mean, self._deviations[number])
            value = self._middle[number] + raw * self._half[number]
            low, high = env.control_low[number], env.control_high[number]
            value = torch.where(value < low, low, value)
            controls.append(torch.where(high < value, high, value))
        return torch.stack(controls)


def _check(env: World, network: NetworkPolicy, role: Role | None) -> None:
    seen = env.observation
    if seen is None or seen.dtype is not torch.float32:
        raise EnvError('a policy reads observations in f32: make the environment with obs_dtype="float32"')
    values = seen.shape[1] if role is None else len(role.observation_names)
    actions = env.num_actions if role is None else len(role.action_numbers)
    here = values, actions, env.num_controls
    reads = network.values, network.actions, network.controls
    if reads != here:
        said = ("{} values of an observation, {} actions and {} controls".format(*each) for each in (reads, here))
        raise EnvError("the policy is for {}, and here are {}".format(*said))
    if network.layers[0][0].device != env.device:
        raise EnvError(f"the policy is on {network.layers[0][0].device}, the environment is on {env.device}")
