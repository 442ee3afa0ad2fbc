"""Files that are there whole or not at all, and one line where one cannot be read or written."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from hamlet.errors import EnvError, shown
from hamlet.regular import read_regular


def write_file(path: Any, content: bytes) -> None:
    """Write a file: under another name, onto the disk, and then in the place of what was there before.

    Raises:
        EnvError: it is no path, or cannot be written; what was there before is unchanged.
    """
    target = _path(path)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        raise EnvError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def read_file(path: Any) -> bytes:
    """Raises `EnvError` where it is no path, or cannot be read."""
    try:
        return read_regular(_path(path))
    except OSError as error:
        raise EnvError(f"cannot read {path}: {error.strerror or error}") from error


def _path(path: Any) -> Path:
    if not isinstance(path, (str, Path)) or "\0" in str(path) or not Path(path).name:
        raise EnvError(f"this is the path of a file, not {shown(path)}")
    return Path(path)
