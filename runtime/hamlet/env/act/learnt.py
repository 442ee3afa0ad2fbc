"""Policies that were learnt, in an environment: inside of its kernels where these can play them, else by steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import torch

from hamlet.backend.buffers import Statistics
from hamlet.backend.protocol import TabularPolicy
from hamlet.env.act.results import Rollout
from hamlet.errors import EnvError
from hamlet.policies.acting import World
from hamlet.policies.learnt import Learnt
from hamlet.policies.mlp import MLP
from hamlet.policies.roles import LearntByRole
from hamlet.policies.stepping import Stepping

Other = TypeVar("Other")


class Rolling(World, Protocol):
    """An environment that runs rollouts; see `hamlet.env.rollouts.Running`."""

    def tabular(self, table: torch.Tensor, features: Any) -> TabularPolicy: ...

    def rollout(
        self,
        ticks: int,
        policy: Any,
        observe: bool,
        statistics: Statistics | bool,
        per_world: bool,
        per_lane: int | None,
        controls: Any,
        inputs: Mapping[str, Any] | None,
    ) -> Rollout: ...


def playable(env: Rolling, policy: Other | Learnt) -> Other | Learnt | MLP | TabularPolicy:
    """The policy as kernels play it; one that acts by steps, and whatever was not learnt, as it is.

    Raises:
        EnvError: it was learnt on another universe, or its table does not fit.
    """
    if isinstance(policy, LearntByRole):
        together = policy.together(env)
        return policy if together is None else together
    if not isinstance(policy, Learnt) or not policy.rolls:
        return policy
    policy.check(env.module)
    if not policy.is_table:
        return policy.mlp()
    table = policy.probabilities.detach().to(env.device)
    return env.tabular(table.argmax(dim=-1) if policy.greedy else table, policy.features)


def choosing(env: Rolling, policy: Other | Learnt) -> Other | Learnt | MLP | TabularPolicy:
    """The same for who takes one tick after the other: a network that was learnt acts by itself then, in machine code.

    Raises:
        EnvError: see `playable`.
    """
    return policy if isinstance(policy, Learnt) and not policy.is_table else playable(env, policy)


def stepped(
    env: Rolling,
    ticks: int,
    policy: Learnt,
    observe: bool,
    statistics: Statistics | bool,
    per_world: bool,
    per_lane: int | None,
    inputs: Mapping[str, Any] | None,
    others: Mapping[str, Any],
) -> Rollout:
    """A rollout of a policy that acts by steps: a launch for each tick, with the same counts.

    Raises:
        EnvError: something of `others` is asked for, by the name of its argument, which needs one launch.
    """
    for name, value in others.items():
        if value is not None:
            why = (
                policy.why
                if isinstance(policy, Stepping)
                else "it has controls"
                if policy.controls
                else "its layers are too many, or too wide"
            )
            raise EnvError(f"a rollout of {policy.path} takes no {name}, for it acts by steps: {why}")
    acting, counts = policy.acting(env), statistics
    for tick in range(ticks):
        actions, controls = acting()
        rows = None if inputs is None else {name: _of_tick(values, tick, ticks) for name, values in inputs.items()}
        by_tick = None if controls is None else controls.unsqueeze(0)
        rollout = env.rollout(1, actions.unsqueeze(0), observe, counts, per_world, per_lane, by_tick, rows)
        counts = rollout.counts if statistics is not False else False
    return Rollout(rollout.universe, ticks, counts if isinstance(counts, Statistics) else None)


def _of_tick(values: Any, tick: int, ticks: int) -> Any:
    """The row of a tick, of values of every tick or of one number for all of them."""
    several = hasattr(values, "__len__") and len(values) == ticks
    return values[tick : tick + 1] if several else values
