"""Worlds whose agents meet beside C written by hand for each of them, in turns in one process:

    python benchmarks/peers/meeting.py [--worlds 1024] [--ticks 64] [--rounds 9] [--threads 2]

Three universes of the gallery with 256 agents per world, a random policy, no observations. C is first checked against
the interpreter, and after the last round all have the same state, bit for bit. Writes JSON and a table to
benchmarks/results/.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import native
import torch
from run import facts

import hamlet
from hamlet.backend.buffers import Buffers, Shape, allocate
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.interpreter import Interpreter
from hamlet.launch.cpu.kernels import just_in_time
from hamlet.launch.cpu.launch import CpuBackend
from hamlet.package.module import Module

# What is measured is what goes on, not what runs while a compiler makes it.
os.environ["HAMLET_DRAFTS"] = "0"

ROOT = Path(__file__).resolve().parents[2]
CPU = torch.device("cpu")
AGENTS = 256
STREAM = Stream(7 | 5 << 32, 2)
"""A seed of more than 32 bits, and a first tick that shares its random words with two before it."""
CHECKED = Shape(3, AGENTS), 205
"""Worlds and ticks in which C is compared with the interpreter: a market ends twice."""
POINTERS = ("meters", "age", "alive", "episode_return", "episode", "layout", "world_meters", "params")
NUMBERS = ("seed_low", "seed_high", "tick", "ticks", "threads")


class Worlds(ctypes.Structure):
    """`struct worlds` of meeting.c."""

    _fields_ = (
        ("worlds", ctypes.c_int64),
        *((name, ctypes.c_void_p) for name in POINTERS),
        *((name, ctypes.c_uint32) for name in NUMBERS),
    )


@dataclass(frozen=True, slots=True)
class Program:
    """A tick of meeting.c: its number there, the universe, and what it makes use of that is not said of others."""

    number: int
    universe: str
    knows: str


BUILDS: tuple[tuple[str, tuple[str, ...]], ...] = (("", ()), (", 512 bits", ("-mprefer-vector-width=512",)))
"""What compilers choose by themselves, and the widest registers."""

PROGRAMS = (
    Program(0, "queue", ""),
    Program(1, "queue", "draws for who is served alone"),
    Program(2, "market", ""),
    Program(3, "market", "worth is a whole number up to 20"),
    Program(4, "epidemic", ""),
)


def begun(module: Module, shape: Shape) -> Buffers:
    """Worlds at the beginning of their first episode."""
    buffers = allocate(module.universe, shape, CPU, None)
    Interpreter(module.universe, CPU).reset(buffers, STREAM)
    return buffers


def run_c(library: ctypes.CDLL, program: Program, buffers: Buffers, ticks: int, stream: Stream, threads: int) -> None:
    """Ticks in C, on these buffers."""
    pointers = {name: buffers.state[name].data_ptr() if name in buffers.state else None for name in POINTERS}
    numbers = {"seed_low": stream.low, "seed_high": stream.high, "tick": stream.tick, "ticks": ticks}
    told = Worlds(worlds=buffers.shape.worlds, threads=threads, **pointers, **numbers)
    library.rollout(ctypes.byref(told), program.number)


def differing(one: Buffers, other: Buffers) -> int:
    """The number of values of the state whose bits differ."""
    return sum(
        int((a.contiguous().view(torch.uint8) != other.state[name].contiguous().view(torch.uint8)).sum())
        for name, a in one.state.items()
    )


def checked(library: ctypes.CDLL, program: Program, module: Module) -> None:
    """Compare C with the interpreter.

    Raises:
        ValueError: they differ, or nothing happened.
    """
    shape, ticks = CHECKED
    expected, found, before = begun(module, shape), begun(module, shape), begun(module, shape)
    if "params" in before.state:
        for buffers in (expected, found):
            buffers.state["params"].mul_(1.25)
    Interpreter(module.universe, CPU).rollout(expected, ticks, RandomPolicy(), STREAM, False, None)
    run_c(library, program, found, ticks, STREAM, 2)
    if wrong := differing(expected, found):
        raise ValueError(f"C of {program.universe} has {wrong} other bytes than the interpreter")
    if differing(expected, before) == 0:
        raise ValueError(f"nothing happened in {program.universe}")


@dataclass(slots=True)
class Peer:
    """One that takes turns: its buffers, and what it took."""

    name: str
    buffers: Buffers
    wall: list[float]
    cpu: list[float]


def compared(module: Module, ours: CpuBackend, rivals: list[tuple[str, ctypes.CDLL, Program]], given: Any) -> Any:
    """Rounds of one universe; rates and ratios of each."""
    shape = Shape(given.worlds, AGENTS)
    peers = [Peer("ours: c", begun(module, shape), [], [])]
    peers += [Peer(name, begun(module, shape), [], []) for name, _, _ in rivals]
    for turn in range(given.rounds + 1):
        stream = Stream(STREAM.seed, STREAM.tick + turn * given.ticks)
        for index, peer in enumerate(peers):
            wall, cpu = time.perf_counter(), time.process_time()
            if index == 0:
                ours.rollout(peer.buffers, given.ticks, RandomPolicy(), stream, False, None)
            else:
                _, library, program = rivals[index - 1]
                run_c(library, program, peer.buffers, given.ticks, stream, given.threads)
            # A first round compiles, and warms caches.
            if turn > 0:
                peer.wall.append(time.perf_counter() - wall)
                peer.cpu.append(time.process_time() - cpu)
    agent_ticks = shape.lanes * given.ticks
    rows = []
    for peer in peers:
        if differing(peers[0].buffers, peer.buffers):
            raise ValueError(f"{peer.name} of {module.name} left another state than ours")
        row = {"universe": module.name, "what": peer.name}
        for clock in ("wall", "cpu"):
            times, of_ours = getattr(peer, clock), getattr(peers[0], clock)
            row[f"{clock}_rate"] = agent_ticks / statistics.median(times)
            row[f"{clock}_best"] = agent_ticks / min(times)
            row[f"{clock}_ours_over_it"] = statistics.median(a / b for a, b in zip(times, of_ours, strict=True))
        rows.append(row)
    return rows


def table(report: Any) -> str:
    """The report for a reader."""
    lines = ["# Worlds whose agents meet, beside C by hand", ""]
    lines += [f"- {name}: {value}" for name, value in report["machine"].items()]
    before, after = report["load"]
    lines.append(f"- load: {before:.1f} processes wanted a CPU in the minute before; {after:.1f} at the end")
    given = report["given"]
    lines += [
        f"- {given['worlds']:,} worlds of {AGENTS} agents, {given['ticks']} ticks in a rollout, random policy",
        f"- medians of {given['rounds']} rounds, after one that is not counted; ratios are taken within a round",
        "",
        "Millions of agent-ticks per second; *ours / it*: above 1 ours is faster. By CPU time, rates are those of one",
        "core, and suffer less from what else the machine does. All left the same state, bit for bit.",
        "",
        "| universe | what | median | best | a core, by CPU time | ours / it | by CPU time |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for row in report["rates"]:
        rates = [row["wall_rate"], row["wall_best"], row["cpu_rate"]]
        ratios = [row["wall_ours_over_it"], row["cpu_ours_over_it"]]
        cells = [*(f"{rate / 1e6:.1f}" for rate in rates), *(f"{ratio:.2f}" for ratio in ratios)]
        lines.append(f"| {row['universe']} | {row['what']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--ticks", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--universes", nargs="+", default=["queue", "market", "epidemic"])
    parser.add_argument("--json", type=Path, default=ROOT / "benchmarks" / "results" / "meeting.json")
    given = parser.parse_args()
    if min(given.worlds, given.ticks, given.rounds) < 1 or not 1 <= given.threads <= native.MAX_THREADS:
        parser.error("worlds, ticks, rounds and threads are at least 1")
    before, rates = os.getloadavg()[0], []
    with tempfile.TemporaryDirectory() as folder:
        libraries = {
            f"{each.name}{title}": native.compile_c(each, "meeting.c", Path(folder), *options)
            for each in native.compilers()
            for title, options in BUILDS
        }
        for name in given.universes:
            module = hamlet.compile(ROOT / "universes" / "gallery" / f"{name}.hamlet", Path(folder, name))
            rivals = []
            for program in (each for each in PROGRAMS if each.universe == name):
                for compiler, library in libraries.items():
                    checked(library, program, module)
                    rivals.append((f"C, {compiler}{program.knows and f'; {program.knows}'}", library, program))
            ours = CpuBackend(module.universe, just_in_time(module), given.threads)
            rates += compared(module, ours, rivals, given)
    report = {
        "machine": facts(given.threads)
        | {"command": " ".join(["python", "benchmarks/peers/meeting.py", *sys.argv[1:]])},
        "load": [before, os.getloadavg()[0]],
        "given": {name: getattr(given, name) for name in ("worlds", "ticks", "rounds")},
        "rates": rates,
    }
    given.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    text = table(report)
    given.json.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
