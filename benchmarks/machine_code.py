"""Machine code of the shipped universes' kernels, compiled ahead of time without a GPU:

    python benchmarks/machine_code.py

Registers, spills and instructions of every kernel for every architecture; and the instructions that each executes per
agent-tick on sm_90, by pipe and by phase, with the bytes that it moves. Writes benchmarks/results/kernels.json and a
table of the same name. `make kernels` does it and puts the numbers into the pages.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from dataclasses import fields
from pathlib import Path
from typing import Any

from facts import ROOT, facts

import hamlet
from hamlet.launch.gpu.forms import FORMS
from hamlet_lab.machine_code.kernels import compile_kernels
from hamlet_lab.machine_code.pipes import PIPES, pipe
from hamlet_lab.machine_code.sass import Loop
from hamlet_lab.profile.counts import Counted, count

UNIVERSES = ("first_meal", "town", "shifts")
CAPABILITIES = (80, 90, 100)


COUNTED = 90
"""The capability for which executed instructions are counted."""


def executed(universe: str, counted: Counted) -> dict[str, Any]:
    """What a kernel executes per agent-tick, and how many of those instructions the ALU pipe does, by phase."""
    phases: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for item in counted.items:
        phases[item.purpose.phase][0] += item.executed
        phases[item.purpose.phase][1] += item.alu
    names = [field.name for field in fields(counted) if field.name != "items"]
    return {"universe": universe, **{name: getattr(counted, name) for name in names}, "phases": phases}


def numbers(loop: Loop) -> dict[str, int]:
    """The instructions of a loop: those of every turn, how many of them the ALU pipe does, and those of branches."""
    alu = sum(count for opcode, count in loop.opcodes.items() if pipe(opcode) == "alu")
    return {"every": loop.every, "alu": alu, "sometimes": loop.sometimes}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--universe", nargs="+", default=UNIVERSES, help="of generated/")
    parser.add_argument("--capability", nargs="+", type=int, default=CAPABILITIES)
    parser.add_argument("--json", type=Path, default=ROOT / "benchmarks" / "results" / "kernels.json")
    arguments = parser.parse_args()
    rows, counts = [], []
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
                        "loop": None if found.loop is None else numbers(found.loop),
                    }
                )
        counts += [executed(name, counted) for counted in count(module, COUNTED, FORMS)]
    report = {
        "facts": facts("benchmarks/machine_code.py", "none"),
        "kernels": rows,
        "executed": counts,
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
        "The loop is that over ticks in a rollout. *every time*: instructions that each tick runs, *ALU*: how many of",
        "them the ALU pipe does, which takes two clocks for each; *at times*: those",
        "of branches, as a new Philox block every fourth tick, or a new episode.",
        "",
        "| universe | kernel | GPU | registers | bytes spilled | instructions | loop: every time | ALU | at times |",
        "|---|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for row in report["kernels"]:
        loop = row["loop"] or {"every": "", "alu": "", "sometimes": ""}
        cells = (
            row["universe"], row["kernel"], f"sm_{row['capability']}", row["registers"], row["spilled"],
            f"{row['instructions']:,}", loop["every"], loop["alu"], loop["sometimes"],
        )  # fmt: skip
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    lines += [
        "",
        f"Executed per agent-tick on sm_{COUNTED}: instructions, those of each pipe, and bytes of global memory.",
        "",
        f"| universe | kernel | executed | {' | '.join(PIPES)} | stores | bytes read | written | waits for loads |",
        f"|---|---|{'--:|' * (len(PIPES) + 5)}",
    ]
    for row in report["executed"]:
        numbers = [row["executed"], *(row["pipes"].get(name, 0.0) for name in PIPES)]
        numbers += [row["stores"], row["read"], row["written"]]
        cells = (row["universe"], row["kernel"], *(f"{number:,.1f}" for number in numbers), f"{row['waits']:.2f}")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
