"""`hamletc check`, and what it says about bad files."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import hamlet
from hamletc import __version__
from processes import Command
from samples import SHIPPED


@pytest.mark.parametrize("name", ["first_meal", "shifts", "town"])
def test_shipped_universes_are_fine(hamletc_here: Command, name: str) -> None:
    done = hamletc_here("check", SHIPPED / f"{name}.hamlet")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{SHIPPED / name}.hamlet: no problems\n"


def test_memory_of_cells_is_said(hamletc: Command) -> None:
    """Three meters of 24 x 24 cells, and room for four sums over neighbours."""
    path = SHIPPED / "gallery" / "moss.hamlet"
    assert hamletc("check", path).stdout.endswith(f"{path}: its cells take 15.8 KiB in each world\n")


def test_check_imports_nothing_heavy() -> None:
    code = (
        "import sys; from hamletc.cli.main import hamletc\n"
        f"hamletc(['check', {str(SHIPPED / 'town.hamlet')!r}], standalone_mode=False)\n"
        "print([m for m in ('torch', 'numpy', 'triton', 'c', 'jinja2', 'matplotlib', 'yaml') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_errors_in_text(hamletc_here: Command, tmp_path: Path) -> None:
    text = (SHIPPED / "first_meal.hamlet").read_text().replace("reward mood", "reward moood")
    (tmp_path / "meal.hamlet").write_text(text)
    done = hamletc_here("check", "meal.hamlet")
    assert done.returncode == 1
    assert "did you mean `mood`?" in done.stdout.lower()
    assert " --> meal.hamlet:18:8" in done.stdout
    assert done.stdout.endswith("meal.hamlet: 1 error\n")
    assert "\x1b" not in done.stdout


def test_errors_in_json(hamletc_here: Command, tmp_path: Path) -> None:
    text = (SHIPPED / "first_meal.hamlet").read_text().replace("reward mood", "reward moood")
    (tmp_path / "meal.hamlet").write_text(text)
    done = hamletc_here("check", "meal.hamlet", "--format", "json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert (found["file"], found["errors"]) == ("meal.hamlet", 1)
    fine = hamletc_here("check", SHIPPED / "town.hamlet", "--format", "json")
    assert fine.returncode == 0
    assert json.loads(fine.stdout)["diagnostics"] == []


BAD_SOURCES = {
    "not UTF-8": b"universe x\xff\xfe",
    "empty": b"",
    "only a comment": b"# nothing\n",
    "garbage": bytes(range(1, 127)) * 80_000,
    "garbage within the limit": bytes(range(1, 127)) * 8000,
    "nothing but zeros": bytes(10_000),
    "nested parentheses": b"universe x\nreward " + b"(" * 10_000 + b"1" + b")" * 10_000,
    "nested negations": b"universe x\nreward " + b"- " * 10_000 + b"1",
    "a long sum": b"universe x\nreward " + b"1 + " * 10_000 + b"1",
    "open braces": b"universe x\n" + b"rule x { " * 5_000,
    "a Python keyword": b"universe class\n",
    "a newline in a name": b"universe x\nmeter a\nb = 1.0\n",
    "a literal too large": b"universe x\nmeter a = 1e39\n",
    "a very long literal": b"universe x\nmeter a = " + b"9" * 100_000 + b"\n",
    "a huge grid": b"universe x\nspace grid 99999999 x 99999999\n",
}


UNPARSEABLE = ("not UTF-8", "empty", "nested parentheses", "a newline in a name")
CASES = [("check", kind) for kind in BAD_SOURCES]
CASES += [(verb, kind) for verb in ("compile", "run", "verify", "fmt") for kind in UNPARSEABLE]


@pytest.mark.parametrize(("verb", "kind"), CASES)
def test_bad_sources_are_diagnosed(hamletc_here: Command, tmp_path: Path, kind: str, verb: str) -> None:
    (tmp_path / "bad.hamlet").write_bytes(BAD_SOURCES[kind])
    done = hamletc_here(verb, "bad.hamlet")
    assert done.returncode == 1, done.stdout
    assert "error[H" in done.stdout + done.stderr
    assert len(done.stdout + done.stderr) < 100_000
    assert [path.name for path in tmp_path.iterdir()] == ["bad.hamlet"]
    assert (tmp_path / "bad.hamlet").read_bytes() == BAD_SOURCES[kind]


@pytest.mark.parametrize("verb", ["check", "compile", "run", "verify", "fmt"])
def test_a_file_that_is_not_there(hamletc_here: Command, verb: str) -> None:
    done = hamletc_here(verb, "nowhere.hamlet")
    assert done.returncode == 1
    assert "error[H001]: cannot read the file: no such file or directory" in done.stdout + done.stderr


def test_a_folder_without_a_pack(hamletc_here: Command, tmp_path: Path) -> None:
    done = hamletc_here("check", tmp_path)
    assert done.returncode == 1
    assert "is a folder without a pack (bars.yaml, ...)" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    (tmp_path / "cascades.yaml").touch()
    assert "error[H100]: the pack has no bars.yaml" in hamletc_here("check", tmp_path).stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["check"],
        ["check", "a", "b", "--format", "json"],
        ["check", "a", "--format", "xml"],
        ["frobnicate"],
        ["compile", "a", "--target", "cuda"],
        ["compile", "a", "--target", ""],
        ["compile", "a", "--emit", "nothing"],
        ["compile", "a", "--disable-pass", "no_such_pass"],
        ["compile", "a", "--print-after", "no_such_pass"],
        ["run", "a", "--worlds", "0"],
        ["run", "a", "--worlds", "-3"],
        ["run", "a", "--ticks", "0"],
        ["run", "a", "--seed", "-1"],
        ["run", "a", "--seed", "18446744073709551616"],
        ["fmt"],
    ],
)
def test_wrong_usage_is_exit_code_2(hamletc_here: Command, arguments: list[str]) -> None:
    done = hamletc_here(*arguments)
    assert done.returncode == 2
    assert "Usage" in done.stderr


def test_version(hamletc_here: Command) -> None:
    done = hamletc_here("version")
    assert (done.returncode, done.stdout) == (0, f"hamletc {__version__}\n")
    assert hamlet.__version__ == __version__
    project = tomllib.loads((SHIPPED.parent / "pyproject.toml").read_text())
    source = SHIPPED.parent / project["tool"]["hatch"]["version"]["path"]
    assert Path(hamlet.__file__).samefile(source)


def test_a_reader_that_goes_away() -> None:
    """`hamletc ... | head -1` ends without a traceback."""
    command = f"{sys.executable} -c 'from hamletc.cli.main import main; main()' compile"
    done = subprocess.run(
        ["bash", "-c", f"{command} {SHIPPED / 'town.hamlet'} --emit ir | head -1"], capture_output=True, text=True
    )
    assert done.stdout.startswith("universe town")
    assert "Traceback" not in done.stderr


BROKEN = """universe broken
space grid 6x6 edges wrap
meter energy = 1,0 { decay: .01 };
affordance Bed random { energy += 0.4 }
use Snack(A)
include "part.hamlet"
dies when energy < 0
reward enrgy
observe { meters }
"""
PART = "template Snack(name) { affordance name at random { instantly { energy := 0.1 } } }\n"


def test_fix_writes_what_hints_say(hamletc_here: Command, tmp_path: Path) -> None:
    path, part = tmp_path / "broken.hamlet", tmp_path / "part.hamlet"
    path.write_text(BROKEN)
    part.write_text(PART)
    assert hamletc_here("check", path).returncode == 1
    assert path.read_text() == BROKEN
    done = hamletc_here("check", "--fix", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{path}: did what 10 hints say\n{part}: did what 1 hint says\n")
    assert path.read_text().splitlines()[1:4] == [
        "space grid 6 x 6 { edges wrap }",
        "meter energy = 1.0 { decay 0.01 }",
        "affordance Bed at random { instantly { energy += 0.4 } }",
    ]
    assert "reward energy\n" in path.read_text()
    assert "energy = 0.1" in part.read_text()
    again = hamletc_here("check", "--fix", path)
    assert "did what" not in again.stdout


def test_several_universes_are_checked(hamletc_here: Command, tmp_path: Path) -> None:
    bad = tmp_path / "bad.hamlet"
    bad.write_text("universe bad\n")
    town = SHIPPED / "town.hamlet"
    done = hamletc_here("check", bad, town)
    assert done.returncode == 1
    assert done.stdout.endswith(f"{town}: no problems\n")
    assert hamletc_here("check", "--format", "json", bad, town).returncode == 2


def test_json_has_edits(hamletc_here: Command, tmp_path: Path) -> None:
    bad = tmp_path / "bad.hamlet"
    bad.write_text(
        "universe bad\nspace none\nmeter energy = 1\nreward enrgy\ndies when energy < 0.5\nobserve { meters }\n"
    )
    (found,) = (
        each
        for each in json.loads(hamletc_here("check", "--format", "json", bad).stdout)["diagnostics"]
        if each["edits"]
    )
    place = {"line": 4, "column": 8, "end_line": 4, "end_column": 13}
    assert found["edits"] == [{**place, "text": "energy", "sure": True}]
