"""Letters of a map that stand on several cells, and drawings of somebody who is new."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_maps import codes, universe_of

from hamletc.checking.check import check
from hamletc.compile import lower
from hamletc.diagnostics import Diagnostic
from hamletc.diagnostics.mending import mended
from hamletc.ir.text import print_program
from hamletc.language.parser import parse

BEDS = """
universe beds
space grid map
map {
    "B.#.B"
    "..S.."
    wall "#"
}
lifespan 100 ticks
meter energy = 1 { decay 0.01 }
affordance Bed at "B" {
    instantly { energy += 0.5 }
}
affordance Sofa: 2 copies at "S", (1, 1) {
    instantly { energy += 0.25 }
}
reward energy
observe { meters  here  grid }
"""


def test_a_letter_on_several_cells_is_a_copy_on_each(tmp_path: Path) -> None:
    universe = universe_of(BEDS, tmp_path)
    assert [(each.name, each.place, each.copy_of) for each in universe.affordances] == [
        ("Bed 1", (0.0, 0.0), "Bed"),
        ("Bed 2", (4.0, 0.0), "Bed"),
        ("Sofa 1", (2.0, 1.0), "Sofa"),
        ("Sofa 2", (1.0, 1.0), "Sofa"),
    ]
    by_hand = BEDS.replace('"B.#.B"', '"..#.."').replace('at "B"', "at (0, 0), (4, 0)")
    one, other = (print_program(lower(each).program) for each in (universe, universe_of(by_hand, tmp_path)))
    assert one == other


def test_between_cells_that_are_drawn_a_letter_counts_cells(tmp_path: Path) -> None:
    text = BEDS.replace('"B.#.B"', '"B|.:#:.:B"').replace('"..S.."', '".:.:S:.:."')
    universe = universe_of(text.replace('wall "#"', 'wall "#"\n    wall between columns "|"'), tmp_path)
    assert [each.place for each in universe.affordances] == [(0.0, 0.0), (4.0, 0.0), (2.0, 1.0), (1.0, 1.0)]


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('Bed at "B"', 'Bed: 3 copies at "B"', "H220"),
        ('"..S.."', '"..S..' + "B" * 63 + '"', "H220"),
        ('at "B"', "at B", "H194"),
        ('at "B"', "at random", "H144"),
        ("reward energy", 'action HOME { teleport "B" }\nreward energy', "H145"),
    ],
)
def test_what_is_wrong_with_letters_of_several_cells(old: str, new: str, code: str, tmp_path: Path) -> None:
    assert BEDS.count(old) == 1
    text = BEDS.replace(old, new)
    text = text.replace('"B.#.B"', '"B.#.B' + "." * 63 + '"') if "BBB" in new else text
    assert codes(text, tmp_path) == [code]


def test_a_drawing_of_somebody_who_is_new_is_mended() -> None:
    """`#` all around is a wall, and letters stand in quotes."""
    text = """
universe new
space grid map
map {
    "#####"
    "#BB.#"
    "#####"
}
lifespan 100 ticks
meter energy = 1 { decay 0.01 }
affordance Bed at B { lasts 2 ticks each tick { energy += 0.5 } }
reward energy
observe { meters }
"""

    def wrong(text: str) -> tuple[Diagnostic, ...]:
        file, diagnostics = parse(text)
        return diagnostics if file is None or diagnostics else check(file, ("new.hamlet",))[1]

    after, left = mended(text, wrong)
    assert '    wall "#"\n' in after
    assert 'affordance Bed at "B" lasts 2 ticks { each tick { energy += 0.5 } }' in after
    assert not left
