"""The policy acts in an environment, and what happens comes into a store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch

from hamlet.env.environment import Env
from hamlet_train.draws import action_words, control_words
from hamlet_train.exact import kernels
from hamlet_train.exact.compiled import at
from hamlet_train.exact.network import Array, Network
from hamlet_train.exact.store import Store
from hamlet_train.team import Team

Choice: TypeAlias = tuple[torch.Tensor, torch.Tensor | None]
"""The actions of a tick, [lanes] i32, and its controls, [controls, lanes] f32, `None` in a universe without any."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Kernels for parameters and a store, see `hamlet_train.exact.kernels`."""

    parameters: Array
    store: Store
    act: Callable[..., None]
    look: Callable[..., None]


class Actor:
    """A network that acts in an environment. Its actions are those of `hamlet.MLP` with the same weights: drawn with
    the words of the random policy, by lane and tick, or the likeliest ones. Controls are drawn around its means with
    words of their own stream (`hamlet_train.draws.control_words`), or are the means."""

    def __init__(self, env: Env, network: Network, team: Team, bounds: Array, greedy: bool = False) -> None:
        """`bounds` are the lanes at which threads part, see `hamlet_train.groups.Share`; `greedy`: whether it takes the
        likeliest actions and the means of controls. Steps write into the environment's own memory."""
        self.env = env
        self._greedy = greedy
        self._table = network.table
        self._team = team
        self._bounds: list[int] = bounds.tolist()
        lanes = np.arange(env.num_lanes) + env.first_world * env.num_agents
        self._words = action_words(lanes, env.seed), control_words(lanes, env.num_controls, env.seed)
        self._ranges = ranges(env)
        self._chosen = np.zeros(env.num_lanes, np.int32)
        self._controls = np.zeros((env.num_controls, env.num_lanes), np.float32)
        # Views are made once: one takes as long as to choose the actions of three lanes.
        observation = env.observation
        assert observation is not None
        self._seen = observation.T.numpy(), env.action_mask.T.numpy(), env.state["alive"].numpy()
        controls = torch.from_numpy(self._controls) if env.num_controls else None
        self._prepared: Prepared | None = None
        self._choice: Choice = torch.from_numpy(self._chosen), controls

    def act(self, parameters: Array, store: Store, tick: int) -> Choice:
        """The actions and controls of a tick, chosen by the network and stored with their observations; at the tick
        after the last one of the store only values are.
        """
        words, for_controls = np.zeros(0, np.uint32), np.zeros((0, self.env.num_lanes), np.uint32)
        if tick < store.ticks and not self._greedy:
            words, for_controls = (each.at(self.env.tick) for each in self._words)

        acts = self._prepared_for(parameters, store).act
        drawn = [at(each) if len(each) else None for each in (words, for_controls)]

        def work(first: int, end: int, scratch: Array) -> None:
            acts(self._bounds[first], self._bounds[end], tick, *drawn, at(scratch))

        self._team.share(work, len(self._bounds) - 1)
        return self._choice

    def _prepared_for(self, parameters: Array, store: Store) -> Prepared:
        prepared = self._prepared
        if prepared is None or prepared.parameters is not parameters or prepared.store is not store:
            observed, mask, alive = self._seen
            acts = kernels.act(
                self._table, parameters, observed, mask, alive, self._ranges, store, self._chosen, self._controls
            )
            looks = kernels.look(self._table, parameters, len(observed), store)
            self._prepared = prepared = Prepared(parameters, store, acts, looks)
        return prepared

    def collect(self, parameters: Array, store: Store) -> None:
        """Fill a store."""
        for tick in range(store.ticks):
            observation, *flags, info = self.env.step(*self.act(parameters, store, tick))
            by_hand = self.env.universe.by_hand
            last = observation if by_hand else info["final_observation"]
            assert last is not None
            self._look(parameters, store, tick, last, *flags)
            if by_hand:
                self._begin()
        self.act(parameters, store, store.ticks)

    def _begin(self) -> None:
        """Worlds in which nobody is alive begin their next episode."""
        env = self.env
        over = ~env.state["alive"].view(env.num_worlds, env.num_agents).any(dim=1)
        if bool(over.any()):
            env.reset(worlds=over)

    def _look(self, parameters: Array, store: Store, tick: int, last: torch.Tensor, *flags: torch.Tensor) -> None:
        """`last` are observations [lanes, values]."""
        looks = self._prepared_for(parameters, store).look
        by_lane, by_value = last.stride()
        seen = last.data_ptr(), by_value, by_lane, *(each.data_ptr() for each in flags)

        def work(first: int, end: int, scratch: Array) -> None:
            looks(self._bounds[first], self._bounds[end], tick, *seen, at(scratch))

        self._team.share(work, len(self._bounds) - 1)


def ranges(env: Env) -> Array:
    """[controls, 4] f32: of each control the middle of its range, half of its width, its least and greatest number."""
    low, high = env.control_low.cpu().numpy(), env.control_high.cpu().numpy()
    # Halves first: the sum of two numbers can be infinite.
    columns: Array = np.stack([low / 2 + high / 2, high / 2 - low / 2, low, high], axis=1).astype(np.float32)
    return columns
