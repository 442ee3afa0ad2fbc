"""Kernels in C in a package's machine code: the interpreter's bits without a compiler; and when it is not taken."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

import hamlet
from hamlet.backend.buffers import Shape
from hamlet.backend.choose import Choice
from hamlet.backend.registry import working_backends
from hamlet.env import make
from hamlet.errors import EnvError, ModuleError
from hamlet.launch.cpu import levels
from hamlet.launch.cpu.ahead import compile_ahead, find
from hamlet.launch.cpu.levels import LEVELS
from hamlet.native.compilers import CHOICE as COMPILER
from hamlet.native.compilers import CPU
from hamlet.package.ahead import INDEX, folder
from hamlet.package.module import Module, in_memory
from hamletc.compile import Options, build, check_file
from hamletc.frontend import Stopwatch
from hamletc.package import with_ahead, write
from processes import Run
from samples import SHIPPED

V4, V3 = LEVELS
CHOSEN = "c on cpu: as asked for; kernels: ahead of time, x86-64-v3"
FOLDER = folder(V3.name)
MEAL = SHIPPED / "first_meal.hamlet"

pytestmark = [
    pytest.mark.skipif(platform.machine() != "x86_64", reason="machine code is for x86-64"),
    pytest.mark.skipif(not levels.cpu_flags() >= V3.flags, reason="this CPU is older than x86-64-v3"),
]


@pytest.fixture(scope="module")
def files() -> Mapping[str, bytes]:
    """A package with machine code for one level and one type of observations."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(COMPILER, f"{os.environ.get('CC', 'cc')} -O0")
        made = build(check_file(MEAL, Stopwatch()).universe, Options(("c",)), Stopwatch())
        return with_ahead(
            made, compile_ahead(in_memory(Path("first_meal"), made), levels=(V3,), observations=("float32",))
        )


@pytest.fixture
def module(files: Mapping[str, bytes], monkeypatch: pytest.MonkeyPatch) -> Module:
    """The same, on a machine without a compiler, for a user who asks for that level."""
    monkeypatch.setenv(CPU, V3.name)
    monkeypatch.setenv(COMPILER, "no-compiler")
    monkeypatch.setenv("HAMLET_THREADS", "1")
    return in_memory(Path("first_meal"), files)


def test_bits_of_the_interpreter(module: Module) -> None:
    ours, theirs = (hamlet.make(module, worlds=301, agents=3, backend=name, seed=5) for name in ("c", "interpreter"))
    assert ours.choice == CHOSEN
    for env in (ours, theirs):
        for action in range(9):
            env.step(torch.full((903,), action % env.num_actions, dtype=torch.int32))
    counted = [env.rollout(60, observe=True).counts.memory for env in (ours, theirs)]
    assert counted[1]["causes"].sum() > 0
    for name, expected in counted[1].items():
        assert torch.equal(torch.as_tensor(counted[0][name]), torch.as_tensor(expected)), name
    for name, tensor in theirs.state.items():
        assert ours.state[name].numpy().tobytes() == tensor.numpy().tobytes(), name
    assert ours.observation.contiguous().numpy().tobytes() == theirs.observation.contiguous().numpy().tobytes()


def test_a_fresh_process_needs_no_compiler(files: Mapping[str, bytes], tmp_path: Path, run_program: Run) -> None:
    write(files, tmp_path / "first_meal")
    program = """
import sys, torch, hamlet
env = hamlet.make(hamlet.load(sys.argv[1]), worlds=9000, backend="c")
env.step(torch.zeros(9000, dtype=torch.int32))
env.rollout(3)
env.rollout(3, hamlet.MLP.random(len(env.observation_names), env.num_actions, seed=1))
print(env.choice)
"""
    environment = {CPU: V3.name, "XDG_CACHE_HOME": str(tmp_path / "cache"), COMPILER: "no-compiler"}
    # A team of threads too.
    environment |= {"HAMLET_THREADS": "2"}
    ran = run_program(program, tmp_path / "first_meal", anew=True, **environment)
    assert (ran.stdout, ran.stderr) == (f"{CHOSEN}\n", "")
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("ahead", [True, False])
def test_machine_code_in_a_package_lacks_no_compiler(
    files: Mapping[str, bytes], module: Module, monkeypatch: pytest.MonkeyPatch, ahead: bool
) -> None:
    """Also on a machine with a GPU, where `auto` weighs kernels for CPUs against it."""

    def settle(options: Sequence[Choice], *given: Any) -> Choice:
        *_, missing, _quiet = given
        said.extend(missing(option) for option in options)
        return options[0]

    said: list[str] = []
    there = module if ahead else changed(files, "c_kernels.c", lambda text: text + b"\n")
    monkeypatch.setattr(make, "settle", settle)
    options = [Choice(name, torch.device("cpu"), "") for name in ("triton", "c")]
    make._settle(there, Shape(64, 1), torch.float32, options, True)
    why = "" if ahead else "HAMLET_CC names no command: there is no 'no-compiler'"
    assert [each.partition(" (")[0] for each in said] == ["", why]
    assert working_backends(there) == (("c",) if ahead else ()) + ("interpreter", "triton")


def changed(files: Mapping[str, bytes], name: str, change: Callable[[bytes], bytes]) -> Module:
    return in_memory(Path("first_meal"), {**files, name: change(files[name])})


def test_a_cpu_without_these_instructions_says_so(module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "cpu_flags", lambda: V3.flags - {"fma"})
    monkeypatch.delenv(CPU)
    assert find(module) == (None, "the package has machine code for x86-64-v3, and this CPU is x86_64 without AVX2")
    monkeypatch.setattr(levels, "cpu_flags", lambda: V4.flags)
    kernels, _ = find(module)
    assert kernels is not None
    assert kernels.origin == "ahead of time, x86-64-v3", "the best that the package has"


@pytest.mark.usefixtures("module")
def test_machine_code_of_others_is_not_taken(files: Mapping[str, bytes]) -> None:
    later = changed(files, f"{FOLDER}/{INDEX}", lambda text: text.replace(b'"format": 3', b'"format": 4'))
    assert find(later) == (None, "machine code in the package is of another version")
    other = changed(files, "c_kernels.c", lambda text: text + b"\n")
    assert find(other) == (None, "machine code in the package is of other kernels")
    broken = changed(files, f"{FOLDER}/float32.so", lambda content: content[:200])
    kernels, reason = find(broken)
    assert kernels is None
    assert reason.startswith("machine code in the package cannot be loaded: ")
    with pytest.raises(ModuleError, match="lists no kernels"):
        find(changed(files, f"{FOLDER}/{INDEX}", lambda text: text[:-9]))


def test_other_observations_are_an_error(module: Module) -> None:
    with pytest.raises(EnvError, match="machine code for x86-64-v3, but not for these observations"):
        hamlet.make(module, backend="c", obs_dtype=torch.bfloat16)


def test_where_it_is_not_taken_a_compiler_is_needed(files: Mapping[str, bytes], module: Module) -> None:
    del module
    with pytest.raises(EnvError, match="HAMLET_CC names no command: there is no 'no-compiler'"):
        hamlet.make(changed(files, "c_kernels.c", lambda text: text + b"\n"), backend="c", quiet=True)


def test_machine_code_holds_no_path_of_this_machine(files: Mapping[str, bytes]) -> None:
    content = files[f"{FOLDER}/float32.so"]
    assert b"hamlet_rollout" in content
    assert str(Path.cwd()).encode() not in content
    assert b"/tmp/" not in content
