"""A checkpoint as a file: the state of an environment and what was counted, in safetensors, which runs nothing.

The file says its format, the version of hamletc that wrote it, and the digest of its universe.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from hamlet.backend.buffers import Statistics, tensor_of
from hamlet.env.keep.episode import this_version
from hamlet.env.keep.files import read_file, write_file
from hamlet.env.keep.state import StateDict
from hamlet.errors import EnvError, shown
from hamlet.strict_json import parsed
from hamlet.telemetry.opened import Opened

FORMAT = 1
ABOUT = "hamlet"
"""The entry of a file's metadata that is ours."""
STATE, COUNTS, WINDOW = "state.", "counts.", "window."
NUMBERS = ("first_world", "seed", "tick")


def write_checkpoint(
    path: str | Path, name: str, saved: StateDict, counts: Statistics | None, opened: Opened | None
) -> None:
    """Write a `state_dict`, counts of rollouts, and the open window of telemetry, whole or not at all.

    Raises:
        EnvError: safetensors is missing, or the file cannot be written.
    """
    written = _safetensors().save
    about = {"format": FORMAT, "hamletc": this_version(), "name": name, "universe": saved["universe"]}
    about |= {number: saved[number] for number in NUMBERS}
    tensors = {STATE + field: values for field, values in saved["state"].items()}
    if counts is not None:
        tensors |= {COUNTS + each: tensor_of(memory) for each, memory in counts.memory.items()}
    if opened is not None:
        about["window"] = {"number": opened.number, "tick": opened.tick, "ticks": opened.ticks}
        tensors |= {WINDOW + each: tensor_of(memory) for each, memory in opened.counts.items()}
    plain = {
        each: values.detach().to("cpu").clone(memory_format=torch.contiguous_format) for each, values in tensors.items()
    }
    write_file(path, written(plain, {ABOUT: json.dumps(about)}))


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The content of a checkpoint's file.

    Attributes:
        name: of the universe.
        counts: by name; none where none were saved.
        opened: the window of telemetry that was open.
    """

    name: str
    state: StateDict
    counts: Mapping[str, torch.Tensor]
    opened: Opened | None


def read_checkpoint(path: str | Path) -> Checkpoint:
    """Read a file.

    Raises:
        EnvError: safetensors is missing, or the file cannot be read or is no checkpoint.
    """
    library = _safetensors()
    content = read_file(path)
    try:
        size = int.from_bytes(content[:8], "little")
        about = parsed(parsed(content[8 : 8 + size])["__metadata__"][ABOUT])
        if about["format"] != FORMAT:
            raise EnvError(
                f"{path} has format {shown(about['format'])}, and this hamlet reads checkpoints of format {FORMAT}"
            )
        tensors: Mapping[str, torch.Tensor] = library.load(content)
        saved = {number: about[number] for number in ("universe", *NUMBERS)}
        name, window = str(about["name"]), about.get("window")
        if not isinstance(saved["universe"], str):
            raise ValueError("the digest of a universe is a text")
        opened = None if window is None else _opened(window, _named(tensors, WINDOW))
    except EnvError:
        raise
    except Exception as error:  # safetensors has errors of its own kind
        raise EnvError(f"{path} is no checkpoint of an environment, or a damaged one") from error
    return Checkpoint(name, {**saved, "state": _named(tensors, STATE)}, _named(tensors, COUNTS), opened)


def counts_of(saved: Mapping[str, torch.Tensor], like: Statistics) -> Statistics:
    """Counts that were saved as rollouts add to them; `like` are such of the environment.

    Raises:
        EnvError: they are of another environment.
    """
    on_host = isinstance(next(iter(like.memory.values())), np.ndarray)
    device = tensor_of(like.finished_return).device
    memory: dict[str, Any] = {name: values.numpy() if on_host else values.to(device) for name, values in saved.items()}
    result = Statistics(memory, like.universe)
    missing = set(like.memory) - set(memory)
    problem = f"{', '.join(sorted(missing))} is missing" if missing else result.misfit(like)
    if problem is not None:
        raise EnvError(f"the counts of the checkpoint are of another environment: {problem}")
    return result


def _opened(window: Mapping[str, int], counts: Mapping[str, torch.Tensor]) -> Opened:
    return Opened(int(window["number"]), int(window["tick"]), int(window["ticks"]), counts)


def _named(tensors: Mapping[str, torch.Tensor], kind: str) -> dict[str, torch.Tensor]:
    return {name.removeprefix(kind): values for name, values in tensors.items() if name.startswith(kind)}


def _safetensors() -> Any:
    try:
        import safetensors.torch
    except ImportError as error:
        raise EnvError("files of checkpoints need safetensors: pip install 'hamletc[checkpoint]'") from error
    return safetensors.torch
