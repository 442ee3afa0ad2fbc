"""Small universes as text, and what the checker says about them."""

from __future__ import annotations

from hamlet.universe import Universe
from hamletc.checking.check import check
from hamletc.diagnostics import Diagnostic
from hamletc.language.parser import parse

BASE = """
universe small
space grid 4 x 4
clock 24 hours
lifespan 100 ticks
param level = 1.0 in 0.5 .. 2
meter energy = 1.0 { decay 0.01 * level }
meter mood = 0.5 { decay 0.01 }
affordance Bed at random open 8 .. 18 { instantly { energy += 0.5  mood += 0.1 } }
dies when energy <= 0
reward energy
observe { grid  meters }
"""
"""A universe without findings; tests add declarations to it."""


def checked(text: str) -> tuple[Universe | None, tuple[Diagnostic, ...]]:
    """The result for a text without syntax errors."""
    file, diagnostics = parse(text)
    assert file is not None, diagnostics
    assert not diagnostics
    return check(file, ("small.hamlet",))


def universe(added: str = "", base: str = BASE) -> Universe:
    """The universe, which has no errors."""
    result, diagnostics = checked(base + added)
    assert result is not None, diagnostics
    return result


def codes(added: str = "", base: str = BASE) -> list[str]:
    """The codes of the findings, in source order."""
    return [diagnostic.code for diagnostic in checked(base + added)[1]]
