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
from hamlet.backend.protocol import Backend, Checking, Recordable, Stream
from hamlet.env.act.graph import Graphed
from hamlet.env.act.inputs import Arguments
from hamlet.env.act.now import Now
from hamlet.env.act.operator import Stepper, step
from hamlet.env.act.outputs import Outputs
from hamlet.env.act.results import Stepped
from hamlet.env.interrupts import Whole
from hamlet.env.keep.state import TICK_LIMIT
from hamlet.env.write.params import Held
from hamlet.errors import EnvError

Run: TypeAlias = Callable[[Buffers, torch.Tensor, int, int, int, Statistics | None, torch.Tensor | None], bool]
"""A tick of buffers with actions, a seed, the number of the tick, that of the actions that there are (0 if nobody is to
look), what to count in, and controls; gives whether all actions are in range."""


class Stepping:
    """Runs the steps of an environment."""

    def __init__(
        self,
        backend: Backend,
        own: Outputs,
        now: Now,
        arguments: Arguments,
        whole: Whole,
        graphed: Callable[[], Graphed] | None,
    ) -> None:
        """`graphed` records steps as a CUDA graph, if these are to be replayed."""
        self._own = own
        self._buffers = own.buffers
        self._now = now
        self._arguments = arguments
        self._whole = whole
        self._recording = graphed
        self._checked: Sequence[Held] = tuple(held for held in arguments.held.values() if held.checked)
        self._operator = Stepper(backend, own.buffers, self._check_operands)
        self._count = arguments.actions.count if arguments.actions.ranges else 0
        self.run_by(backend)

    def run_by(self, backend: Backend) -> None:
        """Let this backend run the steps from now on; graphs of torch that were compiled have the first one."""
        actions = self._arguments.actions
        self._graphed = self._recording if isinstance(backend, Recordable) else None
        if isinstance(backend, Checking):
            self._taken: Callable[[Any], torch.Tensor] = actions.of_step
            self._run: Run = backend.step_in_range
        else:
            self._taken, self._run = actions.actions, partial(_unchecked, backend)

    def step(self, actions: Actions, controls: Any = None, out: torch.Tensor | Outputs | None = None) -> Stepped:
        """See `Env.step`."""
        written = None if out is None else self.outputs(out)
        if torch.compiler.is_compiling():
            return self._step_compiled(actions, controls, written)
        now = self._now
        telemetry = now.telemetry
        if self._graphed is not None and telemetry is None and not torch.cuda.is_current_stream_capturing():
            return self._replay(self._graphed, actions, controls, written)
        outputs = self._own if written is None else written
        buffers = outputs.buffers
        taken, new = self._taken(actions), self._arguments.stepping(controls)
        for held in self._checked:
            held.check()
        counts = None if telemetry is None else telemetry.window
        with self._whole:
            if self._run(buffers, taken, now.seed, now.tick, self._count, counts, new):
                now.shown = written
                now.untouched = False
                now.acted = taken
                now.tick = tick = (now.tick + 1) % TICK_LIMIT
                if telemetry is not None:
                    telemetry.counted_step(tick)
                return outputs.results
        raise self._arguments.actions.missing(taken)

    def finish(self, out: Outputs | None = None) -> Stepped:
        """Count a tick that wrote into the environment's own memory, and return its results."""
        now = self._now
        now.shown = None if out is None else out.copy_(self._own)
        now.untouched = False
        now.tick = (now.tick + 1) % TICK_LIMIT
        return (self._own if out is None else out).results

    def _step_compiled(self, actions: Actions, controls: Any, out: Outputs | None) -> Stepped:
        """A step as an operator of torch, which checks params and inputs itself."""
        if self._now.telemetry is not None:
            raise EnvError("telemetry counts no steps inside torch.compile: close it, or take the step outside")
        taken, new = self._arguments.actions.actions(actions), self._arguments.stepping(controls)
        if new is not None:
            self._buffers.state["controls"].copy_(new)
        stepper, stream = self._operator, Stream(self._now.seed, self._now.tick)
        read, changed = stepper.unchanged(self._buffers), stepper.changed(self._buffers)
        step(taken, read, changed, stream.low, stream.high, stream.tick, stepper.number)
        return self.finish(out)

    def _replay(self, graphed: Callable[[], Graphed], actions: Actions, controls: Any, out: Outputs | None) -> Stepped:
        if self._now.graphed is None:
            self._now.graphed = graphed()
        stepped = self._now.graphed.step(actions, controls)
        if out is None:
            return stepped
        self._now.shown = out.copy_(self._own)
        return out.results

    def _check_operands(self, values: Mapping[str, torch.Tensor]) -> None:
        """Do what `Env.check_given` does for tensors that a compiled graph passes."""
        for name, held in self._arguments.held.items():
            held.check()
            held.check_others(values[name])

    def outputs(self, out: torch.Tensor | Outputs) -> Outputs:
        """The caller's memory for what this environment gives.

        Raises:
            EnvError: it belongs to another environment, or a tensor lies in memory in another way.
        """
        if not isinstance(out, Outputs):
            return self._own.with_observation(out)
        if out.buffers.state is self._buffers.state:
            return out
        raise EnvError("out belongs to another environment: take outputs() of this one")


def _unchecked(
    backend: Backend,
    buffers: Buffers,
    actions: torch.Tensor,
    seed: int,
    tick: int,
    _count: int,
    statistics: Statistics | None,
    controls: torch.Tensor | None,
) -> bool:
    if controls is not None:
        buffers.state["controls"].copy_(controls)
    backend.step(buffers, actions, Stream(seed, tick), statistics)
    return True
