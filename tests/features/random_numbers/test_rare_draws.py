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
from hamlet_lab.verify.fired import counting
from hamlet_lab.verify.naming import draw_names
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
    assert report.coverage["choice in line 11, column 15: option 2"] > 0
    assert report.coverage["chance in line 7, column 35: fails"] > 0


def test_draws_are_named_by_their_text() -> None:
    names = draw_names(universe(RARE), {"rare.hamlet": RARE})
    assert list(names.values()) == [
        "`chance(0.00003)` in line 6: holds",
        "`chance(0.00003)` in line 6: fails",
        "`chance(0.999999)` in line 7: holds",
        "`chance(0.999999)` in line 7: fails",
        "`chance(0.00001)` in line 8: holds",
        "`chance(0.00001)` in line 8: fails",
        "`choice(1: 1, 2: 0.00003, health: 2)` in line 11: option 1, `1`",
        "`choice(1: 1, 2: 0.00003, health: 2)` in line 11: option 2, `2`",
        "`choice(1: 1, 2: 0.00003, health: 2)` in line 11: option 3, `health`",
    ]


def test_draws_of_copies_and_long_ones_have_names_of_their_own() -> None:
    many = ", ".join(str(number) for number in range(60))
    text = RARE.replace("choice(1: 1, 2: 0.00003, health: 2)", f"choice({many})")
    text = text.replace("space none", "space grid 3 x 3").replace("Inn {", "Inn: 3 copies at random {")
    names = draw_names(universe(text), {"rare.hamlet": text})
    assert names.keys() == {name for name in counting(universe(text)).counts if name.startswith("draw ")}
    assert len(set(names.values())) == len(names)
    assert "`chance(0.00001)` in line 8, copy 3: fails" in names.values()
    assert "`choice(0, 1, 2, 3, 4, 5, 6, ... 53, 54, 55, 56, 57, 58, 59)` in line 11: option 60, `59`" in names.values()


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
