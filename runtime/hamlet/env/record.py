"""Playing one world to the end of its episode, and noting what is needed to do it again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import torch
from torch import Tensor

from hamlet.arguments import Actions
from hamlet.backend.buffers import Buffers
from hamlet.env.act import deciding
from hamlet.env.keep.episode import Episode, check_of, ended_by, this_version
from hamlet.errors import EnvError

MOST_TICKS = 1 << 16
"""An episode that has not ended by then is recorded so far."""


class World(deciding.World, Protocol):
    """The part of an environment of one world that is played; see `hamlet.env.environment.Env`."""

    @property
    def outcome(self) -> Mapping[str, Tensor]: ...

    def state_dict(self) -> dict[str, Any]: ...

    def step(self, actions: Actions, controls: Any = None) -> Any: ...


class Recording:
    """An episode in the making, of the only world of an environment: ticks, and what is needed to do them again."""

    def __init__(self, env: World) -> None:
        self._env = env
        self._before, self._state = env.state_dict(), env.state
        self._episode = int(self._state["episode"])
        self._actions: list[Tensor] = []
        self._controls: list[Tensor] = []
        self._checks: list[int] = []

    @property
    def ticks(self) -> int:
        """How many ticks it has."""
        return len(self._checks)

    @property
    def going(self) -> bool:
        """Whether the episode has not ended, and somebody is alive in it."""
        return int(self._state["episode"]) == self._episode and bool(self._state["alive"].any())

    def step(self, actions: Tensor, controls: Tensor | None) -> None:
        """Run a tick: actions [agents] i32, and controls [controls, agents] f32 where there are any."""
        env = self._env
        env.step(actions, controls)
        assert env.observation is not None
        self._actions.append(actions)
        if controls is not None:
            self._controls.append(controls)
        self._checks.append(check_of(env.universe, self._state, env.outcome, [env.observation, env.action_mask]))

    def episode(self, hands: tuple[int, ...] = (), others: str = "") -> Episode:
        """The episode so far; of `hands` and `others` see `Episode`.

        Raises:
            EnvError: it has no tick.
        """
        if not self._checks:
            raise EnvError("nobody is alive in this world: reset it first")
        env, before = self._env, self._before
        return Episode(
            env.universe,
            env.module.digest,
            this_version(),
            env.first_world,
            env.num_agents,
            before["seed"],
            before["tick"],
            {name: values.cpu() for name, values in before["state"].items()},
            torch.stack(self._actions).cpu(),
            torch.stack(self._controls).cpu() if env.num_controls else None,
            tuple(self._checks),
            ended_by(env.universe, env.outcome["cause"]),
            hands,
            others,
        )


def played(env: World, buffers: Buffers, policy: Any, ticks: int) -> Episode:
    """Run the only world of an environment, and note what happens, to the end of its episode or for so many ticks.

    Raises:
        EnvError: nobody is alive in it.
    """
    recording, choose = Recording(env), deciding.deciding(env, buffers, policy)
    while recording.ticks < ticks and recording.going:
        recording.step(*choose(recording.ticks))
    return recording.episode()
