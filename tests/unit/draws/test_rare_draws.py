"""Verification makes happen what has a small chance, by looking up when it does."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import pytest
import torch
from plain_philox import draw_word, site

from hamlet.backend.buffers import Shape
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Interpreter
from hamlet.universe import Universe
from hamlet_lab.verify import Candidate, Effort, verify
from hamlet_lab.verify.scenarios import rare_ticks
from hamletc.compile import check
from hamletc.language.source import Source
from hamletc.read import parsed

CPU = torch.device("cpu")
RARE = """
universe rare
space none
lifespan 50 ticks
meter health = 1 { decay 0.01 }
rule plague: chance(0.00003) -> health = 0.2
rule stroll: health -= 0.001 when chance(0.999999)
affordance Inn { instantly { health += 0.5  health += 0.1 when chance(0.00001) } }
dies when health <= 0
reward health
report treat: choice(1: 1, 2: 0.00003, health: 2)
observe { meters }
"""


def universe(text: str) -> Universe:
    source = Source(Path("rare.hamlet"), text)
    return check(parsed(source)).universe


def test_rare_chances_fire() -> None:
    """The interpreter against itself."""
    rare = universe(RARE)
    report = verify(rare, [Candidate(Interpreter(rare, CPU), CPU)], Effort(worlds=31, ticks=2, rounds=8))
    assert report.ok, report.render(counts=True)
    assert report.coverage["rule plague"] > 0
    assert report.coverage[f"draw {site('report treat')}, choice in line 11: option 2"] > 0
    assert report.coverage[f"draw {site('rule stroll')}, chance in line 7: fails"] > 0


def test_nothing_is_looked_up_where_everything_fired() -> None:
    assert list(rare_ticks(universe(RARE), (), Shape(5, 1), Stream(0, 0))) == []


def test_the_tick_is_one_of_the_worlds_where_the_world_draws() -> None:
    text = "world {\n    meter wrath = 0.5\n    rule rage: wrath = choice(0: 1, 1: 0.001)\n}\nreport felt: wrath\n"
    common, shape = universe(RARE + text), Shape(10, 2, first_world=7)
    told = f"draw {site('world rule rage')}, choice in line 15: option 2"
    (tick,) = rare_ticks(common, (told,), shape, Stream(3, 0))

    def word(world: int, tick: int) -> int:
        return draw_word(3, 7 + world, tick, site("world rule rage"), stream=2)

    begin = math.ceil(2**32 / (1 + Fraction(0.001)))
    assert [t for t in range(tick + 1) if any(word(world, t) >= begin for world in range(10))] == [tick]


@pytest.mark.parametrize("seed", [3, (1 << 40) + 3])
def test_the_tick_is_the_first_one(seed: int) -> None:
    """In plain Python: no lane draws below 0.001 before, and one does then."""
    common = universe(RARE.replace("0.00003", "0.001"))
    shape = Shape(10, 2, first_world=7)
    (tick,) = rare_ticks(common, (f"draw {site('rule plague')}, chance in line 6: holds",), shape, Stream(seed, 0))

    def word(lane: int, tick: int) -> int:
        return draw_word(seed, 14 + lane, tick, site("rule plague"))

    lucky = [t for t in range(tick + 1) if any(word(lane, t) >> 8 < 16778 for lane in range(20))]
    assert lucky == [tick]
