"""Places beside levels: letters at which affordances stand, cells of regions at random, ways around walls of levels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import permutations
from typing import TypeAlias

import pytest
import torch

import hamlet
from hamletc.checking.check import check
from hamletc.diagnostics import Diagnostic
from hamletc.language.parser import parse

Compiled: TypeAlias = "Callable[[str], hamlet.Module]"
BACKENDS = pytest.mark.parametrize("backend", ["interpreter", "c"])
ATTIC = ["#######", "#B.#..#", "#..#T.#", "#s...C#", "#######"]
CELLAR = ["#######", "#.#..B#", "#T#.#.#", "#C..#s#", "#######"]
LEVELS = [ATTIC, CELLAR]


def drawn(rows: list[str]) -> str:
    """The rows of a level as they are written."""
    return " ".join(f'"{row}"' for row in rows)


MAP = f"""
universe house
space grid map
map {{
    level attic {{ {drawn(ATTIC)} }}
    level cellar {{ {drawn(CELLAR)} }}
    wall "#"
    starts "s"
}}
lifespan 4 ticks
meter energy = 1 {{ decay 0.01 }}
"""
HOUSE = f"""{MAP}
affordance Bed at "B" {{ instantly {{ energy += 0.25 }} }}
affordance Table at "T" solid {{ instantly {{ energy -= 0.5 }} }}
affordance Bus {{ follows "C", "T" every 1 ticks  instantly {{ energy -= 0.125 }} }}
action HOME {{ teleport "B" }}
reward energy
report far:    walking distance to Bed
report away:   distance to Bed
report across: position x of Bed
observe {{ position absolute  state level  grid  here }}
"""


def spot(rows: list[str], letter: str) -> tuple[int, int]:
    """The cell with this letter, x and y."""
    index = "".join(rows).index(letter)
    return index % len(rows[0]), index // len(rows[0])


def steps(rows: list[str], to: tuple[int, int]) -> dict[tuple[int, int], int]:
    """The fewest moves from each cell from which some lead there."""
    found, frontier = {to: 0}, [to]
    for x, y in frontier:
        for there in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if there not in found and rows[there[1]][there[0]] != "#":
                found[there] = found[x, y] + 1
                frontier.append(there)
    return found


def findings(text: str) -> tuple[Diagnostic, ...]:
    """The findings about a text, in source order."""
    file, problems = parse(text)
    return problems if file is None or problems else check(file, ("house.hamlet",))[1]


def begun(text: str, backend: str, compiled: Compiled, worlds: int = 16) -> tuple[hamlet.Env, list[int]]:
    """An environment at the beginning of its first episodes, and the number of the level of each world."""
    env = hamlet.make(compiled(text), worlds=worlds, backend=backend, seed=3, quiet=True)
    env.reset()
    levels = [int(number) for number in env.meter("level").view(-1).tolist()]
    assert set(levels) == {0, 1}
    return env, levels


@BACKENDS
def test_affordances_stand_where_their_letter_is_in_the_level_of_the_episode(backend: str, compiled: Compiled) -> None:
    env, levels = begun(HOUSE, backend, compiled)
    for name, letter in (("Bed", "B"), ("Table", "T"), ("Bus", "C")):
        found = [env.meter(f"position {axis} of {name}").view(-1).tolist() for axis in "xy"]
        assert list(zip(*found, strict=True)) == [spot(LEVELS[level], letter) for level in levels]
    names = list(env.observation_names)
    for world, level in enumerate(levels):
        at = {f"grid[{x},{y}]" for x, y in (spot(LEVELS[level], letter) for letter in "BTCs")}
        seen = {name for name, value in zip(names, env.observation[world].tolist(), strict=True) if value != 0}
        assert {name for name in seen if name.startswith("grid")} == at
    home = list(env.action_names).index("HOME")
    env.step(torch.full((len(levels),), home, dtype=torch.int32))
    assert env.reports["far"].tolist() == [0.0] * len(levels)
    assert env.reports["across"].tolist() == [spot(LEVELS[level], "B")[0] for level in levels]
    bus = [env.meter(f"position {axis} of Bus").view(-1).tolist() for axis in "xy"]
    assert list(zip(*bus, strict=True)) == [spot(LEVELS[level], "T") for level in levels], "the next stop of its level"
    *_, info = env.step(torch.full((len(levels),), list(env.action_names).index("INTERACT"), dtype=torch.int32))
    assert info["used"].tolist() == [0] * len(levels)


@BACKENDS
def test_walks_go_around_the_walls_of_the_level(backend: str, compiled: Compiled) -> None:
    env, levels = begun(HOUSE, backend, compiled, worlds=64)
    wait = torch.full((len(levels),), list(env.action_names).index("WAIT"), dtype=torch.int32)
    far = {level: steps(LEVELS[level], spot(LEVELS[level], "B")) for level in (0, 1)}
    visited = set()
    for turn in range(12):
        cells = [sorted(far[level])[(world + turn) % len(far[level])] for world, level in enumerate(levels)]
        env.state["position"][0] = torch.tensor([x for x, _ in cells], dtype=torch.int32)
        env.state["position"][1] = torch.tensor([y for _, y in cells], dtype=torch.int32)
        visited |= set(zip(levels, cells, strict=True))
        _, _, terminated, truncated, _ = env.step(wait)
        stayed = ~terminated & ~truncated
        expected = [far[level][cell] for level, cell in zip(levels, cells, strict=True)]
        found = env.reports["far"].tolist()
        assert [a for a, on in zip(found, stayed.tolist(), strict=True) if on] == [
            float(b) for b, on in zip(expected, stayed.tolist(), strict=True) if on
        ]
        levels = [int(number) for number in env.meter("level").view(-1).tolist()]
    assert len(visited) > 20


@BACKENDS
def test_a_solid_affordance_stops_whoever_walks_into_it_in_its_level(backend: str, compiled: Compiled) -> None:
    env, levels = begun(HOUSE, backend, compiled)
    beside = [(spot(LEVELS[level], "T")[0], spot(LEVELS[level], "T")[1] + 1) for level in levels]
    for axis in (0, 1):
        env.state["position"][axis] = torch.tensor([cell[axis] for cell in beside], dtype=torch.int32)
    *_, info = env.step(torch.full((len(levels),), list(env.action_names).index("UP"), dtype=torch.int32))
    assert env.state["position"].T.tolist() == [list(cell) for cell in beside]
    assert info["used"].tolist() == [1] * len(levels)


@BACKENDS
def test_an_episode_keeps_its_places_whatever_writes_the_level(backend: str, compiled: Compiled) -> None:
    text = f"{HOUSE}\nworld {{ kept state level: attic cellar = attic  rule next: level = cellar }}"
    env = hamlet.make(compiled(text), worlds=2, backend=backend, seed=3, quiet=True)
    env.reset()
    home = torch.full((2,), list(env.action_names).index("HOME"), dtype=torch.int32)
    for _ in range(3):
        env.step(home)
        assert env.meter("level").view(-1).tolist() == [1, 1]
        assert env.state["position"].T.tolist() == [list(spot(ATTIC, "B"))] * 2
        assert env.reports["far"].tolist() == [0, 0]
    env.step(home)
    assert env.state["position"].T.tolist() == [list(spot(CELLAR, "s"))] * 2
    env.step(home)
    assert env.state["position"].T.tolist() == [list(spot(CELLAR, "B"))] * 2


GROVE = """
universe grove
space grid map
map {
    level one { "ttt." "..b." }
    level two { ".ttt" "ttwb" }
    wall "w"
    region trees "tbw"
}
lifespan 4 ticks
meter energy = 1 { decay 0.01 }
affordance Bench at "b" { instantly { energy += 0.1 } }
affordance Oak: 2 copies at random in trees { instantly { energy += 0.1 } }
affordance Elm at random in trees { instantly { energy += 0.2 } }
reward energy - 0.001 * distance to Oak
observe { position absolute  state level  grid }
"""


@BACKENDS
def test_cells_of_a_region_are_dealt_to_what_stands_there_at_random(backend: str, compiled: Compiled) -> None:
    env, levels = begun(GROVE, backend, compiled, worlds=6000)
    names = ("Oak 1", "Oak 2", "Elm")
    columns = [[env.meter(f"position {axis} of {name}").view(-1).tolist() for axis in "xy"] for name in names]
    stands = [tuple(zip(*where, strict=True)) for where in columns]
    cells = {0: [(0, 0), (1, 0), (2, 0)], 1: [(1, 0), (2, 0), (3, 0), (0, 1), (1, 1)]}
    for level in (0, 1):
        found = Counter(each for each, at in zip(zip(*stands, strict=True), levels, strict=True) if at == level)
        every = list(permutations(cells[level], 3))
        assert set(found) == set(every), "all orders of different cells, and no others"
        expected = sum(found.values()) / len(every)
        spread = sum((found[order] - expected) ** 2 / expected for order in every)
        assert spread < len(every) + 4 * (2 * len(every)) ** 0.5
    starts = {(level, tuple(cell)) for level, cell in zip(levels, env.state["position"].T.tolist(), strict=True)}
    assert not starts & {(0, (2, 1)), (1, (3, 1)), (1, (2, 1))}, "nobody starts on the bench, or on a wall"
    assert len(starts) == 13


def test_a_level_may_lack_what_says_that_it_is_absent_there(compiled: Compiled) -> None:
    lacking = HOUSE.replace(drawn(CELLAR), drawn(CELLAR).replace("B", "."))
    messages = [each.message for each in findings(lacking)]
    assert messages[0] == "the level `cellar` has no `B`"
    lacking = lacking.replace('action HOME { teleport "B" }', "").replace("report across: position x of Bed", "")
    hint = findings(lacking)[0].hint
    assert hint == "Draw it there, or say in the braces of `Bed`: `appears when level != cellar`."
    for said in (
        "level != cellar",
        "not level == cellar",
        "level == attic and hour >= 1",
        "not (level == cellar or hour > 5)",
    ):
        absent = (
            lacking.replace('Bed at "B" {', f'Bed at "B" {{ appears when {said} ') + "clock 24 hours report late: hour"
        )
        assert [each.message for each in findings(absent) if each.severity == "error"] == []
    for said in ("level != attic", "hour > 5", "level == cellar or hour > 5"):
        absent = (
            lacking.replace('Bed at "B" {', f'Bed at "B" {{ appears when {said} ') + "clock 24 hours report late: hour"
        )
        assert next(each.code for each in findings(absent)) == "H331"
    env, levels = begun(lacking.replace('Bed at "B" {', 'Bed at "B" { appears when level != cellar '), "c", compiled)
    env.step(torch.full((len(levels),), list(env.action_names).index("WAIT"), dtype=torch.int32))
    x, y = spot(ATTIC, "s")
    far = float(steps(ATTIC, spot(ATTIC, "B"))[x, y])
    assert env.reports["far"].tolist() == [35.0 if level else far for level in levels], "no way leads there"


@pytest.mark.parametrize("name", ['say "*/ {{ %d', "it's \\ {}", "level of the episode", "x of B", "walk to Bed"])
def test_names_beside_places_of_levels_may_be_anything(name: str, compiled: Compiled) -> None:
    text = HOUSE.replace("Bed", f"`{name}`") + f"world {{ let `{name}` = once uniform(0, 1) }} report own: `{name}`"
    env, levels = begun(text, "interpreter", compiled)
    found = env.meter(f"position x of {name}").view(-1).tolist()
    assert found == [spot(LEVELS[level], "B")[0] for level in levels]


def test_lists_of_letters_are_places(compiled: Compiled) -> None:
    plain = 'universe plain\nspace grid map\nmap { "B.Y" "..." }\nlifespan 10 ticks\nmeter e = 1 { decay 0.1 }\n'
    plain += 'affordance Bed at "B", "Y" { instantly { e += 0.3 } }\nreward e\nobserve { meters }'
    assert [each.place for each in compiled(plain).universe.affordances] == [(0.0, 0.0), (2.0, 0.0)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (HOUSE.replace('at "B"', 'at "Q"'), "H145"),
        (HOUSE.replace('at "B"', 'at "#"'), "H146"),
        (HOUSE.replace('at "T" solid', 'at "s" solid'), "H297"),
        (
            HOUSE.replace('starts "s"', 'region begins "s"').replace(
                "report away", "rule on_begins: on begins -> energy += 0.1\nreport away"
            ),
            None,
        ),
        (HOUSE.replace(".s..", "....").replace("#C..#s#", "#C..#B#"), "H331"),
        (f"{HOUSE}\ncells {{ state shut = chance(0.5)  wall when shut }}", "H306"),
        (HOUSE.replace("space grid map", "space grid map { moves turning }"), "H269"),
    ],
)
def test_what_cannot_stand_in_levels_is_said(text: str, code: str | None) -> None:
    errors = [each.code for each in findings(text) if each.severity == "error"]
    assert errors[:1] == ([] if code is None else [code])


THIN = """
universe thin
space grid map
map {
    level one { "s.B|. ." "  -   -" "C:. . ." }
    level two { "C. |.:B" "  -+  -" "s . .+." }
    starts "s"
    wall between columns "|"
    wall between rows "-"
}
lifespan 20 ticks
meter e = 1 { decay 0.01 }
affordance Bed at "B" { instantly { e += 0.1 } }
affordance Cot at "C" { instantly { e += 0.1 } }
reward e
report far: walking distance to Bed
observe { position absolute  state level }
draw { agents "@" in gold }
"""


def test_levels_draw_thin_walls_that_are_the_same_in_all(compiled: Compiled) -> None:
    env, levels = begun(THIN.replace("reward e", "reward e - 0.001 * walking distance to Cot"), "c", compiled)
    ground = env.universe.space.map
    assert [wall.cells for wall in ground.thin] == [(1, 2), (1, 5), (3, 7)]
    assert findings(THIN) == ()
    starts, beds = {0: (0, 0), 1: (0, 1)}, {0: (1, 0), 1: (3, 0)}
    at = [env.meter(f"position {axis} of Bed").view(-1).tolist() for axis in "xy"]
    assert list(zip(*at, strict=True)) == [beds[level] for level in levels]
    assert env.state["position"].T.tolist() == [list(starts[level]) for level in levels]
    env.step(torch.full((len(levels),), list(env.action_names).index("WAIT"), dtype=torch.int32))
    assert env.reports["far"].tolist() == [{0: 1.0, 1: 4.0}[level] for level in levels]


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [('"s . .+."', '"s .|.+."', "H310"), ('"  -+  -"', '"  -?  -"', "H144"), ('wall between columns "|"', "", "H144")],
)
def test_thin_walls_of_levels_that_cannot_stand_are_said(old: str, new: str, code: str) -> None:
    assert next(each.code for each in findings(THIN.replace(old, new))) == code
