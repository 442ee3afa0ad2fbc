"""A trace of HAMLET's engine: NAME.npz with what was recorded, stream by stream, NAME.json with what was run.

Shapes of streams are in letters: T steps, K resets, N agents, D axes, M meters, V affordances of the vocabulary,
O values of an observation, C actions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hamlet import schema
from hamlet.errors import TraceError
from hamlet.regular import read_regular
from hamlet.strict_json import parsed
from hamlet.universe import Universe
from hamlet_lab.verify.archive import ArchiveError, read_arrays
from hamlet_townlet.adapter.description import Description, ObservationField
from hamlet_townlet.adapter.env import VectorizedEnv

Array = NDArray[Any]

RESETS = "reset_at"
KINDS = {"f32": "f", "f64": "f", "whole": "iu", "bool": "b", "position": "fiu"}
"""Numpy's letters for the types of numbers."""
Kind: TypeAlias = Literal["f32", "f64", "whole", "bool", "position"]
"""Types of the numbers of a stream; "position": f32 in a continuous space, else whole."""


@dataclass(frozen=True, slots=True)
class RecordedStream:
    """A recorded array.

    Attributes:
        shape: in letters.
        kind: the type of its numbers.
        array: the name in `hamlet.schema` of what it shows.
        read: the same numbers of an environment; `None` for what a trace gives instead of compares.
    """

    name: str
    shape: str
    kind: Kind
    array: str
    read: Callable[[VectorizedEnv], Tensor] | None


STEPS = (
    RecordedStream("actions", "TN", "whole", "", None),
    RecordedStream("intrinsic_raw", "TN", "f32", "inputs", None),
    RecordedStream("positions", "TND", "position", "position", lambda env: env.positions),
    RecordedStream(
        "last_interaction_affordance", "TN", "whole", "engaged", lambda env: env.last_interaction_affordance
    ),
    RecordedStream(
        "last_interaction_position", "TND", "position", "used_at", lambda env: env.last_interaction_position
    ),
    RecordedStream("interaction_progress", "TN", "whole", "progress", lambda env: env.interaction_progress),
    RecordedStream("success", "TN", "whole", "used", lambda env: env.success),
    RecordedStream("meters", "TNM", "f32", "meters", lambda env: env.meters),
    RecordedStream("last_affordance", "TN", "whole", "last", lambda env: env.last_affordance),
    RecordedStream("streaks", "TNV", "whole", "streaks", lambda env: env.streaks),
    RecordedStream("unique_count", "TN", "whole", "seen", lambda env: env.unique_count),
    RecordedStream("step_counts", "TN", "whole", "age", lambda env: env.step_counts),
    RecordedStream("dones", "TN", "bool", "alive", lambda env: env.dones),
    RecordedStream("intrinsic_weights", "TN", "f32", "reports", lambda env: env.intrinsic_weights),
    RecordedStream("r_extrinsic", "TN", "f32", "reports", lambda env: env.r_extrinsic),
    RecordedStream("r_intrinsic", "TN", "f32", "reports", lambda env: env.r_intrinsic),
    RecordedStream("r_shaping", "TN", "f32", "reports", lambda env: env.r_shaping),
    RecordedStream("rewards", "TN", "f32", "reward", lambda env: env.rewards),
    RecordedStream("time_of_day", "T", "whole", "hour", lambda env: torch.tensor(env.time_of_day)),
    RecordedStream("observations", "TNO", "f32", "observation", lambda env: env.observe()),
    RecordedStream("action_masks", "TNC", "bool", "mask", lambda env: env.get_action_masks()),
)
"""Streams that were recorded after each step, causes before consequences; the first two were arguments of it."""

REPORTS = {
    "r_extrinsic": "extrinsic",
    "r_intrinsic": "intrinsic",
    "r_shaping": "shaping",
    "intrinsic_weights": "intrinsic_weights",
}
"""Streams that show a report of the universe."""

BEGINNINGS = (
    RecordedStream("reset_positions", "KND", "position", "position", None),
    RecordedStream("reset_affordance_positions", "KVD", "f64", "places", None),
    RecordedStream("reset_meters", "KNM", "f32", "meters", lambda env: env.meters),
    RecordedStream("reset_dones", "KN", "bool", "alive", lambda env: env.dones),
    RecordedStream("reset_step_counts", "KN", "whole", "age", lambda env: env.step_counts),
    RecordedStream("reset_time_of_day", "K", "whole", "hour", lambda env: torch.tensor(env.time_of_day)),
)
"""Streams that were recorded after each reset. A universe of this project draws other places, which is why they are
set; the rest is compared, unless the recording changed it.
"""

VIEWS = (
    RecordedStream("reset_observations", "KNO", "f32", "observation", lambda env: env.observe()),
    RecordedStream("reset_action_masks", "KNC", "bool", "mask", lambda env: env.get_action_masks()),
)
"""Streams of the state that a segment of the trace begins with."""


@dataclass(frozen=True, slots=True)
class TraceMeta:
    """The run that was recorded.

    Attributes:
        name: the name of the recorded pack.
        scrambled: the recording changed the state after each reset; the trace has it as changed.
        explored: an exploration module was attached; `intrinsic_raw` is what it gave.
        error: with what the engine stopped after the last step, or "".
    """

    name: str
    agents: int
    steps: int
    depletion_multiplier: float
    scrambled: bool
    explored: bool
    temporal: bool
    partial: bool
    lifespan: int
    meters: tuple[str, ...]
    affordances: tuple[str, ...]
    deployed: tuple[str, ...]
    actions: tuple[str, ...]
    enabled: tuple[bool, ...]
    fields: tuple[ObservationField, ...]
    error: str


@dataclass(frozen=True, slots=True)
class HamletTrace:
    """A recorded run: `resets` are the steps before which the environment was reset, beginning with 0."""

    path: Path
    meta: TraceMeta
    resets: tuple[int, ...]
    arrays: Mapping[str, Array]


def read_trace(path: Path) -> HamletTrace:
    """Read a trace; `path` is that of the .npz, the .json stands beside it.

    Raises:
        TraceError: a file is missing or damaged, or a stream is missing or does not have its shape.
    """
    arrays = _arrays(path)
    if "about" in arrays:
        raise TraceError(f"{path} is no trace of HAMLET but a run of `hamletc record`, which `hamletc replay` takes")
    meta = _meta(path.with_suffix(".json"))
    streams = (*STEPS, *BEGINNINGS, *VIEWS)
    names = [RESETS, *(stream.name for stream in streams)]
    for name in names:
        if name not in arrays:
            raise TraceError(f"{path} has no stream {name}")
    for name in arrays:
        if name not in names:
            raise TraceError(f"{path} has a stream {name}, which is not known and could not be compared")
    resets = _resets(path, meta, arrays[RESETS])
    for stream in streams:
        _check(path, stream, arrays[stream.name], meta, len(resets))
    return HamletTrace(path, meta, resets, arrays)


def _arrays(path: Path) -> dict[str, Array]:
    try:
        return read_arrays(path)
    except OSError as error:
        raise TraceError(f"{path} cannot be read: {error.strerror or error}") from error
    except ArchiveError as error:
        raise TraceError(f"{path} is no trace, or a damaged one: {error}") from error


def _resets(path: Path, meta: TraceMeta, resets: Array) -> tuple[int, ...]:
    if resets.ndim != 1 or resets.dtype.kind not in "iu":
        raise TraceError(f"{path}: {RESETS} is a list of steps")
    steps = tuple(int(step) for step in resets)
    ordered = all(a < b for a, b in pairwise(steps))
    if not steps or steps[0] != 0 or not ordered or steps[-1] >= max(meta.steps, 1):
        raise TraceError(f"{path}: {RESETS} are increasing steps from 0 to before {meta.steps}, not {list(steps)}")
    return steps


def _check(path: Path, stream: RecordedStream, array: Array, meta: TraceMeta, resets: int) -> None:
    """See that a stream has as many values as the trace says. The recorder left open what the shape of 0 steps is."""
    sizes = {
        "T": meta.steps,
        "K": resets,
        "N": meta.agents,
        "M": len(meta.meters),
        "V": len(meta.affordances),
        "O": sum(field.count for field in meta.fields),
        "C": len(meta.actions),
    }
    axes = stream.shape[1:] if "D" not in stream.shape else stream.shape[1:-1]
    first = sizes[stream.shape[0]]
    if len(array) != first if array.ndim else True:
        steps = len(array) if array.ndim else "no"
        what = "steps" if stream.shape[0] == "T" else "resets"
        cut = ": the trace is truncated" if array.ndim and len(array) < first else ""
        raise TraceError(f"{path}: stream {stream.name} has {steps} of {first} {what}{cut}")
    if first == 0:
        return
    expected = [sizes[letter] for letter in axes]
    if list(array.shape[1 : 1 + len(axes)]) != expected or array.ndim != len(stream.shape):
        raise TraceError(f"{path}: stream {stream.name} has the shape {list(array.shape)}, expected {expected} a step")
    single = stream.kind == "f32" or (stream.kind == "position" and array.dtype.kind == "f")
    if array.dtype.kind not in KINDS[stream.kind] or (single and array.dtype != np.float32):
        raise TraceError(f"{path}: stream {stream.name} has numbers of type {array.dtype}")


def _meta(path: Path) -> TraceMeta:
    try:
        source = parsed(read_regular(path))
    except FileNotFoundError as error:
        raise TraceError(f"{path} is missing: it says what was recorded") from error
    except OSError as error:
        raise TraceError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise TraceError(f"{path} is not JSON: {error}") from error
    if not isinstance(source, dict):
        raise TraceError(f"{path} describes no trace")
    if source.get("no_trace"):
        raise TraceError(f"{path} says that nothing was recorded: {_error(source)}")
    try:
        meta = TraceMeta(
            name=str(source["pack_dir"]).rpartition("/")[2],
            agents=_whole(source["N"], 1),
            steps=_whole(source["T"], 0),
            depletion_multiplier=float(source["depletion_multiplier"]),
            scrambled=_truth(source["scrambled_state"]),
            explored=_truth(source["intrinsic_raw_injected"]),
            temporal=_truth(source["temporal"]),
            partial=_truth(source["pomdp"]),
            lifespan=_whole(source["lifespan"], 1),
            meters=tuple(map(str, source["meters"])),
            affordances=tuple(map(str, source["affordances"])),
            deployed=tuple(map(str, source["deployed"])),
            actions=tuple(str(action["name"]) for action in source["actions"]),
            enabled=tuple(_truth(action["enabled"]) for action in source["actions"]),
            fields=tuple(
                ObservationField(str(field["variable"]), _whole(field["offset"], 0), _whole(field["size"], 0))
                for field in source["obs_layout"]
            ),
            error=_error(source),
        )
    except KeyError as error:
        raise TraceError(f"{path} does not say {error}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise TraceError(f"{path} describes no trace: {error}") from error
    if not set(meta.deployed) <= set(meta.affordances):
        raise TraceError(f"{path}: deployed affordances are among the affordances")
    return meta


def _whole(value: Any, least: int) -> int:
    if type(value) is not int or value < least:
        raise ValueError(f"{value!r} is not a whole number from {least} on")
    return value


def _truth(value: Any) -> bool:
    if type(value) is not bool:
        raise ValueError(f"{value!r} is not true or false")
    return value


def _error(source: Mapping[str, Any]) -> str:
    error = source.get("error")
    if not error:
        return ""
    return f"{error.get('type')}: {error.get('message')}" if isinstance(error, dict) else str(error)


def check_fit(trace: HamletTrace, universe: Universe, description: Description) -> None:
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
    placed = ~np.isnan(trace.arrays["reset_affordance_positions"])
    if axes and (placed != deployed[None, :, None]).any():
        raise TraceError(f"{trace.path}: reset_affordance_positions does not have exactly the deployed affordances")


def _pairs(trace: HamletTrace, universe: Universe, description: Description) -> Iterator[tuple[str, Any, Any]]:
    """Names and sizes that must be the same, as recorded and as they are here."""
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
