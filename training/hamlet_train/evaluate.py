"""Episodes of a policy, beside those of random actions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

import hamlet
from hamlet.backend.protocol import Stream
from hamlet.env.environment import Env
from hamlet.env.rollout import LIFESPAN
from hamlet.interpreter.policy import drawn_controls
from hamlet.package.module import Module
from hamlet_train.collect import Actor, Choice
from hamlet_train.draws import action_words
from hamlet_train.errors import TrainError
from hamlet_train.exact.network import Array
from hamlet_train.groups import Groups
from hamlet_train.policy import Policy
from hamlet_train.store import Store
from hamlet_train.team import Team

MOST_TICKS = 10_000
"""After so many ticks episodes are no longer waited for."""

Chooser = Callable[[], Choice]
"""Gives the actions and controls of the present tick."""


@dataclass(frozen=True, slots=True)
class Episodes:
    """The first episode of each lane.

    Attributes:
        lengths: [episodes] i64, in ticks. returns: [episodes] f64.
        causes: how many ended in which way, by name.
        unfinished: lanes whose first episode had not ended after `MOST_TICKS`.
    """

    lengths: Array
    returns: Array
    causes: dict[str, int]
    unfinished: int

    @property
    def length(self) -> float:
        """The mean length."""
        return float(np.mean(self.lengths)) if len(self.lengths) else math.nan

    @property
    def spread(self) -> float:
        """The standard deviation of lengths."""
        return float(np.std(self.lengths)) if len(self.lengths) else math.nan

    @property
    def returned(self) -> float:
        """The mean return."""
        return float(np.mean(self.returns)) if len(self.returns) else math.nan


def environment(module: Module, worlds: int, agents: int | None, seed: int, first_world: int = 0) -> Env:
    """Worlds for a policy to act in."""
    return hamlet.make(
        module,
        worlds=worlds,
        agents=agents,
        seed=seed,
        first_world=first_world,
        device="cpu",
        backend="numba",
        validate=False,
        quiet=True,
    )


def chooser(env: Env, policy: Policy, threads: int, greedy: bool = False) -> Chooser:
    """Actions and controls drawn from a policy, or with `greedy` its likeliest actions and the means of controls.

    Raises:
        TrainError: the environment observes something else, or has other actions or controls.
    """
    network, observation = policy.network, env.observation
    known = network.inputs, network.actions, network.controls
    if observation is None or (observation.shape[1], env.num_actions, env.num_controls) != known:
        raise TrainError("the policy is for {} values of an observation, {} actions and {} controls".format(*known))
    share = Groups(env.num_worlds, env.num_agents).share(0, 1)
    actor = Actor(env, network, Team(threads, network.scratch), share.bounds, greedy)
    store = Store.empty(network, env.num_lanes, 1)
    return lambda: actor.act(policy.parameters, store, 0)


def random_chooser(env: Env) -> Chooser:
    """Actions and controls drawn as the random policy draws them."""
    lanes = torch.arange(env.num_lanes) + env.first_world * env.num_agents
    words = action_words(lanes, env.seed)

    def choose() -> Choice:
        actions = (torch.from_numpy(words.at(env.tick).astype(np.int64)) * env.num_actions) >> 32
        controls = drawn_controls(env.universe, lanes, Stream(env.seed, env.tick)) if env.num_controls else None
        return actions.to(torch.int32), controls

    return choose


def first_episodes(env: Env, choose: Chooser) -> Episodes:
    """Play until the first episode of each lane has ended."""
    running = torch.ones(env.num_lanes, dtype=torch.bool)
    lengths, returns = torch.zeros(env.num_lanes, dtype=torch.int64), torch.zeros(env.num_lanes, dtype=torch.float64)
    causes = torch.full((env.num_lanes,), -1)
    for _ in range(MOST_TICKS):
        _, reward, terminated, truncated, info = env.step(*choose())
        cause = info["cause"]
        assert cause is not None
        returns += torch.where(running, reward.double(), 0.0)
        lengths += running
        ended = running & (terminated | truncated)
        causes = torch.where(ended, cause.long(), causes)
        running &= ~ended
        if not bool(running.any()):
            break
    names = [*(cause.name for cause in env.universe.causes), LIFESPAN]
    counted = {name: int((causes == number).sum()) for number, name in enumerate(names)}
    done = ~running
    return Episodes(lengths[done].numpy(), returns[done].numpy(), counted, int(running.sum()))
