"""`acts when` says in which ticks agents act; in the others they do WAIT, whatever they chose."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import hamlet
from hamlet import schema
from hamletc.checking.check import check
from hamletc.language.formatter import format_source
from hamletc.language.parser import parse
from samples import universe_of

TURNS = """
universe turns
space none
lifespan 30 ticks
world {
    state turn: int in 0 .. 2 = 0
    rule on: turn = mod(turn + 1, agents)
}
state taken: int in 0 .. 99 = 0
state waited: int in 0 .. 99 = 0
action ONE { taken += 1 }
action TWO { needs taken < 8  taken += 2 }
actions ONE TWO
acts when agent == turn
rule waits: action == WAIT -> waited += 1
reward taken - 0.5 * waited
observe { state }
"""
BACKENDS = pytest.mark.parametrize("backend", ["interpreter", "c"])


def make(folder: Path, text: str, backend: str, worlds: int = 4, agents: int | None = None) -> hamlet.Env:
    path = folder / f"{text.split()[1]}.hamlet"
    path.write_text(text, encoding="utf-8")
    return hamlet.make(hamlet.compile(path), worlds=worlds, agents=agents, seed=5, backend=backend)


def meter(env: hamlet.Env, name: str) -> list[list[float]]:
    return env.meter(name).view(env.num_worlds, env.num_agents).tolist()


def test_a_wait_that_is_not_listed_is_behind_the_listed_ones() -> None:
    universe = universe_of(TURNS)
    assert schema.action_names(universe) == ("ONE", "TWO", "WAIT")
    assert schema.choices(universe) == ("ONE", "TWO")
    assert schema.idle_action(universe) == 2
    listed = universe_of(TURNS.replace("actions ONE TWO", "actions WAIT ONE TWO"))
    assert schema.action_names(listed) == schema.choices(listed) == ("WAIT", "ONE", "TWO")


@BACKENDS
def test_one_agent_after_the_other_acts(tmp_path: Path, backend: str) -> None:
    env = make(tmp_path, TURNS, backend, agents=3)
    env.reset()
    for tick in range(9):
        masks = env.action_mask.view(4, 3, 3)
        expected = [[tick % 3 == agent, tick % 3 == agent, tick % 3 != agent] for agent in range(3)]
        assert masks.tolist() == [expected] * 4
        env.step(torch.zeros(12, dtype=torch.int32))
    assert meter(env, "taken") == [[3.0] * 3] * 4
    assert meter(env, "waited") == [[6.0] * 3] * 4


@BACKENDS
def test_the_mask_of_who_acts_is_what_it_was(tmp_path: Path, backend: str) -> None:
    env = make(tmp_path, TURNS, backend, agents=1)
    env.reset()
    for tick in range(5):
        assert env.action_mask.tolist() == [[True, tick < 4, False]] * 4
        env.step(torch.ones(4, dtype=torch.int32))


@BACKENDS
def test_who_acts_can_wait_where_that_is_listed(tmp_path: Path, backend: str) -> None:
    env = make(tmp_path, TURNS.replace("ONE TWO\n", "ONE WAIT TWO\n"), backend, agents=2)
    env.reset()
    assert env.action_mask.view(4, 2, 3).tolist() == [[[True, True, True], [False, True, False]]] * 4
    env.step(torch.ones(8, dtype=torch.int32))
    assert meter(env, "waited") == [[1.0, 1.0]] * 4


@BACKENDS
def test_the_random_policy_draws_what_agents_choose_from(tmp_path: Path, backend: str) -> None:
    env = make(tmp_path, TURNS.replace("needs taken < 8", ""), backend, worlds=64, agents=1)
    env.reset()
    env.rollout(20)
    assert meter(env, "waited") == [[0.0]] * 64


@BACKENDS
def test_several_lines_hold_together(tmp_path: Path, backend: str) -> None:
    env = make(tmp_path, TURNS + "acts when taken < 1\n", backend, agents=2)
    env.reset()
    for _ in range(8):
        env.step(torch.zeros(8, dtype=torch.int32))
    assert meter(env, "taken") == [[1.0, 1.0]] * 4
    assert env.action_mask[:, :2].any().item() is False


STUNNED = """
universe stunned
space none
lifespan 50 ticks
state zapped: int in 0 .. 99 = 0
state dizzy: int in 0 .. 99 = 0
effect stunned lasts 2 ticks { each tick { dizzy += 1 } }
action ZAP { zapped += 1 }
action REST { }
role cat: 1 agent {
    acts when not stunned
}
role dog: 1 agent
affordance Bowl { capacity 1 to highest agent  instantly { zapped += 10 } }
rule hit: count(action == ZAP and other) > 0 -> begin stunned
rule rests: action == REST -> zapped += 3
reward zapped
observe { state }
"""


@BACKENDS
def test_what_all_agents_have_together_counts_what_they_did(tmp_path: Path, backend: str) -> None:
    """A cat that is stunned zaps nobody, claims nothing, and is counted as one that waits; dogs always act."""
    env = make(tmp_path, STUNNED, backend, worlds=1)
    env.reset()
    names = env.action_names
    zap, use = names.index("ZAP"), names.index("INTERACT")
    env.step(torch.tensor([use, zap], dtype=torch.int32))
    assert meter(env, "zapped") == [[10.0, 1.0]]
    assert env.action_mask[0].tolist() == [name == "WAIT" for name in names]
    env.step(torch.tensor([zap, use], dtype=torch.int32))
    assert meter(env, "zapped") == [[10.0, 11.0]]
    assert meter(env, "left of stunned") == [[1.0, 0.0]]
    wait, rest = names.index("WAIT"), names.index("REST")
    env.step(torch.tensor([wait, wait], dtype=torch.int32))
    env.step(torch.tensor([zap, rest], dtype=torch.int32))
    assert meter(env, "left of stunned")[0][1] > 0
    env.step(torch.tensor([wait, rest], dtype=torch.int32))
    assert meter(env, "zapped") == [[11.0, 17.0]]


@BACKENDS
def test_all_lanes_act_as_said_where_episodes_end_by_hand(tmp_path: Path, backend: str) -> None:
    text = TURNS.replace("lifespan 30 ticks", "lifespan 2 ticks\nepisodes by hand")
    env = make(tmp_path, text, backend, agents=2)
    env.reset()
    for _ in range(4):
        env.step(torch.zeros(8, dtype=torch.int32))
    assert meter(env, "taken") == [[2.0, 2.0]] * 4


def said(text: str) -> list[tuple[str, str]]:
    file, _ = parse(text)
    assert file is not None
    return [(each.code, each.message) for each in check(file, ("turns.hamlet",))[1]]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("acts when agent >= 0", "H062"),
        ("acts when taken > 100", "H062"),
        ("acts when true", "H062"),
        ("acts when signal > 0", "H059"),
        ("acts when previous(taken) > 0", "H059"),
        ("acts when action == ONE", "H059"),
        ("acts when push > 0", "H155"),
        ("acts when chance(0.5)", "H068"),
        ("acts when count(taken > 3) > 0", "H093"),
        ("acts when taken", "H027"),
        ('acts when `turn` == agent and `*/ "{{ x }}"` == 1', "H020"),
        ("acts when agent == turn\nallow WAIT when taken < 5", "H285"),
    ],
)
def test_a_wrong_condition_is_refused(line: str, code: str) -> None:
    text = TURNS.replace("acts when agent == turn", line)
    text += "input signal = 0 in 0 .. 1\ncontrol push in 0 .. 1\nrule given: signal + push > 1.5 -> taken += 1\n"
    found = said(text)
    assert [each for each, _ in found] == [code], found


def test_a_name_of_any_characters_decides(tmp_path: Path) -> None:
    name = '*/ "{{ x }}" %'
    env = make(tmp_path, TURNS.replace("turn", f"`{name}`").replace(f"universe `{name}`s", "universe turns"), "c")
    env.reset()
    env.step(torch.zeros(4, dtype=torch.int32))
    assert meter(env, "taken") == [[1.0]] * 4


def test_a_universe_over_another_one_adds_or_leaves_it_out(tmp_path: Path) -> None:
    (tmp_path / "turns.hamlet").write_text(TURNS, encoding="utf-8")
    for line, actions in (("acts when taken < 1", ("ONE", "TWO", "WAIT")), ("without acts", ("ONE", "TWO"))):
        text = f'universe over extends "turns.hamlet"\n{line}\n'
        if "without" in line:
            text += "without world\noverride rule waits: action == ONE -> waited += 1\n"
        path = tmp_path / "over.hamlet"
        path.write_text(text, encoding="utf-8")
        assert hamlet.make(hamlet.compile(path), worlds=1).action_names == actions


def test_it_is_written_and_formatted_like_a_mask() -> None:
    line = "acts when agent == turn"
    text, _ = format_source(TURNS.replace(line, "acts   when agent==turn"))
    assert text is not None
    assert f"\n{line}\n" in text


def test_the_word_gives_way_to_a_name() -> None:
    text = TURNS.replace("acts when agent == turn\n", "").replace("taken", "acts")
    assert said(f"{text}acts when agent == turn\nallow ONE when acts < 5\n") == []
