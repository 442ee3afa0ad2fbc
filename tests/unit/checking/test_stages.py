"""What a world keeps over its episodes, and stages."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamletc.checking.check import check
from hamletc.compile import lower
from hamletc.expansion import stages
from hamletc.language.parser import parse
from samples import universe_of

LESSONS = """
universe lessons
space none
lifespan 3 ticks
meter energy = if stage == easy then 1 else 0.5 { decay 0.01 }
world {
    kept state ticks: int in 0 .. 100 = 0
    kept meter luck = uniform(0, 1)
    meter price = 0.1 * ticks in 0 .. 10
    rule counts: ticks += 1
    rule rises: price += 0.01
}
stages {
    easy -> hard when ticks >= 4
    hard -> easy when ticks >= 6
}
reward energy + luck + 1 when stage == hard
observe { meters  world  state stage }
"""


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Env:
    """Two worlds of lessons."""
    path = tmp_path_factory.mktemp("lessons") / "lessons.hamlet"
    path.write_text(LESSONS)
    return hamlet.make(hamlet.compile(path, path.with_suffix("")), worlds=2, backend="interpreter", seed=3, quiet=True)


def run(env: Env, ticks: int) -> list[list[float]]:
    """After each tick of the first world: the stage, the ticks that it counts, the price, and the agent's energy."""
    rows = []
    for _ in range(ticks):
        env.step(torch.ones(2, dtype=torch.int32))
        names = ("stage", "ticks", "price", "energy")
        rows.append([round(float(env.meter(name).flatten()[0]), 2) for name in names])
    return rows


def test_a_world_keeps_what_is_kept(env: Env) -> None:
    """Episodes have three ticks; the switch in the fourth holds until the sixth. Start values see what was kept."""
    env.reset(seed=3)
    luck = env.meter("luck").clone()
    assert run(env, 7) == [
        [0, 1, 0.01, 0.99],
        [0, 2, 0.02, 0.98],
        [0, 3, 0.3, 1],
        [1, 4, 0.31, 0.99],
        [1, 5, 0.32, 0.98],
        [0, 6, 0.6, 1],
        [1, 7, 0.61, 0.99],
    ]
    assert torch.equal(env.meter("luck"), luck)
    assert luck[0] != luck[1]


def test_a_seed_begins_anew_and_a_reset_does_not(env: Env) -> None:
    env.reset(seed=3)
    run(env, 4)
    env.reset(worlds=[True, False])
    assert env.meter("ticks").flatten().tolist() == [4, 4]
    env.reset()
    assert env.meter("stage").flatten().tolist() == [1, 1]
    env.reset(seed=4)
    assert env.meter("ticks").flatten().tolist() == [0, 0]
    assert env.meter("stage").flatten().tolist() == [0, 0]


def test_a_checkpoint_has_it(env: Env) -> None:
    env.reset(seed=3)
    run(env, 4)
    kept = env.state_dict()
    following = run(env, 3)
    env.reset(seed=9)
    env.load_state_dict(kept)
    assert run(env, 3) == following


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("ticks: int in 0 .. 100 = 0", "ticks: int in 0 .. 100 = 1 when stage == hard", "H270"),
        ("energy = if stage == easy then 1 else 0.5", "energy = age", "H083"),
        ("when ticks >= 6", "when energy >= 6", "H092"),
    ],
)
def test_misuse(old: str, new: str, expected: str) -> None:
    """What is kept reads what is kept above."""
    assert old in LESSONS
    file, problems = parse(LESSONS.replace(old, new))
    found = problems if file is None or problems else check(file, ("lessons.hamlet",))[1]
    assert {each.code for each in found if each.severity == "error"} == {expected}


CROSSING = """
universe crossing
space none
lifespan 30 ticks
meter energy = 1 { decay 0.01 }
stages {
    a -> b when chance(0.5)
    b -> c when every 3 ticks
    a -> c when chance(0.9)
    c -> a when chance(0.3)
    c -> d when every 2 ticks
    b -> a when chance(0.2)
    d -> a when after 4 ticks
}
reward energy + 1 when stage == d
observe { meters  state stage }
"""


def test_groups_of_switches_choose_like_one_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first switch that happens, with the same draws; also where switches of a stage lie in several groups."""
    chain = universe_of(CROSSING)
    monkeypatch.setattr(stages, "MOST_IN_A_CHAIN", 6)
    monkeypatch.setattr(stages, "MOST_IN_A_GROUP", 2)
    groups = universe_of(CROSSING)
    assert groups != chain
    envs = [
        hamlet.make(Module(Path("crossing"), each, "", {}), worlds=64, backend="interpreter", seed=2, quiet=True)
        for each in (chain, groups)
    ]
    passed = {0}
    for _ in range(40):
        for env in envs:
            env.step([1] * 64)
        stage, of_groups = (env.meter("stage").flatten().tolist() for env in envs)
        assert stage == of_groups
        passed.update(stage)
    assert passed == {0, 1, 2, 3}


def test_2000_switches_are_checked_and_lowered() -> None:
    switches = "\n".join(f"    s{number} -> s{number + 1} when every {number % 28 + 2} ticks" for number in range(2000))
    head, _, _ = CROSSING.partition("stages {")
    text = f"{head}stages {{\n{switches}\n}}\nreward energy + 1 when stage == s1999\nobserve {{ meters }}\n"
    assert lower(universe_of(text)).program
