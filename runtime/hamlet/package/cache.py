"""The user's own cache. What is there may be lost, damaged, or somebody else's: it is made again, and no error.

Answers are small JSON files, one per question: what was measured on this machine. Things are bytes under the sha256 of
all that they depend on: machine code, which is only read where nobody but the user can have written it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

Key: TypeAlias = Mapping[str, str | int]
"""Properties on which an answer depends."""

ROOM = 1 << 30
"""Bytes that things of a kind may take; beyond, those that were not used for the longest time go."""

_DIGEST = hashlib.sha256().digest_size
_FOREIGN = "others than you can write there"


def folder() -> Path:
    """The user's cache of hamletc: `$XDG_CACHE_HOME/hamletc`, or `~/.cache/hamletc`.

    Raises:
        OSError: this user has no home.
    """
    home = os.environ.get("XDG_CACHE_HOME")
    if home:
        return Path(home) / "hamletc"
    try:
        return Path.home() / ".cache" / "hamletc"
    except RuntimeError as error:
        raise FileNotFoundError("you have no home folder") from error


def reason(error: OSError) -> str:
    """The reason of an error, for the end of a sentence."""
    return error.strerror or str(error)


# --- answers ---------------------------------------------------------------------------------------------------------


def load(kind: str, key: Key) -> dict[str, Any] | None:
    """The answer that was saved for this key; `None` where there is none, or where the file is damaged."""
    try:
        content = json.loads(_path(kind, key).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    match content:
        case {"key": saved, "answer": dict(answer), "sha256": digest} if saved == dict(key):
            return answer if digest == _sha256(answer) else None
        case _:
            return None


def save(kind: str, key: Key, answer: Mapping[str, Any]) -> None:
    """Save an answer: all of it or nothing. Where the cache cannot be written it is measured again next time."""
    content = {"key": dict(key), "answer": dict(answer), "sha256": _sha256(dict(answer))}
    with contextlib.suppress(OSError):
        path = _path(kind, key)
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(json.dumps(content, indent=2) + "\n")
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


def _path(kind: str, key: Key) -> Path:
    return folder() / kind / f"{_sha256(dict(key))[:32]}.json"


def _sha256(value: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


# --- things ----------------------------------------------------------------------------------------------------------


def recall(kind: str, name: str) -> bytes | None:
    """The bytes that `keep` wrote under this name; `None` where there are none, where they are damaged, or where others
    than the user could have put them there.
    """
    try:
        content = _read(kind, name) if _has_owners() else (folder() / kind / name).read_bytes()
    except OSError:
        return None
    thing = content[_DIGEST:]
    return thing if content[:_DIGEST] == _seal(name, thing) else None


def _read(kind: str, name: str) -> bytes:
    with _own_folder(kind) as own:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=own)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode) or not _is_own(descriptor):
                raise PermissionError(_FOREIGN)
            content = file.read()
            with contextlib.suppress(OSError):
                # The time of last use decides what `_make_room` removes.
                os.utime(descriptor)
            return content


def keep(kind: str, name: str, thing: bytes) -> None:
    """Keep bytes under a name: all of them or nothing.

    Raises:
        OSError: they cannot be kept.
    """
    folder().mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        (folder() / kind).mkdir(mode=0o700)
    if not _has_owners():
        temporary = folder() / kind / f".{name}.{secrets.token_hex(8)}"
        try:
            temporary.write_bytes(_seal(name, thing) + thing)
            temporary.replace(folder() / kind / name)
        finally:
            temporary.unlink(missing_ok=True)
        _make_room(folder() / kind, lambda name: (folder() / kind / name).unlink())
        return
    with _own_folder(kind) as own:
        hidden = f".{name}.{secrets.token_hex(8)}"
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(hidden, flags, 0o600, dir_fd=own), "wb") as file:
                file.write(_seal(name, thing) + thing)
            os.replace(hidden, name, src_dir_fd=own, dst_dir_fd=own)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(hidden, dir_fd=own)
            raise
        _make_room(own, lambda name: os.unlink(name, dir_fd=own))


def _has_owners() -> bool:
    """Whether the system says who owns a file, and opens files in an open folder. On Windows the folders of a user are
    closed to others by the system."""
    return hasattr(os, "geteuid") and os.open in os.supports_dir_fd


def _seal(name: str, thing: bytes) -> bytes:
    """Tells whether a file is whole, and was not kept under another name."""
    return hashlib.sha256(name.encode() + b"\0" + thing).digest()


@contextlib.contextmanager
def _own_folder(kind: str) -> Iterator[int]:
    """The descriptor of the folder of a kind of things.

    Raises:
        OSError: there is none, or others than the user can write into it.
    """
    own = os.open(folder() / kind, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        if not _is_own(own):
            raise PermissionError(_FOREIGN)
        yield own
    finally:
        os.close(own)


def _is_own(descriptor: int) -> bool:
    status = os.fstat(descriptor)
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _make_room(own: int | Path, remove: Callable[[str], None]) -> None:
    """Remove what was not used for the longest time where all together take more than `ROOM`."""
    files = []
    with os.scandir(own) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                files.append((status.st_mtime_ns, status.st_size, entry.name))
    taken = sum(size for _, size, _ in files)
    for _, size, name in sorted(files):
        if taken <= ROOM:
            return
        with contextlib.suppress(OSError):
            remove(name)
            taken -= size
