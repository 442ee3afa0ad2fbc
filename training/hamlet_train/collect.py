"""The policy acts in an environment, and what happens comes into a store."""

from __future__ import annotations

import numpy as np
import torch

from hamlet.env.environment import Env
from hamlet.numbers.random import policy_words
from hamlet_train.draws import halves
from hamlet_train.exact import kernels
from hamlet_train.exact.network import Array, Network
from hamlet_train.store import Store
from hamlet_train.team import Team


class Actor:
    """A network that acts in an environment. Its actions are those of `hamlet.MLP` with the same weights: drawn with
    the words of the random policy, by lane and tick, or the likeliest ones."""

    def __init__(self, env: Env, network: Network, team: Team, bounds: Array, greedy: bool = False) -> None:
        """`bounds` are the lanes at which threads part, see `hamlet_train.groups.Share`; `greedy`: whether it takes the
        likeliest actions."""
        self.env = env
        self._greedy = greedy
        self._table = network.table
        self._team = team
        self._bounds = bounds
        self._lanes = torch.arange(env.num_lanes) + env.first_world * env.num_agents
        self._chosen = np.zeros(env.num_lanes, np.int32)
        self._drawn: tuple[int, tuple[torch.Tensor, ...]] | None = None

    def act(self, parameters: Array, store: Store, tick: int) -> torch.Tensor:
        """[lanes] i32: the actions, which come into the store at a tick with what led to them; at the tick after the
        last one of the store only values do."""
        observation = self.env.observation
        assert observation is not None
        observed = observation.T.numpy()
        mask, alive = self.env.action_mask.T.numpy(), self.env.state["alive"].numpy()
        words = self._words() if tick < store.ticks and not self._greedy else np.zeros(0, np.uint32)

        def work(first: int, end: int, scratch: Array) -> None:
            kernels.act(
                self._bounds[first],
                self._bounds[end],
                self._table,
                parameters,
                observed,
                mask,
                alive,
                words,
                tick,
                store.ticks,
                store.inputs,
                store.masks,
                store.valid,
                store.actions,
                store.chances,
                store.values,
                self._chosen,
                scratch,
            )

        self._team.share(work, len(self._bounds) - 1)
        return torch.from_numpy(self._chosen)

    def collect(self, parameters: Array, store: Store) -> None:
        """Fill a store."""
        for tick in range(store.ticks):
            observation, *flags, info = self.env.step(self.act(parameters, store, tick))
            by_hand = self.env.universe.by_hand
            last = observation if by_hand else info["final_observation"]
            assert last is not None
            self._look(parameters, store, tick, last.T.numpy(), *flags)
            if by_hand:
                self._begin()
        self.act(parameters, store, store.ticks)

    def _begin(self) -> None:
        """Worlds in which nobody is alive begin their next episode."""
        env = self.env
        over = ~env.state["alive"].view(env.num_worlds, env.num_agents).any(dim=1)
        if bool(over.any()):
            env.reset(worlds=over)

    def _look(self, parameters: Array, store: Store, tick: int, last: Array, *flags: torch.Tensor) -> None:
        reward, terminated, truncated = (each.numpy() for each in flags)

        def work(first: int, end: int, scratch: Array) -> None:
            kernels.look(
                self._bounds[first],
                self._bounds[end],
                self._table,
                parameters,
                last,
                reward,
                terminated,
                truncated,
                tick,
                store.rewards,
                store.ends,
                store.beyond,
                store.inputs.shape[2],
                scratch,
            )

        self._team.share(work, len(self._bounds) - 1)

    def _words(self) -> Array:
        """[lanes] u32, the random words of this tick; four ticks have theirs from one computation."""
        tick = self.env.tick
        if self._drawn is None or self._drawn[0] != tick >> 2:
            self._drawn = tick >> 2, policy_words(self._lanes, tick, halves(self.env.seed))
        return self._drawn[1][tick & 3].numpy().astype(np.uint32)
