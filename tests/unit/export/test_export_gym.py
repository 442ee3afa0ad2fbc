"""`hamletc export --abi gym-c`: one binding opens every universe, and its steps have the bits of `Env.step`."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from ctypes import POINTER, c_bool, c_char_p, c_float, c_int, c_int64, c_size_t, c_uint8, c_uint64, c_void_p
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from test_export_c import ALONE, FLAGS, MEETING

import hamlet
from hamlet.package.module import Module
from hamletc.cli.main import hamletc

WORLDS, SEED = 5, 11


class Info(ctypes.Structure):
    _fields_ = (("mask", POINTER(c_uint8)), ("final_observation", POINTER(c_float)))


class GymEnv:
    """A binding of `gym_env.h`: nothing in it is of a universe."""

    def __init__(self, library: ctypes.CDLL, worlds: int, agents: int, seed: int) -> None:
        for name in ("observations", "actions", "controls", "least_agents", "most_agents"):
            getattr(library, f"env_{name}").restype = c_int64
        library.env_bytes.argtypes, library.env_bytes.restype = [c_int64, c_int64], c_size_t
        library.env_make.argtypes = [c_void_p, c_size_t, c_int64, c_int64, c_uint64]
        library.env_make.restype, library.env_step.restype, library.env_selftest.restype = c_void_p, c_bool, c_int
        library.env_name.restype = library.env_action.restype = c_char_p
        library.env_digest.argtypes, library.env_digest.restype = [c_void_p], c_uint64
        self.library, lanes, rows = library, worlds * agents, library.env_observations()
        self._memory = ctypes.create_string_buffer(library.env_bytes(worlds, agents))
        self.it = c_void_p(library.env_make(self._memory, len(self._memory), worlds, agents, seed))
        self.observation, self.reward = np.empty((lanes, rows), np.float32), np.empty(lanes, np.float32)
        self.terminated, self.truncated = np.empty(lanes, np.uint8), np.empty(lanes, np.uint8)
        self.mask = np.empty((lanes, library.env_actions()), np.uint8)
        self.final_observation = np.empty((lanes, rows), np.float32)
        self.info = Info(
            self.mask.ctypes.data_as(POINTER(c_uint8)), self.final_observation.ctypes.data_as(POINTER(c_float))
        )

    def reset(self, seed: int) -> None:
        self.library.env_reset(self.it, c_uint64(seed), self._at(self.observation), ctypes.byref(self.info))

    def step(self, actions: np.ndarray, controls: np.ndarray | None) -> bool:
        given = None if controls is None else self._at(controls)
        results = map(self._at, (self.observation, self.reward, self.terminated, self.truncated))
        done: bool = self.library.env_step(self.it, self._at(actions), given, *results, ctypes.byref(self.info))
        return done

    @staticmethod
    def _at(array: np.ndarray) -> c_void_p:
        return c_void_p(array.ctypes.data)


def built(text: str, folder: Path) -> ctypes.CDLL:
    name = text.split()[1]
    (folder / f"{name}.hamlet").write_text(text, encoding="utf-8")
    command = ["export", str(folder / f"{name}.hamlet"), "--abi", "gym-c", "-o", str(folder)]
    result = CliRunner().invoke(hamletc, command)
    assert result.exit_code == 0, result.output
    files = f"{name}.c", f"{name}_env.c"
    # Nothing but what compilers call by themselves is left to be found.
    command = ["cc", *FLAGS, "-O0", "-DHAMLET_NARROW", "-shared", "-fPIC", "-Wl,-z,defs", *files, "-o", f"{name}.so"]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert made.returncode == 0, made.stderr
    return ctypes.CDLL(str(folder / f"{name}.so"))


@pytest.mark.parametrize("text", [ALONE, MEETING])
def test_one_binding_steps_every_universe(tmp_path: Path, compiled: Callable[[str], Module], text: str) -> None:
    library = built(text, tmp_path)
    env = hamlet.make(compiled(text), worlds=WORLDS, seed=SEED, backend="c", quiet=True)
    gym = GymEnv(library, WORLDS, env.num_agents, SEED)
    assert library.env_selftest() == 0
    assert library.env_name().decode() == env.universe.name
    named = [library.env_action(c_int64(action)) for action in range(env.num_actions + 1)]
    assert [each.decode() for each in named[:-1]] == list(env.action_names)
    assert named[-1] is None
    rng, ended = np.random.default_rng(1), 0
    gym.reset(SEED)
    for tick in range(45):
        assert np.array_equal(gym.observation.view(np.uint32), env._buffers.observation.T.numpy().view(np.uint32))
        assert np.array_equal(gym.mask, env._buffers.mask.T.numpy())
        assert library.env_digest(gym.it) == env.digest(), tick
        actions = rng.integers(0, env.num_actions, env.num_lanes).astype(np.int32)
        steers = bool(env.universe.controls)
        controls = rng.uniform(-1, 1, (env.num_lanes, 1)).astype(np.float32) if steers else None
        assert gym.step(actions, controls)
        env.step(torch.from_numpy(actions), *([] if controls is None else [torch.from_numpy(controls.T.copy())]))
        for mine, name in ((gym.reward, "reward"), (gym.terminated, "terminated"), (gym.truncated, "truncated")):
            assert np.array_equal(mine.view(np.uint8), env.outcome[name].numpy().view(np.uint8)), name
        over = (gym.terminated | gym.truncated) != 0
        ended += int(over.sum())
        last = env._buffers.final_observation.T.numpy()
        assert np.array_equal(gym.final_observation[over].view(np.uint32), last[over].view(np.uint32))
    assert ended
    before = env.digest()
    assert not gym.step(np.full(env.num_lanes, 99, np.int32), None)
    assert library.env_digest(gym.it) != 0
    gym.reset(SEED)
    env.reset(seed=SEED)
    assert library.env_digest(gym.it) == env.digest() != before


def test_a_universe_called_env_has_another_name(tmp_path: Path) -> None:
    (tmp_path / "env.hamlet").write_text(ALONE.replace("universe alone", "universe env"), encoding="utf-8")
    command = ["export", str(tmp_path / "env.hamlet"), "--abi", "gym-c", "-o", str(tmp_path / "out")]
    result = CliRunner().invoke(hamletc, command)
    assert result.exit_code == 0, result.output
    subprocess.run(["cc", "-std=c99", "-fsyntax-only", "u_env_env.c", "u_env.c"], cwd=tmp_path / "out", check=True)
