"""Agent-ticks per second against the number of agents, meters, affordances, and ticks per launch:

    python benchmarks/scaling/run.py
    python benchmarks/scaling/run.py --backend triton

For each size two ways to run: rollouts of a random policy that observe nothing, and steps (in the sweep of ticks,
rollouts) that write f32 observations. Beside each rate stands what a model predicts from bytes and operations, with
the peak, the bandwidth and the time of an empty launch measured in the same run. Takes some minutes; --quick takes one.
Writes benchmarks/results/scaling_BACKEND.json; `make performance` draws it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import torch
from model import Machine, operations, predicted
from peak import cpu_peak, gpu_peak
from universes import text

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from facts import facts

import hamlet
from hamlet.package.module import Module
from hamlet_lab.bench import Case, CaseRates, copy_bandwidth, measure

RESULTS = Path(__file__).resolve().parents[1] / "results"
Backend: TypeAlias = Literal["c", "triton"]
Sweep: TypeAlias = Literal["agents", "meters", "affordances", "ticks"]

METERS, AFFORDANCES, SIDE, TICKS = 4, 4, 8, 64
"""Of the universe and the launch where they are not what is varied."""
LARGE_SIDE = 128
"""The grid of the sweep of affordances: 10,000 of them need so many cells."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """What is swept, and the agents of the sweeps of other things."""

    agents: tuple[int, ...]
    meters: tuple[int, ...]
    affordances: tuple[int, ...]
    ticks: tuple[int, ...]
    lanes: int
    samples: int


FULL = Sizes(
    tuple(4**power for power in range(13)),
    (1, 2, 4, 8, 16, 32, 64),
    (1, 4, 16, 64, 256, 1000, 10_000),
    tuple(4**power for power in range(7)),
    65_536,
    5,
)
QUICK = Sizes((1, 256, 65_536), (1, 16), (1, 100), (1, 64, 1024), 16_384, 3)


def cases(backend: Backend, agents: int, ticks: int, launched: bool) -> list[Case]:
    """The two ways to run: without observations, and with. `launched`: the latter by a launch for every tick."""
    bare = Case(backend, agents, 1, "rollout", ticks, "none")
    if launched:
        return [bare, Case(backend, agents, 1, "step", 1, "float32")]
    return [bare, Case(backend, agents, 1, "rollout", ticks, "float32")]


def module(folder: Path, meters: int, affordances: int, side: int) -> Module:
    """The generated universe, compiled."""
    source = folder / "scaled.hamlet"
    source.write_text(text(meters, affordances, side), encoding="utf-8")
    return hamlet.compile(source, folder / f"{meters}_{affordances}_{side}" / "scaled")


def machine(backend: Backend, module: Module, samples: int) -> Machine:
    """Peak, bandwidth, and an empty launch."""
    device = torch.device("cuda" if backend == "triton" else "cpu")
    bandwidth = copy_bandwidth(device, samples)
    least = Case(backend, 1, 1, "rollout", 1, "none")
    (empty,) = measure(module, [least], None, samples, bandwidth, lambda _: None)
    if backend == "triton":
        # A thread of a GPU waits for its own results: four warps of each scheduler hide that.
        width = torch.cuda.get_device_properties(device).multi_processor_count * 4 * 4 * 32
        return Machine(gpu_peak(samples), bandwidth, 1 / empty.median, width)
    from hamlet.launch.cpu.kernels import just_in_time
    from hamlet.launch.cpu.launch import CpuBackend

    kernels = just_in_time(module)
    threads = CpuBackend(module.universe, kernels).threads
    return Machine(cpu_peak(samples), bandwidth, 1 / empty.median, kernels.lanes * threads)


def sweep(backend: Backend, sizes: Sizes, folder: Path) -> dict[str, Any]:
    """All sweeps; what is compiled first is measured first."""
    base = module(folder, METERS, AFFORDANCES, SIDE)
    found = machine(backend, base, sizes.samples)
    rows: dict[Sweep, list[dict[str, Any]]] = {}

    def run(name: Sweep, values: list[int], module: Module, planned: list[Case]) -> None:
        def progress(case: Case) -> None:
            print(f"{name}: {case.launch}, {case.lanes} agents, {case.ticks} ticks", file=sys.stderr, flush=True)

        measured = measure(module, planned, None, sizes.samples, found.bandwidth, progress)
        rows.setdefault(name, []).extend(
            row(module, found, value, each) for value, each in zip(values, measured, strict=True)
        )

    agents = [(count, case) for count in sizes.agents for case in cases(backend, count, TICKS, True)]
    run("agents", [count for count, _ in agents], base, [case for _, case in agents])
    ticks = [(count, case) for count in sizes.ticks for case in cases(backend, sizes.lanes, count, False)]
    run("ticks", [count for count, _ in ticks], base, [case for _, case in ticks])
    for count in sizes.meters:
        built = module(folder, count, AFFORDANCES, SIDE)
        run("meters", [count] * 2, built, cases(backend, sizes.lanes, TICKS, True))
    for count in sizes.affordances:
        built = module(folder, METERS, count, LARGE_SIDE)
        run("affordances", [count] * 2, built, cases(backend, sizes.lanes, TICKS, True))
    return {"machine": asdict(found), "sweeps": rows}


def row(module: Module, machine: Machine, value: int, measured: CaseRates) -> dict[str, Any]:
    """A point of a plot."""
    case = measured.case
    needed = operations(module.universe, "triton" if case.backend == "triton" else "c", case)
    return {
        "value": value,
        "launch": case.launch,
        "observed": case.observed,
        "agents": case.lanes,
        "ticks": case.ticks,
        "median": measured.median,
        "slowest": measured.slowest,
        "fastest": measured.fastest,
        "samples": measured.samples,
        "bytes": measured.bytes,
        "operations": needed,
        "model": predicted(machine, case, needed, measured.bytes),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", choices=("c", "triton"), default="c")
    parser.add_argument("--quick", action="store_true", help="few and small sizes")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    if arguments.backend == "triton" and not torch.cuda.is_available():
        parser.error("there is no GPU here")
    path = arguments.json or RESULTS / f"scaling_{arguments.backend}.json"
    with tempfile.TemporaryDirectory() as folder:
        found = sweep(arguments.backend, QUICK if arguments.quick else FULL, Path(folder))
    report = {"facts": facts("benchmarks/scaling/run.py", arguments.backend)} | found
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(path)


if __name__ == "__main__":
    main()
