"""Values of a cell that an expression names by its coordinates: against a map read by hand, at every time of a tick,
and beyond the edges."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import torch

import hamlet
from hamletc.checking.check import check
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse
from hamletc.lowering import lower
from hamletc.lowering.plan import CPU as C
from hamletc.targets.c.emit import emit as in_c
from hamletc.targets.triton.emit import emit as in_triton
from samples import universe_of

ROWS = ("..f#", "f.~.", "#.f.")
HEIGHTS = {"f": 1.5, "~": 0.25}
FARTHEST = 1 << 20
READING = """
universe reading
space grid map { @ }
map {
    "..f#"
    "f.~."
    "#.f."
    wall "#"
    region woods "f"
    region pond "~"
    terrain height = 0.5 { woods 1.5  pond 0.25 }
}
lifespan 9 ticks
input right = 0 in -1e30 .. 1e30
input down = 0 in -1e30 .. 1e30
meter energy = 1 { decay 0.1 }
cells {
    meter moss = position x + 10 * position y in 0 .. 100
    state kind: bare grass tree = tree
}
report at_moss: moss at (floor(right), floor(down))
report at_height: height at (floor(right), floor(down))
report at_wall: 1 when wall at (floor(right), floor(down))
report at_woods: 1 when on woods at (floor(right), floor(down))
report at_tree: 1 when kind at (floor(right), floor(down)) == tree
report at_first: 1 when kind at (floor(right), floor(down)) == bare
reward energy
observe { meters  ahead: moss at (position x + 1, position y) }
"""


def read(x: float, y: float, wraps: bool) -> list[float]:
    """The reports for the cell at (x, y), by hand: moss, height, wall, woods, tree, first."""
    if wraps:
        x, y = (int(max(min(each, FARTHEST), -FARTHEST)) % size for each, size in ((x, 4), (y, 3)))
    elif not (0 <= x <= 3 and 0 <= y <= 2):
        return [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]
    letter = ROWS[int(y)][int(x)]
    wall = letter == "#"
    moss, tree = (0.0, 0.0) if wall else (x + 10.0 * y, 1.0)
    return [moss, HEIGHTS.get(letter, 0.5), float(wall), float(letter == "f"), tree, 1.0 - tree]


@pytest.mark.parametrize("backend", ["interpreter", "c"])
@pytest.mark.parametrize("edges", ["clamp", "wrap"])
def test_every_cell_and_what_is_beyond(edges: str, backend: str, compiled: Callable[[str], hamlet.Module]) -> None:
    package = compiled(READING.replace("@", f"edges {edges}"))
    near = [float(each) for each in range(-6, 8)]
    far = [1e30, -1e30, 16777216.0, -16777217.0, FARTHEST + 1.0, -FARTHEST - 3.0, 4194305.0]
    places = [(x, y) for x in near for y in near] + [(x, y) for x in far for y in (*near[6:9], *far)]
    env = hamlet.make(package, worlds=len(places), backend=backend, quiet=True)
    env.reset()
    for name, values in zip(("right", "down"), zip(*places, strict=True), strict=True):
        env.inputs[name] = torch.tensor(values)
    env.step(torch.zeros(len(places), dtype=torch.int32))
    names = ("at_moss", "at_height", "at_wall", "at_woods", "at_tree", "at_first")
    found = torch.stack([env.reports[name].reshape(-1) for name in names], 1)
    for (x, y), row in zip(places, found.tolist(), strict=True):
        assert row == read(x, y, edges == "wrap"), (x, y)


TIMES = """
universe times
space grid 4 { starts anywhere }
lifespan 9 ticks
meter early = 0 in 0 .. 100
world {
    state counted: int in 0 .. 100 = 0
    rule counts: counted = ticked at (2)
}
cells {
    state ticked: int in 0 .. 100 = 0
    state behind: int in 0 .. 100 = 0
    rule ticks: ticked += 1
    rule copies: behind = 10 * (ticked at (position x + 1)) + ticked
}
rule reads: early = ticked at (2)
action PAT { early += 0.5 }
allow PAT when ticked at (1) >= 2
report when_early: early
report in_world: counted
report late: ticked at (2)
report before: previous(ticked at (2))
report of_cells: behind at (1)
report edge: behind at (3)
reward early
observe { meters  now: ticked at (2) }
"""


def test_cells_are_read_as_they_are_at_each_time_of_a_tick(compiled: Callable[[str], hamlet.Module]) -> None:
    """Agents and the world read what the tick began with, cells the past of others and themselves as they are; what
    follows reads what the rules of cells made of it."""
    module = compiled(TIMES)
    for backend in ("interpreter", "c"):
        env = hamlet.make(module, worlds=3, backend=backend, quiet=True)
        env.reset()
        for tick in range(3):
            assert bool(env.action_mask[..., -1].all()) == (tick >= 2), backend
            env.step(torch.full((3,), 3, dtype=torch.int32))
            names = ("when_early", "in_world", "late", "before", "of_cells", "edge")
            rows = [env.reports[name].reshape(-1).unique().tolist() for name in names]
            assert rows == [[tick], [tick], [tick + 1], [tick], [10 * tick + tick + 1], [tick + 1]], (backend, tick)
            assert env.observation[..., -1].unique().tolist() == [tick + 1]


MISUSES = (
    ("moss at (1, 2)", "H260"),
    ("moss at (9)", "H260"),
    ("moss at (0.5)", "H261"),
    ("moss at (energy)", "H261"),
    ("energy at (1)", "H262"),
    ("mos at (1)", "H020"),
    ("total(moss at (1)) over cells", "H184"),
    ("count(moss at (own(position x) + position x) > 0)", "H263"),
    ("total(moss at (own(position x))) + 1", "H205"),
    ("(previous(moss at (position x)) when wall at (position x + 1))", None),
    ("total(moss at (position x + 1))", None),
    ("1 when on `moss` at (1)", "H021"),
)


@pytest.mark.parametrize(("expression", "code"), MISUSES)
def test_misuse(expression: str, code: str | None) -> None:
    text = f"""
universe misuse
space grid 4
lifespan 9 ticks
meter energy = 1 {{ decay 0.01 }}
cells {{
    meter moss = 1
    rule dries: moss -= 0.01
}}
report said: {expression}
reward energy
observe {{ meters }}
"""
    file, problems = parse(text)
    found = problems if file is None or problems else check(file, ("misuse.hamlet",))[1]
    assert {each.code for each in found if each.severity == "error"} == ({code} if code else set())


@pytest.mark.parametrize("at", ["at", "`at`"])
def test_a_declaration_called_at_is_no_word(at: str) -> None:
    """In a text with a meter of that name nothing changes; in backticks it is a name everywhere."""
    text = (
        f"universe u\nspace none\nlifespan 9 ticks\nmeter {at} = 1 {{ decay 0.1 }}\nreward {at}\nobserve {{ meters }}\n"
    )
    assert universe_of(text).meters[0].name == "at"


def test_formatting_keeps_it() -> None:
    text = READING.replace("@", "edges wrap").replace("position x + 1, position y", "position x+1,position y")
    formatted, problems = format_source(text)
    assert not problems
    assert formatted is not None
    assert "ahead: moss at (position x + 1, position y)" in formatted
    assert format_source(formatted)[0] == formatted


@pytest.mark.parametrize("target", ["c", "triton"])
def test_odd_names_change_no_code(target: str) -> None:
    """Names in backticks with ends of comments, quotes and templates reach code as identifiers alone."""

    def code(odd: str) -> list[str]:
        text = READING.replace("@", "edges clamp")
        for word in ("moss", "height", "woods", "kind", "tree"):
            text = re.sub(rf"(?<!_)\b{word}\b", lambda _, name=word: f"`{name}{odd}`", text)
        universe = universe_of(text)
        said = in_c(lower(universe, C), universe) if target == "c" else in_triton(lower(universe), universe)
        bare = re.sub(r'/\*.*?\*/|"(\\.|[^"\\])*"|#.*', "", said, flags=re.DOTALL)
        return [
            "word" if token[0].isalnum() or token[0] == "_" else token for token in re.findall(r"\w+|[^\w\s]", bare)
        ]

    plain, strange = code(""), code("*/ '); boom( {{ 7 * 7 }} \\")
    assert strange == plain
