"""`actions` says which actions there are, and what an own action needs is in its mask."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import hamlet
import hamlet_gym
import hamlet_pettingzoo
from hamlet import schema
from hamlet.universe import Universe
from hamlet_lab.verify.fired import constructs
from hamletc.checking.check import check
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse
from samples import universe_of

LISTED = """
universe listed
space grid 5 x 5
lifespan 12 ticks
clock 24 hours
input signal = 0 in -1 .. 1
meter energy = 1 { decay 0.01  move 0.005 }
meter sat = 0 in 0 .. 9999
meter leapt = 0 in 0 .. 9999
meter napped = 0 in 0 .. 9999
affordance Bed at (2, 2) { instantly { energy += 0.1 } }
action SIT { needs energy < 0.9 and hour != 3 and not every 4 ticks  sat += 1 }
action LEAP { needs here == nothing or age > 5  leapt += 1  teleport (0, 0) }
action NAP { needs position x > 1 and signal >= 0  napped += 1 }
action REST { }
actions SIT RIGHT DOWN LEAP INTERACT NAP UP REST
reward energy + 0.001 * (sat + leapt + napped)
observe { grid  meters }
"""


@pytest.fixture
def universe() -> Universe:
    return universe_of(LISTED)


def test_actions_have_the_order_of_the_list(universe: Universe) -> None:
    names = ("SIT", "RIGHT", "DOWN", "LEAP", "INTERACT", "NAP", "UP", "REST")
    assert schema.action_names(universe) == names
    assert [(number, move.name) for number, move in schema.moves_of(universe)] == [(6, "UP"), (2, "DOWN"), (1, "RIGHT")]
    assert schema.interact_action(universe) == 4
    assert schema.idle_action(universe) == 0


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_an_own_action_runs_where_its_mask_is_on(tmp_path: Path, backend: str) -> None:
    """With a signal of at least 0, what the mask leaves out always holds."""
    path = tmp_path / "listed.hamlet"
    path.write_text(LISTED, encoding="utf-8")
    env = hamlet.make(hamlet.compile(path), worlds=256, seed=3, backend=backend)
    names, counted = env.action_names, {"SIT": "sat", "LEAP": "leapt", "NAP": "napped"}
    env.reset()
    generator, seen = torch.Generator().manual_seed(0), dict.fromkeys(counted, (0, 0))
    for _ in range(60):
        actions = torch.randint(env.num_actions, (env.num_lanes,), generator=generator, dtype=torch.int32)
        allowed = env.action_mask.clone()
        before = {meter: env.meter(meter).clone() for meter in counted.values()}
        *_, terminated, truncated, _ = env.step(actions)
        goes_on = ~(terminated | truncated)
        for action, meter in counted.items():
            who = (actions == names.index(action)) & goes_on
            ran = env.meter(meter) > before[meter]
            assert torch.equal(ran[who], allowed[who, names.index(action)]), action
            seen[action] = seen[action][0] + int(ran[who].sum()), seen[action][1] + int((~ran[who]).sum())
    assert all(ran > 10 and refused > 10 for ran, refused in seen.values()), seen


def test_an_adapter_has_the_actions_of_the_list(tmp_path: Path) -> None:
    path = tmp_path / "listed.hamlet"
    path.write_text(LISTED, encoding="utf-8")
    env = hamlet_gym.Env(path)
    assert env.action_space.n == 8
    env.reset(seed=1)
    env.step(7)


def test_who_ended_may_take_the_first_action_alone(tmp_path: Path) -> None:
    path = tmp_path / "ended.hamlet"
    path.write_text(
        "universe ended\nspace none\nlifespan 9 ticks\nmeter a = 0.5 { decay 0.01 }\n"
        "action RISK { a -= 0.5 when agent == 1 }\naction STAY { a += 0.02 }\nactions STAY RISK\n"
        "dies when a <= 0\nreward a\nobserve { meters }\n",
        encoding="utf-8",
    )
    for backend in ("interpreter", "c"):
        env = hamlet.make(hamlet.compile(path), worlds=1, agents=2, backend=backend)
        env.reset()
        *_, terminated, _, _ = env.step(torch.tensor([1, 1], dtype=torch.int32))
        assert terminated.tolist() == [False, True]
        assert env.action_mask.tolist() == [[True, True], [True, False]]
    parallel = hamlet_pettingzoo.ParallelEnv(path, agents=2)
    parallel.reset(seed=0)
    parallel.step({"agent_0": 1, "agent_1": 1})
    assert parallel.agents == ["agent_0"]
    parallel.step({"agent_0": 0})


def test_controls_alone_are_a_box_where_one_action_is_listed(tmp_path: Path) -> None:
    path = tmp_path / "pushed.hamlet"
    path.write_text(
        "universe pushed\nspace none\nlifespan 9 ticks\ncontrol thrust in -1 .. 1\nmeter a = 0.5\n"
        "action DRIVE { a += 0.1 * thrust }\nactions DRIVE\nreward a\nobserve { meters }\n",
        encoding="utf-8",
    )
    env = hamlet_gym.Env(path)
    assert env.action_space.shape == (1,)
    env.reset(seed=0)
    observation, *_ = env.step(env.action_space.low)
    assert observation.tolist() == [np.float32(0.5) + np.float32(0.1) * np.float32(-1)]


def codes(line: str, further: str = "") -> list[str]:
    text = LISTED.replace("actions SIT RIGHT DOWN LEAP INTERACT NAP UP REST", line) + further
    file, _ = parse(text)
    assert file is not None
    return [each.code for each in check(file, ("listed.hamlet",))[1]]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("actions SIT LEAP NAP REST INTERACT UP UP", "H024"),
        ("actions SIT LEAP NAP REST INTERACT WAITS", "H020"),
        ("actions SIT LEAP NAP REST", "H255"),
        ("actions SIT LEAP NAP INTERACT", "H255"),
        ("actions SIT LEAP NAP INTERACT REST\nactions SIT", "H024"),
    ],
)
def test_a_wrong_list_is_refused(line: str, code: str) -> None:
    assert code in codes(line)


def test_an_empty_action_is_refused_where_nobody_lists_it() -> None:
    assert "H049" in codes("")
    assert codes("actions SIT LEAP NAP REST INTERACT WAIT") == []


CLIFF = """
universe cliff
space grid map
map {
    "...."
    "SXXG"
    region cliff "X"
    region goal "G"
    starts "S"
}
lifespan 20 ticks
moves { NORTH (0, -1)  EAST (1, 0)  SOUTH (0, 1)  WEST (-1, 0) }
actions NORTH EAST SOUTH WEST
ends when on goal { reward 100 }
reward -1
reward -99 when on cliff
observe { position absolute }
"""


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_a_grid_world_of_positions_alone_has_the_actions_of_its_original(tmp_path: Path, backend: str) -> None:
    path = tmp_path / "cliff.hamlet"
    path.write_text(CLIFF, encoding="utf-8")
    env = hamlet_gym.Env(path, backend=backend)
    assert env.action_space.n == 4
    _, info = env.reset(seed=0)
    assert info["action_mask"].tolist() == [1, 1, 0, 0]
    *_, info = env.step(1)
    paid, masks = [], []
    for action in (0, 1, 1, 2):
        _, reward, terminated, _, info = env.step(action)
        paid.append(reward)
        masks.append(info["action_mask"].tolist())
    assert paid == [-1, -1, -1, 99]
    assert terminated
    assert masks[:3] == [[0, 1, 1, 1], [0, 1, 1, 1], [0, 0, 1, 1]]


def said(text: str) -> list[tuple[str, str]]:
    file, _ = parse(text)
    assert file is not None
    return [(each.code, each.message) for each in check(file, ("u.hamlet",))[1]]


def test_things_are_given_where_agents_can_wait() -> None:
    text = (
        "universe gifts\nspace grid 4 x 4\nlifespan 50 ticks\nmeter mood = 0.5 { decay 0.01 }\nslots 3\n"
        "item bread { carried 1  can give  use { mood += 0.1 } }\nactions UP GIVE_bread USE_bread WAIT\n"
        "reward mood\nobserve { meters  items }\n"
    )
    assert said(text) == []
    without = said(text.replace(" WAIT", ""))
    assert without == [("H255", "`actions` leaves out `WAIT`, and things are given to whoever chooses it")]


def test_what_only_a_move_that_is_not_listed_reaches_is_out_of_reach() -> None:
    text = (
        'universe shaft\nspace grid map\nmap {\n    "S."\n    "#."\n    "B."\n    wall "#"\n    starts "S"\n}\n'
        "lifespan 50 ticks\nmeter energy = 1 { decay 0.01 }\n"
        'affordance Bed at "B" { instantly { energy += 0.5 } }\n'
        "actions RIGHT DOWN LEFT INTERACT\nreward energy\nobserve { grid  meters }\n"
    )
    assert said(text) == []
    assert [code for code, _ in said(text.replace("DOWN LEFT", "LEFT"))] == ["H147"]


@pytest.mark.parametrize("name", ["draw", "acts", "actions"])
def test_an_own_action_may_be_called_like_a_later_keyword(name: str) -> None:
    text = (
        f"universe small\nspace none\nlifespan 9 ticks\nmeter mood = 0.5 {{ decay 0.01 }}\n"
        f"action {name} {{ mood += 0.1 }}\naction REST {{ mood += 0.05 }}\nactions REST {name}\n"
        "reward mood\nobserve { meters }\n"
    )
    assert schema.action_names(universe_of(text)) == ("REST", name)
    once, problems = format_source(text)
    assert once is not None, problems
    assert format_source(once)[0] == once


APPLES = """
universe apples
space grid 5 x 5
lifespan 60 ticks
state eaten: int in 0 .. 60 = 0
action EAST { move (1, 0) }
actions UP DOWN LEFT EAST WAIT
affordance Apple at random {
    rule moves: count(here == Apple) > 0 -> { position x = integer(0, 4)  position y = integer(0, 4) }
}
rule eats: here == Apple -> eaten += 1
reward eaten
observe { position relative  grid }
"""


@pytest.mark.parametrize("backend", ["interpreter", "c"])
def test_what_nobody_uses_needs_no_action(tmp_path: Path, backend: str) -> None:
    """An affordance without blocks, which rules ask for: all its events fire without INTERACT."""
    assert not [name for name in constructs(universe_of(APPLES)) if "instantly" in name]
    path = tmp_path / "apples.hamlet"
    path.write_text(APPLES, encoding="utf-8")
    env = hamlet.make(hamlet.compile(path), worlds=64, seed=3, backend=backend)
    assert "INTERACT" not in env.action_names
    env.rollout(59)
    assert float(env.meter("eaten").max()) > 3
    text = APPLES.replace("affordance Apple at random {", "affordance Apple at random {\n instantly { eaten += 1 }")
    file, _ = parse(text)
    assert file is not None
    assert "H255" in [each.code for each in check(file, ("apples.hamlet",))[1]]
