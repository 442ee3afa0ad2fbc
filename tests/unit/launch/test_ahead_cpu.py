"""Machine code for CPUs in a package: the same bits as the interpreter, without numba; and when it is not taken."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import torch

import hamlet
from hamlet.backend.buffers import OBS_DTYPES
from hamlet.errors import EnvError, ModuleError
from hamlet.launch.cpu import ahead, levels
from hamlet.launch.cpu.ahead import find
from hamlet.launch.cpu.compile_ahead import compile_ahead
from hamlet.launch.cpu.levels import CHOICE, LEVELS
from hamlet.package.ahead import INDEX, folder
from hamlet.package.module import Module, in_memory
from hamlet_lab.diff.open import opened_package
from hamletc.compile import Options, build, check_file
from hamletc.frontend import Stopwatch
from hamletc.package import with_ahead, write
from samples import SHIPPED

V4, V3 = LEVELS
CHOSEN = "numba on cpu: as asked for; kernels: ahead of time, x86-64-v3"
MEAL = SHIPPED / "first_meal.hamlet"

pytestmark = [
    pytest.mark.skipif(platform.machine() != "x86_64", reason="machine code is for x86-64"),
    pytest.mark.skipif(not levels.cpu_flags() >= V3.flags, reason="this CPU is older than x86-64-v3"),
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, bytes]:
    """A package with machine code for one level and one type of observations."""
    folder = tmp_path_factory.mktemp("ahead") / "first_meal"
    files = build(check_file(MEAL, Stopwatch()).universe, Options(("numba",)), Stopwatch())
    write(files, folder)
    return with_ahead(files, compile_ahead(folder, levels=(V3,), observations=("float32",)))


@pytest.fixture
def module(files: Mapping[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Module:
    """The same, for a user who asks for that level."""
    monkeypatch.setenv(CHOICE, V3.name)
    return in_memory(Path("first_meal"), files)


def assert_same_bits(module: Module, dtype: torch.dtype | None, agents: int) -> None:
    """Steps, a rollout that counts, and one of recorded actions, beside the interpreter."""
    worlds, ticks = 301, 40
    both = [
        hamlet.make(module, worlds=worlds, agents=agents, backend=backend, obs_dtype=dtype, seed=5)
        for backend in ("numba", "interpreter")
    ]
    generator = torch.Generator().manual_seed(1)
    actions = torch.randint(0, both[0].num_actions, (ticks, worlds * agents), generator=generator, dtype=torch.int32)
    counted = []
    for env in both:
        for each in actions[:10]:
            env.step(each)
        counted += [env.rollout(60).counts.memory, env.rollout(ticks, actions).counts.memory]
    assert counted[0]["causes"].sum() > 0
    assert counted[0]["uses"].sum() > 0
    for mine, its in zip(counted[:2], counted[2:], strict=True):
        for name, expected in its.items():
            assert torch.as_tensor(mine[name]).numpy().tobytes() == torch.as_tensor(expected).numpy().tobytes(), name
    one, other = (env._buffers for env in both)
    for name, tensor in {**one.state, **one.outcome, "mask": one.mask}.items():
        expected = other.mask if name == "mask" else {**other.state, **other.outcome}[name]
        assert torch.equal(tensor.view(torch.uint8), expected.view(torch.uint8)), name
    if dtype is not None:
        for mine, its in ((one.observation, other.observation), (one.final_observation, other.final_observation)):
            assert mine is not None
            assert its is not None
            assert torch.equal(mine.contiguous().view(torch.uint8), its.contiguous().view(torch.uint8))


@pytest.mark.parametrize("agents", [1, 3])
def test_bits_of_the_interpreter(module: Module, agents: int) -> None:
    kernels, reason = find(module)
    assert kernels is not None, reason
    assert hamlet.make(module, backend="numba").choice == CHOSEN
    assert_same_bits(module, torch.float32, agents)
    assert_same_bits(module, None, agents)


@pytest.mark.long
@pytest.mark.parametrize("name", ["town", "shifts", "first_meal"])
def test_bits_of_every_level_and_type_of_observations(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = build(check_file(SHIPPED / f"{name}.hamlet", Stopwatch()).universe, Options(("numba",)), Stopwatch())
    write(files, tmp_path / name)
    module = in_memory(tmp_path / name, with_ahead(files, compile_ahead(tmp_path / name)))
    for level in LEVELS:
        if level.flags <= levels.cpu_flags():
            monkeypatch.setenv(CHOICE, level.name)
            for dtype in (*OBS_DTYPES.values(), None):
                assert_same_bits(module, dtype, 1)


def test_a_fresh_process_needs_neither_numba_nor_a_cache(files: Mapping[str, bytes], tmp_path: Path) -> None:
    write(files, tmp_path / "first_meal")
    program = """
import sys, torch, hamlet
sys.modules["numba"] = sys.modules["llvmlite"] = None
env = hamlet.make(hamlet.load(sys.argv[1]), worlds=64, backend="numba")
env.step(torch.zeros(64, dtype=torch.int32))
env.rollout(3)
print(env.choice)
"""
    environment = os.environ | {CHOICE: V3.name, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-c", program, str(tmp_path / "first_meal")]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (ran.stdout, ran.stderr) == (f"{CHOSEN}\n", "")
    assert not (tmp_path / "cache").exists()


def test_reports_say_where_kernels_come_from(module: Module) -> None:
    assert (
        opened_package(Path("first_meal"), module).side("numba").label == "first_meal@numba (ahead of time, x86-64-v3)"
    )


def changed(files: Mapping[str, bytes], name: str, change: Callable[[bytes], bytes]) -> Module:
    return in_memory(Path("first_meal"), {**files, name: change(files[name])})


def test_a_cpu_without_these_instructions_says_so(module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "cpu_flags", lambda: V3.flags - {"fma"})
    monkeypatch.delenv(CHOICE)
    assert find(module) == (None, "the package has machine code for x86-64-v3, and this CPU is x86_64 without AVX2")
    monkeypatch.setattr(levels, "cpu_flags", lambda: V4.flags)
    kernels, _ = find(module)
    assert kernels is not None
    assert kernels.origin == "ahead of time, x86-64-v3", "the best that the package has"
    monkeypatch.setenv(CHOICE, "haswell")
    assert find(module) == (None, "the package has machine code for x86-64-v3, and NUMBA_CPU_NAME is haswell")


@pytest.mark.usefixtures("module")
def test_machine_code_of_others_is_not_taken(files: Mapping[str, bytes]) -> None:
    index = f"{folder(V3.name)}/{INDEX}"
    later = changed(files, index, lambda text: text.replace(b'"format": 1', b'"format": 2'))
    assert find(later) == (None, "machine code in the package is of another version")
    other = changed(files, "numba_kernels.py", lambda text: text + b"\n")
    assert find(other) == (None, "machine code in the package is of other kernels")
    broken = changed(files, f"{folder(V3.name)}/float32.o", lambda content: content[:-200])
    kernels, reason = find(broken)
    assert kernels is None
    assert reason.startswith("machine code in the package cannot be loaded: is damaged")
    with pytest.raises(ModuleError, match="lists no kernels"):
        find(changed(files, index, lambda text: text[:-9]))


def test_other_observations_are_an_error(module: Module) -> None:
    with pytest.raises(EnvError, match="machine code for x86-64-v3, but not for these observations"):
        hamlet.make(module, backend="numba", obs_dtype=torch.bfloat16)


def test_every_byte_is_covered_by_the_hashes(files: Mapping[str, bytes], tmp_path: Path) -> None:
    write(files, tmp_path / "first_meal")
    name = f"{folder(V3.name)}/float32.o"
    content = bytearray(files[name])
    content[len(content) // 2] ^= 1
    (tmp_path / "first_meal" / name).write_bytes(content)
    with pytest.raises(ModuleError, match="was changed after it was written"):
        hamlet.load(tmp_path / "first_meal")


def test_the_same_universe_gives_the_same_machine_code(files: Mapping[str, bytes]) -> None:
    """Names of symbols hold no path, no address and no hash of this machine."""
    content = files[f"{folder(V3.name)}/float32.o"]
    assert b"hamlet_rollout" in content
    assert b"numba_kernels_" not in content
    assert str(Path.cwd()).encode() not in content
    assert ahead.ENTRY in content.decode("latin-1")
