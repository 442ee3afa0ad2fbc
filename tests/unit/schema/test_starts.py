"""How episodes begin is declared once, in `hamlet.schema`; docs/semantics.md is what the declaration is held to."""

from __future__ import annotations

import re
from pathlib import Path

from hamlet import schema
from samples import universe_of

PAGE = Path(__file__).parents[3] / "docs" / "semantics.md"
EVERYTHING = """
universe everything
space continuous (0 .. 4) x (0 .. 4) { step 0.5  reach 1 }
clock 24 hours
lifespan 50 ticks
start velocity (0.5, 0) speed 2
track uses by agent
meter energy = 1.0 { decay 0.01 }
affordance Bed at random lasts 3 ticks { each tick { energy += 0.1 } }
rule r: last == Bed -> energy -= 0.001 * speed
dies when energy <= 0
reward energy
observe { position relative  velocity  meters  time }
"""


def test_fields_begin_as_the_page_says() -> None:
    section = PAGE.read_text().partition("## A new episode")[2].partition("\n\n## ")[0].partition("\n\n")[2]
    said = dict(re.findall(r"(\w+) = (-?\d+|true|false)\b", section.partition("\n\n")[0]))
    declared = {
        field.name: str(field.start).lower()
        for field in schema.state_fields(universe_of(EVERYTHING))
        if field.start is not None
    }
    assert declared == said
