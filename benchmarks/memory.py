"""By how much a process grows that compiles many universes:

    python benchmarks/memory.py

A process makes an environment of one universe after the other, steps it and drops it: small universes, of which no two
have the same text, on kernels in C. What it has in memory is read after each, once Python's collector ran. The first
process has no machine code on the disk, so that a compiler, a process of its own, makes the kernels; a second one finds
all that the first has kept. The first universe of a process, for which it loads what all share, is not counted.

Prints megabytes for each universe, and writes a table to benchmarks/results/.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from facts import facts

RESULTS = Path(__file__).parent / "results" / "memory.md"


def text(number: int) -> str:
    """A small universe; those of other numbers have other texts."""
    lines = [f"meter m0 = 1.0 {{ decay 0.00{number + 1} }}\n"]
    lines += [
        f"meter m{each} = 1.0 {{ decay 0.00{number + each + 1}  only falls }}\n" for each in range(1, 1 + number % 4)
    ]
    space, at, observed = (("grid 8 x 8", "at random ", "grid  meters"), ("none", "", "meters"))[number % 2]
    affordance = f"affordance Bed {at}{{ instantly {{ m0 += 0.{number + 10} }} }}\n" if at else ""
    action = f"action Rest {{ m0 += 0.0{number + 10} }}\n"
    return (
        f"universe small_{number}\nspace {space}\n{''.join(lines)}{affordance}{action}"
        f"dies when m0 <= 0\nreward m0\nobserve {{ {observed} }}\n"
    )


def resident() -> float:
    """Megabytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def growth(count: int, folder: Path) -> Iterator[float]:
    """Megabytes for each of so many universes, compiled into a folder."""
    import torch

    import hamlet

    before = resident()
    for number in range(count):
        source = folder / f"small_{number}.hamlet"
        source.write_text(text(number), encoding="utf-8")
        env = hamlet.make(hamlet.compile(source, folder / str(number)), worlds=64, backend="c", quiet=True)
        env.reset()
        for _ in range(10):
            env.step(torch.zeros(64, dtype=torch.int32))
        del env
        gc.collect()
        after = resident()
        yield after - before
        before = after


def in_a_process(count: int, cache: Path) -> list[float]:
    """The same in a process of its own, with a folder as the user's cache."""
    command = [sys.executable, __file__, "--universes", str(count), "--here"]
    environment = os.environ | {"XDG_CACHE_HOME": str(cache)}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    grown: list[float] = json.loads(done.stdout)
    return grown


def row(name: str, grown: list[float]) -> str:
    """A row of the table."""
    middle, least, most = statistics.median(grown), min(grown), max(grown)
    return f"| {name} | {len(grown)} | {middle:.2f} | {least:.2f} to {most:.2f} | {sum(grown):.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--universes", type=int, default=32)
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--here", action="store_true", help="in this process, which prints JSON")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.here:
            print(json.dumps(list(growth(arguments.universes, Path(folder)))))
            return
        compiled, found = (in_a_process(arguments.universes, Path(folder)) for _ in range(2))
    table = [
        "| kernels | universes | MB for each, median | least to most | MB for all |",
        "|---|--:|--:|--:|--:|",
        row("compiled by a compiler", compiled[1:]),
        row("found on the disk", found[1:]),
    ]
    lines = [f"- {name}: {value}" for name, value in facts("benchmarks/memory.py", "c").items() if name != "load"]
    head = ["# Megabytes by which a process grows with each universe", "", *lines, ""]
    arguments.output.write_text("\n".join([*head, *table]) + "\n", encoding="utf-8")
    print("\n".join(table))


if __name__ == "__main__":
    main()
