"""A whole replay: drive, compare, locate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from hamlet.package.module import Module
from hamlet_townlet.adapter.env import VectorizedEnv
from hamlet_townlet.traces.compare import Comparison, compare, tolerances
from hamlet_townlet.traces.drive import drive
from hamlet_townlet.traces.fits import check_fit
from hamlet_townlet.traces.locate import Divergence, locate
from hamlet_townlet.traces.report import Report
from hamlet_townlet.traces.streams import BEGINNINGS, STEPS, VIEWS, Stream
from hamlet_townlet.traces.trace import Array, Trace

STREAMS = (*BEGINNINGS, *VIEWS, *STEPS)


def replay(
    module: Module,
    trace: Trace,
    backend: str = "interpreter",
    device: str | torch.device = "cpu",
    steps: int | None = None,
) -> Report:
    """Take a trace's actions in the universe of its pack, and compare everything that was recorded.

    Args:
        steps: only so many of them, at least 1.

    Raises:
        TraceError: the trace was recorded from another pack.
        EnvError: the backend cannot run here, or the trace has an action or a position that does not exist.
        ModuleError: the package is damaged.
    """
    wanted = trace.meta.steps if steps is None else min(steps, trace.meta.steps)
    env = VectorizedEnv(module, trace.meta.agents, device, backend=backend)
    check_fit(trace, module.universe, env.description)
    found = drive(env, trace, wanted)
    ulps = tolerances(module.universe)
    arrays = {name: np.stack(values) for name, values in found.values.items()}
    comparisons = tuple(_compared(stream, trace, arrays, ulps) for stream in STREAMS)
    return Report(
        trace=trace.path.name,
        pack=env.description.pack,
        backend=env.backend,
        agents=trace.meta.agents,
        steps=wanted if found.stopped is None else found.stopped[0],
        recorded_steps=trace.meta.steps,
        resets=sum(step < max(wanted, 1) for step in trace.resets),
        comparisons=comparisons,
        divergence=_first(module, trace, comparisons, arrays),
        stopped=found.stopped,
        recorded_error=trace.meta.error,
        raising=(*env.description.stopping, *env.description.raising),
    )


def _compared(stream: Stream, trace: Trace, arrays: dict[str, Array], ulps: dict[str, int]) -> Comparison:
    if stream.name not in arrays:
        return Comparison(stream.name, None if stream.read is None or stream in BEGINNINGS else 0)
    found = arrays[stream.name]
    if found.dtype == np.float64 and np.isnan(found).all():
        return Comparison(stream.name, None)
    return compare(stream.name, trace.arrays[stream.name][: len(found)], found, ulps.get(stream.name, 0))


def _first(
    module: Module, trace: Trace, comparisons: Sequence[Comparison], arrays: dict[str, Array]
) -> Divergence | None:
    """The first difference in time; of those in one step, that in the first stream."""
    places = []
    for order, (stream, comparison) in enumerate(zip(STREAMS, comparisons, strict=True)):
        if comparison.first is not None:
            number = comparison.first[0]
            reset = stream.shape.startswith("K")
            step = trace.resets[number] if reset else number
            places.append((step, not reset, order, stream, comparison.first))
    if not places:
        return None
    *_, stream, first = min(places, key=lambda place: place[:3])
    return locate(module, trace, stream, first, arrays[stream.name])
