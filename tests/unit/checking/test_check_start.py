"""`start`: what agents have before the first tick."""

from __future__ import annotations

import pytest
from checking_cases import codes, universe

from hamlet.universe import Start
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse

OBSERVED = """
universe small
space grid 4 x 4
lifespan 100 ticks
meter energy = 1.0 { decay 0.01 }
affordance Bed at random { instantly { energy += 0.5 } }
reward energy
observe { velocity  speed }
"""
NO_SPACE = """
universe small
space none
lifespan 100 ticks
meter energy = 1.0 { decay 0.01 }
action REST { energy += 0.5 }
reward energy
"""


def start_of(added: str, base: str = OBSERVED) -> Start | None:
    return universe(added, base).start


def test_what_is_said() -> None:
    said = start_of("start velocity (0.5, -1e3) speed 2")
    assert said is not None
    assert (said.velocity, said.speed) == ((0.5, -1000.0), 2.0)
    said = start_of("start velocity (0, 0.1)")
    assert said is not None
    assert (said.velocity, said.speed) == ((0.0, 0.1), None)
    said = start_of("start speed -1")
    assert said is not None
    assert (said.velocity, said.speed) == ((0.0, 0.0), -1.0)
    assert start_of("") is None


def test_a_speed_without_a_space() -> None:
    said = start_of("start speed 2  observe { speed }", NO_SPACE)
    assert said is not None
    assert (said.velocity, said.speed) == ((), 2.0)
    assert codes("observe { speed }", NO_SPACE) == ["H055"]
    assert codes("start speed 2  observe { meters }", NO_SPACE) == ["H060"]
    assert codes("report fast: previous(speed)  start speed 2  observe { meters }", NO_SPACE) == []
    assert codes("start velocity (1)  observe { meters }", NO_SPACE) == ["H055"]


@pytest.mark.parametrize(
    ("added", "code"),
    [
        ("start velocity (1)", "H042"),
        ("start velocity (1, 2, 3)", "H042"),
        ("start velocity (1, 2) start speed 1", "H024"),
        ("start velocity (0, 0)", "H064"),
        ("start velocity (0, 0) speed 0", "H064"),
        ("start velocity (1e-60, 0)", "H035"),
        ("start velocity (1e39, 0)", "H006"),
        ("start velocity (3e38, 3e38)", "H051"),
    ],
)
def test_mistakes(added: str, code: str) -> None:
    _, found = parse(OBSERVED + added)
    assert ([each.code for each in found] if found else codes(added, OBSERVED)) == [code]


def test_a_start_that_nobody_reads() -> None:
    blind = OBSERVED.replace("velocity  speed", "meters")
    assert codes("start velocity (1, 0)", blind) == ["H060"]
    assert codes("start velocity (1, 0) speed 3", blind) == ["H060", "H060"]
    assert start_of("start velocity (1, 0) speed 3  inert allowed", blind) is None
    sideways = OBSERVED.replace("velocity  speed", "velocity y")
    assert codes("start velocity (1, 0)", sideways) == ["H060"]
    assert codes("start velocity (0, 1)", sideways) == []
    assert codes("start velocity (3e38, 3e38)", sideways) == []


def test_ranges_hold_the_start() -> None:
    """A divisor that no move makes 0 can be 0 before the first tick, and the other way round."""
    assert codes("report r: 1 / (previous(speed) + 1)", OBSERVED) == []
    assert codes("start speed -1  report r: 1 / (previous(speed) + 1)", OBSERVED) == ["H050"]
    assert codes("report r: 1 / (10 - previous(velocity x))", OBSERVED) == []
    assert codes("start velocity (20, 0)  report r: 1 / (10 - previous(velocity x))", OBSERVED) == ["H050"]


def test_its_form() -> None:
    text = "universe a\n\nspace grid 4 x 4\nstart velocity (0.5, -1) speed 2\n\nmeter b = 1\n"
    assert format_source(text) == (text, ())
    assert format_source(text.replace("velocity (0.5, -1) ", ""))[0] == text.replace("velocity (0.5, -1) ", "")
    assert format_source("universe start\nmeter start=1 reward start")[0] is not None


def test_a_state_called_like_a_let_may_read_another_state_at_its_start() -> None:
    text = """universe named
space none
lifespan 10 ticks
meter energy = 1 { decay 0.01 }
let sunk = energy < 0.5
world {
    state level: int in 0 .. 3 = 2
    state sunk: int in 0 .. 4 = if level == 2 then 3 else 4
}
reward energy
observe { meters }
"""
    assert codes(text, "") == ["H022"]
