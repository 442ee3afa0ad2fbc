"""The agents for which an exported policy acts: all of a world, or those of a role."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet import schema
from hamlet.package import manifest
from hamlet.policies.described import Described, Layers
from hamlet.schema.roles import actions_of
from hamlet.universe import Universe
from hamlet.universe.codec import to_json
from hamletc.errors import CompileError
from hamletc.export.names import constants, identifier

TEST_AGENTS, TEST_ROLE = 4, range(1, 3)
"""The agents of a world of those worlds in which a policy of a role is tested, and which of them have the role."""


@dataclass(frozen=True, slots=True)
class Crew:
    """The agents for which a policy acts.

    Attributes:
        name: what files and functions of the policy are called.
        role: their role; `None` where these are all agents.
        first, agents: the number of the first one in a world, and how many they are; `None`: all from there on.
        numbers: of their actions among those of the universe, in order.
        actions: how many actions the universe has.
    """

    name: str
    role: str | None
    first: int
    agents: int | None
    numbers: tuple[int, ...]
    actions: int

    def tested(self, lanes: int) -> list[int]:
        """The lanes, of so many, for which the policy acts in its test."""
        every = range(lanes)
        return [lane for lane in every if self.role is None or lane % TEST_AGENTS in TEST_ROLE]


def crew_of(policy: Described, layers: Layers, universe: Universe | None) -> Crew:
    """The agents for which a policy acts.

    Args:
        universe: of the policy, see `universe_of`.

    Raises:
        CompileError: it is for a role, and there is no universe to say whose that is; or it has other values or actions
            than the role.
    """
    name, said = f"{identifier(policy.universe)}_policy", policy.about.get("role")
    every = tuple(range(layers.actions))
    if universe is None:
        if said is not None:
            raise CompileError(
                f"{policy.path} is for a role, and no package beside it says whose that is: name its run"
            )
        return Crew(name, None, 0, None, every, layers.actions)
    names, roles = schema.action_names(universe), universe.roles or ()
    role = next((each for each in roles if each.name == said), None)
    if role is None and said is not None:
        raise CompileError(f"{policy.path} is for the role {said}, which {universe.name} has not")
    here = schema.observation_rows(universe), len(names), len(universe.controls)
    numbers = tuple(range(len(names)))
    if role is not None:
        own = actions_of(role, universe)
        here = len(schema.role_names(universe, role)), len(own), len(universe.controls)
        numbers = tuple(names.index(each) for each in own)
    reads = layers.values, layers.actions, layers.controls
    if reads != here:
        told = ("{} values, {} actions and {} controls".format(*each) for each in (reads, here))
        raise CompileError("{} is for {}, and its universe has {}".format(policy.path, *told))
    if role is None:
        return Crew(name, None, 0, None, numbers, len(names))
    words = dict(zip((each.name for each in roles), constants(name, [each.name for each in roles]), strict=True))
    return Crew(words[role.name].lower(), role.name, role.first, role.agents, numbers, len(names))


def universe_of(policy: Described, universe: Universe | None) -> Universe | None:
    """The universe of a policy, where there is one.

    Raises:
        EnvError: it is another one, or another version.
    """
    if universe is not None:
        policy.check_version(universe, manifest.sha256(to_json(universe).encode()))
    return universe
