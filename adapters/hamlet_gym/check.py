"""A checker of vector environments, which Gymnasium lacks: what its own `SyncVectorEnv` promises, checked from outside.

It runs any vector environment of arrays, or of dictionaries of them, and knows nothing of universes. A failure is an
`AssertionError` in a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import numpy as np
from gymnasium import logger
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode
from gymnasium.vector import VectorEnv as AnyVectorEnv
from gymnasium.vector.utils import batch_space
from gymnasium.wrappers import vector as wrappers
from gymnasium.wrappers.vector import NormalizeObservation, NormalizeReward

from hamlet_gym.faults import fault_of

Array = np.ndarray[Any, Any]
Stepped = tuple[Any, Array, Array, Array, dict[str, Any]]
MODES = tuple(AutoresetMode)


class Factory(Protocol):
    """A function that makes the environments to check."""

    def __call__(self, *, autoreset_mode: AutoresetMode, render_mode: str | None) -> AnyVectorEnv[Any, Any, Any]: ...


def check_vector_env(
    env_factory: Factory,
    modes: Sequence[AutoresetMode] = MODES,
    steps: int = 200,
    seed: int = 7,
    render: bool = True,
    mistakes: bool = True,
) -> None:
    """Check that vector environments do what Gymnasium says.

    For each mode: spaces and metadata; that seeds repeat a run, as a number and as a list, and that `reset` without one
    does not; types, shapes and bounds of what steps give; that `infos` say who has what; that nothing that was handed
    out changes later; what the mode says of ends of episodes, with `final_obs` and `final_info`, `reset_mask`; masks of
    actions; that wrong actions and calls after `close` raise, and change nothing; and that RecordEpisodeStatistics,
    NormalizeReward, NormalizeObservation (NEXT_STEP, the only one it takes) and RecordVideo (SAME_STEP, where moviepy
    is installed, and a Gymnasium that has it) work. All modes have to agree on every first episode. What the installed
    version of Gymnasium does wrong itself is not checked, and a warning names the version and the fault.

    Args:
        env_factory: makes an environment, called with `autoreset_mode` and `render_mode`; at least two
            sub-environments, whose episodes end within `steps` random actions, are worth checking.
        modes: those that it offers.
        steps: how long each run is.
        seed: of runs and of actions.
        render: whether it is made with "rgb_array" too, and filmed.
        mistakes: whether wrong actions and calls after `close` have to raise and to change nothing, which Gymnasium
            does not promise.

    Raises:
        AssertionError: the environment does something else; the message says what.
    """
    cases = [_Case(env_factory, mode, steps, seed, None) for mode in modes]
    firsts = [_check_mode(case) for case in cases]
    for case in cases if mistakes else ():
        _check_mistakes(case)
    for mode, first in zip(modes[1:], firsts[1:], strict=True):
        _expect(_equal(firsts[0], first), f"{mode.name} and {modes[0].name} differ in the first episodes")
    if render:
        for mode in modes:
            _check_pictures(_Case(env_factory, mode, min(steps, 20), seed, "rgb_array"))


class _Case:
    """A factory, a mode and a length; runs of random actions, the same ones each time."""

    def __init__(self, factory: Factory, mode: AutoresetMode, steps: int, seed: int, picture: str | None) -> None:
        self._factory = factory
        self.mode = mode
        self.steps = steps
        self.seed = seed
        self._picture = picture

    def make(self) -> AnyVectorEnv[Any, Any, Any]:
        return self._factory(autoreset_mode=self.mode, render_mode=self._picture)

    def run(self, env: AnyVectorEnv[Any, Any, Any]) -> Iterator[Stepped]:
        """Steps after a reset. With DISABLED those that ended are reset before the next step."""
        env.action_space.seed(self.seed)
        for _ in range(self.steps):
            stepped = env.step(env.action_space.sample())
            yield stepped
            ended = stepped[2] | stepped[3]
            if self.mode is AutoresetMode.DISABLED and ended.any():
                env.reset(options={"reset_mask": ended.copy()})

    def fail(self, what: str) -> str:
        return f"{self.mode.name}: {what}"


def _check_mode(case: _Case) -> list[Any]:
    """Every check of a mode; returns the first episode of each sub-environment."""
    env = case.make()
    _check_spaces(case, env)
    first = _check_run(case, env)
    _check_seeds(case, env)
    if case.mode is AutoresetMode.DISABLED:
        _check_reset_mask(case)
    _check_wrappers(case)
    env.close()
    return first


def _check_spaces(case: _Case, env: AnyVectorEnv[Any, Any, Any]) -> None:
    _expect(env.metadata.get("autoreset_mode") is case.mode, case.fail("metadata does not say the autoreset mode"))
    count = env.num_envs
    for name in ("observation_space", "action_space"):
        whole, single = getattr(env, name), getattr(env, f"single_{name}")
        _expect(whole == batch_space(single, count), case.fail(f"{name} is not {count} times single_{name}"))


def _check_run(case: _Case, env: AnyVectorEnv[Any, Any, Any]) -> list[Any]:
    """A run, looked at step by step; returns each sub-environment's first episode."""
    observation, infos = env.reset(seed=case.seed)
    count = env.num_envs
    results: list[tuple[Any, Any]] = [((observation, infos), deepcopy((observation, infos)))]
    before = np.zeros(count, np.bool_)
    over = np.zeros(count, np.bool_)
    first: list[Any] = [[_listed(_one(observation, number))] for number in range(count)]
    _check_infos(case, infos, count)
    _check_masks(case, env, infos)
    _expect(observation in env.observation_space, case.fail("reset: an observation is not in its space"))
    ends = 0
    for stepped in case.run(env):
        observation, reward, terminated, truncated, infos = stepped
        results.append((stepped, deepcopy(stepped)))
        _expect(observation in env.observation_space, case.fail("step: an observation is not in its space"))
        for name, values, kinds in (
            ("rewards", reward, "f"),
            ("terminations", terminated, "b"),
            ("truncations", truncated, "b"),
        ):
            right = isinstance(values, np.ndarray) and values.shape == (count,) and values.dtype.kind in kinds
            _expect(right, case.fail(f"{name} are no array [{count}] of kind {kinds}"))
        _check_infos(case, infos, count)
        _check_masks(case, env, infos)
        ended = terminated | truncated
        if case.mode is AutoresetMode.NEXT_STEP:
            rested = (reward[before] == 0).all() and not ended[before].any()
            _expect(bool(rested), case.fail("a step that begins an episode has a reward or an end"))
        _check_finals(case, env, infos, ended)
        for number in np.flatnonzero(~over).tolist():
            final = "final_obs" in infos and ended[number]
            shown = infos["final_obs"][number] if final else _one(observation, number)
            first[number].append(
                (_listed(shown), float(reward[number]), bool(terminated[number]), bool(truncated[number]))
            )
        over |= ended
        before = ended
        ends += int(ended.sum())
    _expect(ends > 0, case.fail(f"no episode ended within {case.steps} steps: take more of them"))
    for now, then in results:
        _expect(_equal(now, then), case.fail("an array that was handed out was changed by a later call"))
    return first


def _check_infos(case: _Case, infos: dict[str, Any], count: int) -> None:
    """Every entry says who has it."""
    for name, values in infos.items():
        if name.startswith("_"):
            right = isinstance(values, np.ndarray) and values.dtype == np.bool_ and values.shape == (count,)
            _expect(right, case.fail(f"infos: {name} is no array [{count}] of bool"))
            _expect(name[1:] in infos, case.fail(f"infos: there is {name}, but no {name[1:]}"))
            continue
        _expect(f"_{name}" in infos, case.fail(f"infos: nothing says who has {name}"))
        if isinstance(values, dict):
            _check_infos(case, values, count)
        else:
            _expect(len(values) == count, case.fail(f"infos: {name} has not {count} entries"))


def _check_finals(case: _Case, env: AnyVectorEnv[Any, Any, Any], infos: dict[str, Any], ended: Array) -> None:
    expected = case.mode is AutoresetMode.SAME_STEP and ended.any()
    for name in ("final_obs", "final_info"):
        _expect((name in infos) == expected, case.fail(f"infos: {name} is there where it should not be, or is missing"))
    if not expected:
        return
    for name in ("_final_obs", "_final_info"):
        _expect(bool((infos[name] == ended).all()), case.fail(f"infos: {name} does not say who ended"))
    for number, last in enumerate(infos["final_obs"]):
        right = last in env.single_observation_space if ended[number] else last is None
        _expect(right, case.fail(f"infos: final_obs of {number} is no observation, or should be None"))


def _check_masks(case: _Case, env: AnyVectorEnv[Any, Any, Any], infos: dict[str, Any]) -> None:
    space = env.single_action_space
    if "action_mask" not in infos or not isinstance(space, Discrete):
        return
    masks, has = infos["action_mask"], infos["_action_mask"]
    right = masks.shape == (env.num_envs, space.n) and masks.dtype == np.int8
    _expect(right, case.fail(f"action_mask is no array [{env.num_envs}, {space.n}] of int8"))
    _expect(bool(masks[has].any(axis=1).all()), case.fail("action_mask allows nothing"))
    for mask in masks[has][:2]:
        space.sample(mask)


def _check_seeds(case: _Case, env: AnyVectorEnv[Any, Any, Any]) -> None:
    def run(seed: Any) -> list[Any]:
        begun = [deepcopy(env.reset(seed=seed))]
        return begun + [deepcopy(stepped) for stepped in _short(case).run(env)]

    count = env.num_envs
    first = run(case.seed)
    _expect(_equal(first, run(case.seed)), case.fail("the same seed gives another run"))
    listed = [case.seed + number for number in range(count)]
    _expect(_equal(first, run(listed)), case.fail("a seed s is not the list s, s + 1, ..."))
    _expect(_equal(run(listed[::-1]), run(listed[::-1])), case.fail("the same list of seeds gives another run"))
    _expect(not _equal(first, run(case.seed + 1)), case.fail("another seed gives the same run"))
    _expect(not _equal(first, run(None)), case.fail("reset without a seed begins the same run again"))


def _check_mistakes(case: _Case) -> None:
    """Wrong arguments raise and change nothing: the environment goes on like one that was never asked."""
    env, twin = case.make(), case.make()
    _expect(_raises(env.step, env.action_space.sample()), case.fail("a step before the first reset is taken"))
    env.reset(seed=case.seed)
    twin.reset(seed=case.seed)
    right = env.action_space.sample()
    wrong: list[Any] = [None, "go", {}]
    if isinstance(right, np.ndarray):
        wrong += [right[:-1], np.concatenate([right, right])]
    if isinstance(env.single_action_space, Discrete):
        wrong += [right + 0.5, np.full_like(right, -1), np.full_like(right, env.single_action_space.n)]
    for stepped, other in zip(_short(case).run(env), _short(case).run(twin), strict=True):
        _expect(_equal(stepped, other), case.fail("a call that raised has changed something"))
        if not (case.mode is AutoresetMode.DISABLED and (stepped[2] | stepped[3]).any()):
            for actions in wrong:
                _expect(_raises(env.step, actions), case.fail(f"actions {actions!r:.40} are taken"))
        _expect(_raises(env.reset, seed="one"), case.fail("a seed that is no number is taken"))
    for each in (env, twin):
        each.close()
    for call in (env.reset, lambda: env.step(right)):
        _expect(_raises(call), case.fail("a closed environment takes calls"))


def _check_reset_mask(case: _Case) -> None:
    """With DISABLED some sub-environments are reset, and the others are where they were."""
    env = case.make()
    env.reset(seed=case.seed)
    for observation, _, terminated, truncated, _ in _until_end(case, env):
        ended = terminated | truncated
        for wrong in (ended[:-1], ended.astype(np.int8), np.zeros_like(ended), ended.tolist()):
            refused = _raises(env.reset, options={"reset_mask": wrong})
            _expect(refused, case.fail(f"reset_mask {wrong!r:.40} is taken"))
        _expect(_raises(env.step, env.action_space.sample()), case.fail("a step after an end is taken"))
        options = {"reset_mask": ended.copy()}
        begun, infos = env.reset(options=options)
        _expect(set(options) == {"reset_mask"}, case.fail("reset takes the mask out of options that wrappers read"))
        _expect(
            _equal(_one(begun, ~ended), _one(observation, ~ended)),
            case.fail("reset_mask: another sub-environment changed"),
        )
        for name, has in infos.items():
            if name.startswith("_"):
                _expect(not has[~ended].any(), case.fail(f"reset_mask: {name} has others too"))
    env.close()


def _until_end(case: _Case, env: AnyVectorEnv[Any, Any, Any]) -> Iterator[Stepped]:
    """The first steps in which an episode ends."""
    env.action_space.seed(case.seed)
    for _ in range(case.steps):
        stepped = env.step(env.action_space.sample())
        if (stepped[2] | stepped[3]).any():
            yield stepped


def _check_wrappers(case: _Case) -> None:
    fault = fault_of("RecordEpisodeStatistics", case.mode)
    if fault is None:
        _check_statistics(case)
    else:
        logger.warn(fault)
    _check_normalized(case)


def _check_statistics(case: _Case) -> None:
    counted = wrappers.RecordEpisodeStatistics(case.make())
    counted.reset(seed=case.seed)
    returns, lengths = np.zeros(counted.num_envs), np.zeros(counted.num_envs, int)
    before = np.zeros(counted.num_envs, np.bool_)
    for _, reward, terminated, truncated, infos in case.run(counted):
        begins = before & (case.mode is AutoresetMode.NEXT_STEP)
        returns, lengths = np.where(begins, 0.0, returns + reward), np.where(begins, 0, lengths + 1)
        ended = terminated | truncated
        _expect(("episode" in infos) == ended.any(), case.fail("RecordEpisodeStatistics saw no end, or one too many"))
        if ended.any():
            episode = infos["episode"]
            same = (episode["l"][ended] == lengths[ended]).all() and np.allclose(episode["r"][ended], returns[ended])
            _expect(bool(same), case.fail("RecordEpisodeStatistics counts other lengths or returns"))
        returns[ended], lengths[ended] = 0.0, 0
        before = ended
    counted.close()


def _check_normalized(case: _Case) -> None:
    kinds: list[Callable[[Any], Any]] = [NormalizeReward]
    plain = case.make()
    if case.mode is AutoresetMode.NEXT_STEP and isinstance(plain.single_observation_space, Box):
        kinds.append(NormalizeObservation)
    plain.close()
    for wrapper in kinds:
        env = wrapper(case.make())
        env.reset(seed=case.seed)
        for observation, reward, *_ in case.run(env):
            finite = np.isfinite(reward).all() and (
                not isinstance(observation, np.ndarray) or np.isfinite(observation).all()
            )
            _expect(bool(finite), case.fail(f"{wrapper.__name__} gives numbers that are not finite"))
        env.close()


def _check_pictures(case: _Case) -> None:
    env = case.make()
    env.reset(seed=case.seed)
    frames: Any = env.render()
    right = isinstance(frames, tuple) and len(frames) == env.num_envs
    _expect(right, case.fail("render gives no tuple of a frame per sub-environment"))
    for frame in frames:
        image = isinstance(frame, np.ndarray) and frame.dtype == np.uint8 and frame.ndim == 3 and frame.shape[2] == 3
        _expect(image, case.fail("render: a frame is no array [height, width, 3] of uint8"))
        _expect(frame.shape == frames[0].shape, case.fail("render: frames have different sizes"))
    env.close()
    filming = getattr(wrappers, "RecordVideo", None)
    if case.mode is AutoresetMode.SAME_STEP and filming is not None and find_spec("moviepy") is not None:
        with TemporaryDirectory() as folder:
            film = filming(case.make(), folder, episode_trigger=lambda episode: episode == 0)
            film.reset(seed=case.seed)
            for _ in case.run(film):
                pass
            film.close()
            _expect(bool(list(Path(folder).glob("*.mp4"))), case.fail("RecordVideo wrote no video"))


def _short(case: _Case) -> _Case:
    return _Case(case._factory, case.mode, min(case.steps, 20), case.seed, None)


def _one(observation: Any, number: Any) -> Any:
    """The observation of a sub-environment, or those of some: of dictionaries and tuples an entry of each part."""
    if isinstance(observation, dict):
        return {name: _one(part, number) for name, part in observation.items()}
    if isinstance(observation, tuple) and not isinstance(observation[0], str):
        return tuple(_one(part, number) for part in observation)
    return (np.array(observation, object) if isinstance(observation, tuple) else observation)[number]


def _listed(observation: Any) -> Any:
    """An observation in numbers of Python."""
    if isinstance(observation, dict):
        return {name: _listed(part) for name, part in observation.items()}
    if isinstance(observation, tuple):
        return [_listed(part) for part in observation]
    return observation.tolist() if isinstance(observation, (np.ndarray, np.generic)) else observation


def _equal(one: Any, other: Any) -> bool:
    """Whether nested values are the same: numbers by their bits but for zeros and NaN."""
    if isinstance(one, np.ndarray) and one.dtype != object:
        return (
            isinstance(other, np.ndarray)
            and one.dtype == other.dtype
            and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        )
    if isinstance(one, dict):
        return (
            isinstance(other, dict) and set(one) == set(other) and all(_equal(one[name], other[name]) for name in one)
        )
    if isinstance(one, (tuple, list, np.ndarray)):
        return len(one) == len(other) and all(_equal(x, y) for x, y in zip(one, other, strict=True))
    return bool(one == other)


def _raises(call: Callable[..., object], *arguments: Any, **named: Any) -> bool:
    try:
        call(*arguments, **named)
    except Exception:
        return True
    return False


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)
