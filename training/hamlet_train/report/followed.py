"""First episodes followed tick by tick: how they end, and what is used in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from hamlet import schema
from hamlet.env.act.results import LIFESPAN
from hamlet.env.environment import Env
from hamlet_train.collect import Choice
from hamlet_train.evaluate import Chooser, Episodes
from hamlet_train.exact.network import Array

Told = Callable[[int, Choice], None]


@dataclass(frozen=True, slots=True)
class Followed:
    """First episodes.

    Attributes:
        episodes: how they went.
        uses: [affordances] i64, the ticks in which each was used. actions: [actions] i64, how often each was taken.
    """

    episodes: Episodes
    uses: Array
    actions: Array


def followed(env: Env, choose: Chooser, ticks: int, tell: Told | None = None) -> Followed:
    """Step until the first episode of each lane has ended, at most so many ticks. `tell` is told the number of each
    tick, from 1 on, and what was chosen."""
    lanes, universe = env.num_lanes, env.universe
    running = np.ones(lanes, np.bool_)
    lengths, returns, endings = np.zeros(lanes, np.int64), np.zeros(lanes), np.full(lanes, -1)
    uses = np.zeros(len(universe.affordances) + 1, np.int64)
    actions = np.zeros(env.num_actions, np.int64)
    for tick in range(1, ticks + 1):
        choice = choose()
        taken = choice[0].numpy().copy()
        env.step(*choice)
        reward, terminated, truncated, used, cause = (
            env.outcome[name].numpy() for name in ("reward", "terminated", "truncated", "used", "cause")
        )
        actions += np.bincount(taken[running], minlength=len(actions))
        uses += np.bincount(used[running] + 1, minlength=len(uses))
        np.add(returns, reward, out=returns, where=running)
        lengths += running
        if tell is not None:
            tell(tick, choice)
        ended = (terminated | truncated) & running
        np.copyto(endings, cause, where=ended)
        running &= ~ended
        if not running.any():
            break
    ways = (*(each.name for each in universe.causes), LIFESPAN)
    return Followed(Episodes(lengths, returns, endings, ways), uses[1:], actions)


def by_one_action(env: Env, action: int) -> Chooser:
    """Whoever takes one action all the time, and controls in the middle of their ranges."""
    taken = torch.full((env.num_lanes,), action, dtype=torch.int32)
    middle = (env.control_low / 2 + env.control_high / 2).unsqueeze(1).expand(-1, env.num_lanes)
    controls = middle.contiguous() if env.num_controls else None
    return lambda: (taken, controls)


def action_names(env: Env) -> list[str]:
    """The names of actions, by their numbers."""
    return list(schema.action_names(env.universe))
