"""docs/extending.md: its lists of files are those of the patches, and each patch makes what its section says."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from processes import COMMAND, Run

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text()
SECTIONS = {
    "function": "A function",
    "word": "A word",
    "statement": "A statement",
    "observation": "An observation",
    "field": "A field of state",
    "field_with_syntax": "A field with syntax",
    "operation": "An operation of the tick IR",
    "kind_of_space": "A kind of space",
    "diagnostic": "A diagnostic",
}
LONG = dict.fromkeys(("field", "word", "observation"), pytest.mark.long)
"""What the default run tries as a part of another one: a field with syntax, a statement. Their patches apply."""
SOURCES = ("compiler", "runtime", "lab", "townlet", "docs", "universes")
FEWER = f"""from dataclasses import replace
import hamlet_lab.verify as verify
verify.QUICK = replace(verify.QUICK, ticks=3, rounds=8)
{COMMAND}"""
"""`hamletc`, of less than `--quick` compares, until everything has fired."""
TESTS = "import sys, pytest; sys.exit(pytest.main(sys.argv[1:]))"

UNIONS = {
    "runtime/hamlet/universe/statements.py": "Statement: TypeAlias = Assign | Let | Push | Displace | Teleport "
    "| Together | Guarded",
    "runtime/hamlet/universe/observations.py": "    | ObserveConstant\n)",
}
"""Where a construct joins its union."""


def section(example: str) -> str:
    return PAGE.partition(f"\n## {SECTIONS[example]}\n")[2].partition("\n## ")[0]


def patch(example: str) -> Path:
    return ROOT / "docs" / "extending" / f"{example}.patch"


def production(example: str) -> list[str]:
    """The production files that a patch touches, and the language page."""
    files = re.findall(r"^\+\+\+ b/(\S+)", patch(example).read_text(), re.MULTILINE)
    return [file for file in files if not file.startswith("tests/")]


def copied(folder: Path, *others: str) -> Path:
    """The sources in a folder, and other folders beside them, without what is generated."""
    for name in (*SOURCES, *others):
        ignored = shutil.ignore_patterns("golden", "conformance", "mutation")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def ran(folder: Path, command: str, run_program: Run) -> str:
    """What a command of the page prints in a copy of the sources."""
    path = os.pathsep.join(str(folder / name) for name in ("compiler", "runtime", "lab", "townlet"))
    environment = {"PYTHONPATH": path, "XDG_CACHE_HOME": str(folder / "cache"), "COLUMNS": "120"}
    program, *arguments = shlex.split(command)
    call = FEWER if "--quick" in arguments else {"hamletc": COMMAND, "pytest": TESTS}[program]
    done = run_program(call, *arguments, cwd=folder, anew=True, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("example", SECTIONS)
def test_the_list_is_that_of_the_patch(example: str) -> None:
    listed = re.findall(r"^\| `([^`]+)` \|", section(example), re.MULTILINE)
    assert sorted(listed) == sorted(production(example))
    title = SECTIONS[example]
    (count,) = re.findall(rf"^\| \[{title[0].lower()}{title[1:]}\]\(#[\w-]+\) \| (\d+) \|", PAGE, re.MULTILINE)
    assert int(count) == len(listed)


@pytest.mark.parametrize("example", SECTIONS)
def test_the_patch_applies(example: str) -> None:
    command = ["git", "apply", "--check", "-C1", str(patch(example))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("example", [pytest.param(each, marks=LONG.get(each, ())) for each in SECTIONS])
def test_the_patch_does_what_its_section_says(example: str, run_program: Run, tmp_path: Path) -> None:
    (command,) = re.findall(r"```sh\n(.*)\n```", section(example))
    # There are more tests than all else, and only pytest reads them.
    folder = copied(tmp_path, *(["tests"] if command.startswith("pytest") else []))
    apply = ["git", "apply", "-C1", *([] if command.startswith("pytest") else ["--exclude=tests/*"]), patch(example)]
    subprocess.run(apply, cwd=folder, check=True, capture_output=True)
    printed = ran(folder, command, run_program)
    if command.startswith("hamletc diff"):
        assert re.search(r"are equal in all [1-9][\d,]* values", printed), printed
    if example == "diagnostic":
        assert "warning[H246]" in printed
    if example == "field":
        assert "# interact: idle" in ran(
            folder, "hamletc compile universes/first_meal.hamlet --emit triton", run_program
        )


@pytest.mark.skipif(os.environ.get("HAMLET_LONG_TESTS") != "1", reason="mypy reads everything anew for this: a minute")
@pytest.mark.parametrize("union", UNIONS)
def test_a_construct_in_its_union_alone_is_reported_wherever_it_is_missed(union: str, tmp_path: Path) -> None:
    folder = copied(tmp_path, "tests")
    file, members = folder / union, UNIONS[union]
    text = file.read_text()
    assert members in text
    added = f"{members} | Another" if "TypeAlias" in members else members.replace("\n)", "\n    | Another\n)")
    another = '@dataclass(frozen=True, slots=True)\nclass Another:\n    """Nobody knows it."""\n\n    span: Span\n'
    if "TypeAlias" in members:
        another += "    writes: dict[str, Span]\n    unclamped: tuple[str, ...]\n    assigns: tuple[Assign, ...]\n"
    head, _, rest = text.replace(members, added).partition("\n\n@dataclass")
    file.write_text(f"{head}\n\n{another}\n\n@dataclass{rest}")
    done = subprocess.run([sys.executable, "-m", "mypy"], cwd=folder, capture_output=True, text=True, timeout=600)
    missed = {line.partition(":")[0] for line in done.stdout.splitlines() if "[exhaustive-match]" in line}
    example = "statement" if "statements" in union else "observation"
    known = {name for name in production(example) if name != union and ("interpreter" in name or "lowering" in name)}
    assert known <= missed, done.stdout
