"""Walls of which a condition of cells decides: what they stop, where episodes begin beside them, and who sees them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import pytest
import torch

import hamlet
from hamlet.numbers.permutation import domain
from hamlet.numbers.random import WORD, permute
from hamletc.expansion.layers import over
from hamletc.expansion.places import Places
from hamletc.language import syntax
from hamletc.language.parser import parse
from hamletc.lowering import lower
from hamletc.lowering.plan import CPU as C
from hamletc.targets.c.emit import emit as in_c
from hamletc.targets.triton.emit import emit as in_triton
from samples import universe_of

Compiled: TypeAlias = "Callable[[str], hamlet.Module]"
BACKENDS = pytest.mark.parametrize("backend", ["interpreter", "c"])
SIDE = 6
CAVE = """
universe cave
space grid 6 x 6
lifespan 2 ticks
param density = 0.4 in 0 .. 1
meter energy = 1 { decay 0.1 }
cells {
    state stone = chance(density)
    wall when stone
}
affordance Spring at random { instantly { energy += 0.1 } }
reward energy
observe { position absolute }
"""
CORRIDOR = """
universe corridor
space grid 5 x 1 { starts anywhere }
episodes by hand
meter energy = 1
world {
    state locked = false
    rule locks: locked = count(action == LOCK) > 0
}
cells {
    state door = position x == 2
    wall when door and locked
    rule bricks: count(action == BRICK) > 0 -> door = true
}
action LOCK { energy -= 0.1 }
action BRICK { energy -= 0.1 }
action JUMP { teleport (2, 0) }
action HOP { move (2, 0) }
report ahead: 1 when wall at (position x + 1, 0)
reward energy
observe { position absolute  window 2 of wall  grid of wall }
"""


def places(env: hamlet.Env) -> list[tuple[int, ...]]:
    return [tuple(each) for each in env.state["position"].T.tolist()]


@BACKENDS
def test_everybody_begins_on_the_first_of_its_cells_that_is_no_wall(backend: str, compiled: Compiled) -> None:
    worlds, agents = 300, 3
    env = hamlet.make(compiled(CAVE), worlds=worlds, agents=agents, backend=backend, seed=7, quiet=True)
    env.reset()
    stone = env.meter("stone").T.bool()
    layout = env.state["layout"].long() & WORD
    over, later = domain(SIDE * SIDE), 0
    for index in range(1 + agents):
        for world in range(worlds):
            tries = torch.arange(index, SIDE * SIDE, 1 + agents)
            cells = permute(tries, layout[world], over).tolist()
            open_cells = [cell for cell in cells if not stone[world, cell]]
            expected = (open_cells or cells)[0]
            later += expected != cells[0]
            if index == 0:
                assert int(env.state["places"][0, world]) == expected
            else:
                x, y = env.state["position"][:, world * agents + index - 1].tolist()
                assert x + SIDE * y == expected
    assert later > 300


def test_each_cell_without_a_wall_is_as_likely(compiled: Compiled) -> None:
    env = hamlet.make(compiled(CAVE), worlds=6000, seed=3, quiet=True)
    env.reset()
    stone = env.meter("stone").T.bool()
    x, y = env.state["position"].long()
    free = ~stone
    expected = (free / free.sum(dim=1, keepdim=True)).sum(dim=0)
    counted = torch.zeros(SIDE * SIDE).index_add_(0, x + SIDE * y, torch.ones(6000))
    assert not bool(stone.gather(1, (x + SIDE * y).unsqueeze(1)).any())
    assert float(((counted - expected) ** 2 / expected).sum()) < 35 + 5 * 70**0.5


@BACKENDS
def test_where_all_is_wall_agents_begin_walled_in(backend: str, compiled: Compiled) -> None:
    env = hamlet.make(compiled(CAVE), worlds=20, agents=2, backend=backend, params={"density": 1.0}, quiet=True)
    env.reset()
    before = places(env)
    env.step(torch.zeros(40, dtype=torch.int32))
    assert places(env) == before
    assert len(set(before)) > 20


@BACKENDS
def test_a_door_stops_what_comes_from_outside(backend: str, compiled: Compiled) -> None:
    package = compiled(CORRIDOR)
    env = hamlet.make(package, worlds=1, agents=2, backend=backend, quiet=True)
    names = list(env.action_names)
    env.reset()
    env.set("position", torch.tensor([[1, 0], [4, 0]]))

    def step(*actions: str) -> list[int]:
        env.step(torch.tensor([names.index(each) for each in actions], dtype=torch.int32))
        return [x for x, _ in places(env)]

    assert step("RIGHT", "LOCK") == [2, 4], "the lock closes at the end of the tick"
    assert step("WAIT", "LOCK") == [2, 4], "who is inside stays"
    assert step("LEFT", "LOCK") == [1, 4], "and may leave"
    assert step("RIGHT", "LOCK") == [1, 4]
    assert not bool(env.action_mask[0, names.index("RIGHT")])
    assert bool(env.action_mask[0, names.index("LEFT")])
    assert step("JUMP", "LOCK") == [1, 4]
    assert step("WAIT", "LEFT") == [1, 3], "nobody locks, so the door is open at the end"
    assert step("RIGHT", "HOP") == [2, 4], "a move goes to its end, edges clamp"
    observed = dict(zip(env.observation_names, env.observation[0].tolist(), strict=True))
    assert [value for name, value in observed.items() if name.startswith("grid")] == [0, 0, 0, 0, 0]
    assert step("WAIT", "LOCK") == [2, 4]
    assert env.reports["ahead"].tolist() == [0, 1]


@BACKENDS
def test_windows_and_pictures_show_what_is_wall_now(backend: str, compiled: Compiled) -> None:
    env = hamlet.make(compiled(CAVE.replace("position absolute", "window 1 of wall")), backend=backend, quiet=True)
    env.reset()
    stone = env.meter("stone")[:, 0].view(SIDE, SIDE).bool()
    x, y = env.state["position"][:, 0].tolist()
    expected = [
        not (0 <= x + right < SIDE and 0 <= y + down < SIDE) or bool(stone[y + down, x + right])
        for down in (-1, 0, 1)
        for right in (-1, 0, 1)
    ]
    assert env.observation[0].bool().tolist() == expected
    assert env.render().count("#") >= int(stone.sum())


@pytest.mark.parametrize("target", ["c", "triton"])
def test_odd_names_change_no_code(target: str) -> None:
    """Names in backticks with ends of comments, quotes and templates reach code as identifiers alone."""

    def code(odd: str) -> list[str]:
        universe = universe_of(re.sub(r"\bstone\b", lambda _: f"`stone{odd}`", CAVE))
        said = in_c(lower(universe, C), universe) if target == "c" else in_triton(lower(universe), universe)
        bare = re.sub(r'/\*.*?\*/|"(\\.|[^"\\])*"|#.*', "", said, flags=re.DOTALL)
        return [
            "word" if token[0].isalnum() or token[0] == "_" else token for token in re.findall(r"\w+|[^\w\s]", bare)
        ]

    assert code("") == code("*/ '); boom( {{ 7 * 7 }} \\")


def test_a_universe_over_another_has_other_walls() -> None:
    base = next(item for item in parse(CAVE)[0].declarations if isinstance(item, syntax.CellsDecl))
    other = syntax.CellsDecl((replace(base.items[1], condition=syntax.Name("mud", base.span)),), base.span)
    (meter, wall), problems = over((base,), (other,), Places(1), extends=True)
    assert not problems
    assert isinstance(meter.items[0], syntax.MeterDecl)
    assert wall.items[0].condition.text == "mud"
