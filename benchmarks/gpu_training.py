"""`hamletc train --device cuda` on a GPU: its weights are compared with those of the CPU after each of some updates,
and agent-ticks per second are measured, acting and learning apart:

    python benchmarks/gpu_training.py --json benchmarks/results/gpu_training.json

A row of the table is a universe and a number of worlds, with the defaults of `hamletc train`. Times are those of the
clock, from one wait for the device to the next, after an update that compiled the kernels. Exit code 1 where a
weight differs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from installed import as_installed

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "training"))
UNIVERSES = ("town", "shifts", "first_meal")
WORLDS = (1_024, 16_384, 65_536)
COMPARED = 3
"""Updates."""
SECONDS = 2.0
"""That updates are timed."""


@dataclass(frozen=True, slots=True)
class Row:
    """A training on the GPU.

    Attributes:
        universe, worlds: what was trained on.
        equal: the weights after each of some updates are those of the CPU; None where they were not compared.
        updates: how many were timed.
        rate, slowest, fastest: agent-ticks per second of updates: the median, the least and the greatest.
        acting, learning: seconds of an update, medians.
        launching: seconds of an update until Python has launched it, the median.
    """

    universe: str
    worlds: int
    equal: bool | None
    updates: int
    rate: float
    slowest: float
    fastest: float
    acting: float
    learning: float
    launching: float


def measure(universe: str, worlds: int, folder: Path, compared: bool) -> Row:
    """One universe with so many worlds."""
    import torch

    from hamlet_train.gpu.training import GpuLearner, GpuTraining
    from hamlet_train.ranks import Ranks
    from hamlet_train.run import Manifest
    from hamlet_train.settings import Settings
    from hamlet_train.training import begun
    from hamletc.compile import compile_file

    module = compile_file(ROOT / "universes" / f"{universe}.hamlet", folder / universe)
    settings = Settings()
    ticks = worlds * settings.horizon * 100_000
    manifest = Manifest(module.universe.name, module.digest, "", (), {}, worlds, 1, 3, ticks, settings)
    training = begun(module, manifest, Ranks(), 1, device="cuda")
    assert isinstance(training, GpuTraining)
    learner, equal = training.crews[0].learner, None
    assert isinstance(learner, GpuLearner)
    if compared:
        cpu, equal = begun(module, manifest, Ranks(), len(os.sched_getaffinity(0))), True
        for update in range(COMPARED):
            (line,) = cpu.advance()
            training.collect()
            learner.lesson.teach(learner.stored, learner.learned)
            learner.leave()
            equal = equal and learner.learned.digest() == line.weights
            print(f"{universe}, {worlds:,} worlds, update {update}: {learner.learned.digest()} {line.weights}")
    else:
        training.collect()
        learner.lesson.teach(learner.stored, learner.learned)
    rows: list[tuple[float, float, float]] = []
    until = time.perf_counter() + SECONDS
    while time.perf_counter() < until or len(rows) < 3:
        torch.cuda.synchronize()
        begin = time.perf_counter()
        training.collect()
        torch.cuda.synchronize()
        middle = time.perf_counter()
        learner.lesson.teach(learner.stored, learner.learned)
        launched = time.perf_counter()
        learner.lesson.told().cpu()
        rows.append((middle - begin, time.perf_counter() - middle, launched - middle))
    acting, learning, launching = (statistics.median(column) for column in zip(*rows, strict=True))
    rates = [worlds * settings.horizon / (acts + learns) for acts, learns, _ in rows]
    numbers = statistics.median(rates), min(rates), max(rates), acting, learning, launching
    return Row(universe, worlds, equal, len(rows), *numbers)


def table(rows: list[Row], about: str) -> str:
    """All rows in Markdown."""
    lines = ["# Training on a GPU", "", about, ""]
    lines += ["| universe | worlds | weights of the CPU | updates | agent-ticks/s | acting | learning | launching |"]
    lines += ["|---|--:|---|--:|--:|--:|--:|--:|"]
    said = {None: "", True: "yes", False: "**no**"}
    lines += [
        f"| {row.universe} | {row.worlds:,} | {said[row.equal]} | {row.updates} | {row.rate / 1e6:,.1f} M "
        f"({row.slowest / 1e6:,.1f} to {row.fastest / 1e6:,.1f}) | {row.acting * 1e3:.1f} ms | "
        f"{row.learning * 1e3:.1f} ms | {row.launching * 1e3:.1f} ms |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Exit code 0: no weight differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("universes", nargs="*", default=UNIVERSES, help="names such as town or gallery/alarm")
    parser.add_argument("--worlds", type=int, nargs="*", default=WORLDS, help="how many; the fewest are compared")
    parser.add_argument("--json", type=Path, help="a .md of the same name goes beside it")
    parser.add_argument("--commit", help="hash of the commit, where git cannot say it")
    arguments = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory(prefix="gpu_training_") as cache:
        as_installed(Path(cache) / "installed")
        import torch
        from gpu_parts import facts

        machine = facts(torch.device("cuda"), arguments.commit)
        about = ", ".join(f"{name} {value}" for name, value in machine.items())
        rows: list[Row] = []
        for universe in arguments.universes:
            for worlds in sorted(arguments.worlds):
                rows.append(measure(universe, worlds, Path(cache), worlds == min(arguments.worlds)))
                if arguments.json:
                    written = {"facts": machine, "rows": [asdict(row) for row in rows]}
                    arguments.json.write_text(json.dumps(written, indent=2) + "\n")
                    arguments.json.with_suffix(".md").write_text(table(rows, about))
        print(table(rows, about))
    return 0 if all(row.equal is not False for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
