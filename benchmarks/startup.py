"""How long one waits: for the command line, from `exec` to exit, and for the first step of a universe:

    python benchmarks/startup.py

`hamletc check` and `hamletc compile` of the town are run many times each in new processes, in turns, after one run
that fills Python's bytecode caches. `compile` writes into an empty folder every time. The first step is timed inside
a new process, from before `make` until after `reset` and `step`: without machine code of kernels on the disk, with
it, and with that of a package (`--aot cpu`). Without a GPU, kernels for one are only compiled, by Triton for sm_90;
those of a package that has them (`--aot sm_90`) are only brought to the driver, which is not there: that is the time of
everything but CUDA itself.
Prints medians and spread, and writes JSON to benchmarks/results/.

    python benchmarks/startup.py --cpu

does the same for the CPU time of whole processes that make one step, which other work on the machine changes less.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).parent / "results"

FIRST_STEP = """
import sys, time, torch, hamlet
module = hamlet.load(sys.argv[1])
begin = time.perf_counter()
env = hamlet.make(module, worlds=64, backend="c")
env.reset()
env.step(torch.zeros(64, dtype=torch.int32))
print(time.perf_counter() - begin)
"""

FOR_A_GPU = """
import sys, time, torch, triton, hamlet
from hamlet_lab.machine_code.kernels import compile_kernels
module = hamlet.load(sys.argv[1])
begin = time.perf_counter()
compile_kernels(module.kernels("triton"), module.universe, 90, ("reset", "step"))
print(time.perf_counter() - begin)
"""

AHEAD = """
import sys, time, torch, hamlet
from hamlet.backend.protocol import Stream
from hamlet.launch.gpu.ahead import AheadKernels, find
from hamlet.launch.gpu.launch import KernelBackend
from hamlet.backend.buffers import Shape, allocate

class Driver:
    launched = 0
    def load(self, code, name):
        return 1
    def launcher(self, function, grid, parameters):
        return self.launch
    def launch(self, stream):
        self.launched += 1

cpu, driver, stream = torch.device("cpu"), Driver(), Stream(0, 0)
begin = time.perf_counter()
module = hamlet.load(sys.argv[1])
kernels = AheadKernels(find(module, 90)[0], module.sources, driver, lambda: 0, lambda: None)
kernels.load_one()
backend = KernelBackend("ahead", module.universe, kernels, cpu, False)
buffers = allocate(module.universe, Shape(64, 1), cpu, torch.float32)
backend.reset(buffers, stream)
backend.step(buffers, torch.zeros(64, dtype=torch.int32), stream)
assert driver.launched == 2
print(time.perf_counter() - begin)
"""

RUNS_OF_SECONDS = 5
"""How often that is run which takes seconds."""


def process(command: list[str]) -> float:
    """Wall-clock time of one process.

    Raises:
        CalledProcessError: it failed.
    """
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def printed(program: str, package: Path, **environment: str) -> float:
    """What a program that is given a package prints: seconds."""
    command = [sys.executable, "-c", program, str(package)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=os.environ | environment)
    return float(done.stdout)


def waits(universe: Path, package: Path, ahead: Path, folder: Path) -> dict[str, Callable[[], float]]:
    """What is timed, by name; `ahead` has machine code for CPUs, and `folder` is empty. `python -c pass` is the share
    of the interpreter itself."""
    hamletc = str(Path(sys.executable).with_name("hamletc"))
    caches = {"XDG_CACHE_HOME": str(folder / "cache"), "TRITON_CACHE_DIR": str(folder / "triton")}
    nowhere = {"XDG_CACHE_HOME": str(folder / "nothing")}
    return {
        "python": lambda: process([sys.executable, "-c", "pass"]),
        "hamletc check": lambda: process([hamletc, "check", str(universe)]),
        "hamletc compile": lambda: process([hamletc, "compile", str(universe), "-o", str(folder / universe.stem)]),
        "c: first step, no machine code yet": lambda: printed(FIRST_STEP, package, **caches),
        "c: first step, later": lambda: printed(FIRST_STEP, package, **caches),
        "c: first step, machine code in the package": lambda: printed(FIRST_STEP, ahead, **nowhere),
        "Triton: reset and step compiled for sm_90": lambda: printed(FOR_A_GPU, package, **caches),
        "sm_90 in the package: reset and step, to the driver": lambda: printed(AHEAD, package, **caches),
    }


def cpu_seconds(program: str, package: Path, cache: Path) -> float:
    """CPU time of a process with the program, user and system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    printed(program, package, XDG_CACHE_HOME=str(cache))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_cpu(universe: Path, runs: int) -> dict[str, list[float]]:
    """CPU times by name; all take turns."""
    times: dict[str, list[float]] = {}
    hamletc = str(Path(sys.executable).with_name("hamletc"))
    with tempfile.TemporaryDirectory() as kept:
        plain, ahead = Path(kept) / "plain" / universe.stem, Path(kept) / "ahead" / universe.stem
        process([hamletc, "compile", str(universe), "-o", str(plain)])
        process([hamletc, "compile", str(universe), "--aot", "cpu", "-o", str(ahead)])
        for run in range(runs + 1):
            with tempfile.TemporaryDirectory() as folder:
                cache, nothing = Path(folder) / "cache", Path(folder) / "nothing"
                took = {
                    "import torch": cpu_seconds("import torch; print(0)", plain, nothing),
                    "c: first step, no machine code yet": cpu_seconds(FIRST_STEP, plain, cache),
                    "c: first step, later": cpu_seconds(FIRST_STEP, plain, cache),
                    "c: first step, machine code in the package": cpu_seconds(FIRST_STEP, ahead, nothing),
                }
            for name, seconds in took.items() if run > 0 else ():
                times.setdefault(name, []).append(seconds)
    return times


def measure(universe: Path, runs: int) -> dict[str, list[float]]:
    """Times by name; all take turns, so that a busy moment of the machine hits all of them."""
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as kept:
        hamletc = str(Path(sys.executable).with_name("hamletc"))
        package, ahead = Path(kept) / "plain" / universe.stem, Path(kept) / "ahead" / universe.stem
        process([hamletc, "compile", str(universe), "--aot", "sm_90", "-o", str(package)])
        process([hamletc, "compile", str(universe), "--aot", "cpu", "-o", str(ahead)])
        for run in range(runs + 1):
            with tempfile.TemporaryDirectory() as folder:
                for name, wait in waits(universe, package, ahead, Path(folder)).items():
                    if ":" in name and run > RUNS_OF_SECONDS:
                        continue
                    took = wait()
                    if run > 0:
                        times.setdefault(name, []).append(took)
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("universe", type=Path, nargs="?", default=ROOT / "universes" / "town.hamlet")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--cpu", action="store_true", help="CPU time of whole processes that make one step")
    parser.add_argument("--json", type=Path, help="by default startup.json, or startup_cpu.json, in benchmarks/results")
    arguments = parser.parse_args()

    output = arguments.json or RESULTS / ("startup_cpu.json" if arguments.cpu else "startup.json")
    times = (measure_cpu if arguments.cpu else measure)(arguments.universe, arguments.runs)
    rows = {
        name: {"median_s": statistics.median(took), "fastest_s": min(took), "slowest_s": max(took), "runs": len(took)}
        for name, took in times.items()
    }
    print(f"{'':52} {'median':>8} {'fastest':>8} {'slowest':>8}")
    for name, row in rows.items():
        print(f"{name:52} {row['median_s']:7.3f}s {row['fastest_s']:7.3f}s {row['slowest_s']:7.3f}s")
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    machine = {
        "commit": commit or None,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs",
        "load": os.getloadavg()[0],
    }
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(json.dumps({"universe": arguments.universe.name, **machine, "times": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
