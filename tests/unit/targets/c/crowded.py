"""A universe with room for many agents that has everything: clock, params, lasting and fixed affordances, tables."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hamlet.package.module import Module, load
from hamlet.universe import Universe
from hamletc.compile import Options, build, check
from hamletc.frontend import Stopwatch
from hamletc.language.source import Source
from hamletc.package import write
from hamletc.read import parsed

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

CACHED = SOURCE.replace("48 x 40 { edges bounce", "16 x 13 { starts anywhere  edges bounce").replace(
    "{ window 1", "{ grid"
)
"""On so few cells that kernels have a cache of those of the bench."""

APART = """
universe apart
space grid 9 x 7
lifespan 30 ticks
meter energy = 1.0 { decay 0.02 }
affordance Fixed at (3, 2) { instantly { energy += 0.01 } }
""" + "".join(
    f"affordance Bench_{number} at random {{ instantly {{ energy += 0.0{number + 1} }} }}\n" for number in range(16)
)
APART += "dies when energy <= 0\nreward energy\nobserve { grid  meters  here }\n"
"""Agents begin on cells of their own, which kernels have in the cache behind those of sixteen benches."""

TRACKED = """
universe tracked
space continuous (0 .. 10) x (-1 .. 3) { step 0.7  reach 1.5  edges bounce }
clock 5 hours
lifespan 30 ticks { reward 0.25 }
track uses by world
input hint = 0.5 in -1 .. 1
meter fuel = 1 { decay 0.02  move 0.001 }
meter luck = 0.5 { interact 0.002 }
affordance Pump at random lasts 3 ticks { each tick { fuel += 0.05 }  on completion { luck += 0.1 } }
affordance Bay at (1, 1) open 1 .. 4 { instantly { fuel += 0.1 } }
action LEAP { luck -= 0.02  move (4, -0.3)  keeps progress }
dies when fuel <= 0 or luck <= 0.1
reward fuel: fuel * hint
reward 0.1 * visited + 0.05 * streak of Pump - 0.02 * distance to Bay
reward 0.3 when last == nothing
report pace: speed + previous(velocity x)
observe { position relative  velocity  meters  here  time  progress per 3  lifetime }
"""
"""Worlds whose agents remember what they used whenever one of them interacts."""
BY_HAND = TRACKED.replace("universe tracked", "universe handled\nepisodes by hand")


@cache
def universe(text: str = SOURCE) -> Universe:
    source = Source(Path("crowded.hamlet"), text)
    return check(parsed(source)).universe


def compiled(of: Universe, folder: Path) -> Module:
    """A universe, compiled into a folder and loaded."""
    write(build(of, Options(targets=("c",)), Stopwatch()), folder)
    return load(folder)
