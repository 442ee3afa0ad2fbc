"""Who learns one policy: the agents of a role, or all agents of a world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hamlet.env.environment import Env
from hamlet.env.roles import RoleInfo
from hamlet.schema.roles import members
from hamlet.universe import Universe
from hamlet_train.errors import TrainError
from hamlet_train.exact.network import Array, Network


@dataclass(frozen=True, slots=True)
class Crew:
    """Agents that share a policy. What they observe and may do are the values and the actions of their network.

    Attributes:
        role: their role; `None` where all agents are one crew.
        agents: their numbers in their world.
        lanes: [worlds * agents] i64, theirs in an environment, world by world; `None` where these are all.
        actions: [actions] i64, the numbers of theirs; `None` where these are all.
        reach: [values] f32, the greatest size of each value that they observe.
        controls: how many there are.
        choices: how many actions they have.
    """

    role: str | None
    agents: range
    lanes: Array | None
    actions: Array | None
    reach: Array
    controls: int
    choices: int

    @property
    def prefix(self) -> str:
        """The beginning of the names of what belongs to them alone."""
        return f"{self.role}/" if self.role else ""

    @property
    def whose(self) -> str:
        """The words for them behind a name of a file: `-wolf`."""
        return f"-{self.role}" if self.role else ""

    def network(self, hidden: tuple[int, ...], memory: int = 0) -> Network:
        """Their network."""
        return Network(len(self.reach), hidden, self.choices, self.controls, memory)


def crew_sizes(universe: Universe, agents: int, shared: bool) -> list[int]:
    """How many of the agents of a world each crew has, see `crews_of`."""
    sizes = [len(members(role, agents)) for role in universe.roles or ()]
    return [agents] if shared or not sizes else [size for size in sizes if size]


def crews_of(env: Env, shared: bool) -> tuple[Crew, ...]:
    """The crews of an environment: one for each of its roles, or one where it has none or they share a policy.

    Raises:
        TrainError: one of them observes nothing, or there are controls that are whole numbers.
    """
    whole = [name for name, each in zip(env.control_names, env.control_whole, strict=True) if each]
    if whole:
        raise TrainError(
            f"{env.universe.name} has whole numbers as controls ({', '.join(whole)}): train learns real ones"
        )
    if env.observation is None or not env.observation.shape[1]:
        raise TrainError(f"{env.universe.name} observes nothing: there is nothing to learn from")
    if shared or not env.roles:
        return (_all(env),)
    crews = tuple(_of(env, role) for role in env.roles.values() if role.agents)
    for crew in crews:
        if not len(crew.reach):
            raise TrainError(
                f"the role {crew.role} of {env.universe.name} observes nothing: there is nothing to learn from, "
                "unless roles share a policy (--shared)"
            )
    return crews


def _all(env: Env) -> Crew:
    reach = np.maximum(env.observation_low.abs().cpu().numpy(), env.observation_high.abs().cpu().numpy())
    return Crew(None, range(env.num_agents), None, None, reach, env.num_controls, env.num_actions)


def _of(env: Env, role: RoleInfo) -> Crew:
    reach = [
        np.full(segment.count, max(-segment.scale.low, segment.scale.high), np.float32)
        for segment in role.observation_segments
    ]
    return Crew(
        role.name,
        role.agents,
        role.lanes.numpy(),
        np.array(role.action_numbers, np.int64),
        np.concatenate([np.zeros(0, np.float32), *reach]),
        env.num_controls,
        len(role.action_numbers),
    )
