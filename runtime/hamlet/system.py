"""The calls that Linux has and other systems lack, each with what takes its place there."""

from __future__ import annotations

import ctypes
import os
from functools import cache


def cpus() -> int:
    """The CPUs that this process may use; where the system does not say, all that it has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def memory() -> int | None:
    """The bytes of memory that the machine has; `None` where the system does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def exceeds_memory(needed: int) -> bool:
    """Whether the machine has less memory than these bytes. Linux grants more than there is, and kills the process that
    uses it: who needs much asks beforehand."""
    there = memory()
    return there is not None and needed > there


@cache
def process() -> ctypes.CDLL | None:
    """The functions of C that this process has, those of its libraries too; `None` on Windows, where a library is asked
    by its name."""
    try:
        return ctypes.CDLL(None, use_errno=True)
    except TypeError:
        return None
