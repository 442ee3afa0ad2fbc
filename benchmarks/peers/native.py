"""The town in C, compiled here and now by whatever C compilers the machine has, and called by ctypes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from hamlet.backend.buffers import Buffers, Statistics
from hamlet.backend.protocol import Stream
from hamlet.schema.abi import COUNTS

HERE = Path(__file__).resolve().parent
FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-Wall", "-Wextra", "-shared", "-fPIC", "-pthread")
MAX_THREADS = 64

POINTERS = (
    *("meters", "position", "age", "episode_return", "episode", "layout"),
    *("reward", "terminated", "truncated", "used", "cause"),
    *("observation", "final_observation", "mask"),
    *COUNTS,
)
NUMBERS = ("seed_low", "seed_high", "tick", "ticks", "threads")


class Town(ctypes.Structure):
    """`struct town` of town.h."""

    _fields_ = (
        ("lanes", ctypes.c_int64),
        *((name, ctypes.c_void_p) for name in POINTERS),
        *((name, ctypes.c_uint32) for name in NUMBERS),
    )


@dataclass(frozen=True, slots=True)
class Compiler:
    """A command that compiles C, and what it says it is."""

    name: str
    command: tuple[str, ...]
    version: str


def compilers() -> list[Compiler]:
    """gcc and clang, where there are such. `pip install ziglang` brings a clang."""
    candidates: list[tuple[str, tuple[str, ...]]] = [
        ("gcc", ("gcc",)),
        ("clang", ("clang",)),
        ("clang", (sys.executable, "-m", "ziglang", "cc")),
    ]
    found: dict[str, Compiler] = {}
    for name, command in candidates:
        if name in found or shutil.which(command[0]) is None:
            continue
        answer = subprocess.run([*command, "--version"], capture_output=True, text=True)
        if answer.returncode == 0:
            found[name] = Compiler(name, command, answer.stdout.splitlines()[0])
    return list(found.values())


def compile_c(compiler: Compiler, source: str, folder: Path, *options: str) -> ctypes.CDLL:
    """A shared library of one of the sources beside this file.

    Raises:
        RuntimeError: the compiler refuses it.
    """
    library = folder / f"{compiler.name}{''.join(options)}_{Path(source).stem}.so"
    command = [*compiler.command, *FLAGS, *options, str(HERE / source), "-o", str(library)]
    answer = subprocess.run(command, capture_output=True, text=True)
    if answer.returncode != 0:
        raise RuntimeError(f"{compiler.name} does not compile {source}: {answer.stderr.strip()}")
    return ctypes.CDLL(str(library))


def town(
    buffers: Buffers, ticks: int, stream: Stream, threads: int, counts: Statistics | None, observing: bool
) -> Town:
    """What a C program is told: pointers into the buffers, which must outlive the call.

    Raises:
        ValueError: worlds of several agents, other worlds than the first ones, too many threads, or no room to observe.
    """
    if buffers.shape.agents != 1 or buffers.shape.first_world != 0 or not 1 <= threads <= MAX_THREADS:
        raise ValueError("the C programs know worlds of one agent, from world 0 on, and 1 to 64 threads")
    tensors = {**buffers.state, **buffers.outcome}
    if observing:
        if buffers.observation is None or buffers.final_observation is None:
            raise ValueError("there is no room for observations in these buffers")
        tensors |= {"observation": buffers.observation, "final_observation": buffers.final_observation}
        tensors["mask"] = buffers.mask
    if counts is not None:
        tensors |= {name: getattr(counts, name) for name in COUNTS}
    pointers = {name: tensors[name].data_ptr() if name in tensors else None for name in POINTERS}
    numbers = {"seed_low": stream.low, "seed_high": stream.high, "tick": stream.tick, "ticks": ticks}
    return Town(lanes=buffers.shape.lanes, threads=threads, **pointers, **numbers)


def fast(library: ctypes.CDLL, told: Town) -> None:
    """Ticks of the vectorised program.

    Raises:
        ValueError: the lanes are not whole chunks.
    """
    if told.lanes % library.chunk_lanes():
        raise ValueError(f"the C program takes multiples of {library.chunk_lanes()} lanes")
    library.rollout.restype = None
    library.rollout(ctypes.byref(told))


@dataclass(frozen=True, slots=True)
class Naive:
    """The naive program, whose agents are structs: packed and unpacked outside what is timed."""

    library: ctypes.CDLL

    def pack(self, told: Town) -> ctypes.c_void_p:
        """The agents of the buffers."""
        self.library.pack.restype = ctypes.c_void_p
        return ctypes.c_void_p(self.library.pack(ctypes.byref(told)))

    def run(self, told: Town, agents: ctypes.c_void_p) -> ctypes.c_void_p:
        """Ticks; the same agents."""
        self.library.rollout_agents.restype = None
        self.library.rollout_agents(ctypes.byref(told), agents)
        return agents

    def unpack(self, told: Town, agents: ctypes.c_void_p) -> None:
        """Write the agents back, and free them."""
        self.library.unpack.restype = None
        self.library.unpack(ctypes.byref(told), agents)

    def free(self, agents: ctypes.c_void_p) -> None:
        """Give up what `pack` made."""
        self.library.discard.restype = None
        self.library.discard(agents)
