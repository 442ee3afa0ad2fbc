"""Is a trace one of this universe? What was recorded of another pack is never compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hamlet import schema
from hamlet.errors import TraceError
from hamlet.universe import Universe
from hamlet_townlet.adapter.description import Description
from hamlet_townlet.traces.trace import Trace


def check_fit(trace: Trace, universe: Universe, description: Description) -> None:
    """Raises `TraceError` if the trace was recorded from a pack with other names, sizes, actions or variables."""
    for what, recorded, ours in _pairs(trace, universe, description):
        if recorded != ours:
            raise TraceError(
                f"{trace.path} was recorded from another pack ({trace.meta.name}, not {description.pack}): "
                f"{what} {_first_difference(recorded, ours)}"
            )
    axes = len(schema.axes(universe))
    for name in ("reset_positions", "reset_affordance_positions"):
        if trace.arrays[name].shape[-1] != axes:
            raise TraceError(
                f"{trace.path} was recorded from another pack ({trace.meta.name}, not {description.pack}): "
                f"positions have {trace.arrays[name].shape[-1]} axes, not {axes}"
            )
    deployed = np.array([name in trace.meta.deployed for name in trace.meta.affordances], dtype=bool)
    known = ~np.isnan(trace.arrays["reset_affordance_positions"])
    if axes and (known != deployed[None, :, None]).any():
        raise TraceError(f"{trace.path}: reset_affordance_positions does not have exactly the deployed affordances")


def _pairs(trace: Trace, universe: Universe, description: Description) -> Iterator[tuple[str, Any, Any]]:
    """What must be the same, as recorded and as it is here."""
    meta = trace.meta
    yield "meters", meta.meters, tuple(meter.name for meter in universe.meters)
    yield "affordances", meta.affordances, description.vocabulary
    yield "deployed affordances", meta.deployed, tuple(description.vocabulary[i] for i in description.deployed)
    yield "actions", meta.actions, schema.action_names(universe)
    yield "enabled actions", meta.enabled, description.enabled
    fields = tuple((field.name, field.offset, field.count) for field in description.fields)
    yield "observed variables", tuple((field.name, field.offset, field.count) for field in meta.fields), fields
    yield "temporal mechanics", meta.temporal, description.temporal
    yield "partial observability", meta.partial, description.pomdp
    yield "the lifespan", meta.lifespan, None if universe.lifespan is None else universe.lifespan.ticks


def _first_difference(recorded: Any, ours: Any) -> str:
    if not isinstance(recorded, tuple) or not isinstance(ours, tuple):
        return f"{recorded}, not {ours}"
    if len(recorded) != len(ours):
        return f"are {len(recorded)}, not {len(ours)}"
    number = next(index for index, (a, b) in enumerate(zip(recorded, ours, strict=True)) if a != b)
    return f"differ: number {number} is {recorded[number]}, not {ours[number]}"
