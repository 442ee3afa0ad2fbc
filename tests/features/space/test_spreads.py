"""Affordances at random that say where they may stand, and agents that start in a region."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
import torch
from test_maps import codes, universe_of

import hamlet
from hamlet.universe import Grid
from hamletc.arrangements import every_arrangement
from hamletc.language.formatter import format_source

ROWS = ("..........~~", ".##..ff..~~.", ".#a..ff.....", "..a...#..ff.", "..a..##..ff.", "....~~......")
WOOD = """
universe wood

space grid map {{ edges {edges}  distance {metric} }}
map {{
{rows}
    wall "#"
    starts in home
    region home "a#"
    region forest "f"
    region water "~"
}}
lifespan 9 ticks
meter energy = 1 {{ decay 0.01 }}
affordance Bed at (0, 0) {{ instantly {{ energy += 0.5 }} }}
affordance Tree at random in forest apart 3 {{ instantly {{ energy += 0.5 }} }}
affordance Free at random {{ instantly {{ energy += 0.5 }} }}
affordance Nest at random in forest apart 2 {{ instantly {{ energy += 0.5 }} }}
affordance Mill at random near Tree within 4 apart 2 {{ instantly {{ energy += 0.5 }} }}
affordance Well at random near Bed within 3 {{ instantly {{ energy += 0.5 }} }}
reward energy when on water
observe {{ meters  position absolute }}
"""


def text(edges: str = "clamp", metric: str = "manhattan") -> str:
    rows = "\n".join(f'    "{row}"' for row in ROWS)
    return WOOD.format(edges=edges, metric=metric, rows=rows)


def distance(one: tuple[int, int], other: tuple[int, int], edges: str, metric: str) -> float:
    steps = [abs(x - to) for x, to in zip(one, other, strict=True)]
    if edges == "wrap":
        steps = [min(step, size - step) for step, size in zip(steps, (12, 6), strict=True)]
    return {"manhattan": sum(steps), "chebyshev": max(steps), "euclidean": math.hypot(*steps)}[metric]


@pytest.mark.parametrize(
    ("edges", "metric"), [("clamp", "manhattan"), ("wrap", "chebyshev"), ("wrap", "euclidean"), ("sticky", "euclidean")]
)
def test_all_stand_where_they_may(edges: str, metric: str, tmp_path: Path) -> None:
    path = tmp_path / "made.hamlet"
    path.write_text(text(edges, metric))
    env = hamlet.make(hamlet.compile(path, tmp_path / "package"), worlds=600, agents=3, backend="interpreter")
    env.reset()
    found = set()
    for places in env.state["places"].T.tolist():
        bed, tree, _, nest, mill, well = cells = [(cell % 12, cell // 12) for cell in places]
        assert bed == (0, 0)
        assert len(set(cells)) == 6
        assert all(ROWS[y][x] not in "#a" for x, y in cells)
        assert all(ROWS[y][x] == "f" for x, y in (tree, nest))
        assert all(distance(tree, other, edges, metric) >= 3 for other in (nest, mill))
        assert distance(nest, mill, edges, metric) >= 2
        assert distance(mill, tree, edges, metric) <= 4
        assert distance(well, bed, edges, metric) <= 3
        found.add(tuple(places))
    assert len(found) > 300
    assert len({tree for _, tree, *_ in found}) == 8, "every tree of the forest is taken sometimes"
    assert len({free for _, _, free, *_ in found}) > 40
    x, y = env.state["position"].view(2, 600, 3)
    assert set(zip(x.flatten().tolist(), y.flatten().tolist(), strict=True)) == {(2, 2), (2, 3), (2, 4)}


def test_arrangements_are_those_of_the_interpreter(tmp_path: Path) -> None:
    """The compiler's, found one by one, and the interpreter's, found all at once."""
    universe = universe_of(text("wrap", "euclidean"), tmp_path)
    assert isinstance(universe.space, Grid)
    assert universe.space.places == "stored"
    ours = every_arrangement(universe.space, universe.affordances)
    env = hamlet.make(
        hamlet.compile(tmp_path / "made.hamlet", tmp_path / "package"), worlds=9000, backend="interpreter", quiet=True
    )
    env.reset()
    theirs = {tuple(places) for places in torch.cat([env.state["places"][1:]]).T.tolist()}
    assert theirs <= set(ours)
    assert len(theirs) > 0.99 * len(set(ours))


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("Tree at random in forest", "Tree at random in woods", ["H020"]),
        ("near Tree within", "near Trees within", ["H020"]),
        ("near Tree within 4", "near Well within 4", ["H196"]),
        ("near Tree within 4", "near Mill within 4", ["H196"]),
        ("near Tree within 4", "near Tree within 0", ["H033"]),
        ("near Tree within 4", "near Tree within 2", ["H197"]),
        ("Tree at random in forest apart 3", "Tree at random in forest in forest", ["H024"]),
        ("Tree at random in forest", "Tree at random in home", ["H197"]),
        ("Free at random", "Free at random apart 12", ["H197"]),
        ("starts in home", "starts in woods", ["H020"]),
        ("within 4 apart 2", "within 4", []),
    ],
)
def test_what_is_wrong_is_said(old: str, new: str, found: list[str], tmp_path: Path) -> None:
    assert text().count(old) == 1
    assert codes(text().replace(old, new), tmp_path) == found


def test_spaces_without_cells_say_no_more(tmp_path: Path) -> None:
    pond = """
universe pond
space {space}
lifespan 9 ticks
meter energy = 1 {{ decay 0.01 }}
affordance Bed at random apart 2 {{ instantly {{ energy += 0.5 }} }}
affordance Bath at random apart 2 {{ instantly {{ energy += 0.5 }} }}
reward energy
observe {{ meters }}
"""
    for space, expected in (
        ("continuous (0 .. 9) { step 1  reach 1 }", ["H195"] * 2),
        ("graph { a - b - c - d }", []),
        ("grid 300 x 300", ["H195"]),
        ("grid 9", []),
        ("grid 3 x 3 x 3 x 3", []),
    ):
        assert codes(pond.format(space=space), tmp_path) == expected
    assert codes(pond.format(space="grid 9").replace("Bath at random apart 2", "Bath at random"), tmp_path) == ["H064"]


def test_spreads_are_formatted() -> None:
    one = "affordance Tree at random   in forest  apart 3   near Bed within 2 open 8 .. 9 { instantly { a += 1 } }"
    formatted, _ = format_source(f"universe u\n\n{one}\n")
    assert formatted is not None
    assert "affordance Tree at random in forest apart 3 near Bed within 2 open 8 .. 9 {\n" in formatted
