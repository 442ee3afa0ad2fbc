"""Files of weights: arrays and what is said about them, in safetensors, which hold numbers and no code.

Somebody else may have made such a file, so its header is looked at before any memory is taken for what it says.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from hamlet.errors import EnvError
from hamlet.regular import read_regular
from hamlet.strict_json import parsed

ABOUT, CHECKSUM = "__metadata__", "sha256"
"""The entry of a header in which safetensors keeps texts, and the one of these that has the checksum."""

SIZE = 8
"""Bytes of the size of a header, with which a file begins."""
PICKLES = (b"PK\x03\x04", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
"""The first bytes of archives, and of pickles by their protocols."""

Array: TypeAlias = np.ndarray[Any, Any]


def read_tensors(path: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays of a file, and what is said about them. A file without a checksum is of an earlier version, or of
    another program.

    Raises:
        EnvError: safetensors is not installed, or the file cannot be read or is another's, or a byte of it has changed.
    """
    library = safetensors()
    try:
        contents = read_regular(path)
    except OSError as error:
        raise EnvError(f"cannot read {path}: {error.strerror}") from error
    if is_pickle(contents):
        raise EnvError(
            f"{path} is a pickle, as torch.save writes, which could run anything: write the network as ONNX "
            "(torch.onnx.export), or hand the module itself to hamlet.policy"
        )
    try:
        tensors = library.load(contents)
        header, data = parted(contents)
        texts = header.get(ABOUT, {})
        checksum = texts.pop(CHECKSUM, None)
        about = {name: parsed(value) for name, value in texts.items()}
        changed = checksum is not None and checksum != checksum_of(header, data)
    except Exception as error:
        # safetensors has an exception of its own, and others come out of damaged headers.
        raise EnvError(f"{path} is no file of hamletc train, or a damaged one") from error
    if changed:
        raise EnvError(f"{path} is damaged: its checksum is another")
    return tensors, about


def is_weights(contents: bytes) -> bool:
    """Whether the bytes of a file begin as safetensors do: the size of a header, then that."""
    return contents[SIZE : SIZE + 1] == b"{"


def is_pickle(contents: bytes) -> bool:
    """Whether the bytes of a file begin as those of `torch.save` do, today's or those of before there were archives."""
    return contents.startswith(PICKLES) and not is_weights(contents)


def written(tensors: Mapping[str, Array], about: Mapping[str, Any]) -> bytes:
    """The bytes of a file of arrays and what is said about them, each as JSON, with a checksum of all of it. Equal
    arrays about which the same is said are equal bytes.

    Raises:
        EnvError: safetensors is not installed.
    """
    whole = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    header, data = parted(safetensors().save(whole))
    header[ABOUT] = {name: json.dumps(about[name]) for name in sorted(about)}
    header[ABOUT][CHECKSUM] = checksum_of(header, data)
    text = json.dumps(header, separators=(",", ":")).encode()
    # Data lie at a multiple of 8.
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data


def parted(contents: bytes) -> tuple[dict[str, Any], bytes]:
    """The header of a file of safetensors, and its data."""
    end = SIZE + int.from_bytes(contents[:SIZE], "little")
    return parsed(contents[SIZE:end]), contents[end:]


def checksum_of(header: Mapping[str, Any], data: bytes) -> str:
    """The SHA-256 of what a file says and of its data, whatever the order in which the header has it."""
    return sha256(json.dumps(header, sort_keys=True).encode() + data).hexdigest()


def safetensors() -> Any:
    """The library that reads and writes such files.

    Raises:
        EnvError: it is not installed.
    """
    try:
        from safetensors import numpy
    except ModuleNotFoundError as error:
        raise EnvError("weights are kept by safetensors: pip install 'hamletc[train]'") from error
    return numpy
