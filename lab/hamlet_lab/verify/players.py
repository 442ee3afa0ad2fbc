"""Who acts where sides are compared: a script that visits every affordance, tables of random actions, and the policy of
a user."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, TypeAlias

import torch
from torch import Tensor

import hamlet
from hamlet import schema
from hamlet.backend.buffers import Buffers
from hamlet.backend.protocol import NetworkPolicy, TabularPolicy
from hamlet.env.act.learnt import playable
from hamlet.env.act.tabular import Axis, bins_per_unit, tabular
from hamlet.errors import EnvError
from hamlet.interpreter.places import Places
from hamlet.package.module import Module
from hamlet.policies.mlp import MLP
from hamlet.schema.features import Count, features
from hamlet.schema.grid import cell_of
from hamlet.universe import Continuous, Graph, Grid, NoSpace, Universe
from hamlet.universe.space import graph_of

if TYPE_CHECKING:
    # Machines that only compare have no compiler.
    from hamletc.cli.policy import Player

FARTHEST = 1 << 20
"""No walk takes more ticks: moves can be tiny."""
PATIENCE = 3
"""Ticks at an affordance beyond its duration, so that it is also begun anew."""


class Script:
    """Actions for every lane from where it is; each begins with another affordance. Deterministic."""

    def __init__(self, universe: Universe, lanes: int) -> None:
        self._universe = universe
        self._places = Places(universe, torch.device("cpu"))
        self._target = torch.arange(lanes) % max(len(universe.affordances), 1)
        self._walked = torch.zeros(lanes, dtype=torch.int64)
        self._stayed = torch.zeros(lanes, dtype=torch.int64)
        stays = [(item.duration or 1) + PATIENCE for item in universe.affordances]
        self._stay = torch.tensor(stays or [1])
        self._custom = torch.arange(lanes)
        moves = schema.moves_of(universe)
        self._numbers = torch.tensor([number for number, _ in moves], dtype=torch.int64)
        self._own = torch.tensor([number for number, _ in schema.own_actions(universe)], dtype=torch.int64)
        by = [move.by for _, move in moves]
        self._moves = torch.tensor(by, dtype=torch.float64).view(len(by), len(schema.axes(universe)))
        graph = graph_of(universe.space)
        nodes = [universe.moves.index(move) for _, move in moves]
        self._edges = None if graph is None or not nodes else _edges(graph, nodes)
        self._layout = torch.zeros(0, dtype=torch.int32)
        self._there: Tensor | None = None

    @property
    def walk(self) -> int:
        """The ticks in which a lane gets to the affordance farthest away, if it does."""
        match self._universe.space:
            case Grid(sizes=sizes):
                return sum(sizes)
            case Continuous(axes=axes):
                longest = self._moves.abs().amax(dim=0).tolist() if len(self._moves) else [0.0] * len(axes)
                steps = (axis.size / step for axis, step in zip(axes, longest, strict=True) if step > 0)
                return sum(math.ceil(min(step, FARTHEST)) for step in steps)
            case NoSpace():
                return 0

    @property
    def length(self) -> int:
        """The ticks in which a lane gets to an affordance, uses it, and tries an action or two."""
        return self.walk + int(self._stay.max()) + 2

    def aim(self, targets: Tensor) -> None:
        """Make for these affordances, i64 [lanes], where a lane is not at one."""
        free = self._stayed == 0
        self._walked = torch.where(free & (targets != self._target), 0, self._walked)
        self._target = torch.where(free, targets, self._target)

    def arrived(self, buffers: Buffers) -> Tensor:
        """Where a lane is at its affordance, bool [lanes]."""
        return self._arrived(self._away(buffers))

    def towards(self, buffers: Buffers) -> Tensor:
        """The move that leads nearest to the affordance of each lane, i32 [lanes]; without moves, none."""
        if not len(self._moves):
            return torch.full((buffers.shape.lanes,), schema.idle_action(self._universe), dtype=torch.int32)
        _, left = self._left(buffers, self._away(buffers))
        return self._numbers[left.argmin(dim=0)].to(torch.int32)

    def actions(self, buffers: Buffers) -> Tensor:
        """The next action of each lane, i32 [lanes]."""
        universe, lanes = self._universe, buffers.shape.lanes
        # Where nobody interacts there are no affordances, and any action does.
        interact = max(schema.interact_action(universe), 0)
        actions = torch.full((lanes,), interact)
        if len(self._moves) > 0 and universe.affordances:
            away = self._away(buffers)
            now, left = self._left(buffers, away)
            walking = ~self._arrived(away) & (left.amin(dim=0) < now) & (self._walked < self.walk)
            actions = torch.where(walking, self._numbers[left.argmin(dim=0)], actions)
        done = self._stayed >= self._stay[self._target]
        if len(self._own):
            actions = torch.where(done, self._own[self._custom % len(self._own)], actions)
        self._walked = torch.where(done, 0, self._walked + torch.isin(actions, self._numbers))
        self._stayed = torch.where(done, 0, self._stayed + (actions == interact))
        self._target = torch.where(done, (self._target + 1) % len(self._stay), self._target)
        self._custom = self._custom + done
        return actions.to(torch.int32)

    def _left(self, buffers: Buffers, away: Tensor) -> tuple[Tensor, Tensor]:
        """The rest of the way, f64 [lanes], and the rest after each move, [moves, lanes]."""
        if self._edges is None:
            left = torch.stack([(away - by.unsqueeze(1)).abs().sum(dim=0) for by in self._moves])
            return away.abs().sum(dim=0), left
        here = buffers.state["position"][0].long()
        there = here + away[0].long()
        leads, far = self._edges
        return far[here, there], far[leads[here].T, there]

    def _away(self, buffers: Buffers) -> Tensor:
        """The displacement from each lane to its target, f64 [axes, lanes]."""
        space, position = self._universe.space, buffers.state["position"].double()
        if not self._universe.affordances:
            return torch.zeros_like(position)
        target = self._target.expand(1, len(position), -1)
        away = self._coordinates(buffers).gather(0, target).squeeze(0) - position
        match space:
            case Grid(sizes=sizes, edges="wrap"):
                round_trip = torch.tensor(sizes, dtype=torch.float64).unsqueeze(1)
                return (away + round_trip // 2) % round_trip - round_trip // 2
            case _:
                return away

    def _coordinates(self, buffers: Buffers) -> Tensor:
        """Where each affordance is, f64 [affordances, axes, lanes]; places that layouts say are looked up once."""
        space, shape, state = self._universe.space, buffers.shape, buffers.state
        computed = "places" not in state and not any(item.moving for item in self._universe.affordances)
        if computed and self._there is not None and torch.equal(self._layout, state["layout"]):
            return self._there
        rows = []
        for place in self._places.of(state).values():
            there = cell_of(place, space) if isinstance(space, Grid) else place
            rows.append(torch.stack([x.expand(shape.worlds, shape.agents).reshape(-1).double() for x in there]))
        self._layout, self._there = state["layout"].clone(), torch.stack(rows)
        return self._there

    def _arrived(self, away: Tensor) -> Tensor:
        match self._universe.space:
            case Continuous(reach=reach, metric="manhattan"):
                return away.abs().sum(dim=0) <= reach
            case Continuous(reach=reach, metric="chebyshev"):
                return away.abs().amax(dim=0) <= reach
            case Continuous(reach=reach):
                return away.square().sum(dim=0).sqrt() <= reach
            case _:
                return (away == 0).all(dim=0)


def _edges(graph: Graph, nodes: list[int]) -> tuple[Tensor, Tensor]:
    """Where the moves to some nodes lead from each node, i64 [nodes, moves], and the fewest of these moves between
    nodes, f64 [from, to]."""
    count = len(graph.nodes)
    leads = torch.tensor([[node + step for step in graph.steps(node)] for node in range(count)])[:, nodes]
    far = torch.full((count, count), float(count), dtype=torch.float64).fill_diagonal_(0)
    for _ in range(count):
        far = torch.minimum(far, far[leads].amin(dim=1) + 1)
    return leads, far


Acting: TypeAlias = NetworkPolicy | TabularPolicy
"""A policy of a user's that kernels play."""


def acting_of(player: Player, module: Module) -> Acting | None:
    """The policy of a player as events have it; `None` where actions are random anyway.

    Raises:
        EnvError: it does not fit, or acts by steps: kernels have no part in that.
    """
    if player.is_random:
        return None
    env = hamlet.make(module, worlds=1, backend="interpreter", device="cpu", quiet=True)
    policy = playable(env, player.of(env))
    match policy:
        case TabularPolicy():
            return policy
        case MLP():
            return policy.prepared()
        case _:
            raise EnvError(f"{player.named} acts by steps, in which no kernel has a part: verify compares rollouts")


BINS = 3
MOST_VALUES = 1 << 18


def some_table(universe: Universe, drawn: bool, seed: int) -> TabularPolicy:
    """A table by as many features as fit into `MOST_VALUES`, of random actions; or with `drawn` of random
    probabilities, many of them 0. The same seed gives the same table."""
    generator, actions = random.Random(f"{seed} {drawn}"), len(schema.action_names(universe))
    axes: list[Axis] = []
    sizes: list[int] = []
    room = MOST_VALUES // actions
    indexed = [each for each in features(universe) if isinstance(each, Count) or bins_per_unit(each, BINS) is not None]
    for feature in generator.sample(indexed, len(indexed)):
        size = feature.size if isinstance(feature, Count) else BINS
        if size <= room:
            axes.append(feature.name if isinstance(feature, Count) else (feature.name, BINS))
            sizes.append(size)
            room //= size
    numbers = torch.Generator().manual_seed(seed)
    table = torch.randint(actions, sizes, generator=numbers)
    if drawn:
        table = torch.rand((*sizes, actions), generator=numbers)
        table = table.where(table >= table.mean(dim=-1, keepdim=True), 0.0)
        table = table / table.sum(dim=-1, keepdim=True)
    return tabular(universe, "", table, axes, torch.device("cpu"))
