"""Replay all steps of all traces, and write down what came out: `make conformance`.

    python tests/conformance/everything.py --backends interpreter,c,triton --jobs 2 --output FILE.md

On Triton's interpreter, which takes a second for a step, only the first steps of each trace are replayed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import sys
import tempfile
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from traces import SHARED, pack_of, traces

BACKENDS = ("interpreter", "c", "triton")
TRITON_STEPS = 3


@dataclass(frozen=True, slots=True)
class Row:
    """What came out of replaying a trace on a backend: "equal", or a difference in words."""

    trace: str
    backend: str
    steps: int
    compared: int
    result: str


@dataclass(frozen=True, slots=True)
class Job:
    """The traces of a pack, on a backend. One process does it and ends: kernels are never unloaded."""

    pack: Path
    traces: tuple[Path, ...]
    backend: str


def work(job: Job) -> list[Row]:
    """Compile a pack and replay its traces."""
    import torch

    import hamlet
    from hamlet_townlet.traces import read_trace, replay

    torch.set_num_threads(1)
    steps = TRITON_STEPS if job.backend == "triton" else None
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for trace in job.traces:
            try:
                module = hamlet.compile(job.pack, Path(folder) / "package")
                report = replay(module, read_trace(trace), job.backend, steps=steps)
            except Exception as error:
                # whatever went wrong, the other traces are replayed
                rows.append(Row(trace.stem, job.backend, 0, 0, f"{type(error).__name__}: {error}"))
                continue
            result = "equal" if report.ok else report.render()
            rows.append(Row(trace.stem, job.backend, report.steps, report.compared, result))
    return rows


def jobs(backends: list[str]) -> list[Job]:
    """All that is to be done, long jobs and short ones mixed as they come."""
    by_pack = [(pack, tuple(of_pack)) for pack, of_pack in groupby(sorted(traces(), key=pack_of), pack_of)]
    return [Job(pack, of_pack, backend) for backend in backends for pack, of_pack in by_pack]


def table(rows: list[Row], backends: list[str]) -> str:
    """The results as Markdown."""
    lines = [
        "# Replays of HAMLET's traces",
        "",
        "Made by `make conformance` (`tests/conformance/everything.py`), "
        f"Python {platform.python_version()}, {platform.machine()}. Values are compared bit for bit; what `equal` lets",
        "pass is said in [../../docs/townlet.md](../../docs/townlet.md).",
        "",
        "| backend | traces | equal | different | steps | values compared |",
        "|---|---|---|---|---|---|",
    ]
    for backend in backends:
        of_backend = [row for row in rows if row.backend == backend]
        equal = sum(row.result == "equal" for row in of_backend)
        lines.append(
            f"| {backend} | {len(of_backend)} | {equal} | {len(of_backend) - equal} "
            f"| {sum(row.steps for row in of_backend):,} | {sum(row.compared for row in of_backend):,} |"
        )
    lines += ["", f"| trace | {' | '.join(backends)} |", f"|---|{'---|' * len(backends)}"]
    for trace in sorted({row.trace for row in rows}):
        found = {row.backend: row for row in rows if row.trace == trace}
        cells = [_cell(found[backend]) if backend in found else "" for backend in backends]
        lines.append(f"| {trace} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _cell(row: Row) -> str:
    return f"equal, {row.steps} steps, {row.compared:,} values" if row.result == "equal" else "DIFFERENT"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backends", default=",".join(BACKENDS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/conformance.md"))
    arguments = parser.parse_args()
    backends = arguments.backends.split(",")
    if not traces():
        print(f"there are no recorded traces in {SHARED}", file=sys.stderr)
        return 2
    # Before triton is imported, which is when it decides.
    os.environ["TRITON_INTERPRET"] = "1"
    rows: list[Row] = []
    with multiprocessing.get_context("spawn").Pool(arguments.jobs, maxtasksperchild=1) as pool:
        for done in pool.imap_unordered(work, jobs(backends)):
            for row in done:
                print(f"{row.backend:<12}{row.trace:<56}{row.result}", flush=True)
            rows += done
            arguments.output.write_text(table(rows, backends), encoding="utf-8")
    return 0 if all(row.result == "equal" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
