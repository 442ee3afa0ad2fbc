"""Levels of CPUs for which machine code is made ahead of time, those of the x86-64 psABI; and which this one has."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass

from hamlet.native.compilers import CPU
from hamlet.native.cpu import cpu_flags


@dataclass(frozen=True, slots=True)
class Level:
    """A level of the x86-64 psABI.

    Attributes:
        name: as in the psABI, which compilers take.
        flags: what /proc/cpuinfo says of a CPU that has it.
    """

    name: str
    flags: frozenset[str]


V3 = frozenset(
    (
        *(
            "cx16",
            "lahf_lm",
            "popcnt",
            "pni",
            "ssse3",
            "sse4_1",
            "sse4_2",
            "avx",
            "avx2",
            "bmi1",
            "bmi2",
            "f16c",
            "fma",
        ),
        *("abm", "movbe", "xsave"),
    )
)
V4 = V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
LEVELS = (Level("x86-64-v4", V4), Level("x86-64-v3", V3))
"""The best one first."""

NAMES = tuple(level.name for level in LEVELS)


def usable() -> tuple[tuple[str, ...], str]:
    """The levels that this process may use, the best one first, and in words what the CPU is.

    Where `HAMLET_CPU` names one, it is that one; where it names another CPU, none, for the user wants that one.
    """
    had = tuple(level.name for level in LEVELS if level.flags <= cpu_flags())
    wanted = os.environ.get(CPU)
    if not wanted:
        return had, f"this CPU is {had[0] if had else f'{platform.machine()} without AVX2'}"
    return tuple(name for name in had if name == wanted), f"{CPU} is {wanted}"
