"""`hamletc compile --aot`: what goes into the package, what stays in it, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import hamlet
from hamlet.package.module import Module
from hamletc.cli.compile import compile
from hamletc.cli.package import open_package
from samples import SHIPPED

MEAL = SHIPPED / "first_meal.hamlet"


def stand_in(module: Module, capability: int, every_block: bool, _done: object) -> dict[str, bytes]:
    """Takes the place of Triton."""
    assert "triton_kernels.py" in module.sources
    return {f"aot/sm_{capability}/kernels.json": b"[]", f"aot/sm_{capability}/{every_block}.cubin": b"code"}


def compiler_stands_in(module: Module, _done: object) -> dict[str, bytes]:
    """Takes the place of a compiler of C."""
    assert "c_kernels.c" in module.sources
    return {"aot/x86-64-v3/kernels.json": b"[]"}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hamlet.launch.gpu.compile_ahead.compile_ahead", stand_in)
    monkeypatch.setattr("hamlet.launch.cpu.ahead.compile_ahead", compiler_stands_in)


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(compile, [str(MEAL), *arguments])
    return done.exit_code, done.output


def ahead() -> list[str]:
    return sorted(name for name in hamlet.load(Path("generated/first_meal")).sources if name.startswith("aot/"))


def test_machine_code_is_added_and_kept() -> None:
    assert run("--aot", "sm_90") == (0, "wrote generated/first_meal\n")
    assert ahead() == ["aot/sm_90/False.cubin", "aot/sm_90/kernels.json"]
    assert run() == (0, "generated/first_meal is up to date\n")
    assert run("--aot", "sm_80", "--aot", "sm_90", "--tune", "max")[0] == 0
    both = [f"aot/sm_{each}/{name}" for each in (80, 90) for name in ("True.cubin", "kernels.json")]
    assert ahead() == both
    open_package(MEAL)
    assert ahead() == both
    assert run("--target", "triton")[0] == 0
    assert ahead() == [], "they were compiled from another package"


def test_machine_code_for_cpus_is_beside_that_for_gpus() -> None:
    assert run("--aot", "sm_90", "--aot", "cpu") == (0, "wrote generated/first_meal\n")
    every = ["aot/sm_90/False.cubin", "aot/sm_90/kernels.json", "aot/x86-64-v3/kernels.json"]
    assert ahead() == every
    assert run("--aot", "cpu") == (0, "generated/first_meal is up to date\n")
    assert run() == (0, "generated/first_meal is up to date\n")
    assert ahead() == every


def test_a_machine_without_a_compiler_of_c_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_arguments: object) -> dict[str, bytes]:
        raise hamlet.EnvError("there is no compiler")

    monkeypatch.setattr("hamlet.launch.cpu.ahead.compile_ahead", failing)
    with pytest.raises(hamlet.EnvError, match="there is no compiler"):
        CliRunner().invoke(compile, [str(MEAL), "--aot", "cpu"], catch_exceptions=False)
    assert not Path("generated").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--aot", "h100"), "'h100' is none of cpu, sm_75, sm_80"),
        (("--aot", "sm_99"), "'sm_99' is none of cpu, sm_75, sm_80"),
        (("--aot", "sm_90", "--emit", "ir"), "--emit writes nothing"),
        (("--tune", "max"), "--tune goes with --aot for a GPU"),
        (("--aot", "cpu", "--tune", "max"), "--tune goes with --aot for a GPU"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], message: str) -> None:
    code, output = run(*arguments)
    assert code == 2
    assert message in " ".join(output.replace("│", " ").split())
    assert not Path("generated").exists()


def test_a_failure_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_arguments: object) -> dict[str, bytes]:
        raise hamlet.EnvError("Triton cannot compile")

    monkeypatch.setattr("hamlet.launch.gpu.compile_ahead.compile_ahead", failing)
    code, _ = run("--aot", "sm_90")
    assert code == 1
    assert not Path("generated").exists()
