"""Work in a child of this process: the memory that the work leaves behind ends with the child."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import struct
import warnings
from collections.abc import Callable
from pathlib import Path
from time import monotonic
from typing import NoReturn

PATIENCE = 10.0
"""Seconds that a child may sleep before it is given up."""
EVERY = 1000
"""Milliseconds between two looks at a silent child."""

DIES_WITH_PARENT = 1
"""PR_SET_PDEATHSIG of Linux."""

_LENGTH = struct.Struct("=Q")
_C = ctypes.CDLL(None)


def in_a_child(make: Callable[[], bytes]) -> bytes | None:
    """What a function returns in a forked child; `None` where no child can be had, or it fails or hangs.

    The child has this thread alone: whatever lock another thread holds stays closed in it. A child that sleeps for
    `PATIENCE` is therefore ended. Ctrl-C is this process's to answer; the child ends with the call in any case.
    """
    reading, writing = os.pipe()
    try:
        with warnings.catch_warnings():
            # Python warns of the locks above.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        return None
    if child == 0:
        _work(make, writing)
    try:
        os.close(writing)
        return _received(child, reading)
    finally:
        os.close(reading)
        # A process that ignores SIGCHLD, or whose handler waits for all children, has none to end.
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _work(make: Callable[[], bytes], writing: int) -> NoReturn:
    """What the child does: nothing of its parent's is flushed, closed or told."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _C.prctl(DIES_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        content = make()
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(_LENGTH.pack(len(content)) + content)
    finally:
        os._exit(0)


def _received(child: int, reading: int) -> bytes | None:
    """What a child sends. Its end of the pipe says little: another fork may have it open too."""
    poll = select.poll()
    poll.register(reading, select.POLLIN)
    content, expected = bytearray(), _LENGTH.size
    spent, since = -1, monotonic()
    while len(content) < expected:
        if poll.poll(EVERY):
            part = os.read(reading, 1 << 20)
            if not part:
                return None
            content += part
            if len(content) >= _LENGTH.size:
                expected = _LENGTH.size + _LENGTH.unpack_from(content)[0]
            continue
        state, ticks = _state(child)
        if state == "Z":
            return None
        if state != "S" or ticks != spent:
            spent, since = ticks, monotonic()
        elif monotonic() - since >= PATIENCE:
            return None
    return bytes(content[_LENGTH.size :])


def _state(process: int) -> tuple[str, int]:
    """The state of a process, "S" if it sleeps and "Z" if it ended, and its CPU time in ticks of the system."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
        fields = stat.rpartition(")")[2].split()
    except OSError:
        return "Z", 0
    return fields[0], int(fields[11]) + int(fields[12])
