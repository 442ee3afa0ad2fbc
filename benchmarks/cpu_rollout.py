"""How fast and how lean kernels in C are on this machine's CPU:

    python benchmarks/cpu_rollout.py

Compiles the town into an empty folder and times, for 65,536 agents in worlds of their own: rollouts of a random policy
with and without observations and statistics, steps, and the interpreter. Every sample of a rollout begins with a reset,
so that all samples do the same work; variants take turns, so that a busy moment of the machine hits all of them. Beside
the rate by the clock stands the rate per second of CPU time of one core, which other processes disturb less. Writes
JSON and a table to benchmarks/results/. Kernels for another CPU than this one:

    HAMLET_CPU=haswell python benchmarks/cpu_rollout.py --json cpu_avx2.json
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import torch
from facts import compiler_of_c

import hamlet
from hamlet.backend.buffers import Buffers, Shape, allocate, allocate_statistics
from hamlet.backend.protocol import Backend, RandomPolicy, Stream
from hamlet.interpreter.interpreter import Interpreter
from hamlet.launch.cpu.kernels import just_in_time
from hamlet.launch.cpu.launch import CpuBackend
from hamlet.package.module import Module
from hamletc.compile import Options, build, check
from hamletc.frontend import Stopwatch
from hamletc.language.source import Source
from hamletc.package import write
from hamletc.read import parsed

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).parent / "results"
CPU = torch.device("cpu")
SEED = 7

Row: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Variant:
    """One thing that is timed: agent-ticks and steps (0 in a rollout) of a sample, what runs, and what prepares it."""

    name: str
    threads: int
    agent_ticks: int
    run: Callable[[], None]
    prepare: Callable[[], None] = lambda: None
    steps: int = 0


MEMORY = """
import sys, torch
import hamlet
from pathlib import Path
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.launch.cpu.kernels import just_in_time
from hamlet.launch.cpu.launch import CpuBackend
from hamlet.backend.buffers import Shape, allocate
def kilobytes(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))
def run(worlds):
    buffers = allocate(module.universe, Shape(worlds, 1), torch.device("cpu"), dtype)
    backend.reset(buffers, Stream(1, 0))
    backend.rollout(buffers, 8, RandomPolicy(), Stream(1, 0), True, None)
    backend.step(buffers, torch.zeros(worlds, dtype=torch.int32), Stream(1, 0))
    return buffers
module = hamlet.load(sys.argv[1])
dtype = torch.float32 if sys.argv[2] == "f32" else None
backend = CpuBackend(module.universe, just_in_time(module))
run(256)
Path("/proc/self/clear_refs").write_text("5")
before = kilobytes("VmRSS")
buffers = run(1 << 20)
counted = sum(tensor.nbytes for tensor in buffers.state.values())
counted += 0 if buffers.observation is None else buffers.observation.nbytes
print((kilobytes("VmHWM") - before) * 1024 / counted)
"""


def compiled(source: Path, folder: Path) -> Module:
    """A universe's package, written into a folder that does not exist yet."""
    text = Source(source, source.read_text(encoding="utf-8"))
    write(build(check(parsed(text)).universe, Options(), Stopwatch()), folder)
    return hamlet.load(folder)


def printed(program: str, *arguments: str) -> float:
    """The number that a Python program prints."""
    command = [sys.executable, "-c", program, *arguments]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def rollout(
    module: Module,
    backend: Backend,
    threads: int,
    lanes: int,
    ticks: int,
    obs: torch.dtype | None,
    every: bool,
    count: bool,
) -> Variant:
    """A rollout of a random policy from a reset."""
    buffers = allocate(module.universe, Shape(lanes, 1), CPU, obs)
    counted = allocate_statistics(module.universe, buffers.shape, CPU) if count else None
    observed = f"{str(obs).removeprefix('torch.')} observations every tick" if every else "no observations"
    name = f"{backend.name}: {ticks} ticks, {observed}{', statistics' if count else ''}"
    return Variant(
        name,
        threads,
        lanes * ticks,
        run=lambda: backend.rollout(buffers, ticks, RandomPolicy(), Stream(SEED, 0), every, counted),
        prepare=lambda: backend.reset(buffers, Stream(SEED, 0)),
    )


def steps(module: Module, backend: Backend, threads: int, lanes: int, obs: torch.dtype, count: int) -> Variant:
    """So many steps, with observations, of lanes whose episodes are under way. One alone is cold: the samples before it
    have filled the caches with other things. Most of many are hot."""
    buffers: Buffers = allocate(module.universe, Shape(lanes, 1), CPU, obs)
    actions = torch.arange(lanes, dtype=torch.int32) % 5
    backend.reset(buffers, Stream(SEED, 0))

    def run() -> None:
        for _ in range(count):
            backend.step(buffers, actions, Stream(SEED, 0))

    name = f"{backend.name}: {_warmth(count)} step of {lanes:,} agents, {str(obs).removeprefix('torch.')} observations"
    return Variant(name, threads, lanes * count, run, steps=count)


def steps_as_users_take_them(module: Module, threads: int, lanes: int, count: int) -> Variant:
    """The same through `Env.step`, which also checks the actions."""
    env = hamlet.make(module, worlds=lanes, seed=SEED, backend="c", quiet=True)
    actions = torch.arange(lanes, dtype=torch.int32) % 5

    def run() -> None:
        for _ in range(count):
            env.step(actions)

    name = f"c: {_warmth(count)} `Env.step` of {lanes:,} agents, float32 observations"
    return Variant(name, threads, lanes * count, run, steps=count)


def _warmth(count: int) -> str:
    return "cold" if count == 1 else "hot"


def measure(variants: list[Variant], samples: int) -> list[Row]:
    """Rates of all variants; a first round is not counted."""
    wall: list[list[float]] = [[] for _ in variants]
    cpu: list[list[float]] = [[] for _ in variants]
    for sample in range(samples + 1):
        for index, variant in enumerate(variants):
            variant.prepare()
            started, used = time.perf_counter(), time.process_time()
            variant.run()
            seconds, busy = time.perf_counter() - started, time.process_time() - used
            if sample > 0:
                wall[index].append(variant.agent_ticks / seconds)
                cpu[index].append(variant.agent_ticks / busy if busy > 0 else 0.0)
    return [
        {
            "what": variant.name,
            "threads": variant.threads,
            "agent_ticks_per_s": statistics.median(rates),
            "slowest": min(rates),
            "fastest": max(rates),
            "per_core_and_cpu_s": statistics.median(busy),
            "samples": samples,
        }
        | ({"us_per_step": _microseconds(variant, rates)} if variant.steps else {})
        for variant, rates, busy in zip(variants, wall, cpu, strict=True)
    ]


def _microseconds(variant: Variant, rates: list[float]) -> dict[str, float]:
    times = [1e6 * variant.agent_ticks / rate / variant.steps for rate in rates]
    return {"median": statistics.median(times), "fastest": min(times), "slowest": max(times)}


def facts(arguments: list[str]) -> Row:
    """Machine, versions, commit, command."""

    def git(*command: str) -> str:
        return subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True).stdout.strip()

    model = next(
        (line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line),
        platform.processor(),
    )
    variables = [f"{name}={value}" for name, value in os.environ.items() if name == "HAMLET_CPU"]
    target = os.environ.get("HAMLET_CPU")
    return {
        "cpu": f"{model}, kernels for {target or 'this CPU'}, {len(os.sched_getaffinity(0))} CPUs",
        "load": f"{os.getloadavg()[0]:.1f} processes wanted a CPU in the minute before",
        "versions": f"python {platform.python_version()}, torch {torch.__version__}, {compiler_of_c()}",
        "commit": git("rev-parse", "HEAD") + (" with changes" if git("status", "--porcelain") else ""),
        "command": shlex.join([*variables, "python", "benchmarks/cpu_rollout.py", *arguments]),
    }


def table(report: Row) -> str:
    """The report for a reader."""
    lines = [f"# CPU: {report['universe']}, {report['agents']:,} agents", ""]
    lines += [f"- {name}: {value}" for name, value in report["machine"].items()]
    lines += [f"- {name}: {value:.2f}" for name, value in report["numbers"].items()]
    lines += ["", "Millions of agent-ticks per second:", ""]
    lines += ["| what | threads | median | slowest | fastest | per core, by CPU time |", "|---|--:|--:|--:|--:|--:|"]
    for row in report["rates"]:
        rates = [row[name] / 1e6 for name in ("agent_ticks_per_s", "slowest", "fastest", "per_core_and_cpu_s")]
        lines.append(f"| {row['what']} | {row['threads']} | " + " | ".join(f"{rate:.1f}" for rate in rates) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("universe", type=Path, nargs="?", default=ROOT / "universes" / "town.hamlet")
    parser.add_argument("--agents", type=int, default=65536)
    parser.add_argument("--samples", type=int, default=9)
    parser.add_argument("--json", type=Path, default=RESULTS / "cpu_rollout.json")
    arguments = parser.parse_args()
    machine = facts(sys.argv[1:])
    with tempfile.TemporaryDirectory() as temporary:
        folder = str(Path(temporary) / arguments.universe.stem)
        module = compiled(arguments.universe, Path(folder))
        numbers = {
            "memory over bytes of state, without observations": printed(MEMORY, folder, "none"),
            "memory over bytes of state and f32 observations": printed(MEMORY, folder, "f32"),
        }
        lanes, f32, bf16 = arguments.agents, torch.float32, torch.bfloat16
        every = CpuBackend(module.universe, just_in_time(module))
        one = CpuBackend(module.universe, just_in_time(module), 1)
        interpreter = Interpreter(module.universe, CPU)
        threads, own = every.threads, torch.get_num_threads()
        variants = [
            rollout(module, every, threads, lanes, 64, None, False, False),
            rollout(module, every, threads, lanes, 1000, None, False, False),
            rollout(module, every, threads, lanes, 1000, None, False, True),
            rollout(module, one, 1, lanes, 64, None, False, False),
            rollout(module, one, 1, lanes, 1000, None, False, False),
            rollout(module, every, threads, lanes, 64, f32, True, False),
            rollout(module, every, threads, lanes, 64, bf16, True, False),
            steps(module, every, threads, lanes, f32, 1),
            steps(module, every, threads, 64, f32, 1),
            steps(module, every, threads, 64, f32, 1000),
            steps_as_users_take_them(module, threads, 64, 1),
            steps_as_users_take_them(module, threads, 64, 1000),
        ]
        rates = measure(variants, arguments.samples)
        # Apart: torch's threads go on spinning for a while after its last operation.
        rates += measure([rollout(module, interpreter, own, lanes, 8, None, False, False)], arguments.samples)
    report = {
        "universe": module.name,
        "agents": lanes,
        "machine": machine,
        "numbers": numbers,
        "rates": rates,
    }
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    arguments.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    text = table(report)
    arguments.json.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
