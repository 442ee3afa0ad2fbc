"""Levels of CPUs for which machine code is made ahead of time, those of the x86-64 psABI; and which this one has."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass

from hamlet.native.cpu import cpu_flags


@dataclass(frozen=True, slots=True)
class Level:
    """A level of the x86-64 psABI.

    Attributes:
        name: as in the psABI, and LLVM's name of such a CPU.
        flags: what /proc/cpuinfo says of a CPU that has it.
        features: as LLVM calls them.
    """

    name: str
    flags: frozenset[str]
    features: str


V3 = {
    # As Linux calls it: as LLVM does.
    "cx16": "cx16",
    "lahf_lm": "sahf",
    "popcnt": "popcnt",
    "pni": "sse3",
    "ssse3": "ssse3",
    "sse4_1": "sse4.1",
    "sse4_2": "sse4.2",
    "avx": "avx",
    "avx2": "avx2",
    "bmi1": "bmi",
    "bmi2": "bmi2",
    "f16c": "f16c",
    "fma": "fma",
    "abm": "lzcnt",
    "movbe": "movbe",
    "xsave": "xsave",
}
V4 = V3 | {each: each for each in ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")}


def _level(name: str, features: dict[str, str], *others: str) -> Level:
    return Level(name, frozenset(features), ",".join([*(f"+{each}" for each in features.values()), *others]))


# Kernels are written in vectors of 512 bits, which LLVM would halve.
LEVELS = (_level("x86-64-v4", V4, "-prefer-256-bit"), _level("x86-64-v3", V3))
"""The best one first."""

NAMES = tuple(level.name for level in LEVELS)
CHOICE = "NUMBA_CPU_NAME"
"""The variable by which a user compiles for another CPU than this one."""


def usable() -> tuple[tuple[str, ...], str]:
    """The levels that this process may use, the best one first, and in words what the CPU is.

    Where `NUMBA_CPU_NAME` names one, it is that one; where it names another CPU, none, for the user wants that one.
    """
    had = tuple(level.name for level in LEVELS if level.flags <= cpu_flags())
    wanted = os.environ.get(CHOICE)
    if not wanted:
        return had, f"this CPU is {had[0] if had else f'{platform.machine()} without AVX2'}"
    return tuple(name for name in had if name == wanted), f"{CHOICE} is {wanted}"
