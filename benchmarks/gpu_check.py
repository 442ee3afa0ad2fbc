"""Everything that wants a GPU, in one command of under 8 minutes:

    python benchmarks/gpu_check.py --json gpu.json

It verifies every package under `generated/` on the GPU against the interpreter on the CPU and on CUDA, times `step` and
`rollout`, and writes one JSON, one readable table (`gpu.md` beside it) and the same table to the terminal. It needs
torch, triton, numba and numpy (rich for looks), and nothing installed: it finds the runtime in this repository and runs
the committed packages.

`--dry-run` goes the same way on a machine without a GPU, with numba in place of Triton and tiny sizes: its times mean
nothing.

A part that fails is recorded and the rest goes on. Exit code 1: something failed or was left out for lack of time.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Exit code 0: everything was done and nothing failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--device", default="cuda", help="cuda, cuda:1, ...")
    where.add_argument(
        "--dry-run", action="store_true", help="on the CPU, with numba in place of Triton and tiny sizes"
    )
    parser.add_argument("--packages", type=Path, default=ROOT / "generated", help="folder of generated packages")
    parser.add_argument(
        "--json", type=Path, default=Path("gpu_check.json"), help="a .md of the same name goes beside it"
    )
    parser.add_argument("--commit", help="hash of the commit, where git cannot say it")
    parser.add_argument("--seconds", type=float, default=420.0, help="after so many no new part is begun")
    arguments = parser.parse_args()

    sys.path.insert(0, str(ROOT / "runtime"))
    # Caches of our own, so that the first launch compiles and blocks are timed. Triton reads its when it is imported.
    with tempfile.TemporaryDirectory(prefix="gpu_check_") as cache:
        os.environ |= {"TRITON_CACHE_DIR": cache, "XDG_CACHE_HOME": cache}
        return check(arguments, parser)


def check(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Run all parts, write and show what was found."""
    import torch
    from gpu_course import Check, run
    from gpu_tables import Report, markdown, show, tables
    from gpu_times import dry_plan, plan

    if not arguments.dry_run and not torch.cuda.is_available():
        parser.error("torch finds no CUDA device here (to try this script: --dry-run)")
    folders = sorted(path.parent for path in arguments.packages.glob("*/__init__.py"))
    course = Check(Report(), arguments.json, arguments.seconds)
    chosen = dry_plan() if arguments.dry_run else plan(torch.device(arguments.device))
    run(chosen, folders, course, arguments.commit)
    found = tables(course.report)
    arguments.json.with_suffix(".md").write_text(markdown(found))
    show(found)
    return 1 if course.report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
