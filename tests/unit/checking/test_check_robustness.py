"""Whatever parses, is checked: a universe or errors, never an exception."""

from __future__ import annotations

import re
from pathlib import Path

from checking_cases import BASE
from hypothesis import given, settings
from hypothesis import strategies as st

from hamletc.checking.check import check
from hamletc.language.parser import parse

SHIFTS = (Path(__file__).parents[3] / "universes" / "shifts.hamlet").read_text()
RICH = (
    BASE
    + """
rule a: mood > 0.3 and hour < 8 -> { together { mood += 0.1  energy -= 0.2 }  mood -= 0.1 unclamped }
cascade b: mood < 0.3 -> energy -= 0.01 * deficit + 0.01 * shortfall
affordance Job at (1, 2) lasts 3 ticks { needs energy > 0.1  each tick { energy -= 0.1 }  on completion { mood = 1 } }
action HOP { needs age > 3  mood -= clamp(energy / (mood + 1), 0, 0.1)  move (1, -1) }
reward if here == Bed then 0.1 else distance to Job when (not here != Job)
"""
)
WORD = re.compile(r"(?<=[ ({])[A-Za-z_0-9.]+")


@st.composite
def mangled(draw: st.DrawFn, text: str) -> str:
    """The text with some words replaced by others of it, or by numbers."""
    words = [*WORD.findall(text), "-1", "0", "1e38", "1e-40", "0.5", "nothing", "here", "deficit"]
    for _ in range(draw(st.integers(1, 3))):
        places = list(WORD.finditer(text))
        place = draw(st.sampled_from(places))
        text = text[: place.start()] + draw(st.sampled_from(words)) + text[place.end() :]
    return text


@settings(max_examples=200, deadline=None)
@given(st.one_of(mangled(RICH), mangled(SHIFTS)))
def test_mangled_universes(text: str) -> None:
    file, diagnostics = parse(text)
    if file is None or diagnostics:
        return
    universe, findings = check(file, "mangled.hamlet")
    assert (universe is None) == any(finding.severity == "error" for finding in findings)
    places = [(finding.primary.span.line, finding.primary.span.column) for finding in findings]
    assert places == sorted(places)
    assert findings == check(file, "mangled.hamlet")[1]


def test_the_rich_universe_is_right() -> None:
    file, diagnostics = parse(RICH)
    assert file is not None
    assert not diagnostics
    universe, findings = check(file, "rich.hamlet")
    assert findings == ()
    assert universe is not None
