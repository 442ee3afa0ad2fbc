"""`control order: int in 0 .. 100`: whole numbers, in the language, from Python and drawn."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import hamlet
from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet.universe.codec import from_json, to_json
from hamlet_train.crews import crews_of
from hamlet_train.errors import TrainError
from hamletc.checking.check import check
from hamletc.language.parser import parse

SHOP = """
universe shop
space none
lifespan 12 ticks
control order: int in 0 .. 100
control shift: int in -3 .. 3
state stock: int in 0 .. 500 = 20
state asked: int in 0 .. 50 = 0
rule comes: stock += order
rule asks: asked = integer(0, 50) + shift
rule goes: stock -= asked
reward 0.1 * asked - 0.01 * stock
report ordered: order
report shifted: shift
observe { state }
"""


@pytest.fixture(scope="module")
def shop(compiled: Callable[[str], Module]) -> Module:
    return compiled(SHOP)


def test_all_whole_numbers_are_drawn(shop: Module) -> None:
    env = hamlet.make(shop, worlds=4096, seed=1, quiet=True)
    env.rollout(1)
    assert env.reports["shifted"].unique().tolist() == [-3, -2, -1, 0, 1, 2, 3]
    assert len(env.reports["ordered"].unique()) == 101


def test_backends_agree(shop: Module) -> None:
    first, second = (hamlet.make(shop, worlds=9, backend=each, seed=5, quiet=True) for each in ("interpreter", "c"))
    for env in (first, second):
        env.rollout(30)
        env.rollout(
            2, torch.zeros(2, 9, dtype=torch.int32), controls={"order": torch.arange(18).view(2, 9), "shift": -1}
        )
    for name, values in first.state.items():
        assert torch.equal(values, second.state[name]), name


@pytest.mark.parametrize(
    "values",
    [
        {"order": 5, "shift": -3},
        {"order": torch.arange(3), "shift": 2.0},
        {"order": np.array([0.0, 100.0, 7.0]), "shift": np.int8(1)},
        [[1, 2, 3], [0, 0, 0]],
    ],
)
def test_whole_numbers_are_taken_whatever_their_type(shop: Module, values: Any) -> None:
    env = hamlet.make(shop, worlds=3, backend="interpreter", quiet=True)
    env.step([0, 0, 0], values)
    assert env.state["controls"].tolist() == env.state["controls"].round().tolist()
    assert env.control_whole == (True, True)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"order": 0.5, "shift": 0}, "control order takes whole numbers, not 0.5 in lane 0"),
        ({"order": [1, 2, 2.25], "shift": 0}, "control order takes whole numbers, not 2.25 in lane 2"),
        (torch.tensor([[1.0] * 3, [0, -1.5, 0]]), "control shift takes whole numbers, not -1.5 in lane 1"),
        ({"order": 101, "shift": 0}, "control order must lie in 0 .. 100, not 101 in lane 0"),
        ({"order": float("nan"), "shift": 0}, "control order must lie in 0 .. 100, not nan in lane 0"),
    ],
)
def test_others_are_refused(shop: Module, values: Any, message: str) -> None:
    env = hamlet.make(shop, worlds=3, backend="interpreter", quiet=True)
    before = env.state_dict()
    with pytest.raises(EnvError, match=re.escape(message)):
        env.step([0, 0, 0], values)
    assert all(torch.equal(each, before["state"][name]) for name, each in env.state.items())
    before["state"]["controls"] = torch.full((2, 3), 0.5)
    with pytest.raises(EnvError, match="of the state must hold whole numbers"):
        env.load_state_dict(before)


def test_json(shop: Module) -> None:
    assert [control.whole for control in shop.universe.controls] == [True, True]
    assert from_json(to_json(shop.universe)) == shop.universe
    assert to_json(shop.universe).count('"whole": true') == 2


HEAD = "universe o\nspace none\nlifespan 9 ticks\nstate n: int in 0 .. 9 = 0\nreward n\nobserve { state }\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("control f: int in 0 .. 3  rule r: n = f", set()),
        ("control f: int in 0 .. 3  rule r: n += 2 * f - 1", set()),
        ("control f in 0 .. 3  rule r: n = f", {"H163"}),
        ("control f: int in 0 .. 3  rule r: n = 0.5 * f", {"H163"}),
        ("control f: int in 0 .. 2.5  rule r: n = f", {"H164"}),
        ("control f: int in 0 .. 1e9  rule r: n = f", {"H164"}),
        ("control f: int in 3 .. 0  rule r: n = f", {"H040"}),
        ("control f: real in 0 .. 3  rule r: n = round(f)", {"H009"}),
        ("control int in 0 .. 3  rule r: n = round(int)", set()),
    ],
)
def test_what_is_proven(text: str, expected: set[str]) -> None:
    file, problems = parse(HEAD + text + "\n")
    found = problems if file is None or problems else check(file, ("o.hamlet",))[1]
    assert {each.code for each in found if each.severity == "error"} == expected


def test_one_names_a_cell() -> None:
    text = "universe field\nspace grid 4\nlifespan 5 ticks\ncontrol spot: int in 0 .. 3\n"
    text += "cells { meter moss = uniform(0, 1)  rule grow: moss += 0.01 }\nreward moss at (spot)\nobserve { cell }\n"
    for each, expected in ((text, set()), (text.replace(": int", ""), {"H261"})):
        file, _ = parse(each)
        assert file is not None
        assert {found.code for found in check(file, ("field.hamlet",))[1]} == expected


def test_train_learns_real_ones(shop: Module) -> None:
    with pytest.raises(TrainError, match=r"shop has whole numbers as controls \(order, shift\)"):
        crews_of(hamlet.make(shop, worlds=2, backend="interpreter", quiet=True), shared=True)


def test_one_moves_agents() -> None:
    text = "universe field\nspace grid 9\nlifespan 5 ticks\ncontrol push: int in -1 .. 2\n"
    text += "rule goes: move (push)\nreward position x\nobserve { position relative }\n"
    for each, expected in ((text, set()), (text.replace(": int", ""), {"H265"})):
        file, _ = parse(each)
        assert file is not None
        assert {found.code for found in check(file, ("field.hamlet",))[1]} == expected
