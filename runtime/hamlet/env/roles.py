"""Roles of a universe as a program sees them: which agents, actions and rows of the observation are whose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch

from hamlet import schema
from hamlet.schema.groups import Group
from hamlet.schema.observed import Segment
from hamlet.schema.roles import actions_of, members, meters_of
from hamlet.universe import Universe


@dataclass(frozen=True, slots=True, eq=False)
class RoleInfo:
    """A role of an environment.

    Attributes:
        name: as the universe declares it.
        agents: the numbers of its agents in their world.
        lanes: [worlds * agents of the role] i64, on the CPU: their lanes, world by world.
        action_numbers, action_names: the actions that exist for the role, in order; the others are masked off for its
            agents, and do nothing.
        meter_names: the meters that its agents have.
        observation_names, observation_segments: what its agents observe: the first so many values of an observation.
            Those behind them are 0.
        observation_groups: the groups of these values by name, each a `hamlet.schema.groups.Group`.
    """

    name: str
    agents: range
    lanes: torch.Tensor
    action_numbers: tuple[int, ...]
    action_names: tuple[str, ...]
    meter_names: tuple[str, ...]
    observation_names: tuple[str, ...]
    observation_segments: tuple[Segment, ...]
    observation_groups: Mapping[str, Group]


def roles_of(universe: Universe, worlds: int, agents: int) -> Mapping[str, RoleInfo]:
    """The roles by name, in the order of their agents; none where all agents are alike."""
    every, infos = schema.action_names(universe), {}
    for role in universe.roles or ():
        numbers = members(role, agents)
        names = actions_of(role, universe)
        lanes = torch.arange(worlds).unsqueeze(1) * agents + torch.arange(numbers.start, numbers.stop)
        infos[role.name] = RoleInfo(
            name=role.name,
            agents=numbers,
            lanes=lanes.flatten(),
            action_numbers=tuple(every.index(name) for name in names),
            action_names=names,
            meter_names=meters_of(role, universe),
            observation_names=schema.role_names(universe, role),
            observation_segments=schema.role_segments(universe, role),
            observation_groups=MappingProxyType(
                {each.name: each for each in schema.observation_groups(universe, role)}
            ),
        )
    return MappingProxyType(infos)
