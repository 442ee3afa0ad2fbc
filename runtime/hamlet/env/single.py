"""Steps of an environment of one world, whose actions and controls are numbers of Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import torch

from hamlet import schema
from hamlet.backend.protocol import Single, Singling

if TYPE_CHECKING:
    from hamlet.env.environment import Env


Array: TypeAlias = np.ndarray[Any, Any]


class SingleSteps:
    """`Env.step` and `Env.reset` of one world on a CPU, into the environment's own memory: by the backend's shorter
    way, and by these calls where telemetry counts, and where that way has to be made (anew).

    Attributes:
        outputs: the environment's own.
        watching: whether tensors of the environment may be given other memory, which each step then looks for.
    """

    def __init__(self, env: Env) -> None:
        """`env` has one world, on a CPU."""
        self._env, self._backend = env, env._backend
        self._now, self._checked, self._whole = env._now, env._checked, env._whole
        self._single: Single | None = None
        self.outputs = env._own
        self.watching = False
        self._look()

    def step(self, action: int, controls: Sequence[float] = ()) -> None:
        """Run a tick of one agent with an action and controls in range.

        Raises:
            EnvError: a param or an input was written in place and is out of bounds, or the environment is closed.
                Nothing was changed.
        """
        now, single = self._now, self._single
        if single is None or now.telemetry is not None or (self.watching and self._changed(single)):
            self._step_by_env([action], [[value] for value in controls] or None)
            return
        for held in self._checked:
            held.check()
        now.shown, now.untouched, now.acted = None, False, action
        single.step(now, action, controls)

    def step_all(self, actions: Sequence[int], controls: Array | None = None) -> None:
        """Run a tick with an action in range for each lane, and controls in range [controls, lanes] f32, where the
        universe has some.

        Raises:
            EnvError: as for `step`.
        """
        now, single = self._now, self._single
        if single is None or now.telemetry is not None or (self.watching and self._changed(single)):
            self._step_by_env(actions, controls)
            return
        for held in self._checked:
            held.check()
        now.shown, now.untouched, now.acted = None, False, single.actions
        single.step_all(now, actions, controls)

    def begin(self) -> None:
        """Begin the next episode, as `Env.reset` without arguments.

        Raises:
            EnvError: as for `step`.
        """
        now, single = self._now, self._single
        if single is None or now.untouched or (self.watching and self._changed(single)):
            self._env.reset()
            self._look()
            return
        for held in self._checked:
            held.check()
        with self._whole:
            for values, nothing in self._past:
                values.fill(nothing)
            self._reports.fill(0)
            self._episode[0] += 1
            now.shown = None
            single.begin(now.seed)

    def _step_by_env(self, actions: Sequence[int], controls: Any) -> None:
        self._env.step(torch.tensor(actions, dtype=torch.int32), controls)
        backend = self._backend = self._env._backend
        # One that keeps a history has no shorter way.
        self._single = backend.single(self._env._buffers) if isinstance(backend, Singling) else None
        self._look()

    def _look(self) -> None:
        """Find the memory of the environment: where outputs may have other memory than before."""
        outcome = dict(self.outputs.buffers.outcome)
        self._reports = outcome.pop("reports", torch.zeros(0)).numpy()
        nothing = {name: schema.NOWHERE if name in ("used", "cause") else 0 for name in outcome}
        self._past = [(values.numpy(), nothing[name]) for name, values in outcome.items()]
        self._episode = self._env._buffers.state["episode"].numpy().data

    def _changed(self, single: Single) -> bool:
        """Whether the environment is closed or has another backend, or a tensor has other memory."""
        env = self._env
        return env._own is not self.outputs or env._backend is not self._backend or single.moved()
