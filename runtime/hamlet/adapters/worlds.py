"""Worlds of one agent each as other interfaces see them: episodes that end before the next one begins.

`Env.step` begins the next episode in the tick that ends one. Other interfaces show the last state of an episode first,
and want the next one in the same call, in the next call, or when they ask for it (`Autoreset`). Nothing runs twice for
that: the last observation is in the environment's `final_observation`, and a world whose new episode shall wait for one
tick is told that its agent is dead, so that it begins the same episode again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import torch
from torch import Tensor

from hamlet.adapters.memory import Memory, kept, put, taken
from hamlet.arguments import Actions, dense
from hamlet.env.environment import Env
from hamlet.errors import EnvError
from hamlet.schema.bounds import meter_bounds


class Autoreset(Enum):
    """When a world whose episode ended begins the next one; names and values are Gymnasium's."""

    NEXT_STEP = "NextStep"
    SAME_STEP = "SameStep"
    DISABLED = "Disabled"


@dataclass(frozen=True, slots=True)
class Ended:
    """The worlds whose episode ended in a tick.

    Attributes:
        numbers: [ended] i64, their numbers, which increase.
        observation: [ended, values], the last of the episode.
        action_mask: [ended, actions] bool, the last of the episode.
    """

    numbers: Tensor
    observation: Tensor
    action_mask: Tensor


@dataclass(frozen=True, slots=True)
class Turn:
    """What a call gave: tensors that nothing changes later.

    Attributes:
        observation: [worlds, values].
        reward: [worlds] f32.
        terminated, truncated: [worlds] bool.
        action_mask: [worlds, actions] bool.
        used, cause: [worlds] i32, as `Env.step` has them.
        reports: by name, each [worlds] f32.
        ended: those that ended in this call; `None` where none did.
        begun: [worlds] bool, those that began an episode in this call; `None` where none did.
    """

    observation: Tensor
    reward: Tensor
    terminated: Tensor
    truncated: Tensor
    action_mask: Tensor
    used: Tensor
    cause: Tensor
    reports: Mapping[str, Tensor]
    ended: Ended | None
    begun: Tensor | None


class Worlds:
    """An environment of one agent per world, between a reset and `close`. Nothing that it gives is changed later.

    Attributes:
        env: the environment.
        autoreset: when the next episode begins.
    """

    def __init__(self, env: Env, autoreset: Autoreset) -> None:
        """Raises `EnvError` where worlds have several agents, or where nothing is observed."""
        if env.num_agents != 1:
            raise EnvError(f"this interface has one agent per world, not {env.num_agents}: take hamlet_pettingzoo")
        if env.observation is None:
            raise EnvError('an adapter shows observations: take another obs_dtype than None, as "float32"')
        self.env = env
        self.autoreset = autoreset
        self._memory = Memory(env.observation)
        # Worlds whose episode ended, and that were not asked to begin the next one: [worlds] bool, `None` for none.
        self._waiting: Tensor | None = None
        # What these worlds showed last: observations and masks, [waiting, ...]. With episodes by hand their state is
        # there as it was.
        self._last = (torch.zeros(0), torch.zeros(0))
        self._begun = False
        self._closed = False
        wait = env.action_names.index("WAIT")
        self._only_wait = torch.arange(env.num_actions, device=env.device) == wait

    @property
    def waiting(self) -> Tensor | None:
        """The worlds whose episode ended and that did not begin the next one, [worlds] bool; `None` for none."""
        return self._waiting

    def close(self) -> None:
        """No other call is taken from now on."""
        self._closed = True

    def reset(
        self, seed: int | None = None, params: Mapping[str, Any] | None = None, worlds: Any = None
    ) -> tuple[Tensor, Tensor]:
        """Begin episodes: in all worlds, or in those of a mask [worlds] bool, which are then asked for the first time,
        or again.

        Returns:
            The observations [worlds, values], also of the other worlds, and the masks [worlds, actions].

        Raises:
            EnvError: the environment is closed, or an argument is wrong as `Env.reset` says. Nothing was changed.
        """
        self._open()
        if worlds is not None and not self._begun:
            raise EnvError("this environment was never reset: reset all worlds first")
        chosen = None if worlds is None else self._mask(worlds)
        if chosen is not None and seed is None and not params and self._unseen(chosen):
            return self._show(chosen)
        episode = self.env.state["episode"]
        # Worlds that wait have begun their next episode, which nobody has seen: the same one begins again.
        again = torch.zeros_like(episode)
        if self._waiting is not None and not self.env.universe.by_hand:
            again += self._waiting if chosen is None else self._waiting & chosen
        episode -= again
        try:
            self.env.reset(seed, params, chosen)
        except EnvError:
            episode += again
            raise
        self._begun = True
        if chosen is not None:
            return self._show(chosen)
        self._waiting = None
        return self._shown(), kept(self.env.action_mask)

    def step(self, actions: Actions, controls: Any = None) -> Turn:
        """Run a tick.

        Args:
            actions, controls: [worlds] and [controls, worlds], as `Env.step` takes them; those of worlds that begin an
                episode instead are not used.

        Raises:
            EnvError: the environment is closed, was never reset, or has worlds that wait for a reset; or the actions
                are wrong. Nothing was changed.
        """
        self._open()
        if not self._begun:
            raise EnvError("call reset before the first step")
        resting = self._waiting
        if resting is not None and self.autoreset is not Autoreset.NEXT_STEP:
            number = int(resting.nonzero()[0])
            raise EnvError(f"the episode of world {number} has ended: reset it before the next step")
        env, out = self.env, self._memory.take()
        self._tick(actions, controls, out, resting)
        outcome = env.outcome
        reward, terminated, truncated = (kept(outcome[name]) for name in ("reward", "terminated", "truncated"))
        mask, used, cause = kept(env.action_mask), kept(outcome["used"]), kept(outcome["cause"])
        reports = {name: kept(values) for name, values in env.reports.items()}
        over = terminated | truncated
        # Numbers are looked for once: on a GPU this waits for the tick.
        numbers = over.nonzero().squeeze(1)
        self._waiting, ended, begun = None, None, resting
        if resting is not None and env.universe.by_hand:
            out, mask = self._shown(), kept(env.action_mask)
        if len(numbers):
            ended, begun = self._end(over, numbers, out, mask, begun)
            if begun is over and env.universe.by_hand:
                env.reset(worlds=over)
                out, mask = self._shown(), kept(env.action_mask)
        return Turn(out, reward, terminated, truncated, mask, used, cause, reports, ended, begun)

    def _tick(self, actions: Actions, controls: Any, out: Tensor, resting: Tensor | None) -> None:
        """A tick; resting worlds begin their present episode, or with episodes by hand the next one."""
        env = self.env
        if resting is None or env.universe.by_hand:
            env.step(actions, controls, out)
            if resting is not None:
                env.reset(worlds=resting)
            return
        alive, episode = env.state["alive"], env.state["episode"]
        alive &= ~resting
        episode -= resting.to(episode.dtype)
        try:
            env.step(actions, controls, out)
        except EnvError:
            alive |= resting
            episode += resting.to(episode.dtype)
            raise

    def _end(
        self, over: Tensor, numbers: Tensor, out: Tensor, mask: Tensor, begun: Tensor | None
    ) -> tuple[Ended, Tensor | None]:
        """Worlds ended: show their last observation, or the first of their next episode."""
        env = self.env
        final = env.info["final_observation"]
        assert final is not None
        if env.universe.by_hand:
            ended = Ended(numbers, taken(out, numbers), taken(mask, numbers))
        else:
            ended = Ended(numbers, taken(final, numbers), self._only_wait.expand(len(numbers), -1))
        if self.autoreset is Autoreset.SAME_STEP:
            return ended, over
        self._waiting = over
        self._last = (ended.observation, ended.action_mask)
        put(out, numbers, ended.observation)
        put(mask, numbers, ended.action_mask)
        return ended, begun

    def _unseen(self, chosen: Tensor) -> bool:
        """Whether all these worlds wait, and have begun their next episode, which nobody has seen."""
        return not self.env.universe.by_hand and self._waiting is not None and bool((self._waiting >= chosen).all())

    def _show(self, chosen: Tensor) -> tuple[Tensor, Tensor]:
        """Show chosen worlds as they begin; those that go on to wait are shown as they ended."""
        # What was handed out may have been written since, so observations are computed again.
        self.env.observe()
        observation, mask = self._shown(), kept(self.env.action_mask)
        if self._waiting is not None:
            still = self._waiting & ~chosen
            if not self.env.universe.by_hand:
                left = ~chosen[self._waiting]
                self._last = (self._last[0][left], self._last[1][left])
                numbers = still.nonzero().squeeze(1)
                put(observation, numbers, self._last[0])
                put(mask, numbers, self._last[1])
            self._waiting = still if bool(still.any()) else None
        return observation, mask

    def _shown(self) -> Tensor:
        """A copy of the observations that the environment has now."""
        observation = self.env.observation
        assert observation is not None
        return self._memory.take().copy_(observation)

    def _mask(self, worlds: Any) -> Tensor:
        what = f"worlds are a mask [{self.env.num_worlds}] of True and False"
        mask = dense(worlds, what)
        if mask.dtype is not torch.bool or tuple(mask.shape) != (self.env.num_worlds,):
            raise EnvError(f"{what}, not {list(mask.shape)} of {mask.dtype}")
        return mask.to(self.env.device)

    def _open(self) -> None:
        if self._closed:
            raise EnvError("this environment is closed")


def steered(env: Env) -> bool:
    """Whether agents do nothing but give controls: no action of theirs has an effect."""
    universe = env.universe
    return env.num_controls > 0 and not (universe.moves or universe.affordances or universe.actions)


def observed(env: Env) -> tuple[Tensor, Tensor]:
    """The least and the greatest number that each value of an observation can have, [values] f32. Where a statement
    leaves a meter unclamped that is not the range that bytes stand for, but what the meter reaches."""
    low, high = env.observation_low.clone(), env.observation_high.clone()
    rows = {name: row for row, name in enumerate(env.observation_names)}
    for meter, bounds in zip(env.universe.meters, meter_bounds(env.universe), strict=True):
        for name, row in rows.items():
            if name.partition("#")[0] == f"meter.{meter.name}":
                low[row], high[row] = bounds.low, bounds.high
    return low, high
