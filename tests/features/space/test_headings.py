"""Agents with a heading: `moves turning`, and what is ahead of them, as docs/semantics.md says."""

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
from hamletc.expansion.headings import DIRECTIONS
from hamletc.frontend import Stopwatch

HEAD = "universe turned\n{space}\nlifespan 90 ticks\n{rest}\nreward nothing\n"
ROOM = "space grid 5 x 5 {{ moves turning  edges {} }}"
CELL = 'space grid map {{ moves turning }} map {{ "....." "..#.." ".#..." "....." wall "#" }}'.format()
SQUARE = ("east", "south", "west", "north")


def text(space: str, rest: str) -> str:
    """A universe of these declarations."""
    return HEAD.format(space=space, rest=rest if "observe" in rest else f"{rest}\nobserve {{ state }}")


@pytest.fixture(scope="module")
def worlds(compiled: Callable[[str], Module]) -> Callable[..., Env]:
    """A world of a space with further declarations."""

    def made(space: str, rest: str = "", agents: int | None = 1) -> Env:
        module = compiled(f"{text(space, rest)}inert allowed\n")
        return hamlet.make(module, worlds=1, agents=agents, backend="interpreter", quiet=True, seed=3)

    return made


def put(env: Env, at: tuple[int, int], heading: str) -> None:
    """Put the agent of the world on a cell, facing this way."""
    env.state["position"][:] = torch.tensor([at]).T
    env.set("heading", heading)


def done(env: Env, *actions: str) -> tuple[int, ...]:
    """Where the agent is after these actions."""
    for action in actions:
        env.step([env.action_names.index(action)])
    return tuple(env.state["position"][:, 0].tolist())


def heading(env: Env) -> int:
    """The number of the heading among the options."""
    return int(env.meter("heading")[0])


def test_turns_lead_around_and_steps_forward(worlds: Callable[..., Env]) -> None:
    env = worlds(ROOM.format("clamp"))
    assert env.action_names == ("TURN_LEFT", "TURN_RIGHT", "FORWARD", "INTERACT", "WAIT")
    steps = {"east": (3, 2), "south": (2, 3), "west": (1, 2), "north": (2, 1)}
    for number, (way, there) in enumerate(steps.items()):
        put(env, (2, 2), way)
        assert done(env, "TURN_RIGHT") == (2, 2)
        assert heading(env) == (number + 1) % 4
        done(env, "TURN_LEFT", "TURN_LEFT")
        assert heading(env) == (number - 1) % 4
        assert done(env, "TURN_RIGHT", "FORWARD") == there


@pytest.mark.parametrize(
    ("edges", "x", "on"),
    [("clamp", 4, False), ("wrap", 0, True), ("bounce", 3, True), ("sticky", 4, False)],
)
def test_edges_act_as_in_a_move_and_masks_know_them(worlds: Callable[..., Env], edges: str, x: int, on: bool) -> None:
    env = worlds(ROOM.format(edges))
    put(env, (4, 2), "east")
    assert done(env, "FORWARD") == (x, 2)
    put(env, (3, 2), "east")
    done(env, "FORWARD")
    assert bool(env.action_mask[0, 2]) == on


def test_walls_stop_who_goes_forward(worlds: Callable[..., Env]) -> None:
    env = worlds(CELL)
    put(env, (1, 1), "east")
    assert done(env, "FORWARD") == (1, 1)
    assert not env.action_mask[0, 2]
    assert done(env, "TURN_LEFT", "FORWARD") == (1, 0)
    assert done(env, "TURN_RIGHT", "FORWARD") == (2, 0)
    done(env, "TURN_RIGHT")
    assert not env.action_mask[0, 2]
    assert env.action_mask[0, :2].all()


def test_going_forward_costs_what_move_says_where_it_leads(worlds: Callable[..., Env]) -> None:
    space = (
        'space grid map { moves turning } map { "...." ".f.." region woods "f" terrain effort = 0.125 { woods 0.25 } }'
    )
    env = worlds(space, "meter energy = 1 { move effort }")
    put(env, (0, 1), "east")
    assert done(env, "FORWARD", "TURN_LEFT", "WAIT") == (1, 1)
    assert float(env.meter("energy")[0]) == 0.75
    put(env, (3, 0), "east")
    assert done(env, "FORWARD") == (3, 0)
    assert float(env.meter("energy")[0]) == 0.625


def test_going_forward_costs_agents_of_a_role_alone(worlds: Callable[..., Env]) -> None:
    roles = (
        "role wolf: 1 agent { meter hunger = 1 { move 0.25 } }\nrole sheep: 1 agent { meter wool = 1 { decay 0.5 } }"
    )
    env = worlds(ROOM.format("wrap"), roles, agents=None)
    env.step([2, 2])
    assert env.meter("wolf.hunger").tolist() == [0.75, 1.0]
    env.step([0, 2])
    assert env.meter("wolf.hunger").tolist() == [0.75, 1.0]


def test_six_headings_on_hexagons(worlds: Callable[..., Env]) -> None:
    env = worlds("space hexagons 5 x 5 { moves turning }")
    for number, (way, (right, down)) in enumerate(DIRECTIONS["hexagons"].items()):
        put(env, (2, 2), way)
        assert done(env, "FORWARD") == (2 + right, 2 + down)
        done(env, "TURN_LEFT")
        assert heading(env) == (number - 1) % 6
        done(env, "TURN_RIGHT", "TURN_RIGHT")
        assert heading(env) == (number + 1) % 6


def test_what_is_ahead_behind_left_and_right(worlds: Callable[..., Env]) -> None:
    ways = ("ahead", "right", "behind", "left")
    seen = "  ".join(f"{way}: wall at {way}  {way}2: wall at {way} 2" for way in ways)
    env = worlds(CELL, f"observe {{ {seen}  x: ahead x  y: ahead y }}")
    walls = {(2, 1), (1, 2)}
    for number, way in enumerate(SQUARE):
        put(env, (1, 1), way)
        done(env, "WAIT")
        shown = env.observation[0].tolist()
        for which in range(4):
            right, down = tuple(DIRECTIONS["grid"].values())[(number + which) % 4]
            for far in (1, 2):
                x, y = 1 + far * right, 1 + far * down
                wall = (x, y) in walls or not (0 <= x < 5 and 0 <= y < 4)
                assert shown[2 * which + far - 1] == wall, (way, ways[which], far)
        assert tuple(shown[8:]) == tuple(DIRECTIONS["grid"].values())[number]


def test_actions_of_ones_own_move_by_the_heading(worlds: Callable[..., Env]) -> None:
    own = "action LEAP { needs not wall at ahead 2  move ahead 2 }\naction STRAFE { move left }\n"
    env = worlds(ROOM.format("clamp"), f"{own}action BACK {{ move behind }}")
    put(env, (1, 1), "south")
    assert done(env, "LEAP") == (1, 3)
    assert not env.action_mask[0, env.action_names.index("LEAP")]
    assert done(env, "LEAP") == (1, 3)
    assert done(env, "STRAFE") == (2, 3)
    assert done(env, "BACK") == (2, 2)


def test_own_actions_take_the_place_of_those_of_the_space(worlds: Callable[..., Env]) -> None:
    env = worlds(
        ROOM.format("clamp"),
        "action FORWARD { needs position x < 2  move ahead }\naction DONE { }\nactions TURN_RIGHT FORWARD DONE",
    )
    assert env.action_names == ("TURN_RIGHT", "FORWARD", "DONE")
    put(env, (1, 1), "east")
    assert done(env, "FORWARD", "FORWARD", "FORWARD") == (2, 1)


def test_agents_may_face_where_they_go(worlds: Callable[..., Env]) -> None:
    rest = "state heading: north east south west = north\naction KICK { move ahead 2 }\n"
    rest += "rule turns: action == RIGHT -> heading = east\nrule looks: action == DOWN -> heading = south"
    env = worlds("space grid 5 x 5", rest)
    env.state["position"][:] = torch.tensor([(0, 0)]).T
    assert done(env, "RIGHT", "KICK") == (3, 0)
    assert done(env, "DOWN", "KICK") == (3, 3)


def test_what_is_written_out_captures_no_name(worlds: Callable[..., Env]) -> None:
    rest = "let f(heading) = heading + (1 when wall at ahead)\nreport r: f(5)\n"
    rest += "rule `FORWARD costs`: e -= 0.25 when wall at ahead\nmeter e = 1 { move 0.125 }"
    env = worlds(ROOM.format("clamp"), rest)
    put(env, (4, 2), "east")
    env.step([2])
    assert float(env.reports["r"][0]) == 6.0
    assert float(env.meter("e")[0]) == 0.625


@pytest.mark.parametrize(
    ("space", "rest", "code"),
    [
        ("space grid 4 x 4", "rule r: move ahead", "H268"),
        ("space grid 4 x 4", "state heading: east west = east\nrule r: move ahead", "H268"),
        (
            "space grid 4 x 4",
            "role a: others { state heading: east south west north = east  rule r: move ahead }",
            "H268",
        ),
        ("space grid 4 x 4 { moves turning }", "world { state heading: east south west north = east }", "H268"),
        ("space grid 4 { moves turning }", "", "H269"),
        ("space none", "meter e = 1\nrule r: e -= 0.1 when ahead x > 0", "H269"),
        ("space grid 4 x 1 { moves turning }", "", "H269"),
        ("space grid 4 x 4 { moves turning }", "moves { UP (0, -1) }", "H064"),
        ("space grid 4 x 4 { moves turning }", "meter e = 1\nrule r: e -= 0.1 when wall at left 0.5", "H261"),
        ("space grid 4 x 4 { moves turning }", "rule r: move ahead 4", "H266"),
        ("space grid 4 x 4 { moves turning }", "world { meter w = 1  rule r: w -= 0.1 when wall at ahead }", "H092"),
    ],
)
def test_what_has_no_heading_is_told(space: str, rest: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "made.hamlet"
    path.write_text(text(space, rest), encoding="utf-8")
    with pytest.raises(SourceError) as told:
        check_file(path, Stopwatch())
    assert code in [found.code for group in told.value.found for found in group.diagnostics]
