"""One world as an environment of PettingZoo whose agents are asked one after the other."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Literal

import pettingzoo
from gymnasium import spaces

from hamlet.errors import EnvError, shown
from hamlet_adapters.source import Source
from hamlet_gym.spaces import Choice
from hamlet_pettingzoo.parallel import Array, ParallelEnv

LONGEST_WAIT = 10_000
"""The most ticks in which nobody acts before somebody has to."""


class AECEnv(pettingzoo.AECEnv[str, Any, Any]):  # type: ignore[misc]
    """A world of several agents that are asked one after the other. In each tick those are asked that act in it
    (`acts when`), in the order of their numbers, and when all of them have chosen, the tick runs; ticks in which nobody
    acts run by themselves. Agents are called as by `ParallelEnv`; each observes its own row alone.

    An agent whose episode ended is selected once more, for a step of `None`. `rewards` are those of the ticks that the
    last step has run, the first one also those of the ticks before it; `last` gives what an agent was paid since it
    chose last. Nothing that a call gave is changed later.

    Attributes:
        world: the world, a `ParallelEnv`.
        possible_agents, agents: the names of all agents, and of those whose end has not been seen.
        agent_selection: who is asked.
        rewards, terminations, truncations, infos: by the names of agents. `infos` has `action_mask` int8, all 0 for
            whoever does not act and cannot choose to wait, and what `ParallelEnv.step` gives.
    """

    def __init__(
        self,
        universe: Source | None = None,
        agents: int | None = None,
        render_mode: str | None = None,
        action_mask: Literal["observation", "info"] = "observation",
        **arguments: Any,
    ) -> None:
        """
        Args:
            universe: a module, a `.hamlet` file, a pack, or the folder of a generated package.
            agents: how many agents the world has; by default 2, or as many as the roles of the universe ask for.
            render_mode: what `render` gives, "ansi" or "rgb_array"; with "human" a window of pygame shows each step.
            action_mask: where the mask is. "observation": an observation is a dictionary of `observation` and
                `action_mask`, as those of PettingZoo's classic games, which is what trainers of such games look for.
                "info": an observation is what `ParallelEnv` gives. In both cases `infos` has it too.
            arguments: those of `ParallelEnv`.

        Raises:
            EnvError: an argument is wrong.
        """
        if action_mask not in ("observation", "info"):
            raise EnvError(f'action_mask is "observation" or "info", not {shown(action_mask)}')
        self.world = ParallelEnv(universe, agents, render_mode, **arguments)
        self.render_mode = self.world.render_mode
        self.metadata = self.world.metadata | {"is_parallelizable": self.world.all_act}
        self.possible_agents = list(self.world.possible_agents)
        self.agents: list[str] = []
        self._as_dict = action_mask == "observation"
        self._spaces = {name: self._space(name) for name in self.possible_agents}
        self._last_observations: dict[str, Any] = {}
        self._asked: list[str] = []
        self._chosen: dict[str, Any] = {}
        self._early: dict[str, float] = {}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations."""
        self.world.observation_space(agent)
        return self._spaces[agent]

    def action_space(self, agent: str) -> Choice:
        """The space of an agent's actions, as in `hamlet_gym`."""
        return self.world.action_space(agent)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode with all agents, and run it until somebody acts.

        Args:
            seed: random numbers start again.
            options: `params`, a dictionary as `hamlet.make` takes it; others are not looked at.

        Raises:
            EnvError: an argument is wrong, or the environment is closed, and nothing was changed; or nobody ever acts.
        """
        self.world.begin(seed, options)
        self._last_observations = {}
        self.possible_agents = list(self.world.possible_agents)
        self.agents = list(self.world.agents)
        self.infos = {name: {"action_mask": self.world.mask(name)} for name in self.agents}
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection: str | None = None
        self._chosen = {}
        self.agent_selection = self.agents[0]
        self._early = {}
        self._run_until_somebody_acts()
        # What was paid before the first step is part of its rewards; whoever has ended by then is told at once.
        ended = {name for name in self.agents if self.terminations[name] or self.truncations[name]}
        self._cumulative_rewards |= {name: self.rewards[name] for name in ended}
        self._early = {name: self.rewards[name] for name in self.agents if name not in ended}
        self._clear_rewards()

    def step(self, action: Any) -> None:
        """The action of `agent_selection`: `None` where its episode ended.

        Raises:
            EnvError: there is no such action; the environment is closed or was never reset, or every episode has ended,
                and nothing was changed. Nobody acts any more in many ticks.
        """
        if not self.agents:
            raise EnvError("call reset before the first step, and when every episode has ended")
        name = self.agent_selection
        if self.terminations[name] or self.truncations[name]:
            if action is not None:
                raise EnvError(f"the episode of {name} has ended: step(None) says that this was seen")
            self._was_dead_step(None)
            return
        self.world.check(name, action)
        self._chosen[name] = action
        self._cumulative_rewards[name] = 0.0
        self._clear_rewards()
        if len(self._chosen) < len(self._asked):
            self.agent_selection = self._asked[len(self._chosen)]
            return
        self._tick(self._chosen)
        for name, reward in self._early.items():
            self.rewards[name] += reward
        self._early, self._chosen = {}, {}
        self._run_until_somebody_acts()
        self._accumulate_rewards()

    def observe(self, agent: str) -> Any:
        """The present observation of an agent: its own row, as `action_mask` says with its mask.

        Raises:
            EnvError: there is no such agent, or no episode has begun.
        """
        if agent in self._last_observations:
            observation = deepcopy(self._last_observations[agent])
        else:
            observation = self.world.observation(agent)
        if not self._as_dict:
            return observation
        return {"observation": observation, "action_mask": self.world.mask(agent)}

    def state(self) -> Array:
        """The observations of all agents, [agents, values], as the world has them: those of agents that ended too."""
        return self.world.state()

    def render(self) -> Any:
        """A picture of the world, as `render_mode` says; `None` without one, and where a window shows it."""
        return self.world.render()

    def close(self) -> None:
        """No other call is taken from now on."""
        self.world.close()

    def _tick(self, chosen: dict[str, Any]) -> None:
        """Run a tick with what those have chosen who act, and add up what it pays."""
        for name, (reward, terminated, truncated) in self.world.advance(chosen).items():
            if name not in self._cumulative_rewards:
                self._born(name)
            self.rewards[name] += reward
            self.terminations[name], self.truncations[name] = terminated, truncated
            self.infos[name] = self.world.info(name)
            if terminated or truncated:
                self._last_observations[name] = self.world.observation(name)

    def _born(self, name: str) -> None:
        """Take in an agent that was born in a tick."""
        if name not in self._spaces:
            self.possible_agents.append(name)
            self._spaces[name] = self._space(name)
        self.agents = sorted((*self.agents, name), key=self.possible_agents.index)
        self.rewards[name] = self._cumulative_rewards[name] = 0.0

    def _run_until_somebody_acts(self) -> None:
        """Run ticks in which nobody acts, and select who is asked: first those whose episode ended, from the one behind
        whoever chose last.

        Raises:
            EnvError: nobody acts in too many ticks.
        """
        for _ in range(LONGEST_WAIT):
            self._asked = self.world.acting
            if self._asked or not self.world.agents:
                break
            self._tick({})
        else:
            raise EnvError(
                f"nobody acted in {LONGEST_WAIT:,} ticks of {self.metadata['name']}: look at its `acts when`"
            )
        last = self.possible_agents.index(self.agent_selection)
        if self._asked:
            self.agent_selection = self._asked[0]
        ended = [name for name in self.agents if self.terminations[name] or self.truncations[name]]
        if ended:
            self._skip_agent_selection = self.agent_selection
            behind = (name for name in ended if self.possible_agents.index(name) > last)
            self.agent_selection = next(behind, ended[0])

    def _space(self, name: str) -> spaces.Space[Any]:
        """The space of an agent's observations."""
        seen = self.world.observation_space(name)
        if not self._as_dict:
            return seen
        mask = spaces.Box(0, 1, self.world.mask(name).shape, self.world.mask(name).dtype.type)
        return spaces.Dict({"observation": seen, "action_mask": mask})
