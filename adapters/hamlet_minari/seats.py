"""Whose episodes a data set has: the agents of a world that observe and do the same things."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces

from hamlet.env.environment import Env
from hamlet.errors import EnvError, shown
from hamlet.schema.actions import action_names, choices
from hamlet_adapters.choosing import choosable, num_choices
from hamlet_adapters.grouped import Handout, handout
from hamlet_adapters.worlds import steered, whole_controls
from hamlet_gym.spaces import Choice, View, action_space, observation_space

Array: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Seats:
    """Agents of a world, all of them or those of a role, with spaces as `hamlet_gym` and `hamlet_pettingzoo` have them.

    Attributes:
        agents: their numbers in a world.
        actions: the numbers of the environment's actions that they choose from, in the order of their own numbers.
    """

    agents: range
    handout: Handout
    observation_space: View
    action_space: Choice
    actions: tuple[int, ...]

    def masks(self, env: Env, masks: Array) -> Array:
        """Masks [..., actions] of an environment as masks of what these agents choose from, int8."""
        chosen = choosable(env, masks) if len(self.actions) == num_choices(env) else masks[..., list(self.actions)]
        return chosen.astype(np.int8)

    def acts(self, env: Env, actions: Array, controls: Array | None) -> Any:
        """The elements of the space of actions that stand for actions [ticks] and controls [ticks, controls]."""
        numbers = np.zeros(env.num_actions, np.int64)
        # An action that none of these agents has is a wait of one that does not act, for which any other stands.
        numbers[list(self.actions)] = range(len(self.actions))
        if controls is None:
            return numbers[actions]
        exact = controls.astype(np.int64 if whole_controls(env) else np.float32)
        return exact if steered(env) else {"action": numbers[actions], "controls": exact}


def seats_of(env: Env, role: str | None) -> Seats:
    """The agents of a role, or all of them.

    Raises:
        EnvError: there is no such role, or none is given where roles have spaces of their own.
    """
    names = ", ".join(env.roles)
    if role is None and env.roles:
        raise EnvError(f"a data set has one space, and each role has its own: say whose episodes, of {names}")
    if role is not None and role not in env.roles:
        raise EnvError(f"there is no role {shown(role)}: {f'they are {names}' if names else 'the universe has none'}")
    info = None if role is None else env.roles[role]
    listed = action_names(env.universe)
    every = tuple(listed.index(name) for name in choices(env.universe))
    actions = every if info is None else tuple(number for number in info.action_numbers if number in every)
    seen, done = handout(env, "groups", info), action_space(env)
    number = spaces.Discrete(len(actions))
    match done:
        case spaces.Discrete():
            done = number
        case spaces.Dict():
            done = spaces.Dict({"action": number, "controls": done["controls"]})
        case _:
            pass
    agents = range(env.num_agents) if info is None else info.agents
    return Seats(agents, seen, observation_space(env, seen, info), done, actions)
