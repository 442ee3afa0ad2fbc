"""One world as a parallel environment of PettingZoo."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import pettingzoo
import torch

from hamlet.backend.protocol import Singling
from hamlet.env.environment import Env
from hamlet.env.single import SingleSteps
from hamlet.errors import EnvError, shown
from hamlet.schema.actions import idle_action
from hamlet.schema.roles import suited_agents
from hamlet_adapters.frames import Frames
from hamlet_adapters.grouped import Way
from hamlet_adapters.handover import FIRST, Handover
from hamlet_adapters.seeds import FirstSeed
from hamlet_adapters.source import Source, made, opened
from hamlet_gym.arguments import WINDOWED, checked_render_mode, window_of
from hamlet_gym.spaces import PER_SECOND, Choice, View
from hamlet_pettingzoo.players import Player, players_of

Array = np.ndarray[Any, Any]
ENDS = ("reward", "terminated", "truncated", "used", "cause")


class Results(Protocol):
    """Arrays that the last call wrote, by the names of `Outputs.tensors`."""

    def array(self, name: str) -> Array:
        """An array of it."""
        ...


class SharedWorld(SingleSteps):
    """A world whose results are the environment's own memory, which the next call changes: hand out copies."""

    @staticmethod
    def fits(env: Env) -> bool:
        """Whether the backend has a shorter way to step the one world, and numpy its types."""
        observed = None if env.observation is None else env.observation.dtype
        plain = env.device.type == "cpu" and observed is not torch.bfloat16
        return plain and env.num_worlds == 1 and isinstance(env._backend, Singling)

    def array(self, name: str) -> Array:
        """See `Results`."""
        return self._arrays[name]

    def _look(self) -> None:
        super()._look()
        self._arrays = {name: tensor.numpy() for name, tensor in self.outputs.tensors().items()}


class ParallelEnv(pettingzoo.ParallelEnv[str, Any, Any]):  # type: ignore[misc]
    """A world of several agents, `agent_0`, `agent_1`, ...; in a universe with roles `wolf_0`, `hare_0`, `hare_1`, ...,
    each with the observations and the actions of its role. An agent whose episode ended is no longer in `agents`; when
    nobody is, `reset` begins the next episode. Nothing that a call gave is changed later.

    Where agents are born within an episode, `agents` are those that live. The results of a tick have whoever is born in
    it too, with a reward of 0. As nobody comes back in PettingZoo, a number that is given again has a new name:
    `hare_1.2` for its second life in an episode, which `possible_agents` then has, too.

    Attributes:
        possible_agents, agents: the names of all agents, and of those whose episode goes on.
        all_act: whether all of them act in every tick: the universe does not say `acts when`.
    """

    def __init__(
        self,
        universe: Source | None = None,
        agents: int | None = None,
        render_mode: str | None = None,
        observations: Way = "groups",
        **arguments: Any,
    ) -> None:
        """
        Args:
            universe: a module, a `.hamlet` file, a pack, or the folder of a generated package.
            agents: how many agents the world has; by default 2, or as many as the roles of the universe ask for.
            render_mode: what `render` gives, "ansi" or "rgb_array"; with "human" a window of pygame shows each step.
            observations: how a universe that names groups of what it observes shows them: "groups", or "flat", one row.
            arguments: those of `hamlet.make` but `worlds`. Without a `backend` the interpreter runs the first 1,000
                steps, which needs nothing compiled, and kernels in C all others; the bits are the same. Without a
                `seed` a fresh one is drawn; `env.seed` is the one that the world has.

        Raises:
            EnvError: an argument is wrong.
        """
        self.render_mode = checked_render_mode(render_mode, WINDOWED)
        module = None if universe is None else opened(universe)
        if agents is None and module is not None:
            agents = suited_agents(module.universe, 2)
        self._env = env = made(module, 1, {"backend": FIRST} | arguments, agents, shows_ends=True)
        self._handover = Handover(env, arguments)
        self._first = FirstSeed(arguments)
        self._players = players_of(env, observations)
        self.metadata = {
            "name": env.universe.name,
            "render_modes": list(WINDOWED),
            "render_fps": PER_SECOND,
            "is_parallelizable": True,
        }
        self._first_lives = tuple(self._players)
        self._lives: dict[int, int] = {}
        self.possible_agents = list(self._players)
        self.agents: list[str] = []
        self._window = window_of(env, self.render_mode)
        self._frames = Frames(env)
        self._results: Results | None = None
        self._ends: dict[str, list[Any]] = {}
        self._shared: SharedWorld | None = None
        self._lent = False
        self.all_act = not env.universe.acting
        self._reports = tuple(env.reports)
        self._idle = idle_action(env.universe)
        only_wait = np.zeros(env.num_actions, np.bool_)
        only_wait[self._idle] = True
        self._only_wait = only_wait.tobytes()
        low, high = env.control_low.cpu(), env.control_high.cpu()
        self._resting = torch.zeros(env.num_controls).clamp(low, high).numpy()[:, None]
        self._begun = False
        self._closed = False

    @property
    def env(self) -> Env:
        """The world. Who has it can give its tensors other memory, for which every step looks from now on."""
        self._lent = True
        if self._shared is not None:
            self._shared.watching = True
        return self._env

    def observation_space(self, agent: str) -> View:
        """The space of an agent's observations."""
        return self._player(agent).observation_space

    def action_space(self, agent: str) -> Choice:
        """The space of an agent's actions, as in `hamlet_gym`."""
        return self._player(agent).action_space

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin an episode with all agents.

        Args:
            seed: random numbers start again.
            options: `params`, a dictionary as `hamlet.make` takes it; others are not looked at.

        Raises:
            EnvError: an argument is wrong, or the environment is closed. Nothing was changed.
        """
        self.begin(seed, options)
        return (
            {name: self.observation(name) for name in self.agents},
            {name: {"action_mask": self.mask(name)} for name in self.agents},
        )

    def begin(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode as `reset` does; `observation` and `mask` tell what agents see.

        Raises:
            EnvError: as for `reset`.
        """
        self._open()
        reset_options = {} if options is None else options
        if not isinstance(reset_options, dict):
            raise EnvError(f"options are a dictionary, not {shown(options)}")
        first, params = self._first.of(seed), reset_options.get("params")
        if self._shared is not None and self._begun and first is None and params is None:
            self._shared.begin()
            self._results = self._shared
        else:
            frame = self._frames.take()
            self._env.reset(first, params, out=frame.outputs)
            self._results = frame
        self._first.begun()
        self._show()
        self._lives = dict.fromkeys(np.flatnonzero(self._living()).tolist(), 1)
        self._begun, self.agents = True, [self._first_lives[lane] for lane in self._lives]

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Run a tick with an action for each agent of `agents`. When nobody is left, no actions give nothing: five
        empty dictionaries.

        Returns:
            By agent: observations, rewards, terminations, truncations, and infos, with `action_mask` int8, `used`,
            `cause` and `reports`, as `hamlet.env.environment.Env.step` has them.

        Raises:
            EnvError: an agent has no action, or there is no such action or agent; the environment is closed or was
                never reset. Nothing was changed.
        """
        self._open()
        if not self._begun:
            raise EnvError("call reset before the first step")
        if not self.agents and isinstance(actions, dict) and not actions:
            return {}, {}, {}, {}, {}
        if not self.agents:
            raise EnvError("every episode has ended: call reset, or step({}), which gives nothing")
        if not isinstance(actions, dict) or set(actions) != set(self.agents):
            named = ", ".join(self.agents)
            raise EnvError(f"actions are a dictionary with one for each of {named}, not {shown(actions)}")
        seen, rewards, terminations, truncations, infos = {}, {}, {}, {}, {}
        for name, (reward, terminated, truncated) in self.advance(actions).items():
            seen[name], infos[name] = self.observation(name), self.info(name)
            rewards[name], terminations[name], truncations[name] = reward, terminated, truncated
        return seen, rewards, terminations, truncations, infos

    def advance(self, actions: dict[str, Any]) -> dict[str, tuple[float, bool, bool]]:
        """Run a tick with actions of some agents; the others wait, or take the first action where there is no `WAIT`,
        and their controls are what is nearest to 0.

        Returns:
            By agent, of those that were there and those that were born: reward, terminated, truncated. `observation`
            and `info` tell the others until the next tick.

        Raises:
            EnvError: there is no such action; the environment is closed. Nothing was changed.
        """
        self._open()
        chosen, controls = self._lanes(actions)
        self._handover.due()
        shared = self._shared or self._sharing()
        if shared is not None:
            shared.step_all(chosen, controls)
            self._results = shared
        else:
            frame = self._frames.take()
            self._env.step(chosen, controls, frame.outputs)
            self._results = frame
        self._show()
        self._ends = ends = {name: self._results.array(name).tolist() for name in ENDS}
        by_lane = list(zip(ends["reward"], ends["terminated"], ends["truncated"], strict=True))
        rows = {name: by_lane[self._players[name].lane] for name in (*self.agents, *self._born())}
        self.agents = [name for name, (_, terminated, truncated) in rows.items() if not (terminated or truncated)]
        return rows

    def observation(self, agent: str) -> Any:
        """The observation that an agent has now.

        Raises:
            EnvError: there is no such agent, or no episode has begun.
        """
        player = self._player(agent)
        if not self._begun:
            raise EnvError("call reset before the first observation")
        return player.seen(self._seen())

    def info(self, agent: str) -> dict[str, Any]:
        """The mask of an agent, and how it did in the last tick: `step` tells that beside results."""
        assert self._results is not None, "an episode has begun"
        player, ends = self._player(agent), self._ends
        lane = player.lane
        info = {"action_mask": player.mask(self._masks()), "used": ends["used"][lane], "cause": ends["cause"][lane]}
        if self._reports:
            info["reports"] = dict(zip(self._reports, self._results.array("reports")[:, lane].tolist(), strict=True))
        return info

    @property
    def acting(self) -> list[str]:
        """Agents of `agents` that act in the tick to come, in the order of their numbers: all of them where the
        universe does not say `acts when`. The others wait, whatever they are given."""
        if self.all_act:
            return list(self.agents)
        masks, wait, width = self._masks().tobytes(), self._only_wait, len(self._only_wait)
        lanes = ((name, width * self._players[name].lane) for name in self.agents)
        return [name for name, first in lanes if masks[first : first + width] != wait]

    def mask(self, agent: str) -> Array:
        """The mask of an agent, [actions] int8, as `infos` have it."""
        return self._player(agent).mask(self._masks())

    def check(self, agent: str, action: Any) -> None:
        """Raise `EnvError` unless an agent has this action."""
        self._open()
        self._player(agent).act(action)

    def state(self) -> Array:
        """The observations of all agents, [agents, values], as the world has them: those of agents that ended too."""
        self._open()
        return self._seen().copy()

    def render(self) -> Any:
        """A picture of the world, as `render_mode` says; `None` without one, and where a window shows it."""
        if self._window is not None:
            return self._show()
        return None if self.render_mode is None else self._env.render(self.render_mode)

    def close(self) -> None:
        """No other call is taken from now on."""
        self._closed = True
        if self._window is not None:
            self._window.close()

    def __getstate__(self) -> dict[str, Any]:
        # What the last step wrote is what a copy of the environment has itself, and so are memory and functions of C.
        return vars(self) | {"_results": None, "_shared": None}

    def _show(self) -> None:
        if self._window is not None:
            self._window.show(self._env.render("rgb_array"))  # type: ignore[arg-type]

    def _lanes(self, actions: dict[str, Any]) -> tuple[list[int], Array | None]:
        """An action for each lane, and controls [controls, lanes]; agents without one wait."""
        env = self._env
        lanes = [self._idle] * env.num_lanes
        controls = np.repeat(self._resting, env.num_lanes, axis=1) if env.num_controls else None
        for name, action in actions.items():
            player = self._players[name]
            lanes[player.lane], own_controls = player.act(action)
            if controls is not None:
                controls[:, player.lane] = own_controls
        return lanes, controls

    def _living(self) -> Array:
        """Who lives, [agents] bool."""
        alive: Array = self._env.state["alive"].cpu().numpy()
        return alive

    def _born(self) -> list[str]:
        """The names of those that were born in the last tick, in the order of their numbers."""
        if not self._env.universe.pools:
            return []
        before = {self._players[name].lane for name in self.agents}
        names = []
        for lane in np.flatnonzero(self._living()).tolist():
            if lane not in before:
                first = self._first_lives[lane]
                life = self._lives[lane] = self._lives.get(lane, 0) + 1
                name = first if life == 1 else f"{first}.{life}"
                if name not in self._players:
                    self._players[name] = replace(self._players[first], name=name)
                    self.possible_agents.append(name)
                names.append(name)
        return names

    def _seen(self) -> Array:
        """The observations of all agents, [agents, values]."""
        if self._results is None:
            return self._env.observation.cpu().numpy()  # type: ignore[union-attr]
        return self._results.array("observation")

    def _masks(self) -> Array:
        """The masks of all agents, [agents, actions] bool."""
        if self._results is None:
            return self._env.action_mask.cpu().numpy()
        return self._results.array("action_mask")

    def _sharing(self) -> SharedWorld | None:
        """The shorter way to step the world, where its backend has one."""
        if SharedWorld.fits(self._env):
            self._shared = SharedWorld(self._env)
            self._shared.watching = self._lent
        return self._shared

    def _player(self, agent: str) -> Player:
        if agent not in self._players:
            raise EnvError(f"there is no agent {shown(agent)}: they are {', '.join(self.possible_agents)}")
        return self._players[agent]

    def _open(self) -> None:
        if self._closed:
            raise EnvError("this environment is closed")
