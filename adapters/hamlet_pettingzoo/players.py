"""The agents of a world by name, each with what it observes and what it can do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from hamlet.env.environment import Env
from hamlet.env.roles import RoleInfo
from hamlet.errors import EnvError, shown
from hamlet.schema.actions import action_names, choices, idle_action
from hamlet_adapters.grouped import Handout, Way, handout
from hamlet_gym.spaces import Choice, View, action_space, observation_space

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Player:
    """An agent.

    Attributes:
        name: `agent_0`.
        lane: its number in its world.
        handout: how its observations are handed out.
        actions: the numbers of the environment's actions that it has, in the order of its own numbers.
        columns: the same, of arrays of the environment's actions.
        wait: its own number of the action that does nothing, or of the first one where it has none to choose.
    """

    name: str
    lane: int
    observation_space: View
    handout: Handout
    action_space: Choice
    actions: tuple[int, ...]
    columns: slice | list[int]
    wait: int

    def seen(self, observations: Array) -> Any:
        """The player's observation, from those of all agents [agents, values]."""
        return self.handout.arrays(observations[self.lane, : self.handout.values].copy())

    def mask(self, masks: Array) -> Array:
        """The player's mask, int8, from those of all agents [agents, actions]; all 0 where it does not act, and cannot
        choose to wait."""
        mask: Array = masks[self.lane, self.columns].astype(np.int8)
        return mask

    def act(self, chosen: Any) -> tuple[int, Array | None]:
        """The environment's number of one of its actions, and its controls [controls], of what it does.

        Raises:
            EnvError: it has no such action.
        """
        match self.action_space:
            case spaces.Discrete():
                return self._action(chosen), None
            case spaces.Box() | spaces.MultiDiscrete():
                return self.actions[self.wait], self._controls(chosen)
            case _:
                if not isinstance(chosen, dict) or set(chosen) != {"action", "controls"}:
                    raise EnvError(f"{self.name} does a dictionary of action and controls, not {shown(chosen)}")
                return self._action(chosen["action"]), self._controls(chosen["controls"])

    def _controls(self, chosen: Any) -> Array:
        space = self.action_space
        box = space["controls"] if isinstance(space, spaces.Dict) else space
        controls, kinds = np.asarray(chosen), "f" if isinstance(box, spaces.Box) else "iu"
        if controls.dtype.kind not in kinds or controls.shape != box.shape:
            raise EnvError(f"controls of {self.name} are an array {list(box.shape or ())}, not {shown(chosen)}")
        return controls.astype(np.float32)

    def _action(self, chosen: Any) -> int:
        """The environment's number of one of its actions.

        Raises:
            EnvError: it has no such action.
        """
        if type(chosen) is int and 0 <= chosen < len(self.actions):
            return self.actions[chosen]
        number = np.asarray(chosen)
        if number.dtype.kind not in "iu" or number.size != 1 or not 0 <= int(number.reshape(())) < len(self.actions):
            raise EnvError(f"an action of {self.name} is a number in 0 .. {len(self.actions) - 1}, not {shown(chosen)}")
        return self.actions[int(number.reshape(()))]


def players_of(env: Env, way: Way) -> dict[str, Player]:
    """The agents of one world, by name, in the order of their lanes: `agent_0`, or in a universe with roles `wolf_0`,
    counted within the role, which observes the first values of the environment's and has some of its actions."""
    names = action_names(env.universe)
    every = tuple(names.index(name) for name in choices(env.universe))
    roles: list[tuple[str, range, tuple[int, ...], RoleInfo | None]] = [
        (role.name, role.agents, tuple(number for number in role.action_numbers if number in every), role)
        for role in env.roles.values()
    ]
    players = (
        _player(env, f"{kind}_{lane - lanes.start}", lane, actions, way, role)
        for kind, lanes, actions, role in roles or [("agent", range(env.num_agents), every, None)]
        for lane in lanes
    )
    return {player.name: player for player in sorted(players, key=lambda player: player.lane)}


def _player(env: Env, name: str, lane: int, actions: tuple[int, ...], way: Way, role: RoleInfo | None) -> Player:
    """An agent, with spaces of its own, which are seeded by themselves."""
    seen = handout(env, way, role)
    observed, done = observation_space(env, seen, role), action_space(env)
    number = spaces.Discrete(len(actions))
    match done:
        case spaces.Discrete():
            done = number
        case spaces.Dict():
            done = spaces.Dict({"action": number, "controls": done["controls"]})
        case _:
            pass
    idle, first = idle_action(env.universe), min(actions, default=0)
    span = slice(first, first + len(actions))
    columns = span if actions == tuple(range(span.start, span.stop)) else list(actions)
    return Player(name, lane, observed, seen, done, actions, columns, actions.index(idle) if idle in actions else 0)
