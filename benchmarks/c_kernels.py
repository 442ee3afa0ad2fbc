"""How fast kernels for CPUs are as C, beside numba's:

    python benchmarks/c_kernels.py [--universes town:1 gallery/queue:64] [-- 'gcc -O3' 'python -m ziglang cc -O2']

Each command compiles what `hamletc.targets.c` prints, with the vectors of this machine. Rollouts of both kinds of
kernels take turns in one process and one thread, on the same arguments; the CPU time of the thread counts, which other
work on the machine changes less than the time on a clock. What they write is compared to the bit. Prints agent-ticks
per second and ratios to numba, and writes JSON to benchmarks/results/c_kernels.json; docs/design.md shows it.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import resource
import shlex
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

os.environ["NUMBA_NUM_THREADS"] = "1"

import numpy as np

import hamlet
from hamlet import native
from hamlet.launch.cpu.entry import Entry, entry, shares_of
from hamlet.launch.cpu.launch import CpuBackend
from hamletc.compile import compile_file, lower, optimise, specialise
from hamletc.targets.c.emit import ENTRY, emit

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).parent / "results" / "c_kernels.json"
COMPILERS = ("gcc -O2 -ftree-vectorize", "gcc -O3")
FLAGS = ("-std=c99", "-march=native", "-w", "-fPIC", "-shared")
TICKS = (64, 1000)
LANES = 8192


def compiled(text: str, command: str, folder: Path) -> tuple[ctypes.CDLL, float]:
    """The library that a compiler makes, and its CPU time."""
    source, target = folder / "kernels.c", folder / f"{abs(hash(command))}.so"
    source.write_text(text, encoding="utf-8")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    include = f"-I{Path(native.__file__).parent}"
    subprocess.run([*shlex.split(command), *FLAGS, include, str(source), "-o", str(target)], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return ctypes.CDLL(str(target)), seconds


@dataclass(frozen=True, slots=True)
class Launch:
    """The arguments of a kernel, and numba's for them."""

    values: dict[str, Any]
    entry: Entry


def launch(path: Path, agents: int, ticks: int) -> Launch:
    """That of a rollout of so many ticks with random actions and statistics."""
    env = hamlet.make(compile_file(path), worlds=LANES // agents, agents=agents, backend="numba", obs_dtype=None)
    env.reset(seed=7)
    env.rollout(ticks)
    noted: list[Launch] = []

    def run(self: CpuBackend, buffers: Any, arrays: Any, scalars: Any, every_tick: bool = False) -> None:
        values = self._values(buffers, arrays, scalars, every_tick)
        noted.append(Launch(values, self._kernels.entry(list(values.values()))))

    with patch.object(CpuBackend, "_run", run):
        env.rollout(ticks)
    return noted[-1]


def measured(
    path: Path, agents: int, ticks: int, libraries: dict[str, ctypes.CDLL], rounds: int
) -> list[dict[str, Any]]:
    """A row for each kind of kernel."""
    rollout = launch(path, agents, ticks)
    tables = [name for name in rollout.values if name.startswith("table ")]
    addresses = {name: ctypes.cast(getattr(each, ENTRY), ctypes.c_void_p).value for name, each in libraries.items()}

    def given() -> dict[str, Any]:
        values = {name: each.copy() if isinstance(each, np.ndarray) else each for name, each in rollout.values.items()}
        return values | {"shares": shares_of([(0, LANES // agents)])}

    def of_c(name: str) -> Callable[[dict[str, Any]], None]:
        def run(values: dict[str, Any]) -> None:
            others = [each for key, each in values.items() if key not in tables]
            entry(addresses[name] or 0, others).run(others)

        return run

    kinds = {"numba": lambda values: rollout.entry.run(values.values()), **{name: of_c(name) for name in libraries}}
    seconds: dict[str, list[float]] = {name: [] for name in kinds}
    written: dict[str, bytes] = {}
    for _ in range(rounds):
        for name, run in kinds.items():
            values = given()
            begin = time.thread_time()
            run(values)
            seconds[name].append(time.thread_time() - begin)
            written[name] = b"".join(
                v.tobytes() for k, v in values.items() if isinstance(v, np.ndarray) and k != "shares"
            )
    rows = []
    for name, times in seconds.items():
        assert written[name] == written["numba"], f"{name} gives other bits"
        ratios = [numba / own for numba, own in zip(seconds["numba"], times, strict=True)]
        rows.append(
            {
                "kernels": name,
                "ticks": ticks,
                "millions": round(LANES * ticks / statistics.median(times) / 1e6, 1),
                "ratio": round(statistics.median(ratios), 3),
                "spread": [round(min(ratios), 3), round(max(ratios), 3)],
            }
        )
    return rows


def machine() -> str:
    """The name of the CPU."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if Path("/proc/cpuinfo").exists() else []
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compilers", nargs="*", default=COMPILERS, help="commands of compilers")
    parser.add_argument("--universes", nargs="+", default=["town:1"], help="below universes/, each with its agents")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=ROOT)
    result: dict[str, Any] = {"commit": commit.stdout.strip(), "machine": machine()}
    result |= {"load": round(os.getloadavg()[0], 1), "lanes": LANES, "universes": {}}
    for named in options.universes:
        name, _, agents = named.partition(":")
        path = ROOT / "universes" / f"{name}.hamlet"
        universe = compile_file(path).universe
        text = emit(specialise(optimise(lower(universe)), "numba").program, universe)
        with tempfile.TemporaryDirectory() as folder:
            made = {command: compiled(text, command, Path(folder)) for command in options.compilers}
            libraries = {command: library for command, (library, _) in made.items()}
            rows = [row for t in TICKS for row in measured(path, int(agents or 1), t, libraries, options.rounds)]
        compiling = {command: round(seconds, 2) for command, (_, seconds) in made.items()}
        result["universes"][named] = {"compiling": compiling, "rows": rows}
        for row in rows:
            print(named, row, flush=True)
        print(named, "compiling", compiling, flush=True)
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
