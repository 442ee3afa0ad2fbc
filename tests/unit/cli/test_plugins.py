"""A package that somebody else wrote adds a front end, a target and a verb, by entry points alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from processes import Run
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

    form, suffix = "counting", "py"

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


def install(folder: Path, name: str, points: bytes) -> None:
    """Add a package with these entry points."""
    about = folder / f"{name}-2.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.0\n")
    (about / "entry_points.txt").write_bytes(points)


@pytest.fixture
def python(extra: Path, run_program: Run) -> Callable[..., str]:
    """What a program prints that finds the package."""

    def call(code: str, *arguments: str) -> str:
        done = run_program(code, *arguments, cwd=extra, anew=True, PYTHONPATH=str(extra), COLUMNS="100")
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


EACH = """
import sys
from hamletc.cli.main import hamletc
for line in sys.argv[1:]:
    if line == "greet Ada":
        print("$", line)
    try:
        hamletc(line.split(), prog_name="hamletc")
    except SystemExit as ended:
        assert not ended.code, line
"""
"""Runs `hamletc` with the words of each argument; says where its help ends."""


def test_a_package_adds_all_three(extra: Path, python: Callable[..., str]) -> None:
    commands = "greet Ada", "compile meal.shout --target counting,c -o meal", "compile meal.shout --emit counting"
    loaded = "import hamlet; print(hamlet.load('meal').kernels('counting').OPERATIONS)"
    said = python(f"{EACH}{loaded}", "--help", *commands)
    helped, _, rest = said.partition("$ greet Ada\n")
    assert "greet" in helped
    greeted, wrote, operations, *others = rest.splitlines()
    assert greeted == "hello Ada"
    assert wrote == "wrote meal"
    assert operations.startswith("OPERATIONS = ")
    assert int(others[-1]) > 10
    assert (extra / "meal" / "shout.txt").read_text() == (extra / "meal.shout").read_text()
    assert 'SOURCE = "shout"' in (extra / "meal" / "__init__.py").read_text()
    assert not (extra / "meal" / "triton_kernels.py").exists()


BROKEN = """
[hamletc.frontends]
absent = broken:X
leaves = leaves:X
odd = odd:X
[hamletc.targets]
absent = broken:X
[hamletc.commands]
absent = broken:X
odd = odd:X
[hamlet.backends]
absent = broken:X
"""

TRIED = """
import contextlib, io, sys
import hamlet
from hamletc.cli.main import hamletc

def tried(*arguments):
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            hamletc(arguments, prog_name="hamletc")
        except SystemExit as ended:
            code = ended.code
    print(f"{code} {arguments[0]}: {said.getvalue()}")

for line in sys.argv[1:]:
    tried(*line.split())
try:
    hamlet.make(hamlet.load("made"), worlds=1, backend="absent")
except hamlet.HamletError as error:
    print("make:", error)
print(hamlet.make(hamlet.load("made"), worlds=1, backend="interpreter").backend)
"""


def test_a_broken_package_stops_no_other(extra: Path, python: Callable[..., str]) -> None:
    """Each of the four groups has objects that cannot be loaded: each is named in a line, and the rest goes on."""
    (extra / "broken.py").write_text("raise ImportError('there is no \\x1b[31mred\\nmodule')\n")
    (extra / "leaves.py").write_text("raise SystemExit\n")
    (extra / "odd.py").write_text("X = 3\n")
    install(extra, "broken", BROKEN.encode())
    (extra / "meal.txt").write_text(MEAL)
    text = "compile meal.txt -o made --target c,absent"
    said = python(TRIED, "--help", "absent --x -h", "compile meal.txt -o made", text, "run meal.txt --worlds 2")
    assert "\x1b" not in said
    assert "Traceback" not in said
    assert "greet" in said
    missing = "which the package broken 2.0 adds as 'broken:X', cannot be loaded: ImportError: "
    missing += "there is no ␛[31mred␊module"
    assert f"1 absent: error: 'absent' of hamletc.commands, {missing}\n" in said
    assert "0 compile: " in said
    assert f"hamlet: 'absent' of hamletc.targets, {missing}; it is left out\n" in said
    assert f"hamlet: 'absent' of hamletc.frontends, {missing}; it is left out\n" in said
    assert "hamlet: 'leaves' of hamletc.frontends, " in said
    assert "cannot be used: it has no reads, attaches, owns, knows, read; it is left out" in said
    assert "wrote made\n" in said
    assert f"1 compile: error: 'absent' of hamletc.targets, {missing}\n" in said
    assert "0 run: " in said
    assert f"make: 'absent' of hamlet.backends, {missing}\n" in said
    assert said.endswith("interpreter\n")


def test_entry_points_that_cannot_be_read_are_left_out(extra: Path, python: Callable[..., str]) -> None:
    install(extra, "unreadable", b"[hamletc.commands]\na = \xff\n")
    assert "greet" in python(TRIED.partition("try:\n    hamlet.make")[0], "--help")
