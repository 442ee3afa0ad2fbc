"""A package that somebody else wrote adds a front end, a target and a verb, by entry points alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from samples import SHIPPED

EXTRA = '''
from pathlib import Path

import rich_click as click

from hamletc.frontend import Stopwatch, UniverseText
from hamletc.language.source import Source
from hamletc.read import parsed


class Shouts:
    """Texts under another name."""

    reads = "a shout"
    attaches = ("shout.txt",)

    def owns(self, path):
        return path.suffix == ".shout"

    def knows(self, path):
        return "is a shout: hamletc run takes it" if self.owns(path) else None

    def read(self, path, stopwatch):
        reading = stopwatch.lap("parse", lambda: parsed(Source(path, path.read_text())))
        return UniverseText(path, reading.file, reading.sources, attached={"shout.txt": path.read_text()}, name="shout")


class Counting:
    """Kernels that say how many operations there are."""

    def specialise(self, compilation):
        return compilation

    def emit(self, compilation):
        return f"OPERATIONS = {len(compilation.program.function('tick').nodes)}\\n"


@click.command()
@click.argument("name")
def greet(name):
    """Greet NAME."""
    click.echo(f"hello {name}")


SHOUTS, COUNTING = Shouts(), Counting()
'''

POINTS = """
[hamletc.frontends]
shouts = extra:SHOUTS
[hamletc.targets]
counting = extra:COUNTING
[hamletc.commands]
greet = extra:greet
"""

MEAL = (SHIPPED / "first_meal.hamlet").read_text()


@pytest.fixture
def extra(tmp_path: Path) -> Path:
    """A folder with an installed package, and `meal.shout`."""
    (tmp_path / "extra.py").write_text(EXTRA)
    about = tmp_path / "extra-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: extra\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(POINTS)

    (tmp_path / "meal.shout").write_text(MEAL)
    return tmp_path


def python(folder: Path, code: str, *arguments: str) -> str:
    """What a program prints that finds the package."""
    environment = os.environ | {"PYTHONPATH": str(folder), "COLUMNS": "100"}
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def hamletc(folder: Path, *arguments: str) -> str:
    return python(folder, "from hamletc.cli.main import main; main()", *arguments)


def test_a_package_adds_all_three(extra: Path) -> None:
    assert "greet" in hamletc(extra, "--help")
    assert hamletc(extra, "greet", "Ada") == "hello Ada\n"
    assert hamletc(extra, "compile", "meal.shout", "--target", "counting,numba", "-o", "meal") == "wrote meal\n"
    assert (extra / "meal" / "shout.txt").read_text() == (extra / "meal.shout").read_text()
    assert 'SOURCE = "shout"' in (extra / "meal" / "__init__.py").read_text()
    assert not (extra / "meal" / "triton_kernels.py").exists()
    loaded = "import hamlet; print(hamlet.load('meal').kernels('counting').OPERATIONS)"
    assert int(python(extra, loaded)) > 10
    assert hamletc(extra, "compile", "meal.shout", "--emit", "counting").startswith("OPERATIONS = ")
