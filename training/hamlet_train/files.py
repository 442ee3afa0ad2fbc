"""Files that are whole or not there, and tensors in them: safetensors, which hold numbers and no code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hamlet.env.keep.files import write_file
from hamlet.errors import EnvError
from hamlet.policies import files
from hamlet.policies.files import written
from hamlet.policies.opened import checkpoints_in
from hamlet_train.errors import TrainError
from hamlet_train.exact.network import Array


def write_whole(path: Path, contents: bytes) -> None:
    """Write a file in one go: whoever looks, also after a crash, finds the old one or the new one.

    Raises:
        TrainError: it cannot be written there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_file(path, contents)
    except EnvError as error:
        raise TrainError(str(error)) from error
    except OSError as error:
        raise TrainError(f"cannot write {path}: {error.strerror}") from error


def remove_parts(folder: Path) -> None:
    """Remove what a process that was killed while it wrote left in a folder."""
    for part in folder.glob(".*.part"):
        part.unlink(missing_ok=True)


def write_tensors(path: Path, tensors: Mapping[str, Array], about: Mapping[str, Any]) -> None:
    """Write arrays and what is said about them, see `hamlet.policies.files.written`.

    Raises:
        TrainError: safetensors is not installed, or the file cannot be written there.
    """
    try:
        contents = written(tensors, about)
    except EnvError as error:
        raise TrainError(str(error)) from error
    write_whole(path, contents)


def read_tensors(path: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays of a file, and what is said about them.

    Raises:
        TrainError: safetensors is not installed, or the file cannot be read or is another's, or a byte of it has
            changed. Where it is a checkpoint, the message names the whole one before it.
    """
    try:
        return files.read_tensors(path)
    except EnvError as error:
        raise TrainError(f"{error}{_instead(path)}") from error


def _instead(path: Path) -> str:
    """The words of a message about the whole checkpoint before a damaged one."""
    if path not in checkpoints_in(path.parent):
        return ""
    for before in reversed([each for each in checkpoints_in(path.parent) if each < path]):
        try:
            read_tensors(before)
        except TrainError:
            continue
        return f"; {before.name} beside it is whole: remove what is damaged to go on from there"
    return "; no checkpoint before it is whole"
