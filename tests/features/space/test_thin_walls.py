"""Thin walls: between two cells, named or drawn; what they stop, and what goes over and around them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamletc.compile import check
from hamletc.errors import SourceError
from hamletc.language.formatter import format_source
from hamletc.language.source import Source
from hamletc.read import parsed

FENCED = """
universe fenced

space grid map {edges}
map {{
    {rows}
    wall "#"
    {walls}
    starts "s"
}}
lifespan 100 ticks

moves {{ EAST (1, 0)  WEST (-1, 0)  SOUTH (0, 1)  NORTH (0, -1)  FAR (2, 0)  SLANT (1, 1) }}

meter energy = 1 {{ move 0.0625 }}

affordance Bed at (4, 0) {{ instantly {{ energy += 0.5 }} }}
action LEAP {{ move (2, 0) }}
action STEP {{ move (1, 0) }}
action SHOVED {{ energy -= 0.0625 }}
rule shoved: action == SHOVED -> move (1, 0)
reward energy
report away: walking distance to Bed
observe {{ position absolute  window 2 in sight }}
"""
ROWS = '"s...." "....." "..#.."'
DRAWN = '"s|.:.:.:." "::::::::+" ".|.:.:.:." "-:::::::-" ".:.:#:.:."'
NAMED = "wall between (0, 0) (1, 0), (0, 1) (1, 1), (0, 1) (0, 2), (4, 1) (4, 2)"
BY_LETTERS = 'wall between columns "|" wall between rows "-"'
Worlds = Callable[..., Env]


def text(rows: str, walls: str, edges: str = "clamp") -> str:
    return FENCED.format(rows=rows, walls=walls, edges=f"{{ edges {edges} }}")


@pytest.fixture(scope="module")
def worlds(compiled: Callable[[str], Module]) -> Worlds:
    """A world of a map with thin walls."""

    def made(rows: str = ROWS, walls: str = NAMED, edges: str = "clamp", backend: str = "c") -> Env:
        return hamlet.make(compiled(text(rows, walls, edges)), worlds=1, backend=backend, quiet=True)

    return made


def walked(env: Env, actions: str) -> list[tuple[int, ...]]:
    """Where the agent is after each action."""
    places = []
    for name in actions.split():
        env.step([env.action_names.index(name)])
        places.append(tuple(env.state["position"][:, 0].tolist()))
    return places


def codes(source: str) -> list[str]:
    """The codes of what is said of a text."""
    try:
        found = check(parsed(Source(Path("made.hamlet"), source))).warnings
    except SourceError as error:
        found = error.found
    return [each.code for group in found for each in group.diagnostics]


@pytest.mark.parametrize("backend", ["interpreter", "c"])
@pytest.mark.parametrize(("rows", "walls"), [(ROWS, NAMED), (DRAWN, BY_LETTERS)])
def test_moves_of_one_cell_do_not_cross_and_longer_ones_do(rows: str, walls: str, backend: str, worlds: Worlds) -> None:
    env = worlds(rows, walls, backend=backend)
    assert walked(env, "EAST STEP SHOVED SOUTH EAST SOUTH") == [(0, 0), (0, 0), (0, 0), (0, 1), (0, 1), (0, 1)]
    assert walked(env, "FAR WEST WEST NORTH WEST") == [(2, 1), (1, 1), (1, 1), (1, 0), (1, 0)]
    env.reset()
    assert walked(env, "LEAP WEST WEST SOUTH") == [(2, 0), (1, 0), (1, 0), (1, 1)]
    env.reset()
    assert walked(env, "SLANT NORTH WEST") == [(1, 1), (1, 0), (1, 0)]


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_masks_costs_and_ways_know_thin_walls(backend: str, worlds: Worlds) -> None:
    env = worlds(backend=backend)
    on = [name for name, on in zip(env.action_names, env.action_mask[0].tolist(), strict=True) if on]
    assert on == ["SOUTH", "FAR", "SLANT", "WAIT", "LEAP", "STEP", "SHOVED"]
    walked(env, "EAST")
    assert env.meter("energy")[0] == 0.9375, "a move against a thin wall costs what a move costs"
    assert env.reports["away"][0] == 2, "FAR twice"
    walked(env, "FAR FAR")
    assert env.observation is not None
    assert env.observation[0].tolist()[2:] == [0.0] * 12 + [1.0] + [0.0] * 12, "a window in sight looks through"


def test_a_thin_wall_stands_across_an_edge(worlds: Worlds) -> None:
    env = worlds(walls="wall between (0, 0) (4, 0), (0, 0) (0, 2)", edges="wrap")
    assert walked(env, "WEST NORTH EAST NORTH WEST SOUTH WEST") == [
        *((0, 0), (0, 0), (1, 0), (1, 2), (0, 2), (0, 2), (4, 2)),
    ]
    bouncing = worlds(walls="wall between (0, 0) (1, 0)", edges="bounce")
    assert walked(bouncing, "WEST") == [(0, 0)], "bouncing leads from cell 0 to cell 1"


@pytest.mark.parametrize(
    ("walls", "edges", "expected"),
    [
        (NAMED, "clamp", []),
        ("wall between (0, 0) (0, 0)", "clamp", ["H293"]),
        ("wall between (0, 0) (1, 1)", "clamp", ["H293"]),
        ("wall between (0, 0) (5, 0)", "clamp", ["H293"]),
        ("wall between (0, 0) (-1, 0)", "wrap", ["H293"]),
        ("wall between (0, 0) (0.5, 0)", "clamp", ["H293"]),
        ("wall between (0) (1)", "clamp", ["H293"]),
        ("wall between (0, 0) (4, 0)", "sticky", ["H293"]),
        ("wall between (0, 0) (4, 0)", "wrap", []),
        ("wall between (0, 0) (1, 0), (1, 0) (0, 0)", "clamp", ["H024"]),
        ("wall between (2, 1) (2, 2)", "clamp", ["H293"]),
        ("wall between (2, 0) (3, 0), (2, 1) (3, 1)", "clamp", []),
        ('wall between rows ""', "clamp", ["H145"]),
        ('wall between rows "-"  wall between rows "="', "clamp", ["H024"]),
    ],
)
def test_what_is_wrong(walls: str, edges: str, expected: list[str]) -> None:
    assert codes(text(ROWS, walls, edges))[: len(expected) or None] == expected


def test_a_drawing_between_cells_has_an_odd_number_of_rows_and_letters_that_are_known() -> None:
    assert codes(text('"s..." "..#."', 'wall between columns "|"')) == ["H293"]
    assert codes(text('"s...." "-----" "....." "..#.."', 'wall between rows "-"')) == ["H293"]
    assert codes(text('"s!...:..." ".:.:#:.:."', 'wall between columns "|"')) == ["H144"]


def test_parts_cut_off_are_told() -> None:
    cut = text(ROWS, "wall between (2, 0) (3, 0), (2, 1) (3, 1)")
    short = cut.replace("FAR (2, 0)  SLANT (1, 1)", "").replace("action LEAP { move (2, 0) }", "")
    assert codes(cut) == []
    assert codes(short) == ["H147"]


def test_the_formatter_keeps_them() -> None:
    made, _ = format_source(text(ROWS, NAMED))
    assert f"    {NAMED}\n" in made
    drawn, _ = format_source(text(DRAWN, BY_LETTERS))
    assert '    wall between columns "|"\n    wall between rows "-"\n' in drawn
