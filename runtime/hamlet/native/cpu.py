"""What this CPU can do, as Linux says it."""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path

FLAGS = ("flags", "Features")
"""How the line begins that lists them: on x86, and on ARM."""


@cache
def listed() -> frozenset[str]:
    """The names of features in /proc/cpuinfo; none where there is no such file."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return frozenset()
    line = next((line for line in lines if line.startswith(FLAGS)), ":")
    return frozenset(line.partition(":")[2].split())


def cpu_flags() -> frozenset[str]:
    """The features of an x86-64; none on other machines."""
    return listed() if platform.machine() == "x86_64" else frozenset()


@cache
def identity() -> str:
    """Names the kind of machine: what is compiled for a CPU runs on others of the same identity."""
    return " ".join((platform.system(), platform.machine(), platform.processor(), *sorted(listed())))
