"""Worlds of one agent each as other interfaces see them: episodes that end before the next one begins.

`Env.step` begins the next episode in the tick that ends one. Other interfaces show the last state of an episode first,
and want the next one in the same call, in the next call, or when they ask for it (`Autoreset`). Nothing runs twice for
that: the last observation is in the environment's `final_observation`, and a world whose new episode shall wait for one
tick is told that its agent is dead, so that it begins the same episode again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any

import torch
from torch import Tensor

from hamlet.adapters.frames import Frame, Frames, copied, numbers_of, picked, put, taken
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
        observation: gives [ended, values], the last of the episode; gathered when somebody asks, where that can wait.
        action_mask: [ended, actions] bool, the last of the episode.
    """

    numbers: Tensor
    observation: Callable[[], Tensor]
    action_mask: Tensor


@dataclass(frozen=True, slots=True)
class Turn:
    """What a call gave: in tensors and arrays that nothing changes later.

    Attributes:
        frame: what `Env.step` gave; the observations and masks of worlds that wait for a reset are their last ones.
        over: [worlds] bool, those whose episode ended in this call.
        ended: the same ones, with their last observations; `None` where there are none.
        begun: [worlds] bool, those that began an episode in this call; `None` where none did.
    """

    frame: Frame
    over: Tensor
    ended: Ended | None
    begun: Tensor | None

    def reports(self) -> dict[str, Tensor]:
        """The reports by name, each [worlds] f32."""
        names = self.frame.outputs.reports
        return dict(zip(names, self.frame.tensor("reports"), strict=True)) if names else {}


@dataclass(frozen=True, slots=True)
class Waiting:
    """Worlds whose episode ended, and that were not asked to begin the next one.

    Attributes:
        worlds: [worlds] bool, which they are.
        frame: what all worlds show, these their last observations.
        first: the first observations and masks of their next episodes, [waiting, ...]; `None` where these are computed
            when somebody asks.
    """

    worlds: Tensor
    frame: Frame
    first: tuple[Tensor, Tensor] | None


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
        # Nobody has to look at last observations that are not shown in the place of others.
        self._later = autoreset is Autoreset.SAME_STEP and env.device.type == "cpu" and not env.universe.by_hand
        self._frames = Frames(env, finals=self._later)
        self._waiting: Waiting | None = None
        self._begun = False
        self._closed = False
        wait = env.action_names.index("WAIT")
        self._only_wait = torch.arange(env.num_actions, device=env.device) == wait

    @property
    def waiting(self) -> Tensor | None:
        """The worlds whose episode ended and that did not begin the next one, [worlds] bool; `None` for none."""
        return None if self._waiting is None else self._waiting.worlds

    def close(self) -> None:
        """No other call is taken from now on."""
        self._closed = True

    def reset(self, seed: int | None = None, params: Mapping[str, Any] | None = None, worlds: Any = None) -> Frame:
        """Begin episodes: in all worlds, or in those of a mask [worlds] bool, which are then asked for the first time,
        or again.

        Returns:
            The observations and the masks, also of the other worlds.

        Raises:
            EnvError: the environment is closed, or an argument is wrong as `Env.reset` says. Nothing was changed.
        """
        self._open()
        if worlds is not None and not self._begun:
            raise EnvError("this environment was never reset: reset all worlds first")
        chosen = None if worlds is None else self._mask(worlds)
        if chosen is not None and seed is None and not params and self._unseen(chosen):
            return self._show(chosen)
        waiting, episode = self.waiting, self.env.state["episode"]
        # Worlds that wait have begun their next episode, which nobody has seen: the same one begins again.
        again = torch.zeros_like(episode)
        if waiting is not None and not self.env.universe.by_hand:
            again += waiting if chosen is None else waiting & chosen
        episode -= again
        try:
            self.env.reset(seed, params, chosen)
        except EnvError:
            episode += again
            raise
        self._begun = True
        if chosen is not None:
            return self._computed(chosen)
        self._waiting = None
        return self._shown(self._frames.take())

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
        resting = self.waiting
        if resting is not None and self.autoreset is not Autoreset.NEXT_STEP:
            number = int(resting.nonzero()[0])
            raise EnvError(f"the episode of world {number} has ended: reset it before the next step")
        frame = self._frames.take()
        self._tick(actions, controls, frame, resting)
        over, numbers = frame.ended()
        self._waiting = None
        if not len(numbers):
            return Turn(frame, over, None, resting)
        ended = self._ended(frame, numbers)
        if self.autoreset is not Autoreset.SAME_STEP:
            self._waiting = self._wait(frame, over, ended)
            return Turn(frame, over, ended, resting)
        if self.env.universe.by_hand:
            self.env.reset(worlds=over)
            self._shown(frame)
        return Turn(frame, over, ended, over)

    def _tick(self, actions: Actions, controls: Any, frame: Frame, resting: Tensor | None) -> None:
        """A tick; resting worlds begin their present episode, or with episodes by hand the next one."""
        env, out = self.env, frame.outputs
        if resting is None or env.universe.by_hand:
            env.step(actions, controls, out)
            if resting is not None:
                env.reset(worlds=resting)
                self._shown(frame, everything=True)
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

    def _ended(self, frame: Frame, numbers: Tensor) -> Ended:
        """What worlds that ended showed last."""
        observation, _, _, _, info = frame.outputs.results
        final, mask = info["final_observation"], info["action_mask"]
        assert observation is not None
        assert final is not None
        assert mask is not None
        if self.env.universe.by_hand:
            return Ended(numbers, partial(_same, taken(observation, numbers)), taken(mask, numbers))
        waits = self._only_wait.expand(len(numbers), -1)
        if self._later:
            return Ended(numbers, partial(taken, frame.tensor("final_observation"), numbers), waits)
        return Ended(numbers, partial(_same, taken(final, numbers)), waits)

    def _wait(self, frame: Frame, over: Tensor, ended: Ended) -> Waiting:
        """Show worlds that ended as they were, until they begin the next episode."""
        seen = _seen(frame)
        first = None
        if self.autoreset is Autoreset.DISABLED and not self.env.universe.by_hand:
            first = taken(seen[0], ended.numbers), taken(seen[1], ended.numbers)
        for tensor, rows in zip(seen, (ended.observation(), ended.action_mask), strict=True):
            put(tensor, ended.numbers, rows)
        return Waiting(over, frame, first)

    def _unseen(self, chosen: Tensor) -> bool:
        """Whether all these worlds wait, and have begun their next episode, which nobody has seen."""
        waiting = self.waiting
        return not self.env.universe.by_hand and waiting is not None and bool((waiting >= chosen).all())

    def _show(self, chosen: Tensor) -> Frame:
        """Show worlds that wait, and that were chosen, as they begin."""
        waiting = self._waiting
        if waiting is None or waiting.first is None:
            return self._computed(chosen)
        frame, numbers = self._frames.take(), numbers_of(chosen)
        still = waiting.worlds & ~chosen
        known = picked(chosen, waiting.worlds)
        for tensor, before, rows in zip(_seen(frame), _seen(waiting.frame), waiting.first, strict=True):
            copied(tensor, before)
            put(tensor, numbers, picked(rows, known))
        self._waiting = None
        if bool(still.any()):
            observation, mask = waiting.first
            self._waiting = Waiting(still, frame, (picked(observation, ~known), picked(mask, ~known)))
        return frame

    def _computed(self, chosen: Tensor) -> Frame:
        """Show all worlds as they are, but those that go on to wait as they ended."""
        # What was handed out may have been written since, so observations are computed again.
        self.env.observe()
        frame, waiting = self._shown(self._frames.take()), self.waiting
        still = None if waiting is None else waiting & ~chosen
        self._waiting = None
        if still is not None and bool(still.any()):
            ended = self._ended(frame, numbers_of(still))
            self._waiting = self._wait(frame, still, ended)
        return frame

    def _shown(self, frame: Frame, everything: bool = False) -> Frame:
        """A frame with the observations and masks that the environment has now, or with all outputs."""
        env = self.env
        observation, mask = _seen(frame)
        assert env.observation is not None
        copied(observation, env.observation)
        copied(mask, env.action_mask)
        if everything:
            for name, values in env.outcome.items():
                copied(frame.outputs.buffers.outcome[name], values)
        return frame

    def _mask(self, worlds: Any) -> Tensor:
        what = f"worlds are a mask [{self.env.num_worlds}] of True and False"
        mask = dense(worlds, what)
        if mask.dtype is not torch.bool or tuple(mask.shape) != (self.env.num_worlds,):
            raise EnvError(f"{what}, not {list(mask.shape)} of {mask.dtype}")
        return mask.to(self.env.device)

    def _open(self) -> None:
        if self._closed:
            raise EnvError("this environment is closed")


def _seen(frame: Frame) -> tuple[Tensor, Tensor]:
    """The memory of a frame for observations and masks."""
    observation, _, _, _, info = frame.outputs.results
    mask = info["action_mask"]
    assert observation is not None
    assert mask is not None
    return observation, mask


def _same(rows: Tensor) -> Tensor:
    return rows


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
