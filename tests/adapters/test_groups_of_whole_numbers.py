"""Groups of whole numbers in every adapter: integers, bytes of images, and several discrete numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces
from gymnasium.utils import env_checker
from pettingzoo.test import parallel_api_test
from torchrl.envs.utils import check_env_specs

import hamlet
from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet_gym import Env, VectorEnv, check_vector_env
from hamlet_pettingzoo import ParallelEnv
from hamlet_sb3 import VecEnv
from hamlet_torchrl import TorchRLEnv
from hamletc.compile import check_file
from hamletc.errors import SourceError
from hamletc.frontend import Stopwatch

FIELD = """
universe plots
space grid 4 x 3
lifespan 9 ticks
inert allowed
meter fuel = 1 {{ decay 0.01  only falls }}
state task: int in -1 .. 2 = integer(-1, 2)
state hand: int in 4 .. 21 = integer(4, 21)
state ace = chance(0.5)
cells {{ state ground: grass sand stone = choice(grass, sand)  rule spreads: chance(0.2) -> ground = stone }}
rule tasks: task = integer(-1, 2)
rule hands: hand = integer(4, 21)
reward fuel
observe {{
    {}
}}
"""
GROUPS = """image view int { window 1 of ground  window 1 of far: position x + 4 * position y }
    group cards discrete { state hand  hidden: 1 when ace }
    group dealt tuple { sum: hand in 0 .. 31  soft: 1 when ace }
    image turned int as width height channels { window 1 of ground  window 1 of near: position x + 4 * position y }
    group tasks int { twice: 2 * task  position absolute }
    group body { meters }"""
ALL = {
    "view": spaces.Box(0, 255, (2, 3, 3), np.uint8),
    "cards": spaces.MultiDiscrete([18, 2], start=[4, 0]),
    "dealt": spaces.Tuple([spaces.Discrete(32), spaces.Discrete(2)]),
    "turned": spaces.Box(0, 255, (3, 3, 2), np.uint8),
    "tasks": spaces.Box(np.array([-2, 0, 0], np.int32), np.array([4, 3, 2], np.int32), dtype=np.int32),
    "body": spaces.Box(0, 1, (1,), np.float32),
}
Compiled = Callable[[str], Module]


def field(groups: str = GROUPS, name: str = "plots") -> str:
    """A universe that observes these groups."""
    return FIELD.format(groups).replace("plots", name)


@pytest.fixture(scope="module")
def plots(compiled: Compiled) -> Module:
    return compiled(field())


def test_spaces_of_gymnasium(plots: Module, compiled: Compiled) -> None:
    env = Env(plots, backend="interpreter")
    assert env.observation_space == spaces.Dict(ALL)
    env_checker.check_env(env, skip_render_check=True)
    check_vector_env(lambda **given: VectorEnv(2, plots, backend="c", **given), steps=24, render=False, mistakes=False)
    alone = {
        "group cards discrete { state hand  hidden: 1 when ace }": ALL["cards"],
        "image view int { window 1 of ground }": spaces.Box(0, 255, (1, 3, 3), np.uint8),
        "group dealt tuple { sum: hand in 0 .. 31  ace: 1 when ace }": ALL["dealt"],
        "image turned int as height channels width { window 1 of ground }": spaces.Box(0, 255, (3, 1, 3), np.uint8),
        "group tasks int { twice: 2 * task }": spaces.Box(-2, 4, (1,), np.int32),
    }
    for number, (group, space) in enumerate(alone.items()):
        env = Env(compiled(field(group, f"alone{number}")), backend="interpreter")
        assert env.observation_space == space
        assert env.reset(seed=1)[0] in space


@pytest.mark.parametrize("obs_dtype", ["float32", "uint8"])
def test_numbers_are_those_of_the_world(plots: Module, obs_dtype: str) -> None:
    env = VectorEnv(4, plots, backend="c", seed=3, obs_dtype=obs_dtype)
    seen, _ = env.reset()
    for _ in range(12):
        core = env.env
        names = [meter.name for meter in core.universe.meters]
        held = {name: core.state["meters"][names.index(name)].long().numpy() for name in ("hand", "ace", "task")}
        assert seen["cards"].dtype == np.int64
        assert (seen["cards"] == np.stack([held["hand"], held["ace"]], axis=1)).all()
        assert [each.dtype for each in seen["dealt"]] == [np.int64, np.int64]
        assert (np.stack(seen["dealt"], axis=1) == seen["cards"]).all()
        assert (seen["turned"] == seen["view"].transpose(0, 3, 2, 1)).all()
        assert seen["tasks"].dtype == np.int32
        assert (seen["tasks"][:, 0] == 2 * held["task"]).all()
        assert (seen["tasks"][:, 1:] == core.state["position"].T.numpy()).all()
        assert seen["view"].dtype == np.uint8
        x, y = core.state["position"].numpy()
        assert (seen["view"][:, 1, 1, 1] == x + 4 * y).all()
        assert seen["body"].dtype == (np.float32 if obs_dtype == "float32" else np.uint8)
        seen = env.step(env.action_space.sample())[0]


def test_groups_of_the_environment_say_their_type(plots: Module) -> None:
    env = hamlet.make(plots, worlds=2, backend="interpreter", quiet=True)
    groups = env.observation_groups
    assert {name: group.dtype for name, group in groups.items()} == {
        "view": "uint8",
        "cards": "int64",
        "dealt": "int64",
        "turned": "uint8",
        "tasks": "int32",
        "body": None,
    }
    assert env.grouped["view"].dtype is torch.float32
    assert groups["turned"].axes == ("width", "height", "channels")
    assert (env.grouped["turned"] == env.grouped["view"].permute(0, 3, 2, 1)).all()


def test_others(plots: Module) -> None:
    sb3 = VecEnv(3, plots, backend="c", seed=1)
    assert sb3.observation_space == spaces.Dict(ALL)
    seen: Any = sb3.reset()
    assert seen["dealt"][0].shape == (3,)
    seen["dealt"] = np.stack(seen["dealt"], axis=1)
    assert {name: (part.dtype, part.shape[1:]) for name, part in seen.items()} == {
        name: (np.int64, (2,)) if name == "dealt" else (space.dtype, space.shape) for name, space in ALL.items()
    }
    parallel = ParallelEnv(plots, agents=2, backend="interpreter")
    assert parallel.observation_space("agent_0") == spaces.Dict(ALL)
    parallel_api_test(parallel, num_cycles=20)
    torchrl = TorchRLEnv(3, plots, backend="c", seed=1)
    check_env_specs(torchrl)
    spec = torchrl.observation_spec["observation"]
    assert {name: spec[name].dtype for name in ALL} == {
        "view": torch.uint8,
        "cards": torch.int64,
        "dealt": torch.int64,
        "turned": torch.uint8,
        "tasks": torch.int32,
        "body": torch.float32,
    }
    rsl_rl = pytest.importorskip("hamlet_rsl_rl", reason="rsl-rl-lib is not installed")
    rows = rsl_rl.VecEnv(3, plots, backend="c", seed=1).get_observations()
    assert rows["cards"].dtype is torch.int64
    assert rows["view"].shape == (3, 2, 3, 3)


def test_bytes_that_have_not_all_numbers_are_refused(compiled: Compiled) -> None:
    module = compiled(field("group far int { long: 100 * task }", "far"))
    with pytest.raises(EnvError, match=r"obs_dtype uint8 has not every number of `far`, -100 \.\. 200"):
        VectorEnv(2, module, obs_dtype="uint8", backend="interpreter")
    assert Env(module, backend="interpreter").observation_space == spaces.Box(-100, 200, (1,), np.int32)


@pytest.mark.parametrize(
    ("group", "code"),
    [
        ("group body int { meters }", "H353"),
        ("group body int { constant 1 0.5 }", "H353"),
        ("group body discrete { lack: 0.5 * task }", "H353"),
        ("image view int { window 1 of half: 0.5 * position x }", "H353"),
        ("image view int { window 1 of ground beyond 0.5 }", "H353"),
        ("group body int { far: 20000000 * task }", "H281"),
        ("image view discrete { window 1 of ground }", "H009"),
        ("group body tuple { meters }", "H353"),
        ("image view tuple { window 1 of ground }", "H009"),
        ("image view as width height { window 1 of ground }", "H354"),
        ("image view as width height width { window 1 of ground }", "H354"),
        ("image view as x y channel { window 1 of ground }", "H354"),
        ("image view int as `a {b}` `\\n` channels { window 1 of ground }", "H354"),
        ("group body as width { meters }", "H009"),
        ("group body tuple { sum: hand in 0 .. 20 }", "H355"),
        ("discrete sum: hand in 5 .. 31", "H355"),
        ("discrete sum: hand in 31 .. 0", "H040"),
        ("discrete sum: hand in 0 .. task", "H031"),
    ],
)
def test_what_is_not_whole_is_told(group: str, code: str, tmp_path: Path) -> None:
    path = tmp_path / "plots.hamlet"
    path.write_text(field(group), encoding="utf-8")
    with pytest.raises(SourceError) as told:
        check_file(path, Stopwatch())
    found = [each for file in told.value.found for each in file.diagnostics]
    assert [each.code for each in found if each.severity == "error"] == [code]
