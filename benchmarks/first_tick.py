"""How long an author waits after an edit, from the text to the first tick, with nothing kept of the universe:

    python benchmarks/first_tick.py [--backend c] [universes/town.hamlet]

Prints seconds of CPU time in one process after its imports: of this process, and of the compilers that it runs. Other
work on the machine changes these less than the time on a clock, which is printed too. The first tick is one of a draft
(`hamlet.native.drafts`); the last line has what the compiler takes for the library that takes its place.
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
from hamlet.native.drafts import finish
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
        finish()
        marks.append(spent())
    names = "compile", "make and reset", "step", "library, behind"
    for name, before, after in zip(names, marks, marks[1:], strict=False):
        own, others, clock = (late - early for early, late in zip(before, after, strict=True))
        if name == names[-1]:
            print(f"{'first tick':15} {sum(marks[3][:2]) - sum(marks[0][:2]):6.2f} s of CPU time")
        print(f"{name:15} {own:6.2f} s here, {others:5.2f} s in compilers ({clock:.2f} s by the clock)")


if __name__ == "__main__":
    main()
