"""Solid cells: nobody enters them, nothing is pushed onto them, and everybody sees past them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import pytest
import torch

import hamlet
from hamletc.errors import CompileError
from hamletc.expansion.layers import over
from hamletc.expansion.places import Places
from hamletc.language import syntax
from hamletc.language.parser import parse
from samples import universe_of

Compiled: TypeAlias = "Callable[[str], hamlet.Module]"
BACKENDS = pytest.mark.parametrize("backend", ["interpreter", "c"])
LANE = """
universe lane
space grid 7 x 1 { starts anywhere  agents push crate }
episodes by hand
meter energy = 1
world {
    state frost = false
    rule freezes: frost = count(action == FREEZE) > 0
}
cells {
    state bush = position x == 2
    state tree = position x == 4
    state east = position x > 4
    state crate: none light heavy = none
    wall when tree
    solid when bush or frost and east or crate == heavy
    rule moves: count(action == WAIT) > 5 -> crate = light
}
action FREEZE { energy -= 0.1 }
action JUMP { teleport (2, 0) }
action HOP { move (1, 0) }
report ahead: 1 when solid at (position x + 1, 0)
report walled: 1 when wall at (position x + 1, 0)
reward energy
observe { position absolute  window 3 of wall in sight }
"""


def lane(backend: str, compiled: Compiled, said: str = LANE) -> hamlet.Env:
    env = hamlet.make(compiled(said), worlds=1, agents=2, backend=backend, quiet=True)
    env.reset()
    return env


class Walk:
    """Two agents of the lane."""

    def __init__(self, env: hamlet.Env, first: int, second: int) -> None:
        self.env, self._names = env, list(env.action_names)
        env.set("position", torch.tensor([[first, 0], [second, 0]]))

    def step(self, *actions: str) -> list[int]:
        self.env.step(torch.tensor([self._names.index(each) for each in actions], dtype=torch.int32))
        return [x for x, _ in self.env.state["position"].T.tolist()]

    def may(self, agent: int, action: str) -> bool:
        return bool(self.env.action_mask[agent, self._names.index(action)])


@BACKENDS
def test_nobody_enters_a_solid_cell(backend: str, compiled: Compiled) -> None:
    walk = Walk(lane(backend, compiled), 1, 0)
    assert walk.step("RIGHT", "JUMP") == [1, 0]
    assert walk.step("HOP", "WAIT") == [1, 0]
    assert not walk.may(0, "RIGHT")
    assert walk.may(0, "LEFT")
    assert walk.env.reports["ahead"].tolist() == [1, 0]
    assert walk.env.reports["walled"].tolist() == [0, 0]
    walk.env.set("bush", torch.zeros(7, 1))
    assert walk.step("RIGHT", "JUMP") == [2, 2]


@BACKENDS
def test_everybody_sees_past_a_solid_cell_and_past_no_wall(backend: str, compiled: Compiled) -> None:
    env = lane(backend, compiled)
    env.set("position", torch.tensor([[1, 0], [3, 0]]))
    env.set("bush", torch.tensor([0.0, 0, 1, 1, 0, 0, 0]).view(7, 1))
    env.set("tree", torch.tensor([0.0, 0, 0, 0, 1, 1, 0]).view(7, 1))
    seen = dict(zip(env.observation_names, env.observation.T.tolist(), strict=True))
    walls = [seen[f"window.wall[{x},0]"] for x in range(1, 4)]
    assert [first for first, _ in walls] == [0, 0, 1], "a tree alone is a wall"
    assert [second for _, second in walls] == [1, 0, 0], "a tree hides the one behind it"


@BACKENDS
def test_a_cell_is_solid_while_something_of_the_world_holds(backend: str, compiled: Compiled) -> None:
    walk = Walk(lane(backend, compiled), 5, 0)
    assert walk.step("WAIT", "FREEZE") == [5, 0]
    assert walk.step("RIGHT", "FREEZE") == [5, 0], "frozen ground is solid"
    assert walk.step("RIGHT", "WAIT") == [5, 0], "up to the end of the tick"
    assert walk.step("RIGHT", "WAIT") == [6, 0]


@BACKENDS
def test_nothing_is_pushed_onto_a_solid_cell_and_a_heavy_thing_is_not_pushed(backend: str, compiled: Compiled) -> None:
    walk = Walk(lane(backend, compiled), 0, 6)
    light, heavy = 1.0, 2.0
    walk.env.set("crate", torch.tensor([0.0, light, 0, 0, 0, 0, 0]).view(7, 1))
    assert not walk.may(0, "RIGHT")
    assert walk.step("RIGHT", "WAIT") == [0, 6], "a bush is behind it"
    walk.env.set("bush", torch.zeros(7, 1))
    assert walk.step("RIGHT", "WAIT") == [1, 6]
    assert walk.env.meter("crate")[:, 0].tolist() == [0, 0, light, 0, 0, 0, 0]
    walk.env.set("crate", torch.tensor([0.0, 0, heavy, 0, 0, 0, 0]).view(7, 1))
    assert walk.step("RIGHT", "WAIT") == [1, 6]
    walk.env.set("crate", torch.tensor([0.0, 0, light, heavy, 0, 0, 0]).view(7, 1))
    assert walk.step("RIGHT", "WAIT") == [1, 6], "a light thing does not move a heavy one"


@BACKENDS
def test_agents_and_affordances_begin_on_cells_that_they_can_enter(backend: str, compiled: Compiled) -> None:
    field = """
universe field
space grid 6 x 6
lifespan 2 ticks
meter energy = 1 { decay 0.1 }
cells { state stone = chance(0.4)  state ditch = chance(0.2)  wall when ditch  solid when stone }
affordance Spring at random { instantly { energy += 0.1 } }
reward energy
observe { position absolute }
"""
    env = hamlet.make(compiled(field), worlds=50, agents=3, backend=backend, seed=5, quiet=True)
    env.reset()
    closed = (env.meter("stone") + env.meter("ditch")).T.bool()
    x, y = env.state["position"].long()
    assert not bool(closed.repeat_interleave(3, 0).gather(1, (x + 6 * y).unsqueeze(1)).any())
    assert not bool(closed.gather(1, env.state["places"].long().T).any())
    assert bool(env.meter("stone").bool().any())


def test_beyond_the_edges_nothing_is_solid(compiled: Compiled) -> None:
    """There a state with options has the first one, which makes other cells solid."""
    text = """
universe ring
space grid 3 x 1 { starts anywhere }
lifespan 9 ticks
meter energy = 1 { decay 0.1 }
cells { state ground: rock path = if position x == 0 then rock else path  solid when ground == rock }
reward energy
report left: 1 when solid at (position x - 1, 0)
observe { position absolute }
"""
    env = hamlet.make(compiled(text), worlds=1, agents=2, backend="interpreter", quiet=True)
    env.reset()
    env.set("position", torch.tensor([[0, 0], [1, 0]]))
    env.step(torch.full((2,), list(env.action_names).index("WAIT"), dtype=torch.int32))
    assert env.reports["left"].tolist() == [0, 1]


def test_a_picture_shows_solid_cells(compiled: Compiled) -> None:
    env = lane("interpreter", compiled)
    env.set("position", torch.tensor([[0, 0], [6, 0]]))
    assert "%" in env.render()
    assert "#" in env.render()


def test_the_step_ahead_is_off_where_a_solid_cell_is(compiled: Compiled) -> None:
    said = LANE.replace("starts anywhere  agents push crate", "starts anywhere  moves turning")
    said = said.replace("energy = 1\n", "energy = 1 { move 0.1 }\n")
    env = lane("interpreter", compiled, said.replace("7 x 1", "7 x 2"))
    env.set("position", torch.tensor([[1, 0], [0, 0]]))
    env.set("heading", torch.zeros(2))
    ahead = list(env.action_names).index("FORWARD")
    assert env.action_mask[:, ahead].tolist() == [False, True]


def test_a_universe_over_another_has_other_solid_cells() -> None:
    base = next(item for item in parse(LANE)[0].declarations if isinstance(item, syntax.CellsDecl))
    solid = next(item for item in base.items if isinstance(item, syntax.SolidItem))
    block = syntax.CellsDecl((solid,), base.span)
    other = syntax.CellsDecl((replace(solid, condition=syntax.Name("tree", base.span)),), base.span)
    (left,), problems = over((block,), (other,), Places(1), extends=True)
    assert not problems
    assert left.items[0].condition.text == "tree"


@pytest.mark.parametrize(
    ("new", "code"),
    [
        ("", "H329"),
        ("solid when crate != none or tree", "H327"),
        ("solid when bush or chance(0.5)", "H305"),
        ("solid when bush  solid when tree", "H024"),
    ],
)
def test_what_cannot_be_solid(new: str, code: str) -> None:
    with pytest.raises(CompileError) as raised:
        universe_of(LANE.replace("solid when bush or frost and east or crate == heavy", new))
    assert {each.code for each in raised.value.diagnostics if each.severity == "error"} == {code}


def test_lying_things_make_cells_solid() -> None:
    said = """
universe works
space grid 5 x 5
lifespan 9 ticks
meter energy = 1 { decay 0.1 }
item stone { lying 1 when chance(0.3)  can pick drop }
slots 4
cells { solid when lying of stone >= 2 }
reward energy
observe { position absolute  window 1 of (lying of stone) }
"""
    assert universe_of(said.replace("  window 1 of (lying of stone)", "")).closed is not None
