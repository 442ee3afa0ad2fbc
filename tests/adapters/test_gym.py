"""Gymnasium's interfaces, checked by its own checker, by ours, and against its own vector environment."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.utils import env_checker
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import hamlet
import hamlet_gym
from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet.schema.roles import fewest_agents
from hamlet_gym import Env, VectorEnv, check_vector_env
from samples import universe_of

BRAKE = "action BRAKE { roll -= 0.1 * roll }\n"
ROOT = Path(__file__).parents[2]
MODES = list(AutoresetMode)
WORLDS = 3


def same(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Infos are equal to the bit, types included."""
    assert set(one) == set(other)
    for name, values in one.items():
        if isinstance(values, dict):
            same(values, other[name])
        elif values.dtype == object:
            for x, y in zip(values, other[name], strict=True):
                assert (x is None) == (y is None)
                assert x is None or np.array_equal(x, y)
        else:
            assert values.dtype == other[name].dtype, name
            assert np.array_equal(values, other[name]), name


def test_single_environment(stall: Module) -> None:
    env = Env(stall, render_mode="rgb_array")
    env_checker.check_env(env)
    # From 1.4 on.
    getattr(env_checker, "check_returned_data_not_reused", lambda _: None)(env)


def test_names() -> None:
    made = gymnasium.make_vec("hamlet/first_meal-v0", num_envs=3, backend="interpreter", autoreset_mode="SameStep")
    assert isinstance(made, VectorEnv)
    assert (made.num_envs, made.metadata["autoreset_mode"]) == (3, AutoresetMode.SAME_STEP)
    env = gymnasium.make("hamlet/first_meal-v0", render_mode="ansi")
    observation, _ = env.reset(seed=made.env.seed)
    assert np.array_equal(observation, made.reset()[0][0])
    assert "Kitchen" in str(env.render())


def test_a_path_is_a_name_too(tmp_path: Any) -> None:
    path = tmp_path / "my meal.hamlet"
    path.write_text((hamlet_gym.registration.SHIPPED / "first_meal.hamlet").read_text())
    env = gymnasium.make_vec(hamlet_gym.spec(path, backend="interpreter"), num_envs=2)
    assert str(env) == "VectorEnv(hamlet/my_meal-v0, num_envs=2)"
    other = gymnasium.make_vec("hamlet/universe-v0", num_envs=2, universe=path, backend="interpreter")
    assert np.array_equal(env.reset(seed=1)[0], other.reset(seed=1)[0])


def test_vector_environment(stall: Module) -> None:
    check_vector_env(lambda **given: VectorEnv(3, stall, backend="c", **given), steps=16)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("universe", ["stall", "by_hand"])
def test_it_is_what_single_environments_are(mode: AutoresetMode, universe: str, request: pytest.FixtureRequest) -> None:
    """Each call gives the bits and the infos of Gymnasium's own vector environment of as many `Env`."""
    module = request.getfixturevalue(universe)
    # Draws of a tick follow the count of ticks, which goes on in a world that rests, and stands still in an `Env`.
    given = {"params": {"noise": 0.0 if mode is AutoresetMode.NEXT_STEP else 1.0}, "backend": "c"}
    env = VectorEnv(WORLDS, module, mode, **given)
    singles = [lambda world=world: Env(module, first_world=world, **given) for world in range(WORLDS)]
    other = SyncVectorEnv(singles, autoreset_mode=mode)
    rng = np.random.default_rng(0)
    held, ends, parts = [], 0, 0
    one, two = env.reset(seed=5), other.reset(seed=[5] * WORLDS)
    assert np.array_equal(one[0], two[0])
    same(one[1], two[1])
    for tick in range(36):
        actions = rng.integers(0, 6, WORLDS)
        stepped, expected = env.step(actions), other.step(actions)
        held.append((stepped[0], stepped[0].copy()))
        for each, wanted in zip(stepped[:4], expected[:4], strict=True):
            assert np.array_equal(each, wanted)
        same(stepped[4], expected[4])
        over = stepped[2] | stepped[3]
        ends += int(over.sum())
        if mode is AutoresetMode.DISABLED and over.any():
            # All that ended, and some that did not; at once or in two parts; with new params, or with those they had.
            more = over | (rng.random(WORLDS) < 0.3) if tick % 3 == 0 else over
            first = more & (np.cumsum(more) <= 1)
            options = {"params": {"haste": 2.0}} if tick % 4 == 0 else {}
            for mask in (first, more & ~first) if (more & ~first).any() else (more,):
                begun, wished = (each.reset(options={"reset_mask": mask.copy(), **options}) for each in (env, other))
                assert np.array_equal(begun[0], wished[0])
                same(begun[1], wished[1])
                parts += not np.array_equal(mask, over)
    assert ends > WORLDS
    assert mode is not AutoresetMode.DISABLED or parts > 2
    assert all(np.array_equal(now, then) for now, then in held)


def test_resting_worlds_on_kernels() -> None:
    """What an adapter tells worlds that rest means the same to kernels as to the interpreter."""
    meal = hamlet.load(ROOT / "generated" / "first_meal")
    envs = [VectorEnv(64, meal, backend=backend) for backend in ("interpreter", "c")]
    rng, ends = np.random.default_rng(1), 0
    for env in envs:
        env.reset(seed=3)
    for _ in range(70):
        actions = rng.integers(0, 6, 64)
        one, two = (env.step(actions) for env in envs)
        assert all(np.array_equal(x, y) for x, y in zip(one[:4], two[:4], strict=True))
        same(one[4], two[4])
        ends += int((one[2] | one[3]).sum())
    assert ends > 32


def test_episodes_are_those_of_the_environment(stall: Module) -> None:
    """No mode skips an episode, or runs one twice."""
    numbers = {}
    for mode in MODES:
        env = VectorEnv(3, stall, mode, backend="interpreter")
        env.reset(seed=1)
        ended = np.zeros(3, int)
        for _ in range(40):
            _, _, terminated, truncated, _ = env.step(np.full(3, 5))
            over = terminated | truncated
            ended += over
            if mode is AutoresetMode.DISABLED and over.any():
                env.reset(options={"reset_mask": over})
        numbers[mode] = ended
        assert np.array_equal(ended, env.env.state["episode"].numpy()), mode
        env.reset()
        # A world that waits has begun an episode that nobody has seen.
        waits = over & (mode is AutoresetMode.NEXT_STEP)
        assert np.array_equal(ended + 1 - waits, env.env.state["episode"].numpy()), mode
    assert all(count.min() > 2 for count in numbers.values())


def test_observations_are_handed_out_without_copies(stall: Module) -> None:
    env = VectorEnv(4, stall, backend="interpreter")
    env.reset(seed=1)
    addresses = []
    for _ in range(9):
        observation = env.step(np.full(4, 5))[0]
        shown = env.env.observation
        assert shown is not None
        assert observation.ctypes.data == shown.data_ptr()
        addresses.append(observation.ctypes.data)
    # Whoever keeps one observation at a time makes memory go round.
    assert len(set(addresses)) <= 4
    views = [torch.from_numpy(env.step(np.full(4, 5))[0])[1:] for _ in range(12)]
    assert len({view.untyped_storage().data_ptr() for view in views}) == 12


def test_spaces(stall: Module) -> None:
    env = VectorEnv(2, stall, backend="interpreter")
    box = env.single_observation_space
    assert isinstance(box, gymnasium.spaces.Box)
    names = env.env.observation_names
    assert (box.low[names.index("meter.food")], box.high[names.index("meter.food")]) == (0, 1)
    assert (box.low[names.index("time.sin")], box.high[names.index("grid[0,0]")]) == (-1, 2)
    assert env.single_action_space == gymnasium.spaces.Discrete(6)
    small = VectorEnv(2, stall, backend="interpreter", obs_dtype="uint8")
    assert small.reset()[0].dtype == small.observation_space.dtype == np.uint8


def test_params_and_seeds(stall: Module) -> None:
    env = VectorEnv(3, stall, backend="interpreter")
    env.reset(seed=2, options={"params": {"haste": [1.0, 2.0, 3.0]}})
    assert env.env.params["haste"].tolist() == [1, 2, 3]
    env.reset(options={"params": {"haste": 0.5}, "reset_mask": np.array([False, True, False])})
    assert env.env.params["haste"].tolist() == [1, 0.5, 3]
    first = env.reset(seed=[2, 3, 4])[0]
    assert env.env.seed == 2
    assert np.array_equal(first, env.reset(seed=2)[0])
    env.reset(seed=[4, 3, 2])
    other = env.env.seed
    env.reset(seed=[4, 3, 1])
    assert env.env.seed not in (2, 4, other)


WRONG: list[tuple[str, Callable[[VectorEnv], Any]]] = [
    ("actions have the shape", lambda env: env.step(np.zeros(4, int))),
    ("actions are whole numbers", lambda env: env.step(np.zeros(3))),
    ("action 6 does not exist", lambda env: env.step(np.full(3, 6))),
    ("action -1 does not exist", lambda env: env.step(np.full(3, -1, np.int8))),
    ("a seed is a whole number", lambda env: env.reset(seed="one")),  # type: ignore[arg-type]
    ("list of 3", lambda env: env.reset(seed=[1, 2])),
    ("options of reset", lambda env: env.reset(options={"param": {}})),
    ("no param 'hast'", lambda env: env.reset(options={"params": {"hast": 1}})),
    ("out of bounds|outside|beyond|must lie", lambda env: env.reset(options={"params": {"haste": 9}})),
    ("reset_mask is an array", lambda env: env.reset(options={"reset_mask": np.zeros(3, bool)})),
    ("all worlds have one seed", lambda env: env.reset(seed=2, options={"reset_mask": np.array([True, True, False])})),
    ("no attribute 'hast'.*noise, haste", lambda env: env.get_attr("hast")),
    ("observation is one of all worlds", lambda env: env.get_attr("observation")),
    ("rollout is one of all worlds", lambda env: env.call("rollout")),
    ("not 'render' with arguments", lambda env: env.call("render", 3)),
    ("cannot be given 'spec'", lambda env: env.set_attr("spec", 1)),
    ("haste", lambda env: env.set_attr("haste", [1.0, 2.0])),
]


@pytest.mark.parametrize("mode", MODES)
def test_what_is_wrong_changes_nothing(mode: AutoresetMode, stall: Module) -> None:
    env, other = (VectorEnv(3, stall, mode, backend="interpreter") for _ in range(2))
    with pytest.raises(EnvError, match="call reset before"):
        env.step(np.zeros(3, int))
    for each in (env, other):
        each.reset(seed=1)
        for _ in range(6):
            over = np.logical_or(*each.step(np.full(3, 5))[2:4])
            if over.any() and mode is not AutoresetMode.DISABLED:
                break
            if over.any():
                each.reset(options={"reset_mask": over})
    for message, call in WRONG:
        with pytest.raises(EnvError, match=message) as caught:
            call(env)
        assert "\n" not in str(caught.value)
    assert np.array_equal(env.step(np.full(3, 5))[0], other.step(np.full(3, 5))[0])
    for name, values in other.env.state.items():
        assert torch.equal(env.env.state[name], values), name
    env.close()
    for call in (env.reset, lambda: env.step(np.zeros(3, int))):
        with pytest.raises(EnvError, match="closed"):
            call()


def test_arguments(stall: Module) -> None:
    for given in (
        {"universe": None},
        {"agents": 2},
        {"autoreset_mode": "Later"},
        {"render_mode": "film"},
        {"worlds": 2},
        {"max_episode_steps": 0},
        {"max_episode_steps": "9"},
        {"shard": (0, 2)},
    ):
        with pytest.raises(EnvError) as caught:
            VectorEnv(**({"num_envs": 2, "universe": stall} | given))
        assert "\n" not in str(caught.value)
    with pytest.raises(EnvError, match="obs_dtype"):
        VectorEnv(2, stall, backend="interpreter", obs_dtype=None)
    with pytest.raises(EnvError, match="float32"):
        VectorEnv(2, stall, backend="interpreter", obs_dtype="bfloat16")
    single = Env(stall)
    single.reset(seed=1)
    for action in (1.0, "UP", 6, [1, 2]):
        with pytest.raises(EnvError):
            single.step(action)
    ended = False
    while not ended:
        *_, terminated, truncated, _ = single.step(5)
        ended = terminated or truncated
    with pytest.raises(EnvError, match="has ended"):
        single.step(5)


def test_masks_of_a_reset_take_seeds(stall: Module) -> None:
    """As those of Gymnasium's `SyncVectorEnv` do, as far as all worlds have one seed."""
    env = VectorEnv(3, stall, "Disabled", backend="interpreter")
    with pytest.raises(EnvError, match="never reset"):
        env.reset(options={"reset_mask": np.array([True, True, False])})
    first, infos = env.reset(seed=[4, 5, 6], options={"reset_mask": np.ones(3, bool)})
    assert np.array_equal(first, env.reset(seed=4)[0])
    assert infos["_action_mask"].all()
    some = np.array([True, True, False])
    for seed in ([4, 5, 0], [4, 5, None], 4):
        env.reset()
        later = env.step(np.array([0, 1, 2]))[0]
        again, infos = env.reset(seed=seed, options={"reset_mask": some.copy()})  # type: ignore[arg-type]
        assert np.array_equal(again[:2], first[:2])
        assert np.array_equal(again[2], later[2])
        assert not np.array_equal(again[2], first[2])
        assert env.env.state["episode"].tolist()[:2] == [0, 0]
        assert infos["_action_mask"].tolist() == some.tolist()
    before = env.env.state["episode"].clone()
    env.reset(seed=[None] * 3, options={"reset_mask": some})  # type: ignore[list-item]
    assert (env.env.state["episode"] - before).tolist() == [1, 1, 0]
    apart = env.reset(seed=[7, 3, 9])[0]
    env.step(np.array([0, 1, 2]))
    assert np.array_equal(env.reset(seed=[7, 3, 0], options={"reset_mask": some})[0][:2], apart[:2])


def test_attributes_of_worlds(stall: Module) -> None:
    env = VectorEnv(3, stall, backend="interpreter", render_mode="ansi")
    env.reset(seed=1)
    env.set_attr("haste", [1.0, 2.0, 3.0])
    env.set_attr("noise", 0.5)
    assert env.get_attr("haste") == env.call("haste") == (1, 2, 3)
    assert env.env.params["noise"].tolist() == [0.5] * 3
    assert env.get_attr("action_space") == (env.single_action_space,) * 3
    assert env.get_attr("np_random_seed") == env.get_attr("seed") == (1,) * 3
    assert env.call("render") == env.render()
    assert env.call("get_wrapper_attr", "render_mode") == ("ansi",) * 3


def test_ids() -> None:
    """Each registered one can be made as it is; universes that ask for several agents are not among them."""
    folder = hamlet_gym.registration.SHIPPED
    others = {"packs", "ports"}
    paths = [path for path in folder.rglob("*.hamlet") if not others & set(path.relative_to(folder).parts)]
    texts = {path.stem: path.read_text() for path in paths}
    names = set(texts)
    # Only a universe with roles, of its own or of another file, asks for several agents.
    asking = {name for name, text in texts.items() if re.search(r"^\s*(role|extends|include)\b", text, re.MULTILINE)}
    several = {name for name in asking if fewest_agents(universe_of(texts[name], shipped(name))) > 1}
    assert several == hamlet_gym.registration.SEVERAL
    ids = {name for name in gymnasium.registry if name.startswith("hamlet/")}
    assert ids == {f"hamlet/{name}-v0" for name in names - several} | {"hamlet/universe-v0"}
    for made in (
        lambda: Env(shipped("wolves")),
        lambda: VectorEnv(2, shipped("tag")),
        lambda: VectorEnv(2, "x", agents=2),
    ):
        with pytest.raises(EnvError, match="hamlet_pettingzoo"):
            made()


def shipped(name: str) -> Path:
    return next(hamlet_gym.registration.SHIPPED.rglob(f"{name}.hamlet"))


def test_controls_are_boxes(compiled: Callable[[str], Module]) -> None:
    """Where agents only steer, an action is a `Box`; where they choose actions too, a dictionary of both."""
    text = (ROOT / "universes" / "gallery" / "cartpole.hamlet").read_text()
    steered = compiled(text)
    both = compiled(text.replace("universe cartpole", "universe cart").replace("reward 1", BRAKE + "reward 1"))
    for module, space in ((steered, gymnasium.spaces.Box), (both, gymnasium.spaces.Dict)):
        assert isinstance(VectorEnv(2, module, backend="interpreter").single_action_space, space)
        check_vector_env(
            lambda module=module, **given: VectorEnv(2, module, backend="c", **given),
            modes=[AutoresetMode.SAME_STEP],
            steps=40,
            render=False,
        )
    env, below = VectorEnv(3, both, backend="interpreter"), hamlet.make(both, worlds=3, backend="interpreter", seed=2)
    env.reset(seed=2)
    forces = np.array([[0.5], [-1.0], [0.0]], np.float32)
    actions = np.array([2, 1, 0])
    observation, *_ = env.step({"action": actions, "controls": forces})
    assert np.array_equal(observation, below.step(actions, {"force": forces[:, 0]})[0])  # type: ignore[arg-type]
    for wrong in (forces * 2, forces[:2], forces.astype(int), None):
        with pytest.raises(EnvError):
            env.step({"action": actions, "controls": wrong})
    assert env.env.tick == 1
