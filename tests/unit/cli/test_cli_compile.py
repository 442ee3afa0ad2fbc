"""`hamletc compile`: what it writes, prints and refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hamlet.package import manifest
from hamletc import CompileError
from hamletc.compile import Options, build, check_file
from hamletc.frontend import Stopwatch
from hamletc.package import write
from hamletc.passes.pipeline import PASS_NAMES, WHOLE_NAMES, WINDOW_WORDS
from processes import COMMAND, Command
from samples import SHIPPED

MEAL = SHIPPED / "first_meal.hamlet"
STAGES = ["read", "parse", "check", "lower", "optimise", "emit", "write"]
FILES = [
    "__init__.py",
    "c_kernels.c",
    "tick.ir",
    "tick.kernel",
    "triton_kernels.py",
    "universe.json",
]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_writes_a_package(hamletc_here: Command, tmp_path: Path) -> None:
    done = hamletc_here("compile", MEAL)
    assert (done.returncode, done.stdout, done.stderr) == (0, "wrote generated/first_meal\n", "")
    folder = tmp_path / "generated" / "first_meal"
    assert sorted(contents(folder)) == FILES
    assert [path.name for path in folder.parent.iterdir()] == ["first_meal"]
    assert (folder.stat().st_mode & 0o777) == 0o777 & ~current_umask()
    again = hamletc_here("compile", MEAL)
    assert (again.returncode, again.stdout) == (0, "generated/first_meal is up to date\n")


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_the_same_bytes_under_any_hash_seed(tmp_path: Path) -> None:
    source = tmp_path / "elsewhere" / "town.hamlet"
    source.parent.mkdir()
    source.write_bytes((SHIPPED / "town.hamlet").read_bytes())
    for path, output, changes in (
        (SHIPPED / "town.hamlet", "a", {"PYTHONHASHSEED": "1"}),
        (source, "b/c", {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo"}),
    ):
        command = [sys.executable, "-c", COMMAND, "compile", path, "-o", output]
        assert subprocess.run(command, cwd=tmp_path, env=os.environ | changes, capture_output=True).returncode == 0
    assert contents(tmp_path / "a") == contents(tmp_path / "b" / "c")


def test_only_the_targets_asked_for(hamletc_here: Command, tmp_path: Path) -> None:
    assert hamletc_here("compile", MEAL, "-o", "x", "--target", "c").returncode == 0
    assert sorted(contents(tmp_path / "x")) == [name for name in FILES if name != "triton_kernels.py"]
    assert hamletc_here("compile", MEAL, "-o", "x", "--target", "triton, c").returncode == 0
    assert sorted(contents(tmp_path / "x")) == FILES


@pytest.mark.parametrize(
    ("what", "beginning"),
    [
        ("syntax", "File  @3:1\n  name: Name first_meal"),
        ("universe", "{"),
        ("ir", "universe first_meal\n"),
        ("ir-unoptimised", "universe first_meal\n"),
        ("triton", '"""'),
        ("c", "/* Kernels for CPUs"),
    ],
)
def test_emit_prints_and_writes_nothing(hamletc_here: Command, tmp_path: Path, what: str, beginning: str) -> None:
    done = hamletc_here("compile", MEAL, "--emit", what)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(beginning)
    assert list(tmp_path.iterdir()) == []


def test_emit_prints_what_is_written(hamletc_here: Command, tmp_path: Path) -> None:
    hamletc_here("compile", MEAL, "-o", "x")
    pairs = {
        "universe": "universe.json",
        "ir": "tick.ir",
        "kernel": "tick.kernel",
        "c": "c_kernels.c",
        "triton": "triton_kernels.py",
    }
    for what, name in pairs.items():
        assert hamletc_here("compile", MEAL, "--emit", what).stdout == (tmp_path / "x" / name).read_text()
    assert json.loads((tmp_path / "x" / "universe.json").read_text())["name"] == "first_meal"


def test_emit_ptx(hamletc: Command) -> None:
    done = hamletc("compile", MEAL, "--emit", "ptx")
    assert done.returncode == 0, done.stderr
    assert ".visible .entry" in done.stdout


def test_passes(hamletc_here: Command) -> None:
    first, last = PASS_NAMES[0], PASS_NAMES[-1]
    done = hamletc_here("compile", MEAL, "-o", "x", "--time-passes", "--print-after", last)
    assert done.returncode == 0
    stages = [line.split(maxsplit=2)[2] for line in done.stderr.splitlines()]
    assert [stage for stage in stages if not stage.startswith("pass ")] == STAGES
    # How windows are lowered is part of the stage `lower`.
    passes = {*PASS_NAMES, *WHOLE_NAMES} - {WINDOW_WORDS}
    assert {stage[5:] for stage in stages if stage.startswith("pass ")} == passes
    assert f"# after {last}\nfunction tick {{" in done.stdout
    assert f"# after {first}" not in done.stdout
    done = hamletc_here("compile", MEAL, "-o", "x", "--time-passes", "--disable-pass", first)
    assert f"pass {first}" not in done.stderr
    assert f"pass {last}" in done.stderr


def test_compile_error_leaves_the_old_package(hamletc_here: Command, tmp_path: Path) -> None:
    source = tmp_path / "meal.hamlet"
    source.write_bytes(MEAL.read_bytes())
    hamletc_here("compile", source, "-o", "x")
    before = contents(tmp_path / "x")
    source.write_text("universe first_meal\nreward nothing\n")
    done = hamletc_here("compile", source, "-o", "x")
    assert done.returncode == 1
    assert "error[H" in done.stderr
    assert contents(tmp_path / "x") == before


def meal_files() -> dict[str, bytes]:
    return build(check_file(MEAL, Stopwatch()).universe, Options(), Stopwatch())


def test_nothing_foreign_is_overwritten(tmp_path: Path) -> None:
    files = meal_files()
    (tmp_path / "file").write_text("mine")
    with pytest.raises(CompileError, match="it exists and is no folder"):
        write(files, tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(CompileError, match="it is not empty and no generated package"):
        write(files, folder)
    (folder / "__init__.py").write_text("SCHEMA = 1")
    with pytest.raises(CompileError, match="it is not empty and no generated package"):
        write(files, folder)
    write(files, tmp_path / "package")
    (tmp_path / "package" / "notes.txt").write_text("mine")
    with pytest.raises(CompileError, match=r"notes.txt was not written by hamletc; move it away first"):
        write(files, tmp_path / "package")
    assert (tmp_path / "package" / "notes.txt").read_text() == "mine"
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(CompileError, match="it exists and is no folder"):
        write(files, link)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder", "link", "package"]


def test_files_of_a_target_that_is_gone_are_replaced(tmp_path: Path) -> None:
    """As they were written: who changed one keeps it."""
    files, package = meal_files(), tmp_path / "package"
    earlier = {**files, "gone_kernels.py": b"# earlier"}
    listed = [(name, manifest.sha256(content)) for name, content in earlier.items() if name != manifest.FILENAME]
    said = replace(manifest.parse(files[manifest.FILENAME].decode()), files=tuple(listed))
    package.mkdir()
    for name, content in (earlier | {manifest.FILENAME: manifest.render(said).encode()}).items():
        (package / name).write_bytes(content)
    (package / "gone_kernels.py").write_text("mine")
    with pytest.raises(CompileError, match=r"gone_kernels.py was not written by hamletc"):
        write(files, package)
    (package / "gone_kernels.py").write_text("# earlier")
    assert write(files, package)
    assert not (package / "gone_kernels.py").exists()


def test_an_edited_package_is_written_again(tmp_path: Path) -> None:
    files = meal_files()
    assert write(files, tmp_path / "x")
    assert not write(files, tmp_path / "x")
    for name in files:
        (tmp_path / "x" / name).write_bytes(files[name] + b"\n")
        assert write(files, tmp_path / "x")
        assert contents(tmp_path / "x") == files
    (tmp_path / "x" / "tick.ir").unlink()
    assert write(files, tmp_path / "x")
    assert contents(tmp_path / "x") == files


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    assert write(meal_files(), tmp_path / "x")


def test_a_failure_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = meal_files()
    write(files, tmp_path / "x")
    written = []

    def full(path: Path, contents: bytes) -> int:
        written.append(path)
        if len(written) % 3 == 0:
            raise OSError(28, "No space left on device")
        return len(contents)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(CompileError, match=r"cannot write .*: No space left on device"):
        write(files, tmp_path / "a" / "b")
    with pytest.raises(CompileError, match="No space left on device"):
        write(files | {"tick.ir": b"changed"}, tmp_path / "x")
    assert len(written) == 6
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert contents(tmp_path / "x") == files


def test_a_failed_exchange_leaves_the_old_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = meal_files()
    write(files, tmp_path / "x")

    def fail(fresh: Path, output: Path) -> None:
        raise OSError(5, "Input/output error", fresh, output)

    monkeypatch.setattr("hamletc.package._exchange", fail)
    with pytest.raises(CompileError, match="Input/output error"):
        write(files | {"tick.ir": b"changed"}, tmp_path / "x")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert contents(tmp_path / "x") == files


def test_an_unwritable_folder(hamletc_here: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = hamletc_here("compile", MEAL, "-o", "file/town")
    assert done.returncode == 1
    assert done.stderr.startswith("error: cannot write ")
    assert len(done.stderr.splitlines()) == 1
    done = hamletc_here("compile", MEAL, "-o", "/proc/town")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(hamletc_here: Command, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o555)
    done = hamletc_here("compile", MEAL, "-o", "closed/town")
    assert done.returncode == 1
    assert "Permission denied" in done.stderr
