"""How long `hamletc check` and `hamletc fmt` take for long texts:

    python benchmarks/texts.py

Each text repeats one kind of line: rules with a guard, meters that run down and are observed, pairs of a let and a rule
that uses it. Each command is a process of its own; the CPU time of user and system counts, which other work on the
machine changes less than the time on a clock. `hamletc check` of the town, in between, says how busy the machine is.
Prints seconds, and writes JSON to benchmarks/results/; docs/performance.md shows it.
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
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).parent / "results" / "texts.json"

HEAD = "universe long\nspace grid 8 x 8\nmeter energy = 1.0 { decay 0.001 }\n"
TAIL = """\
affordance Bed at random { instantly { energy += 0.5 } }
dies when energy <= 0
reward 0.1
observe { grid  meters }
"""
LINES = {
    "rules": "rule r{n}: energy < 0.{digit} -> energy -= 0.00001\n",
    "meters": "meter m{n} = 1.0 {{ decay 0.001 }}\n",
    "lets and rules": "let l{n} = energy + 0.{digit}\nrule r{n}: l{n} > 1 -> energy -= 0.00001\n",
}

MOST = {"lets and rules": 13_000}
"""The most lines: lets stand for no more than 20,000 names, numbers and operations."""


def text(kind: str, lines: int) -> str:
    """A universe of so many lines of a kind, and some more."""
    line = LINES[kind]
    each = line.count("\n")
    return HEAD + "".join(line.format(n=n, digit=n % 9 + 1) for n in range(lines // each)) + TAIL


def cpu_seconds(*command: str) -> float:
    """CPU time of a process, user and system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(Path(sys.executable).with_name("hamletc")), *command], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, nargs="+", default=[2_000, 8_000, 20_000])
    parser.add_argument("--json", type=Path, default=RESULTS)
    arguments = parser.parse_args()

    town = str(ROOT / "universes" / "town.hamlet")
    rows, of_town = [], [cpu_seconds("check", town)]
    for kind in LINES:
        for lines in (each for each in arguments.lines if each <= MOST.get(kind, each)):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "long.hamlet"
                path.write_text(text(kind, lines), encoding="utf-8")
                row = {"kind": kind, "lines": lines, "check": cpu_seconds("check", str(path))}
                row["fmt"] = cpu_seconds("fmt", str(path))
            rows.append(row)
            of_town.append(cpu_seconds("check", town))
            print(f"{kind:15} {lines:7,} lines: check {row['check']:6.2f} s, fmt {row['fmt']:6.2f} s", flush=True)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    report = {
        "rows": rows,
        "town": {"median_s": statistics.median(of_town), "fastest_s": min(of_town), "slowest_s": max(of_town)},
        "machine": f"{platform.machine()}, {os.cpu_count()} CPUs",
        "python": platform.python_version(),
        "commit": commit,
        "command": " ".join(("python benchmarks/texts.py", *sys.argv[1:])),
        "load": os.getloadavg()[0],
    }
    arguments.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
