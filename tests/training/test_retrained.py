"""Designs for players who learn: a policy is trained for the params of each candidate, in a budget."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import hamlet
from hamlet_train.retrain import TRAINER
from processes import Says

PAY = """universe pay
space grid 3 x 2
lifespan 60 ticks
param wage = 0.1 in 0 .. 0.5
meter food  = 0.3 { decay 0.02 }
meter money = 0.1
affordance Kitchen at random { needs money >= 0.1 instantly { food += 0.3  money -= 0.1 } }
affordance Job at random { instantly { money += wage } }
dies when food <= 0
reward food
observe { meters  here }
"""


@pytest.fixture
def pay(tmp_path: Path) -> Path:
    (tmp_path / "pay.hamlet").write_text(PAY)
    return tmp_path / "pay.hamlet"


def test_it_learns_in_worlds_with_these_params(pay: Path) -> None:
    module = hamlet.compile(pay)
    first, again, other = (TRAINER.retrain(module, 1, {"wage": wage}, 30_000, 3) for wage in (0.3, 0.3, 0.0))
    assert all(torch.equal(*pair) for pair in zip(first.parameters(), again.parameters(), strict=True))
    assert not all(torch.equal(*pair) for pair in zip(first.parameters(), other.parameters(), strict=True))
    env = hamlet.make(module, worlds=100, seed=1, params={"wage": 0.3}, quiet=True)
    chance = hamlet.make(module, worlds=100, seed=1, params={"wage": 0.3}, quiet=True)
    assert env.rollout(300, first).mean_length() > chance.rollout(300).mean_length()


def test_a_design_for_players_who_learn(pay: Path, hamletc_says: Says) -> None:
    design = "design", pay.name, "--param", "wage=0:0.5"
    want = "--want", "mean life above 59.5", "--ticks", "60", "--worlds", "8"
    code, out, _ = hamletc_says(*design, *want, "--retrain", "10000", "--budget", "80000")
    assert code == 1
    assert "8 candidates in 2 rounds; the best one, in 128 worlds:" in out
    for arguments, words in (
        (("--budget", "10"), "--budget is that of trainings: give --retrain too"),
        (("--retrain", "1000", "--budget", "10"), "--budget 10 is less than one training of 1,000 agent-ticks"),
        (("--retrain", "--policy", "runs/pay"), "--retrain trains the policies that play: leave --policy out"),
    ):
        code, out, said = hamletc_says(*design, *want, *arguments)
        assert (code, out) == (1, "")
        assert words in said
        assert said.count("\n") == 1
