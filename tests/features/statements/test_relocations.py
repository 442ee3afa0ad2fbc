"""`move` and `teleport` wherever meters are written: who is where when, as docs/semantics.md says."""

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

Worlds = Callable[..., Env]
HEAD = "universe moved\n{space}\nlifespan 90 ticks\n{rest}\nreward nothing\n"
ROW = "space grid 8 {{ edges {}  starts anywhere }}"
SHORE = 'space grid map map { "SSH." "...#" starts "S" wall "#" region holes "H" }'
LAKE = 'space grid map map { "S.H." "...#" starts "S" wall "#" region holes "H" }'
POND = "space continuous (0 .. 8) { step 1  reach 1 }"
PUCK = "space continuous (0 .. 8) { step 1  reach 1  momentum up to 2 }"
GRAPH = "space graph { home - road - shop  starts home }"


def text(space: str, rest: str) -> str:
    """A universe of these declarations."""
    return HEAD.format(space=space, rest=rest if "observe" in rest else f"{rest}\nobserve {{ constant 1 }}")


@pytest.fixture(scope="module")
def worlds(compiled: Callable[[str], Module]) -> Worlds:
    """A world of a space with further declarations."""

    def made(space: str, rest: str, agents: int = 1, backend: str = "interpreter") -> Env:
        module = compiled(f"{text(space, rest)}inert allowed\n")
        return hamlet.make(module, worlds=1, agents=agents, backend=backend, quiet=True, seed=3)

    return made


def walked(env: Env, at: tuple[float, ...], *actions: str) -> list[tuple[float, ...]]:
    """Where the agent is after each of these actions from a place on."""
    env.state["position"][:] = torch.tensor([at]).T
    places = []
    for action in actions:
        env.step([env.action_names.index(action)])
        places.append(tuple(env.state["position"][:, 0].tolist()))
    return places


def codes(space: str, rest: str, tmp_path: Path) -> list[str]:
    """The codes of what is wrong with declarations in a space."""
    path = tmp_path / "made.hamlet"
    path.write_text(text(space, rest), encoding="utf-8")
    try:
        check_file(path, Stopwatch())
    except SourceError as error:
        return [found.code for group in error.found for found in group.diagnostics]
    return []


@pytest.mark.parametrize(
    ("edges", "places"),
    [("clamp", [6, 7, 7]), ("wrap", [6, 1, 4]), ("bounce", [6, 5, 6]), ("sticky", [6, 6, 6])],
)
def test_edges_act_as_in_a_move(worlds: Worlds, edges: str, places: list[int]) -> None:
    env = worlds(ROW.format(edges), "rule wind: after 1 ticks -> move (3)")
    assert walked(env, (5,), "RIGHT", "WAIT", "WAIT") == [(x,) for x in places]


def test_who_would_come_to_a_wall_stays(worlds: Worlds) -> None:
    env = worlds(LAKE, "input to = 0 in 0 .. 3\nrule goes: teleport (floor(to), 1)")
    env.inputs["to"] = 2.0
    assert walked(env, (0, 1), "WAIT") == [(2, 1)]
    env.inputs["to"] = 3.0
    assert walked(env, (0, 1), "WAIT") == [(0, 1)]
    env = worlds(LAKE, "rule slips: move (0, 1)")
    assert walked(env, (3, 0), "WAIT", "LEFT") == [(3, 0), (2, 1)]


def test_what_follows_in_the_tick_sees_the_new_place_and_others_see_the_old_one(worlds: Worlds) -> None:
    rest = """state fell: int in 0 .. 9 = 0
state lonely = false
rule falls: on holes -> { fell += 1  teleport (0, 0) }
rule dries: on holes -> fell = 9
rule alone: lonely = count(other and position x == 0) == 0
world { state there: int in 0 .. 9 = 0  rule counts: there = count(position x == 0) }
cells { meter worn = 0 in 0 .. 9  rule wears: worn += count(true) }
ends when position x == 0 and fell > 1
report fallen: fell + 0.125 * there + 0.5 * worn
report loneliness: 1 when lonely"""
    env = worlds(SHORE, rest, agents=2)
    env.state["position"][:] = torch.tensor([[1, 3], [0, 0]])
    for action, position, reports in (
        (["RIGHT", "WAIT"], [[0, 3], [0, 0]], [[1.125 + 0.5, 0.125 + 0.5], [1.0, 1.0]]),
        (["RIGHT", "WAIT"], [[1, 3], [0, 0]], [[1.0 + 0.5, 1.0], [1.0, 0.0]]),
        (["RIGHT", "LEFT"], [[0, 0], [0, 0]], [[2.25 + 1.5, 1.25 + 1.5], [1.0, 1.0]]),
    ):
        result = env.step([[env.action_names.index(each) for each in action]])
        told = torch.stack([env.reports["fallen"], env.reports["loneliness"]])
        assert env.state["position"].tolist() == position
        assert told.reshape(2, 2).tolist() == reports
    assert result[2].flatten().tolist() == [True, False]


def test_own_actions_go_by_what_their_statements_left(worlds: Worlds) -> None:
    rest = """state way: int in -2 .. 2 = 1
action TURN { way = -way  move (way) }
action BACK { way += 1  teleport (clamp(position x - way, 0, 7)) }
action BOTH { move (way)  teleport (clamp(2 * position x, 0, 7)) }
observe { state }"""
    env = worlds(ROW.format("clamp"), rest)
    assert walked(env, (3,), "TURN", "TURN", "BACK", "BOTH", "BOTH") == [(2,), (3,), (1,), (6,), (7,)]


def test_effects_and_affordances_move_whoever_they_are_of(worlds: Worlds) -> None:
    rest = """effect blown lasts 2 ticks { on start { move (1) }  each tick { move (1) }  on end { teleport (0) } }
affordance Lift at (6) { instantly { teleport (3) } }
affordance Fan at (3) { instantly { begin blown } }"""
    env = worlds(ROW.format("clamp"), rest)
    assert walked(env, (3,), "INTERACT", "WAIT", "LEFT") == [(5,), (0,), (0,)]
    # What an agent uses it uses where it was when it interacted.
    assert walked(env, (6,), "INTERACT", "WAIT") == [(3,), (3,)]


def test_who_is_elsewhere_loses_its_progress(worlds: Worlds) -> None:
    rest = """input push = 0 in -1 .. 1
meter spent = 0 in 0 .. 9
affordance Job at (3) lasts 3 ticks { each tick { spent = progress }  on completion { move (1) } }
rule wind: move (round(push))
report made: progress
observe { meters }"""
    env = worlds(ROW.format("clamp"), rest)
    made = []
    for push, at in ((0, 3), (1, 3), (0, 3), (0, 3), (0, 3)):
        env.inputs["push"] = float(push)
        walked(env, (at,), "INTERACT")
        made.append((float(env.meter("spent")[0]), int(env.state["progress"][0]), int(env.state["position"][0, 0])))
    assert made == [(1, 1, 3), (2, 0, 4), (1, 1, 3), (2, 2, 3), (3, 0, 4)]


def test_the_velocity_is_what_the_action_did(worlds: Worlds) -> None:
    rest = "rule wind: move (0.25)\nreport fast: velocity x\nmeter toil = 0 in 0 .. 9 { move -1 }\nobserve { meters }"
    env = worlds(POND, rest)
    assert walked(env, (2.0,), "RIGHT", "WAIT") == [(3.25,), (3.5,)]
    assert float(env.meter("toil")[0]) == 1.0


def test_with_momentum_agents_are_pushed(worlds: Worlds) -> None:
    rest = "rule wind: move (0.5)\naction JUMP { teleport (position x * 0.5) }\nreport fast: velocity x"
    env = worlds(PUCK, rest)
    assert walked(env, (2.0,), "WAIT", "RIGHT", "JUMP", "WAIT") == [(2.0,), (3.5,), (2.75,), (4.75,)]
    assert env.state["velocity"].flatten().tolist() == [2.0]


def test_on_a_graph_agents_are_teleported_to_nodes(worlds: Worlds, tmp_path: Path) -> None:
    env = worlds(GRAPH, "rule rests: on shop -> teleport home")
    assert walked(env, (0,), "GO_road", "GO_shop", "GO_road") == [(1,), (0,), (1,)]
    assert codes(GRAPH, "rule walks: move (1)", tmp_path) == ["H194"]
    assert codes(GRAPH, "rule walks: teleport (1)", tmp_path) == ["H194"]


def test_kernels_agree_where_affordances_stand_at_random(worlds: Worlds) -> None:
    rest = """state way: int in -2 .. 2 = 1
meter joy = 0 in 0 .. 9
affordance Bed at random lasts 2 ticks { each tick { joy += 0.5 }  on completion { teleport (integer(0, 7)) } }
affordance Meal at random { instantly { move (choice(-1, 2)) } }
effect blown lasts 2 ticks { each tick { move (way) } }
action TURN { way = -way  move (way) }
rule wind: chance(0.3) -> begin blown
rule finds: here == Meal -> { joy += 1  move (1) }
allow INTERACT when not here == nothing
report seen: (1 when here == Bed) + distance to Meal
observe { meters  here  grid  state }"""
    results = []
    for backend in ("interpreter", "c"):
        env = worlds(ROW.format("wrap"), rest, agents=3, backend=backend)
        torch.manual_seed(0)
        for _ in range(60):
            env.step(torch.randint(0, len(env.action_names), (1, 3)))
            results.append((env.observation.clone(), env.reports["seen"].clone(), env.action_mask.clone()))
    for left, right in zip(results[:60], results[60:], strict=True):
        assert all(torch.equal(a, b) for a, b in zip(left, right, strict=True))


@pytest.mark.parametrize(
    ("space", "rest", "expected"),
    [
        (ROW.format("clamp"), "rule r: move (0.5)", "H032"),
        (ROW.format("clamp"), "rule r: move (8)", "H033"),
        (ROW.format("clamp"), "rule r: move (0)", "H064"),
        (ROW.format("clamp"), "rule r: move (1, 0)", "H042"),
        (ROW.format("clamp"), "rule r: move (uniform(0, 1))", "H265"),
        (ROW.format("clamp"), "rule r: position x < 7 -> teleport (position x + 1)", "H266"),
        (ROW.format("clamp"), "rule r: move (2 * position x)", "H266"),
        (POND, "rule r: move (2 * position x)", "H266"),
        (POND, "rule r: teleport (9)", "H043"),
        (LAKE, "rule r: teleport (3, 1)", "H146"),
        (LAKE, 'rule r: teleport "Q"', "H145"),
        (LAKE, "world { state w = false  rule r: teleport (0, 0)  rule s: w = true }\nreport e: 1 when w", "H267"),
        (ROW.format("clamp"), "rule r { together { move (1) } }", "H052"),
        ("space none", "action A { move (1) }", "H055"),
        ("space none", "rule r: teleport (1)", "H055"),
        (ROW.format("clamp"), 'rule `"\n*/`: move (1)', "H004"),
    ],
)
def test_what_could_lead_nowhere_is_told(space: str, rest: str, expected: str, tmp_path: Path) -> None:
    assert expected in codes(space, rest, tmp_path)


def test_what_conditions_said_of_a_place_does_not_hold_at_the_next_one(tmp_path: Path) -> None:
    rest = """cells { meter moss = chance(0.5)  rule eaten: moss -= count(true) }
state high: int in 0 .. 9 = 0
rule a: moss > 0.5 and position x == 0 and on holes -> {
    teleport (1, 0)
    high += if moss > 0.5 then 1 else 0
    high += if on holes then 1 else 0
    high += if position x > 0 then 1 else 0
}
report height: high""".replace("= chance(0.5)", "= 1 when chance(0.5)")
    assert codes(LAKE, rest, tmp_path) == []
