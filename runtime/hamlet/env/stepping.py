"""One tick of an environment, from the actions that it is given to its results.

Everything that does not change from step to step is made once: a step of few worlds takes less time than ten calls of
torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import torch

from hamlet.arguments import Actions
from hamlet.backend.buffers import Buffers, Statistics
from hamlet.backend.protocol import Backend, Checking, Stream
from hamlet.env.attributes import Now, transposed
from hamlet.env.checkpoint import TICK_LIMIT
from hamlet.env.given import Given
from hamlet.env.graphed import Graphed
from hamlet.env.interrupts import Whole
from hamlet.env.ops import Stepper, step
from hamlet.env.params import Held
from hamlet.env.rollout import Info, Stepped
from hamlet.errors import EnvError, shown

Run: TypeAlias = Callable[[Buffers, torch.Tensor, int, int, int, Statistics | None], bool]
"""A tick of buffers with actions, a seed, the number of the tick, that of the actions that there are, and what to count
in; gives whether all are in range."""


class Stepping:
    """Runs the steps of an environment."""

    def __init__(
        self,
        backend: Backend,
        buffers: Buffers,
        now: Now,
        given: Given,
        info: Info,
        whole: Whole,
        graphed: Callable[[], Graphed] | None,
    ) -> None:
        """`graphed` records steps as a CUDA graph, if these are to be replayed."""
        self._backend = backend
        self._buffers = buffers
        self._now = now
        self._given = given
        self._whole = whole
        self._graphed = graphed
        self._checked: Sequence[Held] = tuple(held for held in given.held.values() if held.checked)
        self._operator = Stepper(backend, buffers, self._check_operands)
        outcome = buffers.outcome
        self._ended = outcome["reward"], outcome["terminated"], outcome["truncated"], info
        self._results: Stepped = (transposed(buffers.observation), *self._ended)
        actions = given.actions
        self._count = actions.count
        # A step with wrong actions leaves controls as they are too, so these are written after the check.
        if isinstance(backend, Checking) and actions.ranges and not given.controls.declared:
            self._taken: Callable[[Any], torch.Tensor] = actions.of_step
            self._run: Run = backend.step_in_range
        else:
            self._taken, self._run = actions.actions, partial(_unchecked, backend)

    def step(self, actions: Actions, controls: Any = None, out: torch.Tensor | None = None) -> Stepped:
        """See `Env.step`."""
        buffers = self._buffers if out is None else self._with(out)
        if torch.compiler.is_compiling():
            return self._step_compiled(actions, controls, out)
        now = self._now
        telemetry = now.telemetry
        if self._graphed is not None and telemetry is None and not torch.cuda.is_current_stream_capturing():
            return self._replay(self._graphed, actions, controls, out)
        taken, new = self._taken(actions), self._given.stepping(controls)
        for held in self._checked:
            held.check()
        counts = None if telemetry is None else telemetry.window
        with self._whole:
            if new is not None:
                buffers.state["controls"].copy_(new)
            if self._run(buffers, taken, now.seed, now.tick, self._count, counts):
                now.shown = out
                now.untouched = False
                now.tick = tick = (now.tick + 1) % TICK_LIMIT
                if telemetry is not None:
                    telemetry.counted_step(tick)
                return self._results if out is None else (out, *self._ended)
        raise self._given.actions.missing(taken)

    def finish(self, out: torch.Tensor | None = None) -> Stepped:
        """Count a tick that wrote into the environment's own observations, and return its results."""
        now = self._now
        now.shown = None
        if out is not None:
            self._copied(out)
        now.untouched = False
        now.tick = (now.tick + 1) % TICK_LIMIT
        observation = transposed(self._buffers.observation) if out is None else out
        return (observation, *self._ended)

    def _step_compiled(self, actions: Actions, controls: Any, out: torch.Tensor | None) -> Stepped:
        """A step as an operator of torch, which checks params and inputs itself."""
        if self._now.telemetry is not None:
            raise EnvError("telemetry counts no steps inside torch.compile: close it, or take the step outside")
        given, new = self._given.actions.actions(actions), self._given.stepping(controls)
        if new is not None:
            self._buffers.state["controls"].copy_(new)
        stepper, stream = self._operator, Stream(self._now.seed, self._now.tick)
        read, changed = stepper.given(self._buffers), stepper.changed(self._buffers)
        step(given, read, changed, stream.low, stream.high, stream.tick, stepper.number)
        return self.finish(out)

    def _replay(
        self, graphed: Callable[[], Graphed], actions: Actions, controls: Any, out: torch.Tensor | None
    ) -> Stepped:
        if self._now.graphed is None:
            self._now.graphed = graphed()
        stepped = self._now.graphed.step(actions, controls)
        return stepped if out is None else (self._copied(out), *stepped[1:])

    def _check_operands(self, given: Mapping[str, torch.Tensor]) -> None:
        """Do what `Env.check_given` does for tensors that a compiled graph passes."""
        for name, held in self._given.held.items():
            held.check()
            held.check_others(given[name])

    def _with(self, out: torch.Tensor) -> Buffers:
        """The buffers, with observations written into a tensor of the caller's.

        Raises:
            EnvError: it has another type, shape or device, or lies in memory in another way.
        """
        buffers, own = self._buffers, self._results[0]
        if own is None:
            raise EnvError("this environment was made with obs_dtype=None: it has no observations to write")
        like = isinstance(out, torch.Tensor) and out.layout is torch.strided and out.device == own.device
        if like and out.dtype is own.dtype and out.shape == own.shape:
            rows, state, outcome = out.T, buffers.state, buffers.outcome
            if rows.is_contiguous():
                return Buffers(buffers.shape, state, outcome, rows, buffers.final_observation, buffers.mask)
        raise EnvError(f"out is a tensor like torch.empty_like(env.observation), not {shown(out)}")

    def _copied(self, out: torch.Tensor) -> torch.Tensor:
        """A tensor of the caller's, with the observations that are in the environment's own."""
        observation = self._buffers.observation
        assert observation is not None
        self._now.shown = out.copy_(observation.T)
        return out


def _unchecked(
    backend: Backend,
    buffers: Buffers,
    actions: torch.Tensor,
    seed: int,
    tick: int,
    _count: int,
    statistics: Statistics | None,
) -> bool:
    backend.step(buffers, actions, Stream(seed, tick), statistics)
    return True
