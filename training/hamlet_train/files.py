"""Files that are whole or not there, and tensors in them: safetensors, which hold numbers and no code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hamlet.env.files import write_file
from hamlet.errors import EnvError
from hamlet.regular import read_regular
from hamlet.strict_json import parsed
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


def write_tensors(path: Path, tensors: Mapping[str, Array], about: Mapping[str, Any]) -> None:
    """Write arrays and what is said about them, each as JSON.

    Raises:
        TrainError: safetensors is not installed, or the file cannot be written there.
    """
    import numpy as np

    from_numpy = _safetensors()
    whole = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    write_whole(path, from_numpy.save(whole, {name: json.dumps(value) for name, value in about.items()}))


def read_tensors(path: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    """The arrays of a file, and what is said about them.

    Raises:
        TrainError: safetensors is not installed, or the file cannot be read or is another's.
    """
    from_numpy = _safetensors()
    try:
        contents = read_regular(path)
        tensors = from_numpy.load(contents)
        header = parsed(contents[8 : 8 + int.from_bytes(contents[:8], "little")])
        about = {name: parsed(value) for name, value in header.get("__metadata__", {}).items()}
    except OSError as error:
        raise TrainError(f"cannot read {path}: {error.strerror}") from error
    except Exception as error:
        # safetensors has an exception of its own, and others come out of damaged headers.
        raise TrainError(f"{path} is no file of hamletc train, or a damaged one") from error
    return tensors, about


def _safetensors() -> Any:
    try:
        from safetensors import numpy
    except ModuleNotFoundError as error:
        raise TrainError("weights are kept by safetensors: pip install 'hamletc[train]'") from error
    return numpy
