"""Windows that turn with the heading, of expressions, and what is in view, as docs/semantics.md says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamletc.compile import check_file
from hamletc.errors import SourceError
from hamletc.frontend import Stopwatch
from hamletc.lowering import view_tables

ROWS = ("p.#....", ".##.#..", "....#.#", "#.#....", "..#..#.", "......#")
MAZE = 'space grid map { moves turning } map { "...#" "...." wall "#" }'
STEPS = {"east": (1, 0), "south": (0, 1), "west": (-1, 0), "north": (0, -1)}
UNIVERSE = """universe {name}
space grid map {{ moves turning  edges {edges} }}
map {{ {rows}  {solid} "#"  region pond "p"  terrain height = 1 {{ pond 4 }} }}
lifespan 50 ticks
{rest}
reward nothing
inert allowed
observe {{ {shown} }}
"""


CELLS = "cells { state stone = on rock  wall when stone }"
"""Walls of which cells decide."""


def universe(
    shown: str, rest: str = "", edges: str = "clamp", rows: tuple[str, ...] = ROWS, name: str = "looking"
) -> str:
    """A universe whose agents observe this."""
    drawn = "  ".join(f'"{row}"' for row in rows)
    solid = "region rock" if rest == CELLS else "wall"
    return UNIVERSE.format(solid=solid, name=name, edges=edges, rows=drawn, rest=rest, shown=shown)


@pytest.fixture(scope="module")
def world(compiled: Callable[[str], Module]) -> Callable[..., Env]:
    """A world with one agent."""

    def made(*texts: str, backend: str = "interpreter", **named: str) -> Env:
        return hamlet.make(compiled(universe(*texts, **named)), worlds=1, backend=backend, quiet=True, seed=3)

    return made


def looked(env: Env, at: tuple[int, int], heading: str) -> list[float]:
    """What the agent observes on a cell, facing this way."""
    env.state["position"][:] = torch.tensor([at]).T
    env.set("heading", heading)
    env.observe()
    return [float(value) for value in env.observation[0]]


def places(left: int, right: int, ahead: int, behind: int) -> list[tuple[int, int]]:
    """The cells of a window, line by line: how far to the right, how far ahead."""
    return [(r, f) for f in range(ahead, -behind - 1, -1) for r in range(-left, right + 1)]


def there(at: tuple[int, int], heading: str, right: int, ahead: int) -> tuple[int, int]:
    """The cell so far to the right of an agent, and so far ahead."""
    x, y = STEPS[heading]
    return at[0] + ahead * x - right * y, at[1] + ahead * y + right * x


def is_wall(cell: tuple[int, int]) -> bool:
    """Whether a cell of the map is one, or beyond the edges."""
    inside = 0 <= cell[0] < len(ROWS[0]) and 0 <= cell[1] < len(ROWS)
    return not inside or ROWS[cell[1]][cell[0]] == "#"


def in_view(opaque: list[list[bool]]) -> list[list[bool]]:
    """MiniGrid's rule (`Grid.process_vis`) for an agent in the middle of the last line; [line][column]."""
    height, width = len(opaque), len(opaque[0])
    mask = [[False] * width for _ in opaque]
    mask[height - 1][width // 2] = True
    for j in reversed(range(height)):
        for i in range(width - 1):
            if mask[j][i] and not opaque[j][i]:
                mask[j][i + 1] = True
                if j > 0:
                    mask[j - 1][i + 1] = mask[j - 1][i] = True
        for i in reversed(range(1, width)):
            if mask[j][i] and not opaque[j][i]:
                mask[j][i - 1] = True
                if j > 0:
                    mask[j - 1][i - 1] = mask[j - 1][i] = True
    return mask


def as_minigrid(at: tuple[int, int], heading: str, width: int, height: int) -> list[float]:
    """1 more than the column of each cell that is in view, line by line; 0 of the others, and beyond the edges."""
    columns, lines = range(-(width // 2), width - width // 2), range(height - 1, -1, -1)
    cells = [[there(at, heading, right, ahead) for right in columns] for ahead in lines]
    seen = in_view([[is_wall(cell) for cell in line] for line in cells])
    return [
        1.0 + x if sees and 0 <= x < len(ROWS[0]) and 0 <= y < len(ROWS) else 0.0
        for line, sight in zip(cells, seen, strict=True)
        for (x, y), sees in zip(line, sight, strict=True)
    ]


OPEN = [(x, y) for y in range(len(ROWS)) for x in range(len(ROWS[0])) if not is_wall((x, y))]
LOOKS = [
    (at, heading) for number, at in enumerate(OPEN) for heading in (list(STEPS)[number % 4], list(STEPS)[-number % 4])
]


def test_walls_ahead_and_turned_around_the_agent(world: Callable[..., Env]) -> None:
    env = world(
        "window 5 x 4 ahead of wall  window 4 x 2 ahead of wood: position x + 10 * position y  window 1 turned of wall"
    )
    for at, heading in LOOKS:
        cells = [there(at, heading, *each) for each in places(2, 2, 3, 0)]
        expected = [float(is_wall(cell)) for cell in cells]
        for x, y in (there(at, heading, *each) for each in places(2, 1, 1, 0)):
            inside = 0 <= x < len(ROWS[0]) and 0 <= y < len(ROWS)
            expected.append(x + 10.0 * y if inside else 0.0)
        expected += [float(is_wall(there(at, heading, *each))) for each in places(1, 1, 1, 1)]
        assert looked(env, at, heading) == expected, (at, heading)


def test_windows_ahead_show_lines_behind(world: Callable[..., Env]) -> None:
    shown = "window 5 x 4 ahead up to 1 of wall  window 4 x 2 ahead up to 0 of wood: position x + 10 * position y"
    env = world(shown, name="behind")
    for at, heading in LOOKS:
        expected = [float(is_wall(there(at, heading, *each))) for each in places(2, 2, 1, 2)]
        for x, y in (there(at, heading, *each) for each in places(2, 1, 0, 1)):
            inside = 0 <= x < len(ROWS[0]) and 0 <= y < len(ROWS)
            expected.append(x + 10.0 * y if inside else 0.0)
        assert looked(env, at, heading) == expected, (at, heading)
    assert env.observation_names[-1] == "ahead.wood[1,1]"


@pytest.mark.parametrize(
    ("walls", "backend"),
    [
        *(("of the map", backend) for backend in ("interpreter", "c")),
        # Kernels alone have tables, which are too large for it.
        ("of a large map", "c"),
        *(("of cells", backend) for backend in ("interpreter", "c")),
    ],
)
def test_what_is_in_view_is_what_minigrid_shows(
    world: Callable[..., Env], monkeypatch: pytest.MonkeyPatch, backend: str, walls: str
) -> None:
    if walls == "of a large map":
        monkeypatch.setattr(view_tables, "MOST_SEEN", 0)
    shown, name = "window 7 x 7 ahead of all: 1 + position x in view", f"seen_{walls.replace(' ', '_')}"
    env = world(shown, CELLS if walls == "of cells" else "", name=name, backend=backend)
    for at, heading in LOOKS:
        expected = as_minigrid(at, heading, 7, 7)
        assert looked(env, at, heading) == expected, (at, heading)


@pytest.mark.parametrize("backend", ["interpreter", "c"])
@pytest.mark.parametrize(("width", "height"), [(1, 4), (2, 3), (3, 1)])
def test_narrow_windows_in_view_are_minigrids(
    world: Callable[..., Env], monkeypatch: pytest.MonkeyPatch, backend: str, width: int, height: int
) -> None:
    monkeypatch.setattr(view_tables, "MOST_SEEN", 0)
    shown = f"window {width} x {height} ahead of all: 1 + position x in view"
    env = world(shown, name=f"narrow{width}", backend=backend)
    for at, heading in LOOKS:
        expected = as_minigrid(at, heading, width, height)
        assert looked(env, at, heading) == expected, (at, heading)


@pytest.mark.parametrize("found_at_once", [True, False])
@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_a_turned_window_in_sight_shows_what_one_shows_that_does_not_turn(
    world: Callable[..., Env], monkeypatch: pytest.MonkeyPatch, backend: str, found_at_once: bool
) -> None:
    if not found_at_once:
        monkeypatch.setattr(view_tables, "MOST_SEEN", 0)
    shown = "window 2 turned of wall in sight  window 2 of wall in sight"
    env = world(shown, name=f"sighted{found_at_once}", backend=backend)
    around = places(2, 2, 2, 2)
    for at, heading in LOOKS:
        values = looked(env, at, heading)
        lying = dict(zip(around, values[25:], strict=True))
        moved = [there((0, 0), heading, *each) for each in around]
        assert values[:25] == [lying[x, -y] for x, y in moved], (at, heading)


def test_edges_that_wrap_hide_nothing_and_are_no_walls(world: Callable[..., Env]) -> None:
    env = world("window 3 x 2 ahead of wall in view", edges="wrap", rows=("p..", "...", "..#"))
    assert looked(env, (0, 0), "north") == [0.0] * 6
    assert looked(env, (1, 2), "east") == [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    assert looked(env, (1, 1), "east") == [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]


def test_layers_of_all_kinds_turn(world: Callable[..., Env]) -> None:
    rest = "cells { state grass: bare low high = bare  meter moss = 0.5 }\n"
    rest += "affordance Bed at (2, 1) { instantly { fed = 1 } }\nmeter fed = 0"
    shown = "window 1 turned  window 1 turned of pond  window 1 turned of height  window 1 turned of moss  "
    shown += "hot window 1 turned of grass"
    env = world(shown, rest, rows=("....", ".p..", "....", "...#"))
    values = looked(env, (1, 1), "south")
    assert values[:9] == [0, 0, 0, 1, 0, 0, 0, 0, 0]
    assert values[9:18] == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert values[18:27] == [1, 1, 1, 1, 4, 1, 1, 1, 1]
    assert values[27:36] == [0.5] * 9
    assert values[36:] == [1.0] * 9 + [0.0] * 18
    assert env.observation_names[3] == "turned[-1,0]"
    assert env.observation_names[-1] == "turned.grass=high[1,1]"


def test_what_lies_beyond_and_the_cell_of_the_agent_can_be_said(world: Callable[..., Env]) -> None:
    rest = "meter m = 0.25"
    shown = "window 3 x 2 ahead of pond beyond 2 own 3 * m  window 1 of height beyond -1 in sight"
    env = world(shown, rest, rows=("...", ".p.", "..#"))
    assert looked(env, (1, 0), "west")[:6] == [0, 0, 2, 1, 0.75, 2]
    assert looked(env, (0, 1), "north")[6:] == [-1, 1, 1, -1, 1, 4, -1, 1, 1]


def test_windows_that_do_not_turn_show_terrains_and_expressions(world: Callable[..., Env]) -> None:
    env = world("window 1 of height  window 1 of far: 2 * height + position y", rows=("...", ".p.", "...", "..#"))
    values = looked(env, (2, 1), "north")
    assert values == [1, 1, 0, 4, 1, 0, 1, 1, 0, 2, 2, 0, 9, 3, 0, 4, 4, 0]


def test_an_image_has_channels_of_one_shape(world: Callable[..., Env]) -> None:
    env = world("image view { window 5 x 3 ahead of wall  window 5 x 3 ahead of height in view }  group own { state }")
    assert env.grouped["view"].shape[-3:] == (2, 3, 5) or env.grouped["view"].shape[:3] == (2, 3, 5)


@pytest.mark.parametrize(
    ("space", "shown", "code"),
    [
        ("space grid 4 x 4", "window 2 turned", "H268"),
        ("space grid 4 x 4 x 4", "window 2 of far: position x", "H300"),
        ("space grid 4 x 4 { moves turning }", "window 2 ahead", "H300"),
        ("space grid 4 x 4 { moves turning }", "window 2 x 2 turned", "H300"),
        ("space grid 4 x 4 { moves turning }", "window 2 turned up to 1", "H300"),
        ("space grid 4 x 4", "window 2 up to 1", "H300"),
        ("space grid 4 x 4 { moves turning }", "window 3 x 2 ahead up to 2", "H033"),
        (MAZE, "window 17 x 17 ahead of far: position x in view", "H301"),
        (MAZE, "window 33 x 2 ahead of far: position x in view", "H301"),
        ("space grid 4 x 4 { moves turning }", "window 3 x 2 ahead of far: 1 + 2", "H302"),
        ("space grid 4 x 4 { moves turning }", "window 3 x 2 ahead of far: energy + position x", "H183"),
        ("space grid 4 x 4 { moves turning }", "window 0.5 turned of far: position x", "H032"),
        ("space grid 4 x 4 { moves turning }", "window 1 turned  window 1 turned", "H024"),
        ("space none", "window 3 turned", "H055"),
    ],
)
def test_windows_that_cannot_be_are_told(space: str, shown: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "made.hamlet"
    text = f"universe told\n{space}\nlifespan 9 ticks\nmeter energy = 1 {{ decay 0.1 }}\nreward energy\n"
    path.write_text(f"{text}observe {{ {shown} }}\n", encoding="utf-8")
    with pytest.raises(SourceError) as told:
        check_file(path, Stopwatch())
    assert [found.code for group in told.value.found for found in group.diagnostics] == [code]


def test_names_of_layers_are_shown_as_they_are(world: Callable[..., Env]) -> None:
    odd = 'a" */{{x}}'
    env = world(f"window 2 x 1 ahead of `{odd}`: position x", name="odd")
    assert env.observation_names == (f"ahead.{odd}[-1,0]", f"ahead.{odd}[0,0]")
