"""How fast kernels for CPUs are that other compilers of C make:

    python benchmarks/c_kernels.py [--only 'town 64' 'queue steps'] [-- gcc 'gcc -O3' 'python -m ziglang cc']

Each command is taken for `HAMLET_CC`. Worlds of all compilers take turns in one process and one thread, with the same
seeds and actions; the CPU time of the thread counts, which other work on the machine changes less than the
time on a clock. Rollouts act at random and count; steps have actions that were drawn before, and observe. State,
outcomes, observations and masks are compared to the bit at the end. Prints agent-ticks per second and ratios to the
first compiler, above 1 where another is faster, and writes JSON to benchmarks/results/c_compilers.json.

`c_kernels.json` beside it, which docs/design.md shows, has ratios to numba, which compiled kernels for CPUs before.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any
from unittest.mock import patch

os.environ["HAMLET_THREADS"] = "1"

import torch
from facts import facts
from sizes import meters

import hamlet
from hamlet.env.environment import Env
from hamlet.native.compilers import CHOICE
from hamlet.package.module import Module
from hamletc.compile import compile_file

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).parent / "results" / "c_compilers.json"
COMPILERS = ("gcc", "gcc -O3")
LANES = 65536
SAMPLE, MANY = 1 << 19, 1024
"""Lane-ticks of a sample of steps: some milliseconds. A step counts as one of so many lanes at least."""
AGES, DRAWN = 100, 16
"""Ticks before the first that is measured, and ticks whose actions are drawn."""


@dataclass(frozen=True, slots=True)
class Case:
    """What is measured.

    Attributes:
        universe: below universes/, or `meters N`: one of as many meters.
        ticks: of a rollout; 0: steps are measured.
        observed: the type of observations, or `None`: nothing is observed.
    """

    universe: str
    agents: int = 1
    lanes: int = LANES
    ticks: int = 64
    observed: str | None = None

    @property
    def name(self) -> str:
        """In words."""
        what = f"{self.ticks} ticks" if self.ticks else f"steps of {self.lanes} lanes"
        observed = f", {self.observed} observations" if self.observed and self.ticks else ""
        return f"{self.universe.rpartition('/')[2]} {what}{observed}"


CASES = (
    Case("town"),
    Case("town", lanes=8192, ticks=1000),
    Case("town", observed="float32"),
    Case("town", observed="uint8"),
    Case("town", observed="bfloat16"),
    *(Case("town", lanes=lanes, ticks=0, observed="float32") for lanes in (1, 64, 4096, 65536)),
    Case("shifts"),
    Case("gallery/queue", 64),
    Case("gallery/queue", 64, 8192, 1000),
    Case("gallery/queue", 64, 4096, 0, "float32"),
    Case("gallery/market", 64),
    Case("gallery/epidemic", 64),
    Case("gallery/moss", lanes=256),
    Case("gallery/commute"),
    Case("gallery/momentum"),
    Case("meters 150"),
    Case("meters 150", lanes=4096, ticks=0, observed="float32"),
)


@contextmanager
def compiled_by(command: str) -> Iterator[None]:
    """What is compiled meanwhile is compiled by this compiler."""
    with patch.dict(os.environ, {CHOICE: command}):
        yield


def module_of(name: str, folder: Path) -> Module:
    """The universe of a case."""
    kind, _, count = name.partition(" ")
    if not count:
        return compile_file(ROOT / "universes" / f"{kind}.hamlet")
    source = folder / "sized.hamlet"
    source.write_text(meters(int(count)), encoding="utf-8")
    return compile_file(source)


def sample_of(env: Env, case: Case) -> tuple[int, Callable[[], object]]:
    """The lane-ticks of a sample, and what runs it."""
    if case.ticks:
        return case.lanes * case.ticks, lambda: env.rollout(case.ticks, observe=case.observed is not None)
    draws = torch.Generator().manual_seed(1)
    drawn = torch.randint(env.num_actions, (DRAWN, case.lanes), generator=draws, dtype=torch.int32)
    actions, calls = cycle(drawn), max(SAMPLE // max(case.lanes, MANY), 1)

    def run() -> None:
        for _ in range(calls):
            env.step(next(actions))

    return case.lanes * calls, run


def written(env: Env) -> bytes:
    """State, outcomes, observations and masks."""
    buffers = env._buffers
    tensors = [*buffers.state.values(), *buffers.outcome.values(), buffers.mask, buffers.observation]
    return b"".join(each.contiguous().view(torch.uint8).numpy().tobytes() for each in tensors if each is not None)


def made(case: Case, module: Module, command: str) -> tuple[Env, float]:
    """Worlds that have run for a while, and the CPU time of compilers for them."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with compiled_by(command):
        shape = {"worlds": case.lanes // case.agents, "agents": case.agents}
        env = hamlet.make(module, **shape, backend="c", obs_dtype=case.observed, quiet=True)
        env.reset(seed=7)
        env.rollout(AGES)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return env, round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)


def measured(case: Case, module: Module, compilers: Sequence[str], rounds: int) -> list[dict[str, Any]]:
    """A row for each compiler."""
    first = compilers[0]
    begun = {command: made(case, module, command) for command in compilers}
    envs = {name: env for name, (env, _) in begun.items()}
    samples = {name: sample_of(env, case) for name, env in envs.items()}
    seconds: dict[str, list[float]] = {name: [] for name in envs}
    for turn in range(rounds + 1):
        for name, (_, run) in samples.items():
            begin = time.thread_time()
            run()
            if turn:
                seconds[name].append(time.thread_time() - begin)
    rows = []
    for name, times in seconds.items():
        assert written(envs[name]) == written(envs[first]), f"{name} gives other bits"
        ratios = sorted(other / own for other, own in zip(seconds[first], times, strict=True))
        tenth = len(ratios) // 10
        rows.append(
            {
                "kernels": name,
                "millions": round(samples[name][0] / statistics.median(times) / 1e6, 3),
                "ratio": round(statistics.median(ratios), 3),
                "spread": [round(ratios[tenth], 3), round(ratios[-1 - tenth], 3)],
                "compiling": begun[name][1],
            }
        )
    return rows


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compilers", nargs="*", default=COMPILERS, help="commands; others are compared to the first")
    parser.add_argument("--only", nargs="+", default=[""], help="parts of the names of cases")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path, default=RESULTS)
    options = parser.parse_args()
    result: dict[str, Any] = facts("benchmarks/c_kernels.py", "c")
    result["cases"] = {}
    cases = [case for case in CASES if any(part in case.name for part in options.only)]
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {"XDG_CACHE_HOME": folder}):
        modules = {name: module_of(name, Path(folder)) for name in dict.fromkeys(case.universe for case in cases)}
        for case in cases:
            rows = measured(case, modules[case.universe], options.compilers, options.rounds)
            load = round(os.getloadavg()[0], 1)
            result["cases"][case.name] = {"load": load, "rows": rows}
            print(f"{case.name:42} load {load:4} {rows[0]['kernels']} {rows[0]['millions']:8.2f} M/s", end="")
            print(*(f"  {row['ratio']:.3f} {row['spread']} ({row['compiling']} s)" for row in rows[1:]), flush=True)
    options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
