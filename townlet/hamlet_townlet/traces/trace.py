"""Reading a recorded trace: NAME.npz with the streams, NAME.json with what was run."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hamlet.errors import TraceError
from hamlet_townlet.traces.streams import BEGINNINGS, STEPS, VIEWS, Stream

Array = NDArray[Any]

RESETS = "reset_at"
MOST_BYTES = 1 << 32
KINDS = {"f32": "f", "f64": "f", "whole": "iu", "bool": "b", "position": "fiu"}
"""Numpy's letters for the types of numbers."""


@dataclass(frozen=True, slots=True)
class Field:
    """A variable of the recorded observation."""

    name: str
    offset: int
    count: int


@dataclass(frozen=True, slots=True)
class Meta:
    """What was run.

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
    fields: tuple[Field, ...]
    error: str


@dataclass(frozen=True, slots=True)
class Trace:
    """A recorded run: `resets` are the steps before which the environment was reset, beginning with 0."""

    path: Path
    meta: Meta
    resets: tuple[int, ...]
    arrays: Mapping[str, Array]


def read_trace(path: Path) -> Trace:
    """Read a trace; `path` is that of the .npz, the .json stands beside it.

    Raises:
        TraceError: a file is missing or damaged, or a stream is missing or does not have its shape.
    """
    arrays = _arrays(path)
    if "about" in arrays:
        raise TraceError(f"{path} is no trace of HAMLET but a run of `hamletc record`, which `hamletc replay` takes")
    meta = _meta(path.with_suffix(".json"))
    streams = (*STEPS, *BEGINNINGS, *VIEWS)
    known = [RESETS, *(stream.name for stream in streams)]
    for name in known:
        if name not in arrays:
            raise TraceError(f"{path} has no stream {name}")
    for name in arrays:
        if name not in known:
            raise TraceError(f"{path} has a stream {name}, which is not known and could not be compared")
    resets = _resets(path, meta, arrays[RESETS])
    for stream in streams:
        _check(path, stream, arrays[stream.name], meta, len(resets))
    return Trace(path, meta, resets, arrays)


def _arrays(path: Path) -> dict[str, Array]:
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > MOST_BYTES:
            raise TraceError(f"{path} would take {size >> 20} MiB: a trace has at most {MOST_BYTES >> 20}")
        with np.load(path, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except OSError as error:
        raise TraceError(f"{path} cannot be read: {error.strerror or error}") from error
    except (zipfile.BadZipFile, zlib.error, ValueError, EOFError, NotImplementedError, RuntimeError) as error:
        raise TraceError(f"{path} is no trace, or a damaged one: {error}") from error


def _resets(path: Path, meta: Meta, resets: Array) -> tuple[int, ...]:
    if resets.ndim != 1 or resets.dtype.kind not in "iu":
        raise TraceError(f"{path}: {RESETS} is a list of steps")
    steps = tuple(int(step) for step in resets)
    ordered = all(a < b for a, b in pairwise(steps))
    if not steps or steps[0] != 0 or not ordered or steps[-1] >= max(meta.steps, 1):
        raise TraceError(f"{path}: {RESETS} are increasing steps from 0 to before {meta.steps}, not {list(steps)}")
    return steps


def _check(path: Path, stream: Stream, array: Array, meta: Meta, resets: int) -> None:
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
        found = len(array) if array.ndim else "no"
        what = "steps" if stream.shape[0] == "T" else "resets"
        cut = ": the trace is truncated" if array.ndim and len(array) < first else ""
        raise TraceError(f"{path}: stream {stream.name} has {found} of {first} {what}{cut}")
    if first == 0:
        return
    expected = [sizes[letter] for letter in axes]
    if list(array.shape[1 : 1 + len(axes)]) != expected or array.ndim != len(stream.shape):
        raise TraceError(f"{path}: stream {stream.name} has the shape {list(array.shape)}, expected {expected} a step")
    single = stream.kind == "f32" or (stream.kind == "position" and array.dtype.kind == "f")
    if array.dtype.kind not in KINDS[stream.kind] or (single and array.dtype != np.float32):
        raise TraceError(f"{path}: stream {stream.name} has numbers of type {array.dtype}")


def _meta(path: Path) -> Meta:
    try:
        source = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise TraceError(f"{path} is missing: it says what was recorded") from error
    except OSError as error:
        raise TraceError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise TraceError(f"{path} is not JSON: {error}") from error
    if not isinstance(source, dict):
        raise TraceError(f"{path} describes no trace")
    if source.get("no_trace"):
        raise TraceError(f"{path} says that nothing was recorded: {_error(source)}")
    try:
        meta = Meta(
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
                Field(str(field["variable"]), _whole(field["offset"], 0), _whole(field["size"], 0))
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
