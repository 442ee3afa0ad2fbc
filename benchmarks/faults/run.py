"""What happens when things go wrong, tried many times:

    python benchmarks/faults/run.py

Packages and caches damaged byte by byte; compilers killed, side by side, on a full disk; homes that cannot be written;
a stdout that is closed or full; Ctrl-C in steps and rollouts. Writes what was tried, how often, and what went wrong to
benchmarks/results/faults.json and faults.md; exit code 1 if anything did. Takes half an hour; `--share 0.01` tries a
hundredth of everything. A full disk is a small one that is mounted, for which one must be root; beside it there is a
limit on the size of files.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from damage import damaged_caches, damaged_packages
from facts import facts
from fault import Fault
from interrupts import interrupted
from nothing import full_disks, homes_and_outputs
from writers import killed_compilers, two_compilers

RESULT = Path(__file__).resolve().parents[1] / "results" / "faults.json"
SHOWN = 5
"""Problems of a kind that are written down."""

ALL = (
    damaged_packages,
    damaged_caches,
    killed_compilers,
    two_compilers,
    full_disks,
    homes_and_outputs,
    interrupted,
)


def table(faults: list[Fault], told: dict[str, str]) -> str:
    """As Markdown."""
    lines = ["# Faults", "", "| what | expected | tried | seen | problems |", "| --- | --- | --: | --- | --: |"]
    for fault in faults:
        seen = ", ".join(f"{what}: {count:,}" for what, count in sorted(fault.seen.items()))
        lines.append(f"| {fault.name} | {fault.expected} | {fault.tried:,} | {seen} | {len(fault.problems)} |")
    return "\n".join([*lines, "", f"{told['machine']}; {told['versions']}; commit {told['commit'][:12]}; "
                      f"`{told['command']}`.", ""])  # fmt: skip


def main() -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(description="What happens when things go wrong, tried many times.")
    parser.add_argument("--share", type=float, default=1.0, help="how much of it (default: 1)")
    parser.add_argument("--only", choices=[each.__name__ for each in ALL], action="append", help="some of it")
    parser.add_argument("--json", type=Path, default=RESULT, help="where to write the results")
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    told, faults = facts("benchmarks/faults/run.py", "c"), []
    for each in ALL:
        if asked.only and each.__name__ not in asked.only:
            continue
        for fault in each(asked.share):
            faults.append(fault)
            print(f"{fault.tried:9,} {len(fault.problems):3} {fault.name}", flush=True)
            for problem in fault.problems[:SHOWN]:
                print(f"    {problem}", flush=True)
    listed = [asdict(fault) | {"problems": fault.problems[:SHOWN], "failed": len(fault.problems)} for fault in faults]
    asked.json.write_text(json.dumps({**told, "faults": listed}, indent=1) + "\n")
    asked.json.with_suffix(".md").write_text(table(faults, told))
    return int(any(fault.problems for fault in faults))


if __name__ == "__main__":
    sys.exit(main())
