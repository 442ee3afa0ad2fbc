"""Maps: what text says of them, what walls stop, what a cell has, where things stand, and what is seen."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import hamlet
from hamlet import EnvError
from hamlet.universe import Grid, Map, Universe
from hamletc.compile import check_file
from hamletc.diagnostics import Diagnostic
from hamletc.errors import SourceError
from hamletc.frontend import Stopwatch
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse

WALLED = """
universe walled

space grid map {edges}
{moves}
map {{
    "a.#.."
    "..#.."
    ".##.."
    wall "#"
    starts "a"
}}
lifespan 100 ticks
meter energy = 1 {{ move 0.125 }}
affordance Bed at (1, 1) {{
    instantly {{ energy += 0.5 }}
}}
action LEAP {{ move (2, 1) }}
reward energy
observe {{ position absolute  window 1 of wall }}
"""
MOVES = "moves { EAST (1, 0) FAR (3, 0) SOUTH (0, 1) WEST (-1, 0) SLANT (1, 1) NORTH (0, -1) }"


def universe_of(text: str, tmp_path: Path, **files: str) -> Universe:
    """The universe of a text, with files beside it."""
    for name, contents in files.items():
        (tmp_path / name.replace("__", ".")).write_text(contents, encoding="utf-8")
    path = tmp_path / "made.hamlet"
    path.write_text(text, encoding="utf-8")
    return check_file(path, Stopwatch()).universe


def codes(text: str, tmp_path: Path, **files: str) -> list[str]:
    """The codes of the errors of a text."""
    try:
        universe_of(text, tmp_path, **files)
    except SourceError as error:
        return [found.code for group in error.found for found in group.diagnostics if found.severity == "error"]
    return []


def steps(text: str, tmp_path: Path, names: str) -> list[tuple[int, int]]:
    """Where the agent is after each action."""
    path = tmp_path / "made.hamlet"
    path.write_text(text, encoding="utf-8")
    env = hamlet.make(hamlet.compile(path, tmp_path / "package"), worlds=1, backend="interpreter")
    env.reset()
    places = []
    for name in names.split():
        env.step(torch.tensor([env.action_names.index(name)], dtype=torch.int32))
        places.append((int(env.state["position"][0, 0]), int(env.state["position"][1, 0])))
    return places


@pytest.mark.parametrize(
    ("edges", "actions", "expected"),
    [
        ("clamp", "EAST EAST SOUTH SLANT", [(1, 0), (1, 0), (1, 1), (1, 1)]),
        ("clamp", "FAR WEST", [(3, 0), (3, 0)]),
        ("clamp", "EAST LEAP WEST", [(1, 0), (3, 1), (3, 1)]),
        ("clamp", "LEAP SLANT", [(0, 0), (1, 1)]),
        ("wrap", "WEST SOUTH SOUTH EAST NORTH", [(4, 0), (4, 1), (4, 2), (0, 2), (0, 1)]),
        ("wrap", "EAST SOUTH SOUTH NORTH", [(1, 0), (1, 1), (1, 1), (1, 0)]),
        ("bounce", "WEST NORTH", [(1, 0), (1, 1)]),
        ("sticky", "WEST SLANT SLANT", [(0, 0), (1, 1), (1, 1)]),
    ],
)
def test_a_move_onto_a_wall_moves_nothing(
    edges: str, actions: str, expected: list[tuple[int, int]], tmp_path: Path
) -> None:
    assert steps(WALLED.format(edges=f"{{ edges {edges} }}", moves=MOVES), tmp_path, actions) == expected


def test_masks_costs_and_windows_know_walls(tmp_path: Path) -> None:
    path = tmp_path / "made.hamlet"
    path.write_text(WALLED.format(edges="", moves=MOVES))
    env = hamlet.make(hamlet.compile(path, tmp_path / "package"), worlds=1, backend="interpreter")
    observation, info = env.reset()
    assert observation[0].tolist() == [0, 0, 1, 1, 1, 1, 0, 0, 1, 0, 0]
    on = [name for name, there in zip(env.action_names, info["action_mask"][0].tolist(), strict=True) if there]
    assert on == ["EAST", "FAR", "SOUTH", "SLANT", "WAIT", "LEAP"]
    east = torch.tensor([0], dtype=torch.int32)
    env.step(east)
    observation, *_, info = env.step(east)
    assert env.state["meters"][0, 0] == 0.75, "a move against a wall costs what a move costs"
    assert observation[0].tolist() == [1, 0, 1, 1, 1, 0, 0, 1, 0, 0, 1]
    assert not info["action_mask"][0, 0]


SCATTERED = """
universe scattered

space grid map {properties}
map {{
    "##.##.#"
    "#..#..~"
    "..##~##"
    wall "#"
    region wet "~"
    {starts}
}}
lifespan 5 ticks
meter energy = 1 {{ decay 0.01 }}
affordance Bed at random {{ instantly {{ energy += 0.5 }} }}
affordance Bath at random {{ instantly {{ energy += 0.25 }} }}
reward energy when on wet
observe {{ grid  grid of wall }}
inert allowed
"""
OPEN = {(2, 0), (5, 0), (1, 1), (2, 1), (4, 1), (5, 1), (6, 1), (0, 2), (1, 2), (4, 2)}
WET = {(6, 1), (4, 2)}


@pytest.mark.parametrize(
    ("properties", "starts", "begin", "stand"),
    [
        ("", "", OPEN, OPEN),
        ("{ starts anywhere }", "", OPEN, OPEN),
        ("{ places stored }", "", OPEN, OPEN),
        ("", 'starts "~"', WET, OPEN - WET),
        ("{ places stored }", 'starts "~"', WET, OPEN - WET),
    ],
)
def test_nothing_begins_on_a_wall(
    properties: str, starts: str, begin: set[tuple[int, int]], stand: set[tuple[int, int]], tmp_path: Path
) -> None:
    """All cells that may be taken are, and no others; of agents by a letter no two share one."""
    path = tmp_path / "made.hamlet"
    path.write_text(SCATTERED.format(properties=properties, starts=starts))
    module = hamlet.compile(path, tmp_path / "package")
    env = hamlet.make(module, worlds=400, agents=2, backend="interpreter")
    observation, _ = env.reset()
    x, y = env.state["position"]
    assert set(zip(x.tolist(), y.tolist(), strict=True)) == begin
    if "anywhere" not in properties:
        assert not bool(((x[::2] == x[1::2]) & (y[::2] == y[1::2])).any())
    own = (x + 7 * y).long()
    cells = observation[:, :21] - torch.nn.functional.one_hot(own, 21)
    assert {(cell % 7, cell // 7) for cell in range(21) if cells[:, cell].any()} == stand
    assert bool((cells.sum(dim=1) == 2).all())
    walls = {(cell % 7, cell // 7) for cell in range(21) if observation[0, 21 + cell]}
    assert walls == {(cell % 7, cell // 7) for cell in range(21)} - OPEN
    if starts:
        with pytest.raises(EnvError, match="starts agents on 2 cells of its map"):
            hamlet.make(module, worlds=1, agents=3, backend="interpreter")


def test_a_stored_place_is_no_wall(tmp_path: Path) -> None:
    path = tmp_path / "made.hamlet"
    path.write_text(SCATTERED.format(properties="{ places stored }", starts=""))
    env = hamlet.make(hamlet.compile(path, tmp_path / "package"), worlds=2, backend="interpreter")
    env.reset()
    with pytest.raises(EnvError, match="no wall"):
        env.place("Bed", (0, 0))
    env.place("Bed", (2, 0))


FILED = """
universe filed

space grid map
map "ground.txt" {
    wall "#"
    region forest "fF"
    terrain cost = 0.25 { forest 2 }
}
lifespan 100 ticks
meter energy = 1 { decay 0.01 * cost }
affordance Bed at "B" {
    instantly { energy += 0.5 }
}
reward energy when on forest
observe { meters }
"""


def test_a_map_can_be_a_file(tmp_path: Path) -> None:
    universe = universe_of(FILED, tmp_path, ground__txt="#.fF\r\n#B..\r\n\r\n")
    assert isinstance(universe.space, Grid)
    assert universe.space.map is not None
    assert universe.space.sizes == (4, 2)
    assert universe.space.map.rows == ("#.fF", "#B..")
    assert universe.affordances[0].place == (1.0, 1.0)
    assert universe.sources == ("made.hamlet", "ground.txt")


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("ground.txt", "../ground.txt", "H088"),
        ("ground.txt", "none.txt", "H088"),
        ("ground.txt", "ground.hamlet", "H088"),
        ("space grid map", "space grid 3 x 3", "H143"),
        ("space grid map", "space grid 8", "H143"),
        ("space grid map", "space none", "H143"),
        ('"fF"', '"fFq"', "H145"),
        ('"fF"', '"f"', "H144"),
        ('wall "#"', 'wall ""', "H145"),
        ('wall "#"', 'wall "#"\n    wall "f"', "H024"),
        ('wall "#"', 'wall "#"\n    starts "#"', "H146"),
        ('"B"', '"."', "H144"),
        ("{ forest 2 }", "{ woods 2 }", "H020"),
        ("{ forest 2 }", "{ forest 2  forest 3 }", "H024"),
        ("when on forest", "when on Bed", "H021"),
        ("when on forest", "when on woods", "H020"),
        ("0.25 {", "energy {", "H031"),
        ("terrain cost", "terrain energy", "H022"),
        ("* cost", "* 2", "H060"),
        ("observe { meters }", "observe { meters  window 2 of woods }", "H020"),
    ],
)
def test_what_is_wrong_is_said(old: str, new: str, code: str, tmp_path: Path) -> None:
    assert FILED.count(old) == 1
    assert code in codes(FILED.replace(old, new), tmp_path, ground__txt="#.fF\n#B..\n")


def test_rows_of_a_file_are_shown_where_they_are(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as raised:
        universe_of(FILED, tmp_path, ground__txt="#.fF\n#B?.\n")
    (group,) = raised.value.found
    found: Diagnostic = group.diagnostics[0]
    assert (found.code, group.path.name) == ("H144", "ground.txt")
    assert (found.primary.span.line, found.primary.span.column, found.primary.span.end_column) == (2, 3, 4)


def test_names_that_the_language_took_stay_names(tmp_path: Path) -> None:
    text = """
universe names
let map = 4
space grid map x map
lifespan 9 ticks
meter on = 0.5 { decay 0.01 }
meter wall = 0.5 { decay 0.01 * on }
affordance region at random { instantly { on += 0.1  wall += 0.1 } }
reward on + wall when here == region
reward 0.1 when on > 0.2
observe { meters on wall }
"""
    universe = universe_of(text, tmp_path)
    assert isinstance(universe.space, Grid)
    assert universe.space.sizes == (4, 4)


def test_a_meter_called_map_is_no_size(tmp_path: Path) -> None:
    universe = universe_of(f"{FILED}meter map = 1 {{ decay 0.1 }}\nreward map\n", tmp_path, ground__txt="#.fF\n#B..\n")
    assert isinstance(universe.space, Grid)
    assert universe.space.sizes == (4, 2)


def test_formatting_keeps_rows() -> None:
    row = "#" * 60 + "  (f or f)  " + "#" * 60
    text = f"""universe wide

space grid map
map {{
    "{row}"   # the only one
    wall   "#"
    region forest "f"
}}
"""
    formatted, problems = format_source(text)
    assert not problems
    assert formatted is not None
    assert f'    "{row}"  # the only one\n' in formatted
    assert '    wall "#"\n' in formatted
    assert format_source(formatted) == (formatted, ())
    file, _ = parse(formatted)
    assert file is not None


def test_letters_never_reach_kernels(tmp_path: Path) -> None:
    """Whatever is drawn, kernels have numbers and mangled names."""
    letters = "'`\\{}%$é€\N{SNOWMAN};"
    text = f"""
universe hostile
space grid map
map {{
    "{letters}"
    "{letters[::-1]}"
    region `__import__('os')` "{letters[:6]}"
    region rest "{letters[6:]}"
    terrain `"; raise #` = 0 {{ rest 2 }}
}}
lifespan 9 ticks
meter energy = 1 {{ decay 0.01 }}
reward energy + `"; raise #` when on `__import__('os')`
observe {{ meters  window 1 of `__import__('os')`  grid of rest }}
inert allowed
"""
    path = tmp_path / "hostile.hamlet"
    path.write_text(text, encoding="utf-8")
    hamlet.compile(path, tmp_path / "package")
    for name in ("c_kernels.c", "triton_kernels.py"):
        code = (tmp_path / "package" / name).read_text(encoding="utf-8")
        lines = [line.split("#")[0] for line in code.splitlines()]
        assert not any(letter in line for line in lines for letter in "$é€\N{SNOWMAN}")
        assert not any("__import__(" in line for line in lines), "names are mangled"


def test_a_map_knows_its_letters() -> None:
    span = hamlet.universe.Span(1, 1, 1, 1)
    region = hamlet.universe.Region("forest", "f", span)
    terrain = hamlet.universe.Terrain("cost", 1.0, (hamlet.universe.RegionNumber("forest", 2.0),), span)
    drawn = Map((".f", "#f"), "#", (region,), (terrain,), span)
    assert drawn.cells("f") == (1, 3)
    assert drawn.cells("#") == (2,)
    assert [drawn.number(terrain, letter) for letter in ".f#"] == [1.0, 2.0, 1.0]


def test_functions_are_given_the_tables_that_they_read(tmp_path: Path) -> None:
    """A map of so many cells that its tables are no constants of kernels, with a cell cache."""
    rows = "\n".join(f'    "{"..f#~" * 3}"' for _ in range(9))
    text = f"""
universe tabled
space grid map
map {{
{rows}
    wall "#"
    region wet "~"
    region wood "f"
    terrain cost = 0.5 {{ wet 1 }}
}}
lifespan 9 ticks
meter energy = 1 {{ decay 0.01 * cost }}
affordance Bed at random {{ instantly {{ energy += 0.5 }} }}
affordance Bath at random {{ instantly {{ energy += 0.25 }} }}
reward energy when on wood
observe {{ meters  window 2 of wall  window 1 }}
"""
    path = tmp_path / "tabled.hamlet"
    path.write_text(text)
    module = hamlet.compile(path, tmp_path / "package")
    code = module.sources["c_kernels.c"].decode()
    assert all(f"{name}, " in code for name in ("table_free_cell", "table_map_moves"))
    # A compiler refuses names that nothing declares.
    hamlet.make(module, worlds=3, backend="c", quiet=True).reset(seed=1)


def test_a_map_on_which_nobody_moves_does_not_fall_apart(tmp_path: Path) -> None:
    """It falls apart for who moves in one row only."""
    text = """
universe board
space grid map
map {
    "a."
    ".a"
    region dark "a"
}
cells {
    state lit = on dark
}
actions ACTIONS
world ends when count(lit) over cells == 0
reward nothing
observe { grid of lit }
"""
    path, found = tmp_path / "board.hamlet", []
    for actions in ("WAIT", "LEFT RIGHT WAIT"):
        path.write_text(text.replace("ACTIONS", actions), encoding="utf-8")
        warnings = check_file(path, Stopwatch()).warnings
        found.append([each.code for file in warnings for each in file.diagnostics if each.code == "H149"])
    assert found == [[], ["H149"]]
