"""Solid affordances: who walks into one stays where it is, and uses it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamletc.language.formatter import format_source
from mistakes import errors_in

BACKENDS = pytest.mark.parametrize("backend", ["interpreter", "c"])
PIT = """
universe pit

space grid map {{ edges clamp }}
map {{
    "ss....."
    "......."
    starts "s"
}}
clock 4 hours
lifespan 90 ticks

state ore: int in 0 .. 9 = 0
state pushed = false
meter energy = 1 {{ move 0.0625  interact 0.03125 }}

affordance Mine at (2, 0) solid {{ {mine}  instantly {{ ore += 1 }} }}
affordance Forge at (4, 0) solid lasts 2 ticks {{
    needs ore >= 1
    on completion {{ ore -= 1 }}
}}
affordance Gate at (2, 1) solid {{ appears when hour >= 2  instantly {{ energy += 0.25 }} }}

action LEAP {{ move (2, 0) }}
action FAR {{ move (3, 0) }}
action DRIFT {{ energy -= 0.0625  move (if ore > 0 then 2 else 1, 0) }}
action PUSHED {{ pushed = true }}
action DROP {{ teleport (2, 0) }}
rule pushes: pushed -> {{ move (1, 0)  pushed = false }}

reward ore
report mined: 1 when (used == Mine and action == RIGHT)
report idle: 1 when used == nothing
observe {{ position absolute  state  meters }}
"""


@pytest.fixture(scope="module")
def pit(compiled: Callable[[str], Module]) -> Callable[..., Env]:
    """A world with agents in the first row, from (0, 0) on."""

    def made(backend: str, agents: int = 1, mine: str = "") -> Env:
        env = hamlet.make(compiled(PIT.format(mine=mine)), worlds=1, agents=agents, backend=backend, quiet=True)
        env.set("position", [[[agent, 0] for agent in range(agents)]], worlds=[0])
        return env

    return made


def act(env: Env, *names: str) -> tuple[tuple[int, int], float, float]:
    """Where the last agent is after a tick, its ore and its energy."""
    env.step([env.action_names.index(name) for name in names])
    x, y = env.state["position"][:, -1].tolist()
    return (x, y), env.meter("ore")[-1].item(), env.meter("energy")[-1].item()


@BACKENDS
def test_who_walks_into_one_stays_and_uses_it(backend: str, pit: Callable[..., Env]) -> None:
    env = pit(backend)
    assert act(env, "RIGHT") == ((1, 0), 0, 0.9375)
    right = env.action_names.index("RIGHT")
    assert env.action_mask[0, right], "a move into it is a use"
    assert act(env, "RIGHT") == ((1, 0), 1, 0.84375), "a move and an INTERACT are paid"
    assert (env.reports["mined"][0], env.reports["idle"][0]) == (1, 0)
    assert act(env, "INTERACT") == ((1, 0), 1, 0.8125), "nobody is at it"
    assert env.reports["idle"][0] == 1


@BACKENDS
def test_longer_moves_lead_over_it_and_own_actions_into_it(backend: str, pit: Callable[..., Env]) -> None:
    env = pit(backend)
    assert act(env, "LEAP") == ((0, 0), 1, 0.96875), "an own action pays no `move`"
    assert act(env, "FAR") == ((3, 0), 1, 0.96875)
    assert act(env, "LEFT")[:2] == ((3, 0), 2)
    env = pit(backend)
    assert act(env, "DRIFT")[:2] == ((1, 0), 0)
    assert act(env, "DRIFT")[:2] == ((1, 0), 1), "numbers lead there, too"


@BACKENDS
def test_needs_and_durations_are_those_of_interact(backend: str, pit: Callable[..., Env]) -> None:
    env = pit(backend)
    env.set("position", [[[3, 0]]], worlds=[0])
    assert act(env, "RIGHT")[:2] == ((3, 0), 0), "its need does not hold"
    assert env.reports["idle"][0] == 1
    assert [act(env, name)[1] for name in ("LEFT", "RIGHT", "RIGHT")] == [1, 1, 0], "done in two ticks"
    assert [act(env, name)[1] for name in ("LEFT", "RIGHT", "DOWN")] == [1, 1, 1]
    assert [act(env, name)[1] for name in ("UP", "RIGHT", "RIGHT")] == [1, 1, 0], "who left begins anew"


@BACKENDS
def test_rules_are_only_stopped_and_teleports_lead_onto_it(backend: str, pit: Callable[..., Env]) -> None:
    env = pit(backend)
    act(env, "RIGHT")
    assert act(env, "PUSHED")[:2] == ((1, 0), 0)
    assert act(env, "DROP")[:2] == ((2, 0), 0)
    assert act(env, "INTERACT")[:2] == ((2, 0), 1), "who stands there is at it"
    assert act(env, "RIGHT")[:2] == ((3, 0), 1), "and can leave"


@BACKENDS
def test_what_appears_is_solid_while_it_is_there(backend: str, pit: Callable[..., Env]) -> None:
    env = pit(backend)
    env.set("position", [[[1, 1]]], worlds=[0])
    assert act(env, "RIGHT")[0] == (2, 1)
    assert act(env, "LEFT")[0] == (1, 1)
    assert act(env, "RIGHT")[0] == (1, 1), "it is 2 o'clock"
    assert env.meter("energy")[0] == 1, "0.25 more, up to 1"


@BACKENDS
def test_capacities_count_who_walks_into_it(backend: str, pit: Callable[..., Env]) -> None:
    env = pit(backend, agents=2, mine="capacity 1 to lowest number")
    env.set("position", [[[1, 0], [3, 0]]], worlds=[0])
    assert act(env, "RIGHT", "LEFT")[1] == 0
    assert env.meter("ore").tolist() == [1, 0]
    assert act(env, "UP", "LEFT")[1] == 1


DOOR = """
universe door

space grid 4 { agents block }
lifespan 40 ticks

world {
    state shut = true
    rule opens: shut = count(action == KNOCK) == 0
}
cells {
    state door = position x == 1
    wall when door and shut
}

meter energy = 0

affordance Rock at (3) solid { instantly { energy += 0.25 } }
action KNOCK { }

reward energy
observe { position absolute  meters }
"""


@BACKENDS
def test_who_blocks_meets_doors(backend: str, compiled: Callable[[str], Module]) -> None:
    """Two agents at a door of one cell: it is shut, then one of them is in it, and then it shuts behind."""
    env = hamlet.make(compiled(DOOR), worlds=1, agents=2, backend=backend, quiet=True)
    env.set("position", [[[0], [2]]], worlds=[0])

    def tick(*names: str) -> list[int]:
        env.step([env.action_names.index(name) for name in names])
        return env.state["position"].flatten().tolist()

    assert tick("RIGHT", "LEFT") == [0, 2], "it is shut"
    assert tick("KNOCK", "RIGHT") == [0, 2]
    assert env.meter("energy").tolist() == [0, 0.25], "a rock is used by walking into it"
    assert tick("RIGHT", "LEFT") == [1, 2], "it is open, and the first one goes in"
    assert tick("RIGHT", "LEFT") == [1, 2], "it is shut again, and each stands in the other's way"
    assert tick("LEFT", "WAIT") == [0, 2], "who is inside can leave"


ASKS = "energy -= 0.0625 * count(ore > 0)  move (if ore > 0 then 2 else 1, 0)"


@BACKENDS
def test_who_walks_in_may_ask_what_all_have(backend: str, compiled: Callable[[str], Module]) -> None:
    """Places are given before it is known what all have, which does not decide where anybody goes."""
    text = PIT.replace("energy -= 0.0625  move (if ore > 0 then 2 else 1, 0)", ASKS)
    text = text.format(mine="capacity 1 to lowest number")
    env = hamlet.make(compiled(text), worlds=1, agents=2, backend=backend, quiet=True)
    env.set("position", [[[1, 0], [3, 0]]], worlds=[0])
    env.set("ore", [[0, 3]], worlds=[0])
    act(env, "DRIFT", "LEFT")
    assert env.state["position"][0].tolist() == [1, 3]
    assert env.meter("ore").tolist() == [1, 3], "the one place is that of the first"
    assert env.meter("energy").tolist() == [0.90625, 0.90625]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("energy -= 0.0625  move (if ore > 0 then 2 else 1, 0)", ASKS), []),
        (("move (if ore > 0 then 2 else 1, 0)", "move (if count(ore > 0) > 1 then 2 else 1, 0)"), ["H334"]),
        (("energy -= 0.0625  move", "ore = min(9, count(ore > 0))  move"), ["H334"]),
        (("", ""), []),
        (("at (4, 0) solid", "at (0, 0) solid"), ["H297"]),
        (("at (4, 0) solid lasts 2 ticks {", "at random solid lasts 2 ticks { wanders "), ["H296"]),
        (("lifespan 90 ticks", "lifespan 90 ticks  track uses by world"), ["H296"]),
        (("lifespan 90 ticks", "lifespan 90 ticks  actions LEFT RIGHT LEAP FAR DRIFT PUSHED DROP"), []),
        (("at (4, 0) solid lasts", "at (4, 0) lasts"), []),
    ],
)
def test_what_is_wrong(change: tuple[str, str], expected: list[str]) -> None:
    text = PIT.format(mine="capacity 1 to lowest number")
    assert change[0] in text
    codes = errors_in(text.replace(*change))
    assert codes[: len(expected) or None] == expected


def test_the_formatter_keeps_it() -> None:
    text, _ = format_source(PIT.format(mine=""))
    assert "affordance Forge at (4, 0) solid lasts 2 ticks {" in text
