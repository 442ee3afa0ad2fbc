"""Machine code of the shipped universes' kernels, compiled ahead of time without a GPU:

    python benchmarks/machine_code.py

Registers, spills and instructions of every kernel for every architecture; and the instructions that the town's rollout
and step execute per agent-tick, by phase. Writes benchmarks/results/kernels.json and a table of the same name.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from facts import ROOT, facts

import hamlet
from hamlet_lab.machine_code.kernels import compile_kernels
from hamlet_lab.profile.counts import Counted, count

UNIVERSES = ("first_meal", "town", "shifts")
CAPABILITIES = (80, 90, 100)


def executed(counted: Counted) -> dict[str, Any]:
    """A kernel's instructions per agent-tick by phase."""
    phases: dict[str, float] = defaultdict(float)
    for item in counted.items:
        phases[item.purpose.phase] += item.executed
    return {
        "kernel": counted.kernel,
        "capability": counted.capability,
        "executed": counted.executed,
        "phases": phases,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--universe", nargs="+", default=UNIVERSES, help="of generated/")
    parser.add_argument("--capability", nargs="+", type=int, default=CAPABILITIES)
    parser.add_argument("--json", type=Path, default=ROOT / "benchmarks" / "results" / "kernels.json")
    arguments = parser.parse_args()
    rows = []
    for name in arguments.universe:
        module = hamlet.load(ROOT / "generated" / name)
        for capability in arguments.capability:
            for found in compile_kernels(module.kernels("triton"), module.universe, capability).values():
                rows.append(
                    {
                        "universe": name,
                        "kernel": found.kernel,
                        "capability": capability,
                        "registers": found.registers,
                        "spilled": found.stack + found.local,
                        "instructions": found.instructions,
                        "loop": None
                        if found.loop is None
                        else {"every": found.loop.every, "sometimes": found.loop.sometimes},
                    }
                )
    town = hamlet.load(ROOT / "generated" / "town")
    report = {
        "facts": facts("benchmarks/machine_code.py", "none"),
        "kernels": rows,
        "executed": [executed(count(town, 90, kernel)) for kernel in ("rollout", "step")],
    }
    arguments.json.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    text = table(report)
    arguments.json.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


def table(report: dict[str, Any]) -> str:
    """The kernels for a reader."""
    lines = [
        "# Machine code of the shipped universes' kernels",
        "",
        *(f"- {name}: {value}" for name, value in report["facts"].items()),
        "",
        "The loop is that over ticks in a rollout. *every time*: instructions that each tick runs; *at times*: those",
        "of branches, as a new Philox block every fourth tick, or a new episode.",
        "",
        "| universe | kernel | GPU | registers | bytes spilled | instructions | loop: every time | at times |",
        "|---|---|---|--:|--:|--:|--:|--:|",
    ]
    for row in report["kernels"]:
        loop = row["loop"] or {"every": "", "sometimes": ""}
        cells = (
            row["universe"], row["kernel"], f"sm_{row['capability']}", row["registers"], row["spilled"],
            f"{row['instructions']:,}", loop["every"], loop["sometimes"],
        )  # fmt: skip
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
