"""What is known about the inputs of a universe: each interval, from the least to the largest value."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hamlet.numbers.binary32 import LARGEST
from hamlet.schema import MOST_AGENTS
from hamletc.compile import check
from hamletc.language.source import Source
from hamletc.lowering import lower
from hamletc.passes.facts import facts_of
from hamletc.passes.interval import ANY_F32, Interval
from hamletc.read import parsed
from samples import sample

COUNT = Interval(0, 2**31 - 1)
GRID = """
universe known
space grid 5 x 3
clock 10 hours
lifespan 60 ticks
track uses
param p = 1 in -2 .. 3
meter energy = 1 { decay 0.01 }
affordance Bed at random open 2 .. 8 { instantly { energy += 1 } }
affordance Den at (0, 0) lasts 3 ticks { each tick { energy += 1 } }
affordance Pub at random { instantly { energy += p when streak of Pub > 2 } }
dies when energy <= 0
reward energy
observe { meters }
"""
AIR = """
universe air
space continuous (-1 .. 1) x (0 .. 4) { reach 0.5 }
moves { EAST (0.5, 0)  SOUTH (0, 0.5) }
meter energy = 1 { decay 0.01 }
reward energy when speed > 0
observe { meters velocity }
"""
MOSS = """
universe moss
space grid 4 x 3
cells {
    meter moss = 0.5 in -1 .. 2
    rule grow: moss += 0.1 * neighbours(0.5 * moss)
}
meter energy = 1 { decay 0.01 }
rule warm: energy += 0.01 * moss
reward energy
observe { meters  cell moss }
"""
LOOSE = """
universe loose
space none
meter a = 0.5
meter b = 0.5 { decay 0.01 }
rule copied: b = a
rule put: a = 0.5 unclamped
reward a + b
observe { meters }
"""


def known(text: str, reach: bool = True) -> dict[str, Interval]:
    source = Source(Path("known.hamlet"), text)
    universe = check(parsed(source)).universe
    if not reach:
        universe = replace(universe, meters=tuple(replace(meter, reach=None) for meter in universe.meters))
    return dict(facts_of(universe, lower(universe)).inputs)


def test_a_grid() -> None:
    x, y, cells, used = Interval(0, 4), Interval(0, 2), Interval(0, 14), Interval(-1, 2)
    facts = known(GRID)
    earlier = {name.removeprefix("before."): where for name, where in facts.items() if name.startswith("before.")}
    now = {name: where for name, where in facts.items() if not name.startswith("before.")}
    assert earlier == now
    assert now == {
        "age": Interval(0, 60),
        "agent": COUNT,
        "agents": Interval(1, COUNT.high),
        "cells_at": COUNT,
        "used": used,
        "action": Interval(0, 5),
        "engaged": used,
        "progress": COUNT,
        "last": used,
        "hour": Interval(0, 9),
        **{f"{what}.x": x for what in ("position", "used_at", "moved")},
        **{f"{what}.y": y for what in ("position", "used_at", "moved")},
        "episode": COUNT,
        **{f"streak.{name}": COUNT for name in ("Bed", "Den", "Pub")},
        "param.p": Interval(-2.0, 3.0, False, True),
        "meter.energy": Interval(0.0, 1.0, False, True),
        "cell": cells,
        "cell.0": cells,
        "cell.1": cells,
        "index": cells,
        "found": Interval(-1, 1),
    }


def test_a_continuous_space() -> None:
    """Positions are in the space; a step leads from end to end at most."""
    facts = known(AIR)
    assert facts["age"] == COUNT
    assert "used_at.x" not in facts
    for name, (low, high) in {"x": (-1.0, 1.0), "y": (0.0, 4.0)}.items():
        assert facts[f"position.{name}"] == Interval(low, high, False, True)
        assert facts[f"velocity.{name}"] == Interval(low - high, high - low, False, True)


def test_cells() -> None:
    facts = known(MOSS)
    assert facts["cells.moss"] == facts["was.moss"] == Interval(-1.0, 2.0, False, True)
    (near,) = (where for name, where in facts.items() if name.startswith("near."))
    # Four cells are beside one; of a sum one term more is thought possible than there are.
    assert Interval(-2.0, 4.0, False, True).within(near)
    assert near.within(Interval(-2.5, 5.0, False, True))
    assert facts["cells_at"] == COUNT


def test_agents_are_counted_in_whole_numbers() -> None:
    counting = GRID + "report busy: count(action == INTERACT)\nreport place: rank(true, energy)\n"
    alone, together = known(GRID), known(counting)
    found = [where for name, where in together.items() if name not in alone]
    assert Interval(0.0, float(MOST_AGENTS), whole=True) in found
    assert Interval(0.0, MOST_AGENTS - 1.0, whole=True) in found


def test_all_agents_of_the_largest_world_have_as_much_together() -> None:
    alone, together = known(GRID), known(GRID + "report all: total(energy)\n")
    bounds = [(where.low, where.high) for name, where in together.items() if name not in alone]
    assert bounds == [(0.0, MOST_AGENTS)]


def test_a_meter_that_a_statement_leaves_unclamped() -> None:
    """It begins where ticks leave it; in a package of an older compiler, which does not say that, anywhere."""
    clamped = LOOSE.replace(" unclamped", "")
    assert known(clamped)["meter.a"] == Interval(0.0, 1.0, False, True)
    assert known(LOOSE)["meter.a"] == Interval(0.0, 1.0, False, True)
    assert known(LOOSE, reach=False)["meter.a"] == Interval(-LARGEST, LARGEST, False, True)
    squared = LOOSE.replace("a = 0.5 unclamped", "a = a * a unclamped")
    assert known(squared)["meter.a"] == Interval(0.0, 1.0, False, True)
    assert known(squared, reach=False)["meter.a"] == ANY_F32
    assert known(LOOSE)["meter.b"] == Interval(0.0, 1.0, False, True)


def test_stored_places() -> None:
    """A cell is one number, counted through all axes."""
    universe = sample("vast")
    facts = facts_of(universe, lower(universe)).inputs
    assert facts["place.Camp.0"] == Interval(0, 5000 * 3000 * 70 * 2 - 1)
