"""The language alone: verbs that need neither torch nor numpy, and what the others say where these are missing."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hamlet.extras import BROUGHT_BY, advice
from samples import SHIPPED

ROOT = Path(__file__).parents[3]
MEAL = SHIPPED / "first_meal.hamlet"
WITHOUT = f"import sys; sys.modules.update(dict.fromkeys({[*BROUGHT_BY, 'ziglang']}))\n"
COMMAND = "from hamletc.cli.main import main\nmain()\n"


def without(program: str, *arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A program in a process in which nothing that an extra brings can be imported."""
    command = [sys.executable, "-c", WITHOUT + program, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", MEAL),
        ("fmt", "--check", MEAL),
        ("explain", "H062"),
        ("compile", MEAL),
        ("import", SHIPPED / "packs" / "orchard"),
        ("--help",),
    ],
    ids=lambda arguments: arguments[0],
)
def test_the_language_needs_no_torch(arguments: tuple[str | Path, ...], tmp_path: Path) -> None:
    done = without(COMMAND, *arguments, cwd=tmp_path)
    assert done.returncode == 0
    assert "error" not in done.stderr
    if arguments[0] == "compile":
        assert (tmp_path / "generated" / "first_meal" / "triton_kernels.py").exists()


@pytest.mark.parametrize("verb", ["run", "verify", "watch", "bench", "train"])
def test_verbs_that_run_worlds_say_what_to_install(verb: str, tmp_path: Path) -> None:
    done = without(COMMAND, verb, MEAL, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("error: this needs ")
    assert done.stderr.endswith(": pip install 'hamletc[run]'\n")
    assert done.stderr.count("\n") == 1


def test_python_says_it_too(tmp_path: Path) -> None:
    done = without(f"import hamlet\nhamlet.make(hamlet.compile({str(MEAL)!r}, 'meal'))", cwd=tmp_path)
    assert done.stderr.splitlines()[-1].endswith("pip install 'hamletc[run]'")


def test_extras_bring_what_the_lines_say() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for package, extra in BROUGHT_BY.items():
        assert any(requirement.startswith(f"{package}>=") for requirement in extras[extra]), package
        assert (
            advice(ModuleNotFoundError(name=f"{package}.part"))
            == f"this needs {package}: pip install 'hamletc[{extra}]'"
        )
    assert advice(ModuleNotFoundError(name="somebody")) == advice(ModuleNotFoundError()) == ""


def test_triton_is_wanted_by_gpus_alone(tmp_path: Path) -> None:
    program = WITHOUT.replace(str([*BROUGHT_BY, "ziglang"]), "['triton']") + COMMAND
    done = subprocess.run(
        [sys.executable, "-c", program, "verify", MEAL, "--backends", "triton"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == 'error: backend "triton" needs Triton: pip install \'hamletc[gpu]\', or use backend="c"\n'
    assert list(tmp_path.iterdir()) == []
