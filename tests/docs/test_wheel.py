"""The wheel holds all that the README's first examples need, outside of the repository; and a clone that is called as a
package does not hide the package from programs that stand beside it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from venv import EnvBuilder

import pytest
from markdown_blocks import blocks, commands, missing_lines

ROOT = Path(__file__).parents[2]
README = blocks(ROOT / "README.md")


def run(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([*map(str, arguments)], cwd=cwd, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture
def environment(tmp_path: Path) -> Callable[..., Path]:
    """Makes a virtual environment of a wheel or of an editable install; gives its folder of programs.

    What hamletc depends on is found where this process finds it, but not hamletc itself: files of paths count only in
    the folder of an environment's own packages.
    """
    folder = tmp_path / "environment"
    EnvBuilder(with_pip=False).create(folder)
    packages = folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    others = [path for path in sys.path if Path(path).name == "site-packages"]
    (packages / "others.pth").write_text("\n".join(others))

    def install(*what: str | Path) -> Path:
        python = folder / "bin" / "python"
        run(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-index",
            "--no-compile", "--no-build-isolation", *what, cwd=ROOT)  # fmt: skip
        return folder / "bin"

    return install


def test_the_readme_runs_from_the_wheel(environment: Callable[..., Path], tmp_path: Path) -> None:
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=ROOT)
    [wheel] = tmp_path.glob("hamletc-*.whl")
    programs = environment(wheel)
    outside = tmp_path / "outside"
    outside.mkdir()
    found = "import hamlet, hamletc, hamlet_gym; print(hamlet.__file__, hamletc.__file__, hamlet.__version__)"
    said = run(programs / "python", "-c", found, cwd=outside).stdout
    assert str(ROOT) not in said
    universe = next(block for block in README if block.language == "hamlet")
    (outside / "first_job.hamlet").write_text(universe.text)
    check = next(c for block in README if block.language == "console" for c in commands(block))
    program, *arguments = shlex.split(check.line)
    for way in ((programs / program,), (programs / "python", "-m", "hamletc")):
        assert missing_lines(check.output, run(*way, *arguments, cwd=outside).stdout) == []
    run(programs / "hamletc", "explain", "H050", cwd=outside)
    example = next(block for block in README if block.language == "python")
    assert "mean_length" in example.text
    assert run(programs / "python", "-c", example.text, cwd=outside).stdout
    shipped = "from importlib.resources import files; print(*files('hamlet').joinpath('shipped').iterdir())"
    assert "town.hamlet" in run(programs / "python", "-c", shipped, cwd=outside).stdout


def test_a_clone_called_hamletc_hides_nothing(environment: Callable[..., Path], tmp_path: Path) -> None:
    """The usual layout: `git clone .../hamletc`, `pip install -e hamletc`, and programs beside the clone."""
    (tmp_path / "hamletc").symlink_to(ROOT)
    programs = environment("-e", tmp_path / "hamletc")
    program = "import hamlet; from hamletc import __version__; assert __version__ == hamlet.__version__; print('fine')"
    (tmp_path / "beside.py").write_text(program)
    (tmp_path / "test_beside.py").write_text(f"def test_beside() -> None:\n    {program}\n")
    python = programs / "python"
    assert run(python, "-c", program, cwd=tmp_path).stdout == "fine\n"
    assert run(python, "beside.py", cwd=tmp_path).stdout == "fine\n"
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_beside.py", cwd=tmp_path)
    assert run(python, "-m", "hamletc", "--version", cwd=tmp_path).stdout.startswith("hamletc ")
