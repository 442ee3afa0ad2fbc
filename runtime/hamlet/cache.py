"""What was measured on this machine, in the user's cache: one small JSON file per question."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

Key: TypeAlias = Mapping[str, str | int]
"""What an answer depends on."""


def folder() -> Path:
    """The user's cache of hamletc: `$XDG_CACHE_HOME/hamletc`, or `~/.cache/hamletc`."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "hamletc"


def load(kind: str, key: Key) -> dict[str, Any] | None:
    """What was saved for this key; `None` where there is nothing, or nothing that can be read."""
    try:
        found = json.loads(_path(kind, key).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    match found:
        case {"key": saved, "answer": dict(answer)} if saved == dict(key):
            return answer
        case _:
            return None


def save(kind: str, key: Key, answer: Mapping[str, Any]) -> None:
    """Save an answer: all of it or nothing. Where the cache cannot be written it is measured again next time."""
    path = _path(kind, key)
    text = json.dumps({"key": dict(key), "answer": dict(answer)}, indent=2) + "\n"
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


def _path(kind: str, key: Key) -> Path:
    digest = hashlib.sha256(json.dumps(dict(key), sort_keys=True).encode()).hexdigest()
    return folder() / kind / f"{digest[:32]}.json"
