"""Texts among groups: as they are in Gymnasium and PettingZoo, as numbers where there are tensors only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils import env_checker
from pettingzoo.test import parallel_api_test
from torchrl.envs.utils import check_env_specs

from hamlet.package.module import Module
from hamlet.universe.members import UnsoundError
from hamlet.universe.sound import check_sound
from hamlet_gym import Env, VectorEnv, check_vector_env
from hamlet_pettingzoo import ParallelEnv
from hamlet_sb3 import VecEnv
from hamlet_torchrl import TorchRLEnv
from hamletc.checking.check import check
from hamletc.language.parser import parse

ERRANDS = """
universe errands
space grid 3 x 2
lifespan 9 ticks
inert allowed
meter fuel = 1 {{ decay 0.01  only falls }}
state task: red green blue = choice(green, blue)
state turn: int in -1 .. 1 = integer(-1, 1)
state cold = chance(0.5)
rule tasks: task = choice(red, green, blue)
rule turns: turn = integer(-1, 1)
reward fuel
observe {{
    {}
}}
"""
TEXTS = """text mission "get what is {wanted}, # 1"
    group body { meters }
    text wish: task { "get red" "get green" "blue" }
    discrete task
    text turned: turn { "left" "ahead" "right" }
    text weather: cold { "warm" "cold" }"""
SPACES = {
    "mission": spaces.Text(25, min_length=25, charset=frozenset("get what is {wanted}, # 1")),
    "body": spaces.Box(0, 1, (1,), np.float32),
    "wish": spaces.Text(9, min_length=4, charset=frozenset("get red green blue")),
    "task": spaces.Discrete(3),
    "turned": spaces.Text(5, min_length=4, charset=frozenset("left ahead right") - {" "}),
    "weather": spaces.Text(4, min_length=4, charset=frozenset("warmcold")),
}


def errands(texts: str = TEXTS) -> str:
    return ERRANDS.format(texts)


@pytest.fixture(scope="module")
def texts(compiled: Callable[[str], Module]) -> Module:
    return compiled(errands())


def test_spaces(texts: Module, compiled: Callable[[str], Module]) -> None:
    env = Env(texts, backend="interpreter")
    assert env.observation_space == spaces.Dict(SPACES)
    env_checker.check_env(env, skip_render_check=True)
    check_vector_env(
        lambda **named: VectorEnv(2, texts, backend="interpreter", **named), steps=24, render=False, mistakes=False
    )
    alone = Env(compiled(errands('text wish: task { "get red" "get green" "blue" }')), backend="interpreter")
    assert alone.observation_space == SPACES["wish"]
    assert alone.reset(seed=1)[0] in ("get green", "blue")


@pytest.mark.parametrize("obs_dtype", ["float32", "uint8"])
def test_numbers_choose_texts(texts: Module, obs_dtype: str) -> None:
    env = VectorEnv(6, texts, backend="c", seed=3, obs_dtype=obs_dtype)
    seen: Any = env.reset()[0]
    shown = set()
    for _ in range(8):
        held = {name: env.env.meter(name).long().flatten().tolist() for name in ("task", "turn", "cold")}
        assert seen["mission"] == ("get what is {wanted}, # 1",) * 6
        assert seen["wish"] == tuple(("get red", "get green", "blue")[each] for each in held["task"])
        assert seen["turned"] == tuple(("left", "ahead", "right")[each + 1] for each in held["turn"])
        assert seen["weather"] == tuple(("warm", "cold")[each] for each in held["cold"])
        shown.update(seen["wish"], seen["turned"], seen["weather"])
        seen = env.step(env.action_space.sample())[0]
    assert len(shown) == 8
    assert VectorEnv(2, texts, backend="c", observations="flat").observation_space.shape == (2, 5)


def test_other_adapters(texts: Module) -> None:
    player = ParallelEnv(texts, agents=2, backend="interpreter")
    assert player.observation_space("agent_0") == spaces.Dict(SPACES)
    parallel_api_test(player, num_cycles=20)
    # Others have no texts: numbers stand for them, and one that never changes is left out.
    numbers = {"body": (1,), "wish": (), "task": (), "turned": (), "weather": ()}
    sb3 = VecEnv(3, texts, backend="c", seed=1)
    assert isinstance(sb3.observation_space, spaces.Dict)
    assert {name: each.shape for name, each in sb3.observation_space.items()} == numbers
    assert sb3.observation_space["turned"] == spaces.Discrete(3, start=-1)
    first: Any = sb3.reset()
    assert isinstance(first, Mapping)
    assert (first["wish"] == first["task"]).all()
    torchrl = TorchRLEnv(3, texts, backend="interpreter")
    assert list(torchrl.observation_spec["observation"].keys()) == list(numbers)
    check_env_specs(torchrl)


@pytest.mark.parametrize(
    ("items", "codes"),
    [
        ('text a: task { "red" "green" }', ["H356"]),
        ('text a: task { "red" "green" "blue" "white" }', ["H356"]),
        ("text a: cold { }", ["H014"]),
        ('text a: fuel { "low" "high" }', ["H280"]),
        ('text a: nobody { "yes" "no" }', ["H020"]),
        ('text a "one"  text a "two"  group b { meters }', ["H024"]),
        ('text a "one"  meters', ["H283"]),
        ('group b { text a "one" }', ["H009"]),
        ("text a one", ["H009"]),
    ],
)
def test_what_is_refused(items: str, codes: list[str]) -> None:
    file, found = parse(errands(items))
    assert file is not None
    told = [each.code for each in found or check(file, ("errands.hamlet",))[1]]
    assert [code for code in told if code != "H060"] == codes


def test_files_hold_as_many_texts_as_there_are_numbers(texts: Module) -> None:
    groups = {each.name: each for each in texts.universe.groups}
    wrongs = (
        ("wish", {"texts": ("one", "two")}, "texts"),
        ("mission", {"texts": ()}, "texts"),
        ("task", {"texts": ("a", "b", "c")}, "texts"),
        ("mission", {"form": "values", "texts": ()}, "empty"),
        ("body", {"form": "text", "texts": ("a",)}, "texts"),
    )
    for name, change, message in wrongs:
        changed: Any = groups | {name: replace(groups[name], **change)}
        with pytest.raises(UnsoundError, match=message):
            check_sound(replace(texts.universe, groups=tuple(changed.values())))
