"""Worlds of one agent each as other interfaces see them: episodes that end before the next one begins.

Other interfaces show the last state of an episode, and want the next one in the same call, in the next call, or when
they ask for it (`Autoreset`). Worlds for the first are made with `autoreset` "same_step", for the others with
"next_step", see `hamlet.make`; those with `episodes by hand` begin anew by a reset of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any

import torch
from torch import Tensor

from hamlet.arguments import Actions, mask_of_worlds
from hamlet.env.environment import Env
from hamlet.env.roles import RoleInfo
from hamlet.errors import EnvError
from hamlet.schema.actions import idle_action
from hamlet.schema.bounds import meter_bounds
from hamlet_adapters.choosing import check_choices, num_choices
from hamlet_adapters.frames import Frame, Frames, taken
from hamlet_adapters.seeds import FirstSeed
from hamlet_adapters.source import SEVERAL


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


class Turn:
    """The results of a call, in tensors and arrays that nothing changes later.

    Who ended is looked up when somebody asks: on a CPU other threads have written it into caches of their own. Ask
    before the next step, or hold an array of the frame, which is then not written again.

    Attributes:
        frame: what `Env.step` gave; the observations and masks of worlds that wait for a reset are their last ones.
    """

    __slots__ = ("_begun", "_ended", "_last", "_over", "frame")

    def __init__(
        self,
        frame: Frame,
        begun: Tensor | None,
        last: Callable[[Frame, Tensor], Ended] | None = None,
        over: Tensor | None = None,
    ) -> None:
        """`begun`, [worlds] bool, are the worlds that began an episode, unless those that ended did: then `last` gives
        what they showed last. `over`, [worlds] bool, are those that ended, where that is known."""
        self.frame = frame
        self._begun = begun
        self._last = last
        self._over = over
        self._ended: Ended | None = None

    @property
    def over(self) -> Tensor:
        """[worlds] bool, those whose episode ended in this call."""
        if self._over is None:
            self._over = self.frame.ended()
        return self._over

    @property
    def any_over(self) -> bool:
        """Whether there are any. On a GPU this waits for it."""
        return _any_of(self.over)

    @property
    def ended(self) -> Ended | None:
        """The same ones, with their last observations, where the frame has the first ones of the next episodes; `None`
        where there are none."""
        if self._ended is None and self._last is not None and self.any_over:
            self._ended = self._last(self.frame, _numbers_of(self.over))
        return self._ended

    @property
    def begun(self) -> Tensor | None:
        """[worlds] bool, those that began an episode in this call; `None` where none did."""
        begun = self._begun if self._last is None else self.over
        return begun if begun is not None and _any_of(begun) else None

    def reports(self) -> dict[str, Tensor]:
        """The reports by name, each [worlds] f32."""
        names = self.frame.outputs.reports
        return dict(zip(names, self.frame.tensor("reports"), strict=True)) if names else {}


class Worlds:
    """An environment of one agent per world, between a reset and `close`. Nothing that it gives is changed later.

    Attributes:
        env: the environment.
        autoreset: when the next episode begins.
    """

    def __init__(
        self, env: Env, autoreset: Autoreset, first: FirstSeed, limit: int | None = None, arrays: bool = True
    ) -> None:
        """Worlds that `hamlet_adapters.source.made` made for this mode. With a `limit` an episode that has not ended
        by itself is truncated after so many ticks. With `arrays` whoever has them hands out arrays on the host, so it
        is there that who ended is looked up: one transfer brings all of a step.

        Raises:
            EnvError: worlds have several agents, or nothing is observed.
        """
        if env.num_agents != 1:
            raise EnvError(f"a world of {env.universe.name} has {env.num_agents} agents: {SEVERAL}")
        if env.observation is None:
            raise EnvError('an adapter shows observations: take another obs_dtype than None, as "float32"')
        self.env = env
        self.autoreset = autoreset
        self._first = first
        # Nobody has to look at last observations that are not shown in the place of others.
        self._later = autoreset is Autoreset.SAME_STEP and env.device.type == "cpu" and not env.universe.by_hand
        self._frames = Frames(env, finals=self._later)
        self._limit = None if limit is None else Limit(env, limit)
        self._arrays = arrays and env.device.type != "cpu"
        self._waiting: Tensor | None = None
        self._begun = False
        self._closed = False
        wait = idle_action(env.universe)
        self._only_wait = torch.arange(env.num_actions, device=env.device) == wait
        self._checks = num_choices(env) < env.num_actions and not steered(env)

    @property
    def waiting(self) -> Tensor | None:
        """The worlds whose episode ended and that did not begin the next one, [worlds] bool, or `None` for none."""
        return self._waiting

    @property
    def begun(self) -> bool:
        """Whether there was a reset."""
        return self._begun

    def close(self) -> None:
        """No other call is taken from now on."""
        self._closed = True

    def reset(self, seed: int | None = None, params: Mapping[str, Any] | None = None, worlds: Any = None) -> Frame:
        """Begin episodes: in all worlds, or in those of a mask [worlds] bool. A mask of all of them is none where that
        makes a difference: at the first reset, and with a seed.

        Returns:
            The observations and the masks, also of the other worlds.

        Raises:
            EnvError: the environment is closed, or an argument is wrong as `Env.reset` says. Nothing was changed.
        """
        self.check_open()
        chosen = None if worlds is None else mask_of_worlds(worlds, self.env.num_worlds, self.env.device)
        if chosen is not None and (seed is not None or not self._begun) and bool(chosen.all()):
            chosen = None
        if chosen is not None and not self._begun:
            raise EnvError("this environment was never reset: reset all worlds first")
        frame = self._frames.take()
        self.env.reset(self._first.of(seed), params, chosen, frame.outputs)
        self._first.begun()
        self._begun = True
        begun = None if chosen is None or self._waiting is None else chosen.to(self._waiting.device)
        if begun is None or self._waiting is None:
            self._waiting = None
        else:
            self._waiting = None if torch.equal(begun, self._waiting) else self._waiting & ~begun
        if self._limit is not None:
            self._limit.begin(chosen)
        return frame

    def step(self, actions: Actions, controls: Any = None) -> Turn:
        """Run a tick.

        Args:
            actions, controls: [worlds] and [controls, worlds], as `Env.step` takes them; those of worlds that begin an
                episode instead are not used.

        Raises:
            EnvError: the environment is closed, was never reset, or has worlds that wait for a reset; or the actions
                are wrong. Nothing was changed.
        """
        self.check_ready()
        if self._checks and self.env.validate:
            check_choices(self.env, actions)
        begun = self._waiting
        frame, by_hand = self._frames.take(), self.env.universe.by_hand
        self.env.step(actions, controls, frame.outputs)
        if by_hand and begun is not None and _any_of(begun):
            self.env.reset(worlds=begun, out=frame.outputs)
        late = None if self._limit is None else self._limit.truncate(frame, begun)
        if self.autoreset is not Autoreset.SAME_STEP:
            turn = Turn(frame, begun, over=self._over(frame, late))
            self._waiting = turn.over
            return turn
        if by_hand:
            return self._restarted(frame, None)
        if late is not None and _any_of(late):
            return self._restarted(frame, late)
        turn = Turn(frame, None, self._ended, self._ends(frame))
        if not self._later:
            # The next step writes last observations again.
            _ = turn.ended
        return turn

    def _ended(self, frame: Frame, numbers: Tensor) -> Ended:
        """The last observations of worlds whose episode ended, and whose next one began in the same tick."""
        if self._later:
            observation: Callable[[], Tensor] = partial(taken, frame.tensor("final_observation"), numbers)
        else:
            final = frame.outputs.results[-1]["final_observation"]
            assert final is not None
            observation = partial(_same, taken(final, numbers))
        return Ended(numbers, observation, self._only_wait.to(numbers.device).expand(len(numbers), -1))

    def _ends(self, frame: Frame) -> Tensor | None:
        """The worlds whose episode ended, [worlds] bool on the host, where arrays are fetched from elsewhere."""
        return torch.from_numpy(frame.array("terminated") | frame.array("truncated")) if self._arrays else None

    def _over(self, frame: Frame, late: Tensor | None) -> Tensor | None:
        """The worlds that wait for their next episode after a tick, [worlds] bool, where that is known: those of whose
        agents nobody is alive, which is half as much to look at as how episodes ended. `late` are those that were
        truncated."""
        if self.env.universe.by_hand or (late is not None and self.autoreset is Autoreset.DISABLED):
            return self._ends(frame)
        alive = self.env.state["alive"]
        if late is not None:
            # The next tick begins an episode where nobody is alive, and does nothing else there.
            alive.masked_fill_(late, False)
        return self._ends(frame) if self._arrays else _others(alive)

    def _restarted(self, frame: Frame, late: Tensor | None) -> Turn:
        """The results of a tick that a reset follows, in worlds whose episode ended, or in those of them that were
        truncated late, [worlds] bool: begun here, in the same frame. The others began theirs in the tick.
        """
        turn = Turn(frame, None, over=self._ends(frame))
        if not turn.any_over:
            return turn
        over, outcome = turn.over, frame.outputs.buffers.outcome
        numbers = _numbers_of(over)
        observation, mask = frame.outputs.results[0], frame.outputs.results[-1]["action_mask"]
        assert observation is not None
        assert mask is not None
        rows, masks = taken(observation, numbers), taken(mask, numbers)
        if late is not None:
            by_themselves = self._ended(frame, numbers)
            here = late[numbers].unsqueeze(1)
            rows, masks = (
                rows.where(here, by_themselves.observation()),
                masks.where(here, by_themselves.action_mask.to(masks.device)),
            )
        ended = Ended(numbers, partial(_same, rows), masks)
        happened = {name: values.clone() for name, values in outcome.items()}
        self.env.reset(worlds=over if late is None else late, out=frame.outputs)
        for name, values in happened.items():
            outcome[name].copy_(values)
        frame.changed()
        return Turn(frame, None, lambda _frame, _numbers: ended)

    def ended(self, worlds: Tensor | None) -> None:
        """Note the worlds whose episode ended, [worlds] bool, or `None` for none, where somebody else ran the tick."""
        self._waiting = worlds

    def check_ready(self) -> None:
        """Raise `EnvError` where a step is not possible: the environment is closed, was never reset, or has worlds that
        wait for a reset."""
        self.check_open()
        if not self._begun:
            raise EnvError("call reset before the first step")
        waiting = self._waiting
        if waiting is not None and self.autoreset is Autoreset.DISABLED and _any_of(waiting):
            number = int(_numbers_of(waiting)[0])
            raise EnvError(f"the episode of world {number} has ended: reset it before the next step")

    def check_open(self) -> None:
        """Raise `EnvError` where the environment is closed."""
        if self._closed:
            raise EnvError("this environment is closed")


def _others(worlds: Tensor) -> Tensor:
    """All worlds but these, [worlds] bool."""
    # On a CPU numpy computes: a call of torch takes longer than all of it.
    return torch.from_numpy(~worlds.numpy()) if worlds.device.type == "cpu" else ~worlds


def _any_of(worlds: Tensor) -> bool:
    """Whether there are any worlds in a mask [worlds] bool. On a GPU this waits for it."""
    return bool(worlds.numpy().any() if worlds.device.type == "cpu" else worlds.any())


def _numbers_of(worlds: Tensor) -> Tensor:
    """The numbers of worlds, i64, of a mask [worlds] bool. On a GPU this waits for them."""
    if worlds.device.type == "cpu":
        return torch.from_numpy(worlds.numpy().nonzero()[0])
    return worlds.nonzero().squeeze(1)


def _same(rows: Tensor) -> Tensor:
    return rows


def steered(env: Env) -> bool:
    """Whether agents do nothing but give controls: no action of theirs has an effect."""
    universe = env.universe
    others = universe.moves or universe.affordances or universe.actions
    return env.num_controls > 0 and (num_choices(env) == 1 or not others)


def whole_controls(env: Env) -> bool:
    """Whether controls are whole numbers.

    Raises:
        EnvError: some are, and others are not: no space of others has both.
    """
    if len(set(env.control_whole)) > 1:
        names = ", ".join(name for name, whole in zip(env.control_names, env.control_whole, strict=True) if whole)
        raise EnvError(f"controls are all whole numbers or all real ones, not {names} alone: step hamlet.Env itself")
    return any(env.control_whole)


def observed(env: Env, role: RoleInfo | None = None) -> tuple[Tensor, Tensor]:
    """The least and the greatest number that each value of an observation can have, [values] f32; of a role, each of
    those that its agents observe. Where a statement leaves a meter unclamped that is not the range that bytes stand
    for, but what the meter reaches."""
    shown = env if role is None else role
    scales = [segment.scale for segment in shown.observation_segments for _ in range(segment.count)]
    low, high = torch.tensor([(scale.low, scale.high) for scale in scales]).reshape(-1, 2).unbind(dim=1)
    low, high = low.to(env.device, copy=True), high.to(env.device, copy=True)
    rows = {name: row for row, name in enumerate(shown.observation_names)}
    for meter, bounds in zip(env.universe.meters, meter_bounds(env.universe), strict=True):
        for name, row in rows.items():
            if name.partition("#")[0] == f"meter.{meter.name}":
                low[row], high[row] = bounds.low, bounds.high
    return low, high


class Limit:
    """How many ticks of its episode each world has done, of those that an episode may have at most."""

    def __init__(self, env: Env, ticks: int) -> None:
        self._ticks = ticks
        self._done = torch.zeros(env.num_worlds, dtype=torch.int64, device=env.device)

    def begin(self, worlds: Tensor | None) -> None:
        """Begin episodes in all worlds, or in those of a mask [worlds] bool."""
        self._done.masked_fill_(
            torch.ones_like(self._done, dtype=torch.bool) if worlds is None else worlds.to(self._done.device), 0
        )

    def truncate(self, frame: Frame, begun: Tensor | None) -> Tensor:
        """Count a tick, and write into its outcome which episodes are truncated; worlds that began one in it,
        [worlds] bool, have done none.

        Returns:
            The worlds that go on but for that, [worlds] bool.
        """
        self._done += 1
        if begun is not None:
            self.begin(begun)
        full = self._done >= self._ticks
        late = full & ~frame.ended()
        frame.outputs.buffers.outcome["truncated"].logical_or_(full)
        self.begin(frame.ended())
        return late
