"""Whatever an expression reads may be all that a universe reads, and stand in any construct: kernels of every target
are written, with all that they need, and nothing that they do not have.

HAMLET_LONG_TESTS=1 has every expression in every construct, in minutes.
"""

from __future__ import annotations

from collections import Counter

import pytest

from hamletc.checking.check import check
from hamletc.compile import emit_kernels, lower, optimise, specialise
from hamletc.language.parser import parse

HEAD = """
universe alone
space grid 9 x 7
clock 24 hours
lifespan 90 ticks
inert allowed
track uses
param wage = 0.2 in 0 .. 1
input temp = 0.5 in 0 .. 1
control push in 0 .. 1
table steps 3 { 0 0.5 1 }
meter mood = 0.5 in 0 .. 1 { decay 0.01 }
meter rest = 0.5 in 0 .. 1
effect ill lasts 9 ticks { again renew }
rule sick: mood < 0.2 -> begin ill
affordance Bed at random { instantly { rest += 0.1 } }
"""
WORLD, CELLS = (
    "world {{ meter smoke = 0.3 in 0 .. 1  rule drifts: smoke += 0.01{} }}",
    "cells {{ meter moss = 0.3 in 0 .. 1  rule grows: moss += 0.01{} }}",
)
READ = {
    "draw": "uniform(0, 1)",
    "whole draw": "integer(0, 3) / 3",
    "normal draw": "clamp(normal(0, 1), 0, 1)",
    "chance": "(if chance(0.5) then 1 else 0)",
    "choice": "choice(0, 0.5, 1)",
    "agent": "agent / 10",
    "agents": "1 / agents",
    "hour": "hour / 24",
    "day": "0.5 * day_cos",
    "input": "temp",
    "param": "wage",
    "control": "push",
    "table": "steps[mod(age, 3)]",
    "position": "position x / 9",
    "distance": "distance to Bed / 20",
    "way": "walking distance to Bed / 20",
    "here": "(if here == Bed then 1 else 0)",
    "used": "(if used == Bed then 1 else 0)",
    "last": "(if last == Bed then 1 else 0)",
    "world": "smoke",
    "cell": "moss",
    "other cell": "0.1 * moss at (position x, 0)",
    "neighbours": "0.1 * neighbours(moss)",
    "wall": "(1 when wall at (position x, 0))",
    "all cells": "0.01 * total(moss) over cells",
    "all agents": "0.01 * total(mood)",
    "rank": "rank(true, mood) / 10",
    "nearest": "nearest(other, mood, 0)",
    "crowd": "0.1 * count(other) at (position x, position y)",
    "age": "age / 100",
    "past": "previous(mood)",
    "lag": "lag(mood, 2)",
    "mean": "smooth(mood, 0.2)",
    "since": "since(mood > 0.5, 9) / 10",
    "effect": "left of ill / 9",
}
"""Expressions in 0 .. 1, by what they read."""
CONSTRUCTS = {
    "reward": "reward {}",
    "potential": "reward shaping(0.9, {})",
    "counted reward": "reward 0.01 * count({} > 0.5)",
    "report": "report shown: {}",
    "observation": "observe {{ shown: {} }}",
    "window": "observe {{ window 1 of shown: {} }}",
    "rule": "rule sets: rest = {}",
    "guard": "rule adds: {} > 0.4 -> rest += 0.1",
    "local": "rule sets {{ let half = {}  rest = half }}",
    "rule that moves": "rule pushes: mood > 0.4 -> move (round({}), 0)",
    "rule that teleports": "rule leaps: teleport (clamp(round(4 * {}), 0, 8), 0)",
    "written cell": "rule seeds: moss at (clamp(round(4 * {}), 0, 8), 0) += 0.1",
    "cascade": "cascade hurts: rest < 0.4 -> mood -= 0.1 * {}",
    "decay": "meter worn = 1 in 0 .. 1 {{ decay 0.1 * {} }}",
    "start": "meter worn = clamp({}, 0, 1) in 0 .. 1 {{ decay 0.1 }}",
    "action": "action EAT {{ rest += {} }}",
    "needs of an action": "action EAT {{ needs {} > 0.2  rest += 0.1 }}",
    "action that moves": "action GO {{ move (round({}), 0) }}",
    "action that teleports": "action GO {{ teleport (clamp(round(4 * {}), 0, 8), 0) }}",
    "affordance": "affordance Bar at random {{ instantly {{ rest += {} }} }}",
    "needs": "affordance Bar at random {{ needs {} > 0.2  instantly {{ rest += 0.1 }} }}",
    "lasting affordance": "affordance Bar at random lasts 3 ticks {{ each tick {{ rest += {} }} }}",
    "completion": "affordance Bar at random lasts 3 ticks {{ on completion {{ rest += {} }} }}",
    "affordance that teleports": (
        "affordance Bar at random {{ instantly {{ teleport (clamp(round(4 * {}), 0, 8), 2) }} }}"
    ),
    "opening": "affordance Bar at random {{ open when {} > 0.3  instantly {{ rest += 0.1 }} }}",
    "capacity": "affordance Bar at random {{ capacity 1 to highest {}  instantly {{ rest += 0.1 }} }}",
    "effect": "effect cold lasts 3 ticks {{ again renew  each tick {{ rest -= {} }} }}\nrule r: begin cold",
    "until": "effect cold lasts 3 ticks {{ again renew  until {} > 0.8 }}\nrule r: begin cold",
    "death": "dies when {} > 0.9",
    "goal": "ends when {} > 0.9",
    "end of a world": "world ends when total({}) > 3",
    "allow": "allow WAIT when {} > 0.2",
    "turns": "acts when {} > 0.2",
    "rule of the world": "",
    "rule of cells": "",
}
"""Constructs, by the expression in them."""
FEW = ("draw", "agent"), ("reward", "action that teleports", "lasting affordance")


def text(construct: str, read: str) -> str:
    """A universe in which this construct alone has this expression."""
    expression, written = READ[read], CONSTRUCTS[construct].format(READ[read])
    world = WORLD.format(f" * {expression}" if construct == "rule of the world" else "")
    cells = CELLS.format(f" * {expression}" if construct == "rule of cells" else "")
    observed = "" if written.startswith("observe") else "observe { meters }"
    return "\n".join((HEAD, world, cells, written, "reward rest", observed, ""))


def written_out(construct: str, reads: tuple[str, ...]) -> Counter[str]:
    """How many universes were compiled for every target, and how many are none."""
    done: Counter[str] = Counter()
    for read in reads:
        file, problems = parse(text(construct, read))
        assert file is not None
        assert not problems, (construct, read, problems[0].message)
        universe, _ = check(file, ("alone.hamlet",))
        if universe is None:  # not everything is known everywhere
            done["refused"] += 1
            continue
        compilation = optimise(lower(universe))
        for target in ("triton", "c", "wasm"):
            assert emit_kernels(specialise(compilation, target), target)
        done["compiled"] += 1
    return done


@pytest.mark.parametrize("construct", FEW[1])
def test_what_one_construct_reads_reaches_it(construct: str) -> None:
    assert written_out(construct, FEW[0])["compiled"] > 0


@pytest.mark.long
@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_whatever_a_construct_reads_reaches_it(construct: str) -> None:
    assert written_out(construct, tuple(READ))["compiled"] > 3
