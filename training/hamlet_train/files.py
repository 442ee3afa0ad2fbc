"""Files that are whole or not there, and tensors in them: safetensors, which hold numbers and no code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from hamlet.env.keep.files import write_file
from hamlet.errors import EnvError
from hamlet.regular import read_regular
from hamlet.strict_json import parsed
from hamlet_train.errors import TrainError
from hamlet_train.exact.network import Array

ABOUT, CHECKSUM = "__metadata__", "sha256"
"""The entry of a header in which safetensors keeps texts, and the one of these that has the checksum."""


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
    """Write arrays and what is said about them, each as JSON, with a checksum of all of it. Equal arrays about which
    the same is said are equal files.

    Raises:
        TrainError: safetensors is not installed, or the file cannot be written there.
    """
    import numpy as np

    from_numpy = _safetensors()
    whole = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    header, data = _parted(from_numpy.save(whole))
    header[ABOUT] = {name: json.dumps(about[name]) for name in sorted(about)}
    header[ABOUT][CHECKSUM] = _checksum(header, data)
    write_whole(path, _head(header) + data)


def read_tensors(path: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays of a file, and what is said about them. A file without a checksum is of an earlier version.

    Raises:
        TrainError: safetensors is not installed, or the file cannot be read or is another's, or a byte of it has
            changed. Where it is a checkpoint, the message names the whole one before it.
    """
    from_numpy = _safetensors()
    try:
        contents = read_regular(path)
    except OSError as error:
        raise TrainError(f"cannot read {path}: {error.strerror}") from error
    try:
        tensors = from_numpy.load(contents)
        header, data = _parted(contents)
        texts = header.get(ABOUT, {})
        checksum = texts.pop(CHECKSUM, None)
        about = {name: parsed(value) for name, value in texts.items()}
        changed = checksum is not None and checksum != _checksum(header, data)
    except Exception as error:
        # safetensors has an exception of its own, and others come out of damaged headers.
        raise TrainError(f"{path} is no file of hamletc train, or a damaged one{_instead(path)}") from error
    if changed:
        raise TrainError(f"{path} is damaged: its checksum is another{_instead(path)}")
    return tensors, about


def checkpoints_in(folder: Path) -> list[Path]:
    """The checkpoints in a folder by ascending updates: their names are numbers."""
    return sorted(path for path in folder.glob("*.safetensors") if path.stem.isdecimal())


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


def _parted(contents: bytes) -> tuple[dict[str, Any], bytes]:
    """The header of a file of safetensors, and its data."""
    end = 8 + int.from_bytes(contents[:8], "little")
    return parsed(contents[8:end]), contents[end:]


def _head(header: Mapping[str, Any]) -> bytes:
    """A header as a file begins with it, filled up so that data lie at a multiple of 8."""
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def _checksum(header: Mapping[str, Any], data: bytes) -> str:
    """The SHA-256 of what a file says and of its data, whatever the order in which the header has it."""
    return sha256(json.dumps(header, sort_keys=True).encode() + data).hexdigest()


def _safetensors() -> Any:
    try:
        from safetensors import numpy
    except ModuleNotFoundError as error:
        raise TrainError("weights are kept by safetensors: pip install 'hamletc[train]'") from error
    return numpy
