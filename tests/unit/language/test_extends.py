"""`extends`: a universe over another one is as if it had been written out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hamlet.universe import Universe
from hamletc.compile import check_file
from hamletc.errors import SourceError
from hamletc.expansion.places import rewritten
from hamletc.frontend import Stopwatch
from hamletc.language.syntax import NOWHERE

BASE = """universe easy
space grid 8 x 8
clock 24 hours
lifespan 100 ticks
param wage = 0.1 in 0 .. 1
let much = 0.5
template Shop(name, by) { affordance name at random { instantly { energy += by  money -= wage } } }
use Shop(Bakery, much)
use Shop(Market, much)
meter energy = 1 { decay 0.01 }
meter money = 0.5
rule ageing: energy -= uniform(0, 0.001)
cascade poor: money < 0.2 -> energy -= 0.01 * deficit
affordance Job at random open 8 .. 18 { instantly { money += wage } }
reward energy
reward rich: money
dies when energy <= 0
observe { meters  time }
"""
HARD = """universe hard extends "easy.hamlet"
without rule ageing
without reward
without affordance Market
override meter money = 0.2 { decay 0.001 }
let wage = 0.2
let much = 0.25
rule poor: energy -= uniform(0, 0.002)
use Shop(Bakery, much / 2)
affordance Bed at random { instantly { energy += 0.1 } }
clock 12 hours
affordance Job at random open 8 .. 10 { instantly { money += wage } }
reward 0.5 * energy
dies when money <= 0
"""
WRITTEN = """universe hard
space grid 8 x 8
clock 12 hours
lifespan 100 ticks
affordance Bakery at random { instantly { energy += 0.25 / 2  money -= 0.2 } }
meter energy = 1 { decay 0.01 }
meter money = 0.2 { decay 0.001 }
rule poor: energy -= uniform(0, 0.002)
affordance Job at random open 8 .. 10 { instantly { money += 0.2 } }
reward rich: money
dies when energy <= 0
observe { meters  time }
affordance Bed at random { instantly { energy += 0.1 } }
reward 0.5 * energy
dies when money <= 0
"""


def universe(path: Path, text: str) -> Universe:
    path.write_text(text, encoding="utf-8")
    return check_file(path, Stopwatch()).universe


def placeless(universe: Universe) -> Universe:
    """The universe with all its places the same, and no names of files."""
    return rewritten(replace(universe, sources=("any",)), lambda _: NOWHERE)


def problems(path: Path, text: str) -> list[tuple[str, str, int]]:
    """File, code and line of what is wrong."""
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError) as failed:
        check_file(path, Stopwatch())
    return [(each.path.name, d.code, d.primary.span.line) for each in failed.value.found for d in each.diagnostics]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "easy.hamlet").write_text(BASE, encoding="utf-8")
    return tmp_path


def test_a_universe_over_another_is_as_if_written_out(folder: Path) -> None:
    made = universe(folder / "hard.hamlet", HARD)
    assert placeless(made) == placeless(universe(folder / "written.hamlet", WRITTEN))
    assert made.sources == ("hard.hamlet", "easy.hamlet")
    assert (made.meters[0].span.file, made.meters[1].span.file) == (1, 0)


def test_nothing_changed_is_the_other_universe(folder: Path) -> None:
    made = universe(folder / "same.hamlet", 'universe same extends "easy.hamlet"\n')
    assert placeless(made) == replace(placeless(universe(folder / "easy.hamlet", BASE)), name="same")


def test_chains(folder: Path) -> None:
    (folder / "hard.hamlet").write_text(HARD, encoding="utf-8")
    made = universe(folder / "harder.hamlet", 'universe harder extends "hard.hamlet"\noverride let wage = 0.3\n')
    assert placeless(made).name == "harder"
    other = placeless(
        universe(folder / "written.hamlet", WRITTEN.replace("0.2 }", "0.3 }").replace("{ money", "{ money"))
    )
    assert replace(placeless(made), name="hard").affordances == other.affordances


def test_a_template_is_replaced_for_all_uses(folder: Path) -> None:
    shop = "template Shop(name, by) {{ affordance name at random {{ instantly {{ energy += {} * by }} }} }}\n"
    plain, said = (
        universe(folder / "hard.hamlet", f'universe hard extends "easy.hamlet"\n{word}{shop.format(2)}')
        for word in ("", "override ")
    )
    assert placeless(plain) == placeless(said)
    assert placeless(said).affordances[0] != placeless(universe(folder / "easy.hamlet", BASE)).affordances[0]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("without rule nothing_such", "H089", 2),
        ("without moves", "H089", 2),
        ("without allow", "H089", 2),
        ("override meter mood = 1", "H089", 2),
        ("override episodes by hand", "H089", 2),
        ("override template Stall(name) { affordance name at random { instantly { energy += 1 } } }", "H089", 2),
        ("rule ageing: energy -= 0.1\nrule ageing: energy -= 0.2", "H022", 3),
        ("let new = 1", "H060", 2),
    ],
)
def test_mistakes(text: str, code: str, line: int, folder: Path) -> None:
    found = problems(folder / "hard.hamlet", f'universe hard extends "easy.hamlet"\n{text}\n')
    assert found == [("hard.hamlet", code, line)]


def test_without_needs_another_universe(folder: Path) -> None:
    assert problems(folder / "easy.hamlet", BASE + "without rule ageing\n") == [("easy.hamlet", "H089", 19)]
    assert problems(folder / "easy.hamlet", BASE + "override rule ageing: energy -= 0.1\n")[0][1] == "H089"


def test_circles(folder: Path) -> None:
    (folder / "a.hamlet").write_text('universe a extends "b.hamlet"\n', encoding="utf-8")
    assert problems(folder / "b.hamlet", 'universe b extends "a.hamlet"\n') == [("a.hamlet", "H085", 1)]
    assert problems(folder / "b.hamlet", 'universe b extends "b.hamlet"\n') == [("b.hamlet", "H085", 1)]
    assert problems(folder / "b.hamlet", 'universe b extends "c.hamlet"\n') == [("b.hamlet", "H088", 1)]
