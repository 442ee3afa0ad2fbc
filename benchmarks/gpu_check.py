"""Everything that wants a GPU, in one command of under 8 minutes:

    python benchmarks/gpu_check.py --json gpu.json

What is worth most comes first, in case the GPU is gone before the end: first launches, a quick verification, the
bandwidth of a copy, all times, what `ncu` counts, the full verification of every package under `generated/` against the
interpreter, graphs and compiled steps, and last kernels in C. After each part it writes the JSON and a readable
table (`gpu.md` beside it). It needs torch, Triton and numpy (a compiler of C for kernels in C, rich for looks), and
nothing installed: it finds all packages in this repository and runs the committed kernels.

`--small` goes the same way with tiny sizes: its times mean nothing. `python tests/gpu/rehearsal
benchmarks/gpu_check.py --small` does so on a simulated device. `--dry-run` needs no GPU either, has kernels in C in
place of Triton, and leaves the parts out that need CUDA.

A part that fails is recorded and the rest goes on. A kernel that spills registers is a finding. What cannot run on this
machine is listed with the reason. Exit code 1: something failed, or was left out for lack of time.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from installed import as_installed

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Exit code 0: everything was done and nothing failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--device", default="cuda", help="cuda, cuda:1, ...")
    where.add_argument(
        "--dry-run", action="store_true", help="on the CPU, with kernels in C in place of Triton and tiny sizes"
    )
    parser.add_argument("--small", action="store_true", help="tiny sizes, to see that everything runs")
    parser.add_argument("--packages", type=Path, default=ROOT / "generated", help="folder of generated packages")
    parser.add_argument(
        "--json", type=Path, default=Path("gpu_check.json"), help="a .md of the same name goes beside it"
    )
    parser.add_argument("--times", action="store_true", help="measure how long steps and rollouts take, and no more")
    parser.add_argument("--commit", help="hash of the commit, where git cannot say it")
    parser.add_argument("--seconds", type=float, default=450.0, help="after so many no new part is begun")
    arguments = parser.parse_args()

    # Caches of our own, so that the first launch compiles and blocks are timed. Triton reads its when it is imported.
    with tempfile.TemporaryDirectory(prefix="gpu_check_") as cache:
        os.environ |= {"TRITON_CACHE_DIR": cache, "XDG_CACHE_HOME": cache}
        # The interpreter's tensors are small: threads that wait for each other make it several times slower.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        as_installed(Path(cache) / "installed")
        return check(arguments, parser)


def check(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Run all parts, write and show what was found."""
    import torch
    from gpu_course import Check, run
    from gpu_tables import Report, show, tables
    from gpu_times import dry_plan, plan, small_plan

    if not arguments.dry_run and not torch.cuda.is_available():
        parser.error("torch finds no CUDA device here (to try this script: --dry-run)")
    # The largest first, which say most.
    folders = sorted(
        (path.parent for path in arguments.packages.glob("*/__init__.py")),
        key=lambda folder: (-sum(file.stat().st_size for file in folder.glob("*.py")), folder.name),
    )
    course = Check(Report(), arguments.json, arguments.seconds)
    if arguments.dry_run:
        chosen = dry_plan()
    else:
        device = torch.device(arguments.device)
        chosen = small_plan(device) if arguments.small else plan(device)
    run(chosen, folders, course, arguments.commit, arguments.times)
    show(tables(course.report))
    return 1 if course.report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
