"""A universe with room for many agents that has everything: clock, params, lasting and fixed affordances, tables."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hamlet.module import Module, load
from hamlet.universe import Universe
from hamletc.compile import Options, Source, Stopwatch, build, check, parse
from hamletc.package import write

SOURCE = """
universe crowded
space grid 48 x 40 { edges bounce  distance chebyshev }
clock 6 hours
lifespan 40 ticks { reward 0.5 }
param haste = 1.0 in 0.5 .. 2
meter energy = 1.0 { decay 0.02 * haste  move 0.01 }
meter mood = 0.5 { interact 0.004 }
cascade tired_is_sad: energy < 0.6 -> mood -= 0.03 * deficit
rule nights_rest: hour >= 4 -> energy += 0.004
affordance Fountain at (3, 2) { instantly { mood += 0.1 } }
affordance Bench at random open 1 .. 5 lasts 2 ticks {
    each tick { energy += 0.05 }
    on completion { mood += 0.2 }
}
action STRETCH { mood += 0.011 }
action SPRINT { needs energy > 0.3  energy -= 0.02  move (2, -1) }
dies when energy <= 0 or mood <= 0.1
reward energy * mood - 0.001 * distance to Bench
observe { window 1  position relative  meters  here  time  progress  lifetime  params }
"""


@cache
def universe() -> Universe:
    source = Source(Path("crowded.hamlet"), SOURCE)
    return check(source, parse(source)).universe


def compiled(of: Universe, folder: Path) -> Module:
    """A universe, compiled into a folder and loaded."""
    write(build(of, Options(targets=("numba",)), Stopwatch()), folder)
    return load(folder)
