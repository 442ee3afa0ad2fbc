"""`hamletc export --to cuda`: PTX that NVIDIA's compiler makes of it has the bits of every backend, whatever it was
told, and an environment on a GPU gives a trainer what `hamlet.make` gives."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner
from nvrtc import CudaError, ptx_of
from test_export_c import ALONE, MEETING
from test_export_puffer5 import FLYING, HERE, settings

import hamlet
from hamlet.backend.digest import fnv1a
from hamlet.env.environment import Env
from hamlet.package.module import Module
from hamlet_lab.ptx import Launch, Memory, Program, parse
from hamletc.cli.main import hamletc
from hamletc.export.arrays import Array, arrays
from hamletc.export.conditions import decided, holds

WORLDS, SEED, BLOCK, ROOMS = 37, 11, 32, 1 << 16
SIZES = {"f32": 4, "i32": 4, "u32": 4, "bool": 1}
ROUNDED = frozenset(f"{each}.rn.f32" for each in ("add", "sub", "mul", "div", "fma", "sqrt"))
COMPUTES = re.compile(
    r"^\s+(?:@!?%p\d+ )?((?:add|sub|mul|mad|div|fma|sqrt|rsqrt|rcp|ex2|lg2|sin|cos)\.\S*f\d\d)\b", re.M
)


def exported(text: str, folder: Path, *arguments: str) -> str:
    """Writes a universe in CUDA C; its name."""
    name = text.split()[1]
    (folder / f"{name}.hamlet").write_text(text, encoding="utf-8")
    command = ["export", str(folder / f"{name}.hamlet"), "--to", "cuda", *arguments, "-o", str(folder)]
    result = CliRunner().invoke(hamletc, command)
    assert result.exit_code == 0, result.output
    return name


class Worlds:
    """Worlds of a universe, whose kernel is executed as PTX."""

    def __init__(self, program: Program, env: Env) -> None:
        self._program, self._lanes = program, env.num_lanes
        self._places: dict[str, tuple[int, Array]] = {}
        size = 0
        for array in arrays(env.universe, "x"):
            self._places[array.name] = size, array
            size += -(-self._bytes(array) // 64) * 64
        self._contents = np.zeros(size + WORLDS * ROOMS, np.uint8)
        self._memory = Memory(1)
        self._base = self._memory.place(self._contents)

    def _bytes(self, array: Array) -> int:
        columns = self._lanes if array.columns == "lanes" else WORLDS
        return (array.pitch or array.height) * columns * SIZES[array.dtype]

    def launch(self, actions: np.ndarray | None = None, ticks: int = 0, begins: int = 0) -> None:
        address = 0 if actions is None else self._memory.place(actions)
        given = [self._base, WORLDS, 0, SEED, address, ticks, begins]
        self._program.launch(self._memory, Launch(given, -(-WORLDS // BLOCK), BLOCK, 8 * BLOCK))

    def rows(self, name: str) -> bytes:
        """The contents of an array."""
        begin, array = self._places[name]
        return self._contents[begin : begin + self._bytes(array)].tobytes()

    def write(self, name: str, values: np.ndarray) -> None:
        begin, array = self._places[name]
        self._contents[begin : begin + self._bytes(array)] = values.reshape(-1).view(np.uint8)

    def digest(self) -> int:
        """That of `Env.digest()`: without what fills columns up."""
        digested = b""
        for begin, array in self._places.values():
            if not array.digested:
                continue
            whole = self._contents[begin : begin + self._bytes(array)]
            if array.pitch:
                size = SIZES[array.dtype]
                whole = whole.reshape(-1, array.pitch * size)[:, : array.height * size]
            digested += whole.tobytes()
        return fnv1a(digested)


@pytest.mark.parametrize("text", [ALONE, MEETING])
def test_ptx_has_the_bits_of_kernels(tmp_path: Path, compiled: Callable[[str], Module], text: str) -> None:
    """Steps, rollouts and new beginnings; every operation on numbers is a rounded one."""
    name = exported(text, tmp_path)
    source = (tmp_path / f"{name}.cu").read_text(encoding="utf-8")
    ptx = ptx_of(source)
    assert frozenset(COMPUTES.findall(ptx)) <= ROUNDED
    env = hamlet.make(compiled(text), worlds=WORLDS, seed=SEED, backend="c", quiet=True)
    worlds, buffers = Worlds(Program(parse(ptx, f"{name}_worlds")), env), env._buffers
    rng = np.random.default_rng(1)

    def same() -> None:
        assert worlds.digest() == env.digest()
        assert buffers.observation is not None
        assert worlds.rows("observation") == buffers.observation.contiguous().numpy().tobytes()
        assert worlds.rows("mask") == buffers.mask.contiguous().numpy().tobytes()

    worlds.launch(begins=1)
    same()
    for _ in range(3):
        actions = rng.integers(0, env.num_actions, env.num_lanes).astype(np.int32)
        controls = rng.uniform(-1, 1, (1, env.num_lanes)).astype(np.float32)
        if env.universe.controls:
            worlds.write("controls", controls)
        env.step(torch.from_numpy(actions), *([torch.from_numpy(controls)] if env.universe.controls else []))
        worlds.launch(actions, ticks=1)
        same()
    # Not all of them reach the end of their lifespan in these ticks.
    age = np.arange(env.num_lanes, dtype=np.int32) // env.num_agents % 3 + env.universe.lifespan.ticks - 6
    worlds.write("age", age)
    buffers.state["age"].copy_(torch.from_numpy(age))
    worlds.launch(ticks=5)
    env.rollout(5)
    same()
    assert 0 < int((buffers.state["episode"] > 0).sum()) < WORLDS
    worlds.launch(begins=2)
    env.reset(seed=SEED)
    same()


def test_no_option_contracts(tmp_path: Path) -> None:
    """Not even sums of numbers of which each is 0 or 1, as those of a grid that is observed."""
    text = ALONE.replace("observe {", "observe { grid ")
    source = (tmp_path / f"{exported(text, tmp_path)}.cu").read_text(encoding="utf-8")
    ptx = ptx_of(source, "--fmad=true")
    assert ptx == ptx_of(source, "--fmad=false")
    assert frozenset(COMPUTES.findall(ptx)) <= ROUNDED
    # Products and sums of C's own type are contracted.
    plain = source.replace("__fadd_rn(a.x, b.x)", "a.x + b.x").replace("__fmul_rn(a.x, b.x)", "a.x * b.x")
    assert ptx_of(plain, "--fmad=true") != ptx_of(plain, "--fmad=false")


def test_fast_math_is_refused(tmp_path: Path) -> None:
    source = (tmp_path / f"{exported(ALONE, tmp_path)}.cu").read_text(encoding="utf-8")
    for option in ("--use_fast_math", "--ftz=true"):
        with pytest.raises(CudaError, match="alone is exact"):
            ptx_of(source, option)


@pytest.mark.parametrize("text", [ALONE, FLYING])
def test_a_trainer_on_a_gpu_sees_the_bits_of_kernels(
    tmp_path: Path, compiled: Callable[[str], Module], text: str
) -> None:
    """Threads run one after the other on this machine (`cuda_runtime.h` beside the trainer)."""
    if shutil.which("g++") is None:
        pytest.skip("there is no g++")
    name, lanes, ticks = exported(text, tmp_path, "--abi", "puffer5"), 100, 150
    little = "-Og", "-Dalways_inline=unused"
    flags = "-std=c++17", *little, "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"
    named = f"-DDIGEST={name}_digest", f"-DLAID={name}", f"-DLAY={name}_lay"
    defines = f'-DENVIRONMENT="ocean/{name}/{name}.cu"', f"-I{HERE}", "-I."
    command = ["g++", *flags, *named, *defines, str(HERE / "trainer_on_gpu.cc"), "-o", "trainer"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    env = hamlet.make(compiled(text), worlds=lanes, seed=SEED, backend="c", quiet=True)
    rng, steers = np.random.default_rng(3), bool(env.universe.controls)
    chosen = rng.uniform(-2, 3, (ticks, lanes)) if steers else rng.integers(0, env.num_actions, (ticks, lanes))
    given = [*settings(tmp_path, name), "seed", str(SEED)]
    given[given.index("seed") + 1] = str(SEED)
    ran = subprocess.run(
        ["./trainer", str(lanes), str(ticks), *given],
        cwd=tmp_path, input=chosen.astype(np.float32).tobytes(), capture_output=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr.decode()
    rest, ended = memoryview(ran.stdout), 0
    for actions in torch.from_numpy(chosen):
        controls = [actions.float().clamp(-1, 2)[None]] if steers else []
        env.step(torch.zeros(lanes, dtype=torch.int32) if steers else actions.int(), *controls)
        over = env.outcome["terminated"] | env.outcome["truncated"]
        ended += int(over.sum())
        assert env._buffers.observation is not None
        for values in (env._buffers.observation.T, env.outcome["reward"], over.float()):
            expected = values.contiguous().numpy().tobytes()
            assert bytes(rest[: len(expected)]) == expected
            rest = rest[len(expected) :]
    said = dict(line.rsplit(" ", 1) for line in ran.stderr.decode().splitlines())
    assert ended > lanes
    assert float(said["n"]) == ended
    assert said["digest"] == f"{env.digest():x}"


def test_nvcc_takes_it(tmp_path: Path) -> None:
    """Its pass for the host, too, which NVRTC has not, and without a warning."""
    if shutil.which("nvcc") is None:
        pytest.skip("there is no nvcc")
    text = ALONE.replace("param wage = 0.2", "param wage = 0.7").replace("observe {", "observe { grid ")
    name = exported(text, tmp_path)
    command = ["nvcc", "-Xptxas", "-O0", "-arch=sm_80", "-c", f"{name}.cu"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "")


def test_what_has_no_cuda_is_refused(tmp_path: Path) -> None:
    (tmp_path / "meeting.hamlet").write_text(MEETING, encoding="utf-8")
    for arguments, line in (
        (["--abi", "puffer5"], "meeting has both"),
        (["--abi", "gym-c"], "--to cuda is of universes, and of --abi plain or puffer5"),
    ):
        command = ["export", str(tmp_path / "meeting.hamlet"), "--to", "cuda", *arguments, "-o", str(tmp_path / "out")]
        result = CliRunner().invoke(hamletc, command)
        assert result.exit_code != 0
        assert line in result.output
    assert not (tmp_path / "out").exists()


def test_conditions_of_the_preprocessor() -> None:
    text = """\
#if defined(__GNUC__) && !defined(OTHER)
first
#elif WIDE == 4 || defined(GIVEN)
second
#ifndef GIVEN
third
#endif
#else
fourth
#endif
#if !GIVEN
fifth
#else
sixth
#endif
last"""
    assert decided(text, frozenset({"GIVEN"})) == "second\nsixth\nlast"
    assert decided(text, frozenset()) == "fourth\nfifth\nlast"
    assert decided(text, frozenset({"__GNUC__", "OTHER"})) == "fourth\nfifth\nlast"
    assert holds("__FINITE__ + 1 != 0", frozenset())
    with pytest.raises(ValueError, match="no condition"):
        holds("f(1)", frozenset())
