"""The backend of kernels in WebAssembly: it is compared as others are, and only where somebody names it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

import hamlet
from hamlet.backend.registry import backend_names, working_backends
from hamlet.errors import EnvError, ModuleError
from hamlet.launch import wasm
from hamlet.package.module import Module, in_memory
from hamletc.cli.main import hamletc
from hamletc.compile import Options, build_checked, check_file
from hamletc.frontend import Stopwatch
from hamletc.targets.target import targets_for, usual_targets

pytest.importorskip("wasmtime")
if "wasm" not in backend_names():
    pytest.skip("this installation is older than the backend", allow_module_level=True)

TOY = """
universe toy
space grid 4 x 3
lifespan 9 ticks
param wage = 0.2 in 0 .. 1
meter energy = uniform(0.5, 1) { decay 0.05 }
affordance Bed at random { instantly { energy += wage } }
rule shared: energy += 0.01 * average(energy)
dies when energy <= 0
reward energy
observe { position relative  meters }
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    path = tmp_path / "toy.hamlet"
    path.write_text(TOY, encoding="utf-8")
    return path


@pytest.fixture
def module(toy: Path) -> Module:
    """A package with kernels in WebAssembly."""
    checked = check_file(toy, Stopwatch())
    return in_memory(Path("toy"), build_checked(checked, Options(targets_for(["wasm"])), Stopwatch()))


@pytest.mark.parametrize(
    "verb", [("verify", "--backends", "wasm", "--worlds", "9", "--ticks", "12", "--quick"), ("diff", "--quick")]
)
def test_bits_are_those_of_the_interpreter(toy: Path, verb: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """With observations of each type, in rollouts and steps, of networks and tables."""
    monkeypatch.chdir(toy.parent)
    others = [f"{toy}@wasm"] if verb[0] == "diff" else []
    result = CliRunner().invoke(hamletc, [verb[0], str(toy), *others, *verb[1:]])
    assert result.exit_code == 0, result.output
    assert "are equal in all" in result.output


def test_nobody_has_it_who_does_not_name_it(compiled: Callable[[str], Module], module: Module) -> None:
    usual = compiled(TOY)
    assert "wasm" not in usual_targets()
    assert "wasm_kernels.wasm" not in usual.sources
    assert "wasm" not in working_backends(module)
    with pytest.raises(ModuleError, match=r"has no wasm_kernels\.wasm: compile toy again with --target wasm"):
        hamlet.make(usual, worlds=1, backend="wasm", quiet=True)


def test_one_line_says_what_is_missing(module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wasm, "find_spec", lambda _: None)
    with pytest.raises(EnvError, match=r"""^backend "wasm" needs wasmtime: pip install 'hamletc\[wasm\]'$"""):
        hamlet.make(module, worlds=1, backend="wasm", quiet=True)


def test_too_many_worlds_are_refused(module: Module, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hamlet.launch.wasm.kernels.MOST", 1 << 20)
    with pytest.raises(EnvError, match="MiB of worlds do not fit into the 4 GiB of WebAssembly: take fewer worlds"):
        hamlet.make(module, worlds=1 << 16, backend="wasm", quiet=True)


def test_kernels_of_another_version_are_refused(module: Module) -> None:
    damaged = Module(module.path, module.universe, module.digest, {**module.sources, "wasm_kernels.wasm": b"\0asm"})
    with pytest.raises(ModuleError, match="has kernels in WebAssembly of another version: compile toy again"):
        hamlet.make(damaged, worlds=1, backend="wasm", quiet=True)


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_a_wrong_action_does_nothing(module: Module, dtype: torch.dtype) -> None:
    env = hamlet.make(module, worlds=3, agents=2, backend="wasm", quiet=True)
    before = env.digest()
    with pytest.raises(EnvError, match="actions"):
        env.step(torch.full((6,), env.num_actions, dtype=dtype))
    assert env.digest() == before
