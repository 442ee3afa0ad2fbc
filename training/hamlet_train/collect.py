"""Policies act in an environment, and what happens comes into their stores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import torch

from hamlet.env.environment import Env
from hamlet_train.draws import action_words, control_words
from hamlet_train.exact import kernels
from hamlet_train.exact.compiled import Address, at
from hamlet_train.exact.network import Array, Network
from hamlet_train.exact.store import Memory, Store
from hamlet_train.groups import LANES
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


class Present:
    """The present tick of an environment: what its agents see, the random words, and memory for what actors choose.
    Steps write into the environment's own memory."""

    def __init__(self, env: Env, greedy: bool = False) -> None:
        """`greedy`: whether actors take the likeliest actions and the means of controls."""
        self.env = env
        self.ranges = ranges(env)
        self.chosen = np.zeros(env.num_lanes, np.int32)
        self.controls = np.zeros((env.num_controls, env.num_lanes), np.float32)
        # Views are made once: one takes as long as to choose the actions of three lanes.
        observation = env.observation
        assert observation is not None
        self.seen = observation.T.numpy(), env.action_mask.T.numpy(), env.state["alive"].numpy()
        self.age = env.state["age"].numpy()
        self._greedy = greedy
        lanes = np.arange(env.num_lanes) + env.first_world * env.num_agents
        self._words = action_words(lanes, env.seed), control_words(lanes, env.num_controls, env.seed)
        controls = torch.from_numpy(self.controls) if env.num_controls else None
        self.choice: Choice = torch.from_numpy(self.chosen), controls
        """The actions and controls that actors have written."""

    def words(self) -> tuple[Array, Array]:
        """The words of this tick for actions and for controls; none where actors are greedy."""
        if self._greedy:
            return np.zeros(0, np.uint32), np.zeros((0, self.env.num_lanes), np.uint32)
        actions, controls = (each.at(self.env.tick) for each in self._words)
        return actions, controls


class Actor:
    """A network that acts for some lanes of an environment, or for all. Its actions are those of `hamlet.MLP` with the
    same weights: drawn with the words of the random policy, by lane and tick, or the likeliest ones. Controls are drawn
    around its means with words of their own stream (`hamlet_train.draws.control_words`), or are the means."""

    def __init__(
        self,
        present: Present,
        network: Network,
        team: Team,
        bounds: Array,
        lanes: Array | None = None,
        actions: Array | None = None,
        team_pay: range | None = None,
    ) -> None:
        """`bounds` are those of its lanes at which threads part, see `hamlet_train.groups.Share`; `lanes` and `actions`
        are as in `hamlet_train.crews.Crew`; `team_pay` are agents of a world that are paid the mean of their
        rewards."""
        self._present = present
        self._table = network.table
        self._inputs = network.inputs
        self._team = team
        self._bounds: list[int] = bounds.tolist()
        self._lanes, self._actions, self._team_pay = lanes, actions, team_pay
        self._prepared: Prepared | None = None

    def act(self, parameters: Array, store: Store, tick: int) -> None:
        """Choose the actions and controls of a tick, and store them with their observations; at the tick after the last
        one of the store only values are.
        """
        words = self._present.words() if tick < store.ticks else (np.zeros(0), np.zeros(0))
        acts = self._prepared_for(parameters, store).act
        drawn: list[Address] = [at(each) if len(each) else None for each in words]

        def work(first: int, end: int, scratch: Array) -> None:
            acts(self._bounds[first], self._bounds[end], tick, *drawn, at(scratch))

        self._team.share(work, len(self._bounds) - 1)

    def look(self, parameters: Array, store: Store, tick: int, last: torch.Tensor, *flags: torch.Tensor) -> None:
        """Store what came of a tick; `last` are observations [lanes, values] of the environment."""
        looks = self._prepared_for(parameters, store).look
        by_lane, by_value = last.stride()
        if self._team_pay is not None:
            flags = (shared_pay(flags[0], self._present.env.num_agents, self._team_pay), *flags[1:])
        seen = last.data_ptr(), by_value, by_lane, *(each.data_ptr() for each in flags)

        def work(first: int, end: int, scratch: Array) -> None:
            looks(self._bounds[first], self._bounds[end], tick, *seen, at(scratch))

        self._team.share(work, len(self._bounds) - 1)

    def _prepared_for(self, parameters: Array, store: Store) -> Prepared:
        prepared = self._prepared
        if prepared is None or prepared.parameters is not parameters or prepared.store is not store:
            now = self._present
            acts = kernels.act(
                self._table,
                parameters,
                *now.seen,
                now.ranges,
                store,
                now.chosen,
                now.controls,
                self._lanes,
                self._actions,
                now.age,
            )
            looks = kernels.look(self._table, parameters, self._inputs, store, self._lanes)
            self._prepared = prepared = Prepared(parameters, store, acts, looks)
        return prepared


class Judge(Protocol):
    """A critic that is no part of an actor; see `hamlet_train.critic.Critic`."""

    def judge(self, tick: int) -> None: ...

    def look(self, tick: int, last: torch.Tensor, *flags: torch.Tensor) -> None: ...


@dataclass(frozen=True, slots=True)
class Listener:
    """The memory of a crew, some of whose lanes another one plays."""

    memory: Memory
    lanes: Array

    def hear(self, acted: Array) -> None:
        """Remember what was done there, rather than what the crew would have done."""
        self.memory.acted[self.lanes] = acted


@dataclass(frozen=True, slots=True)
class Player:
    """An actor with its parameters and its store, who judges beside it, and who listens to it."""

    actor: Actor
    parameters: Array
    store: Store
    judge: Judge | None = None
    listener: Listener | None = None

    def act(self, tick: int) -> None:
        """Choose for a tick, see `Actor.act`."""
        self.actor.act(self.parameters, self.store, tick)
        if self.judge is not None:
            self.judge.judge(tick)
        if self.listener is not None and self.store.memory is not None:
            self.listener.hear(self.store.memory.acted)

    def look(self, tick: int, last: torch.Tensor, *flags: torch.Tensor) -> None:
        """Store what came of a tick, see `Actor.look`."""
        self.actor.look(self.parameters, self.store, tick, last, *flags)
        if self.judge is not None:
            self.judge.look(tick, last, *flags)


def choose(present: Present, players: Sequence[Player], tick: int = 0) -> Choice:
    """The actions and controls of a tick, of all who play."""
    for player in players:
        player.act(tick)
    return present.choice


def collect(present: Present, learners: Sequence[Player], others: Sequence[Player] = ()) -> None:
    """Fill the stores of those who learn. The others play, in the place of learners where both have a lane, and nothing
    is kept of them."""
    env, by_hand = present.env, present.env.universe.by_hand
    for tick in range(learners[0].store.ticks):
        choose(present, learners, tick)
        observation, *flags, info = env.step(*choose(present, others))
        last = observation if by_hand else info["final_observation"]
        assert last is not None
        for each in learners:
            each.look(tick, last, *flags)
        if by_hand and bool((ended := over(env)).any()):
            env.reset(worlds=ended)
    for each in learners:
        each.act(each.store.ticks)


def over(env: Env) -> torch.Tensor:
    """[worlds] bool: those in which nobody is alive, which begin their next episode where that is done by hand."""
    return ~env.state["alive"].view(env.num_worlds, env.num_agents).any(dim=1)


def shared_pay(rewards: torch.Tensor, agents: int, team: range) -> torch.Tensor:
    """Rewards [lanes] with the mean of a team, of each world, in the place of those of its members: they are added in
    the order of their numbers."""
    shared = rewards.numpy().reshape(-1, agents).copy()
    total = np.zeros(len(shared), np.float32)
    for agent in team:
        total += shared[:, agent]
    shared[:, team.start : team.stop] = (total / np.float32(len(team)))[:, None]
    return torch.from_numpy(shared.reshape(-1))


def bounds_of(lanes: int) -> Array:
    """The lanes at which threads part, of so many that belong to no groups."""
    bounds: Array = np.minimum(np.arange(-(-lanes // LANES) + 1) * LANES, lanes)
    return bounds


def ranges(env: Env) -> Array:
    """[controls, 4] f32: of each control the middle of its range, half of its width, its least and greatest number."""
    low, high = env.control_low.cpu().numpy(), env.control_high.cpu().numpy()
    # Halves first: the sum of two numbers can be infinite.
    columns: Array = np.stack([low / 2 + high / 2, high / 2 - low / 2, low, high], axis=1).astype(np.float32)
    return columns
