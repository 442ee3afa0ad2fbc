"""Kernels as each supported Triton compiles them, without a GPU:

    python tests/static/tritons.py

makes a virtual environment for each version of Triton under build/tritons, compiles there the kernels of the shipped
universes, of episodes by hand, of fields that stay in memory, of worlds of many agents, and of such whose agents meet,
and writes their registers, spills, instructions and waits for loads to benchmarks/results/tritons.md. The exit status
is 1 where a kernel spills.
"""

from __future__ import annotations

import argparse
import json
import os
import site
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from hamlet.launch.gpu.forms import Form
from hamlet.package.module import load
from hamlet.universe import Universe
from hamlet_lab.machine_code.kernels import MachineKernel, compile_kernels
from hamletc.compile import Options, build
from hamletc.frontend import Stopwatch
from hamletc.package import write
from samples import sample, universe_of
from samples.written import household

ROOT = Path(__file__).parents[2]
TRITONS = ("3.6.0", "3.7.1", "3.9.0")
"""Those that torch 2.11 and 2.12 for CUDA bring, and the one with which other tests run."""
CAPABILITIES = (80, 90, 100)
MEASURED: tuple[Form, ...] = ("step", "rollout_observing")
"""Those with most in registers: a tick and observations."""


@dataclass(frozen=True, slots=True)
class Case:
    """A universe, and the agents of its worlds."""

    name: str
    agents: int = 1

    @property
    def title(self) -> str:
        return self.name if self.agents == 1 else f"{self.name}, {self.agents} agents"


CASES = (
    Case("town"),
    Case("shifts"),
    Case("first_meal"),
    Case("household"),
    Case("household by hand"),
    Case("town", 32),
    Case("queue", 256),
    Case("epidemic", 256),
    Case("gallery/queue", 256),
    Case("gallery/market", 256),
    Case("gallery/epidemic", 256),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """A kernel as one Triton compiles it; numbers as of `MachineKernel`."""

    case: str
    kernel: str
    capability: int
    registers: int
    spilled: int
    instructions: int
    waits: int


def measured(case: Case, found: MachineKernel) -> Measured:
    spilled = found.stack + found.local
    return Measured(
        case.title, found.kernel, found.capability, found.registers, spilled, found.instructions, found.waits
    )


def described(name: str) -> Universe:
    """The universe that a case names: one of the gallery, of the tests, or written by them."""
    if name.startswith("gallery/"):
        path = ROOT / "universes" / f"{name}.hamlet"
        return universe_of(path.read_text(encoding="utf-8"), path)
    return universe_of(household(name.endswith("by hand"))) if name.startswith("household") else sample(name)


def measure(cases: Sequence[Case], capabilities: Sequence[int]) -> Iterator[Measured]:
    """The kernels of these cases with the Triton of this process."""
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            universe = described(case.name)
            path = Path(folder, case.name.replace("/", " "))
            if not path.exists():
                write(build(universe, Options(targets=("triton",)), Stopwatch()), path)
            module = load(path)
            for capability in capabilities:
                kernels = compile_kernels(module.kernels("triton"), universe, capability, MEASURED, case.agents)
                yield from (measured(case, each) for each in kernels.values())


def environment(folder: Path, version: str) -> Path:
    """The Python of an environment with this Triton; everything else is that of this process."""
    path = folder / f"triton-{version}"
    python = path / "bin" / "python"
    if not (path / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--clear", path], check=True)
        install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps"]
        subprocess.run([*install, f"triton=={version}"], check=True)
        (path / "ready").touch()
    # Written each time: an environment that is kept must not have the compiler of an earlier process.
    others = "".join(f"import site; site.addsitedir({each!r})\n" for each in site.getsitepackages())
    packages = next(path.glob("lib/python*/site-packages"))
    (packages / "others.pth").write_text(others, encoding="utf-8")
    return python


def measured_by(python: Path, options: Sequence[str]) -> list[Measured]:
    """What the Triton of an environment gives."""
    clean = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    command: list[str | Path] = [python, __file__, "--measure", *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=clean, check=True)
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return [Measured(**row) for row in rows]


def table(found: dict[str, list[Measured]]) -> str:
    """What was measured, for a reader: a row per kernel, a column per Triton."""
    versions = list(found)
    measured_here = {each.case for rows in found.values() for each in rows}
    left_out = [case.title for case in CASES if case.title not in measured_here]
    lines = [
        "# Kernels as each Triton compiles them",
        "",
        "Made by `make tritons`, without a GPU. A cell: registers of a thread / instructions / loads from memory in a",
        "row for which it waits; **bytes spilled** where there are any. One agent per world if nothing else is said.",
        "`household` has fields that stay in memory and places that are stored.",
        *([f"This run left out: {'; '.join(left_out)}."] if left_out else []),
        "",
        f"| universe | kernel | GPU | {' | '.join(f'Triton {version}' for version in versions)} |",
        f"|---|---|---|{'---|' * len(versions)}",
    ]
    for row in zip(*found.values(), strict=True):
        cells = [
            f"{each.registers} / {each.instructions:,} / {each.waits}"
            + (f" **{each.spilled} bytes spilled**" if each.spilled else "")
            for each in row
        ]
        lines.append(f"| {row[0].case} | {row[0].kernel} | sm_{row[0].capability} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--triton", nargs="+", default=TRITONS, help="versions (default: %(default)s)")
    parser.add_argument("--capability", nargs="+", type=int, default=CAPABILITIES, help="80: A100, 90: H100, 100: B200")
    titles = [case.title for case in CASES]
    parser.add_argument("--case", nargs="+", choices=titles, default=titles, help="which universes (default: all)")
    parser.add_argument("--environments", type=Path, default=ROOT / "build" / "tritons", help="where they are kept")
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "results" / "tritons.md")
    parser.add_argument("--measure", action="store_true", help="only print what this Python's Triton gives, as JSON")
    asked = parser.parse_args()
    if asked.measure:
        cases = [case for case in CASES if case.title in asked.case]
        print(json.dumps([asdict(each) for each in measure(cases, asked.capability)]))
        return 0
    options = ["--capability", *map(str, asked.capability), "--case", *asked.case]
    pythons = [environment(asked.environments, version) for version in asked.triton]
    with ThreadPoolExecutor(len(pythons)) as all_of_them:
        rows = all_of_them.map(lambda python: measured_by(python, options), pythons)
        found = dict(zip(asked.triton, rows, strict=True))
    asked.results.write_text(table(found), encoding="utf-8")
    spilling = [(version, each) for version, rows in found.items() for each in rows if each.spilled]
    for version, each in spilling:
        print(f"Triton {version} spills {each.spilled} bytes: {each.case}, {each.kernel}, sm_{each.capability}")
    return 1 if spilling else 0


if __name__ == "__main__":
    sys.exit(main())
