"""How long an author waits after an edit, from the text to the first tick, with nothing kept of the universe:

    python benchmarks/first_tick.py [--backend c] [universes/town.hamlet]

Prints seconds of CPU time in one process after its imports: of this process, and of the compilers that it runs. Other
work on the machine changes these less than the time on a clock, which is printed too.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from pathlib import Path

import torch

import hamlet
import hamlet.env.make
import hamlet.launch.cpu.ahead
import hamlet.launch.cpu.launch
from hamletc.targets.target import target, target_names

ROOT = Path(__file__).resolve().parent.parent


def spent() -> tuple[float, float, float]:
    """CPU seconds of this process and of those that it waited for, and the time on the clock."""
    mine, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return mine.ru_utime + mine.ru_stime, others.ru_utime + others.ru_stime, time.perf_counter()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("universe", nargs="?", default=ROOT / "universes" / "town.hamlet")
    parser.add_argument("--backend", default="c")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        # The first universe imports what compiling imports, and is another one.
        hamlet.compile(ROOT / "universes" / "first_meal.hamlet")
        assert all(target(name) for name in target_names())
        marks = [spent()]
        module = hamlet.compile(options.universe)
        marks.append(spent())
        env = hamlet.make(module, worlds=64, backend=options.backend, quiet=True)
        env.reset(seed=1)
        marks.append(spent())
        env.step(torch.zeros(env.num_lanes, dtype=torch.int32))
        marks.append(spent())
    for name, before, after in zip(("compile", "make and reset", "step"), marks, marks[1:], strict=False):
        own, others, clock = (late - early for early, late in zip(before, after, strict=True))
        print(f"{name:15} {own:6.2f} s here, {others:5.2f} s in compilers ({clock:.2f} s by the clock)")
    print(f"{'together':15} {sum(marks[-1][:2]) - sum(marks[0][:2]):6.2f} s of CPU time")


if __name__ == "__main__":
    main()
