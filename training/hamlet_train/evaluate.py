"""Episodes of a policy, beside those of random actions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import torch

import hamlet
from hamlet import schema
from hamlet.backend.buffers import LaneCounts, Statistics
from hamlet.backend.protocol import TabularPolicy
from hamlet.env.act.results import LIFESPAN
from hamlet.env.environment import Env
from hamlet.numbers.random import multiply_high
from hamlet.package.module import Module
from hamlet.policies.joined import by_role
from hamlet.policies.mlp import MLP, MOST_HIDDEN, MOST_WEIGHT, MOST_WIDTH
from hamlet.policies.outside import Outside
from hamlet_train.collect import Actor, Choice, Player, Present, bounds_of, choose
from hamlet_train.crews import Crew, crews_of
from hamlet_train.errors import TrainError
from hamlet_train.exact.network import Array, Network
from hamlet_train.exact.store import Store
from hamlet_train.policy import Played, Policy, Table
from hamlet_train.team import Team
from hamlet_train.variety import Params

MOST_TICKS = 10_000
"""After so many ticks episodes are no longer waited for."""

LAUNCH = 128
"""Ticks of a launch, after which it is seen whether all episodes have ended."""

OF_A_THREAD = 512
"""Lanes of a thread, at least: to hand some over takes as long as to choose their actions."""

Policies: TypeAlias = Mapping[str | None, Played]
Networks: TypeAlias = Mapping[str | None, Policy]
"""Policies by role; `None` is the role of one that all agents share."""

Chooser = Callable[[], Choice]
"""Gives the actions and controls of the present tick."""


@dataclass(frozen=True, slots=True)
class Episodes:
    """The first episode of each lane.

    Attributes:
        lengths: [lanes] i64, in ticks. returns: [lanes] f64. Those of an episode that did not end are what it had when
            nobody waited for it any longer.
        endings: [lanes] i64, the number in `ways` of the way in which it ended; -1 where it did not.
        ways: causes as the author wrote them, then `lifespan`.
    """

    lengths: Array
    returns: Array
    endings: Array
    ways: tuple[str, ...]

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

    @property
    def causes(self) -> dict[str, int]:
        """How many ended in which way, by name."""
        return {name: int((self.endings == number).sum()) for number, name in enumerate(self.ways)}

    @property
    def unfinished(self) -> int:
        """How many did not end."""
        return int((self.endings < 0).sum())

    def by_role(self, env: Env) -> dict[str, Episodes]:
        """The episodes of the agents of each role; none where the environment has no roles."""
        return {name: self.of(role.lanes.numpy()) for name, role in env.roles.items()}

    def of(self, lanes: Array) -> Episodes:
        """The episodes of some lanes: their numbers, or [lanes] bool."""
        return Episodes(self.lengths[lanes], self.returns[lanes], self.endings[lanes], self.ways)


def environment(
    module: Module,
    worlds: int,
    agents: int | None,
    seed: int,
    first_world: int = 0,
    params: Params | None = None,
) -> Env:
    """Worlds for a policy to act in."""
    return hamlet.make(
        module,
        worlds=worlds,
        agents=agents,
        seed=seed,
        first_world=first_world,
        device="cpu",
        backend="c",
        validate=False,
        quiet=True,
        params=params or None,
    )


def chooser(env: Env, policy: Policy | Networks, threads: int, greedy: bool = False) -> Chooser:
    """Actions and controls drawn from a policy, or from one for each role, or with `greedy` their likeliest actions and
    the means of controls. Roles without a policy act at random.

    Raises:
        TrainError: the environment observes something else, or has other actions or controls, or no such role.
    """
    policies: Networks = {None: policy} if isinstance(policy, Policy) else policy
    present = Present(env, greedy)
    crews = {crew.role: crew for crew in crews_of(env, None in policies)}
    check_roles(env, policies)
    players = [player(present, crews[role], each, threads) for role, each in policies.items()]
    idle = [crew.lanes for crew in crews.values() if crew.role not in policies and crew.lanes is not None]
    if not idle:
        return lambda: choose(present, players)
    if env.num_controls:
        raise TrainError(f"{env.universe.name} has controls: take a policy for each of its roles")
    lanes = np.concatenate(idle)

    def mixed() -> Choice:
        choice = choose(present, players)
        by_chance = multiply_high(env.policy_words(), env.num_actions).numpy()
        present.chosen[lanes] = by_chance[lanes]
        return choice

    return mixed


def player(present: Present, crew: Crew, policy: Policy, threads: int, lanes: Array | None = None) -> Player:
    """A policy that plays a crew, or these lanes of it, and keeps nothing. It is that of the crew's role, or one that
    all roles share.

    Raises:
        TrainError: the crew observes something else, or has other actions or controls.
    """
    network, env = policy.network, present.env
    assert env.observation is not None
    sizes = network.inputs, network.actions, network.controls
    own = sizes == (len(crew.reach), crew.choices, crew.controls)
    if not own and sizes != (env.observation.shape[1], env.num_actions, env.num_controls):
        raise TrainError("the policy is for {} values of an observation, {} actions and {} controls".format(*sizes))
    mine = crew.lanes if lanes is None else lanes
    count = env.num_lanes if mine is None else len(mine)
    team = Team(min(threads, -(-count // OF_A_THREAD)), network.scratch)
    actor = Actor(present, network, team, bounds_of(count), mine, crew.actions if own else None)
    return Player(actor, policy.parameters, Store.empty(network, count, 1))


def check_roles(env: Env, policies: Mapping[str | None, object]) -> None:
    """Raise `TrainError` unless policies are for all agents, or for roles of the environment."""
    for role in policies:
        if role is not None and role not in env.roles:
            roles = ", ".join(env.roles) or "none"
            raise TrainError(f"the policy is for the role {role}, and the roles of {env.universe.name} are {roles}")


def first_episodes(env: Env, choose: Chooser, ticks: int = MOST_TICKS) -> Episodes:
    """Step until the first episode of each lane has ended, at most so many ticks."""
    running = np.ones(env.num_lanes, np.bool_)
    lengths, returns = np.zeros(env.num_lanes, np.int64), np.zeros(env.num_lanes)
    endings = np.full(env.num_lanes, -1)
    # Steps of few lanes take less time than ten operations of torch.
    reward, terminated, truncated, cause = (
        env.outcome[name].numpy() for name in ("reward", "terminated", "truncated", "cause")
    )
    for _ in range(ticks):
        env.step(*choose())
        np.add(returns, reward, out=returns, where=running)
        lengths += running
        ended = (terminated | truncated) & running
        if ended.any():
            np.copyto(endings, cause, where=ended)
            running &= ~ended
            if not running.any():
                break
    return Episodes(lengths, returns, endings, _ways(env))


def rolled_episodes(env: Env, policy: MLP | TabularPolicy | str, ticks: int = MOST_TICKS) -> Episodes:
    """The episodes that `first_episodes` plays, by launches of many ticks. Returns are sums in binary32, as the
    environment has them."""
    counts: Statistics | bool = True
    lanes: LaneCounts | None = None
    done = 0
    while done < ticks and (lanes is None or not bool(lanes.episodes.all())):
        length = min(LAUNCH, ticks - done)
        rollout = env.rollout(length, policy, statistics=counts, per_lane=1)
        counts, lanes, done = rollout.counts, rollout.lanes, done + length
    assert lanes is not None
    ended = lanes.episodes > 0
    # A lane waits for its world once its first episode is over, so state is that of first episodes elsewhere.
    lengths = torch.where(ended, lanes.lengths[0], env.state["age"]).long()
    returns = torch.where(ended, lanes.returns[0], env.state["episode_return"]).double()
    endings = torch.where(ended, lanes.causes[0], -1).long()
    return Episodes(lengths.numpy(), returns.numpy(), endings.numpy(), _ways(env))


def rolls(network: Network) -> bool:
    """Whether launches of many ticks can run a network of this size: `hamlet.MLP` has no controls, and bounds."""
    small = len(network.hidden) <= MOST_HIDDEN and max(network.hidden) <= MOST_WIDTH
    return small and not network.controls


def played(
    env: Env, policy: Played | Policies, threads: int, greedy: bool = False, ticks: int = MOST_TICKS
) -> Episodes:
    """The first episodes of a policy, or of one for each role, by the fastest way there is.

    Raises:
        TrainError: the environment observes something else, or has other actions or controls.
        EnvError: a table has other features or actions, or a network of others other outputs.
    """
    if isinstance(policy, Mapping):
        if None not in policy:
            networks = {role: each for role, each in policy.items() if isinstance(each, Policy)}
            alone = not any(each.network.memory for each in networks.values())
            if alone and set(networks) == set(env.roles) and all_roll(list(networks.values())) and sees_small(env):
                mlps = {str(role): mlp_of(each, greedy) for role, each in networks.items()}
                return rolled_episodes(env, by_role(env, mlps), ticks)
            return first_episodes(env, chooser(env, networks, threads, greedy), ticks)
        policy = policy[None]
    if isinstance(policy, Outside):
        return first_episodes(env, policy.choosing(env, greedy), ticks)
    if isinstance(policy, Table):
        table = torch.from_numpy(policy.probabilities)
        return rolled_episodes(env, env.tabular(table.argmax(dim=-1) if greedy else table, policy.features), ticks)
    _check_fits(env, policy)
    kind = policy.about.get("activation", "tanh")
    if not all_roll([policy]) or not sees_small(env):
        if kind != "tanh":
            raise TrainError(f"networks with {kind} have no controls, at most {MOST_HIDDEN} layers of {MOST_WIDTH}, "
                             "and weights of at most 2**20")  # fmt: skip
        return first_episodes(env, chooser(env, policy, threads, greedy), ticks)
    return rolled_episodes(env, mlp_of(policy, greedy), ticks)


def mlp_of(policy: Policy, greedy: bool) -> MLP:
    """The network as rollouts take it."""
    views = policy.network.views(policy.parameters)
    weights, biases = (
        [torch.from_numpy(np.ascontiguousarray(each)) for each in layers] for layers in zip(*views, strict=True)
    )
    gates = None
    if policy.network.memory:
        weight, bias = (np.ascontiguousarray(each) for each in policy.network.gates(policy.parameters))
        gates = torch.from_numpy(weight), torch.from_numpy(bias)
    return MLP(weights, biases, policy.about.get("activation", "tanh"), sample=not greedy, gates=gates)


def all_roll(policies: Sequence[Policy]) -> bool:
    """Whether launches of many ticks can run these networks side by side. A training that diverges leaves weights that
    `hamlet.MLP` refuses."""
    kinds = {(len(each.network.hidden), each.about.get("activation", "tanh")) for each in policies}
    sound = all(rolls(each.network) and np.abs(each.parameters).max() <= MOST_WEIGHT for each in policies)
    return len(kinds) == 1 and sound


def sees_small(env: Env) -> bool:
    """Whether all numbers that are observed are small enough for launches of many ticks."""
    scales = [segment.scale for segment in schema.observation_segments(env.universe)]
    return all(max(-scale.low, scale.high) <= MOST_WEIGHT for scale in scales)


def played_by_chance(env: Env, ticks: int = MOST_TICKS) -> Episodes:
    """The first episodes of random actions and controls."""
    return rolled_episodes(env, "random", ticks)


def _check_fits(env: Env, policy: Policy) -> None:
    network, observation = policy.network, env.observation
    sizes = network.inputs, network.actions, network.controls
    if observation is None or (observation.shape[1], env.num_actions, env.num_controls) != sizes:
        raise TrainError("the policy is for {} values of an observation, {} actions and {} controls".format(*sizes))


def _ways(env: Env) -> tuple[str, ...]:
    return (*(cause.name for cause in env.universe.causes), LIFESPAN)
