"""Whatever parses, is checked: a universe or errors, never an exception."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from checking_cases import BASE
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
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
NEW = """
universe rich
space continuous (0 .. 10) x (-1 .. 1) { step 0.5  reach 1  directions 8  speeds 2  edges bounce }
clock 24 hours
lifespan 500 ticks { reward 0.5 }
episodes by hand
track uses by world
param level = 1.0 in 0.5 .. 2
input curiosity = 0 in -10 .. 10
meter energy = 1.0 { decay 0.01 * level }
meter `Fast Food` = 0.5 { decay 0.01 }
meter `age` = 0.5 { decay 0.01 * (day_sin + day_cos + 3) }
affordance Bed at random open 8 .. 18 { instantly { energy += 0.5  `Fast Food` += 0.1 } }
affordance Job at (1, 0.5) lasts 4 ticks together {
    each tick { `age` += 0.1 }
    on completion { energy += 0.1 * progress }
}
affordance Garden at (1, 0.5) lasts forever { each tick { energy += 0.01 * progress } }
affordance Bench at random { }
action DASH { energy -= 0.1  move (0.5, -0.25)  keeps progress }
action HOME { teleport (0, 0) }
allow DASH WAIT when energy > 0.1 and progress < 2
allow MOVE_0_1 when false
allow all when energy > 0
dies when energy <= 0
reward near: energy * `Fast Food` + 0.1 * (position x) - 0.1 * speed
reward 0.1 * straight distance to Bed - 0.1 * distance to Bed + curiosity
reward 0.1 when (last == Bed or last == nothing or streak of Bed > 3 or visited > 2)
report approach: velocity y + previous(distance to Bed) - distance to Bed + 0.1 * `age`
report maths: sqrt(energy) + exp(energy) + log(energy + 1) + sin(hour) + tanh(energy) + pow(energy, 2)
observe { position scaled  velocity x  speed  meters `age` energy  here Bed nothing  time  progress per 10  blank 3
          constant 0 -1 0.5  lifetime  params }
"""
WORD = re.compile(r"(?<=[ ({])[A-Za-z_0-9.]+")


@st.composite
def mangled(draw: st.DrawFn, text: str) -> str:
    """The text with some words replaced by others of it, or by numbers."""
    words = [
        *WORD.findall(text),
        "-1",
        "0",
        "1e38",
        "1e-40",
        "0.5",
        "nothing",
        "here",
        "deficit",
        "last",
        "previous",
        "x",
        "none",
    ]
    for _ in range(draw(st.integers(1, 3))):
        places = list(WORD.finditer(text))
        place = draw(st.sampled_from(places))
        text = text[: place.start()] + draw(st.sampled_from(words)) + text[place.end() :]
    return text


@settings(max_examples=examples(200), deadline=None)
@given(st.one_of(mangled(RICH), mangled(NEW), mangled(f"{NEW}inert allowed"), mangled(SHIFTS)))
def test_mangled_universes(text: str) -> None:
    file, diagnostics = parse(text)
    if file is None or diagnostics:
        return
    universe, findings = check(file, ("mangled.hamlet",))
    assert (universe is None) == any(finding.severity == "error" for finding in findings)
    places = [(finding.primary.span.line, finding.primary.span.column) for finding in findings]
    assert places == sorted(places)
    assert findings == check(file, ("mangled.hamlet",))[1]


@pytest.mark.parametrize("text", [RICH, NEW])
def test_the_rich_universes_are_right(text: str) -> None:
    file, diagnostics = parse(text)
    assert file is not None
    assert not diagnostics
    universe, findings = check(file, ("rich.hamlet",))
    assert findings == ()
    assert universe is not None
