"""What a world keeps over its episodes, and stages."""

from __future__ import annotations

import pytest
import torch

import hamlet
from hamlet.env.environment import Env
from hamletc.checking.check import check
from hamletc.language.parser import parse

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
        ("ticks: int in 0 .. 100 = 0", "ticks: int in 0 .. 100 = 1 when stage == hard", "H083"),
        ("energy = if stage == easy then 1 else 0.5", "energy = price", "H083"),
        ("when ticks >= 6", "when energy >= 6", "H092"),
    ],
)
def test_misuse(old: str, new: str, expected: str) -> None:
    """What is kept reads nothing of what begins with each episode."""
    assert old in LESSONS
    file, problems = parse(LESSONS.replace(old, new))
    found = problems if file is None or problems else check(file, ("lessons.hamlet",))[1]
    assert {each.code for each in found if each.severity == "error"} == {expected}
