"""Machine code is kept in the user's cache by contents, and read only where nobody else can have written it."""

from __future__ import annotations

import os
import pickle
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import hamlet
from hamlet.launch.cpu.ops.caching import KIND, announcement
from hamlet.package import cache
from hamlet.package.module import execute
from hamlet.terminal import say_once
from processes import Run

SOURCE = "from hamlet.launch.cpu.ops import kernel\n\n@kernel\ndef run(array):\n    array[0] = {number}\n"


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where kernels are kept: nothing yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    say_once.cache_clear()
    return tmp_path / "cache" / "hamletc" / KIND


def run(number: int) -> tuple[int, bool]:
    """What a kernel writes that is new to this process, and whether its machine code was found."""
    kernels = execute("numba_kernels.py", SOURCE.format(number=number).encode())
    del sys.modules[kernels.__name__]
    array = np.zeros(1, np.int32)
    kernels.run(array)
    return int(array[0]), bool(kernels.run.stats.cache_hits)


def only(folder: Path) -> Path:
    """The one file in it."""
    (file,) = folder.iterdir()
    return file


def test_the_same_contents_are_found(kept: Path) -> None:
    assert run(3) == (3, False)
    assert run(3) == (3, True)
    assert run(4) == (4, False)
    assert kept.stat().st_mode & 0o777 == 0o700
    assert [file.stat().st_mode & 0o777 for file in kept.iterdir()] == [0o600] * 2


def test_versions_options_and_machine_are_part_of_the_name(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(3) == (3, False)
    with monkeypatch.context() as patch:
        patch.setattr("numba.config.OPT", 2)
        assert run(3) == (3, False)
    for changed in ("helpers", "numba", "llvmlite", "python", "numpy", "hamletc"):
        with monkeypatch.context() as patch:
            from hamlet.launch.cpu.ops import caching

            machinery = caching._machinery()
            assert machinery[changed]
            patch.setattr(caching, "_machinery", lambda changed=changed, all_=machinery: {**all_, changed: "other"})
            assert run(3) == (3, False), changed
    assert run(3) == (3, True)
    assert len(list(kept.iterdir())) == 8


@pytest.mark.usefixtures("kept")
def test_large_kernels_are_announced_before_they_are_compiled(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A text of ten megabytes takes five minutes; the user reads so first, once, and not where it was compiled."""
    from hamlet.launch.cpu.ops import caching

    assert announcement(10**7) == "compiling large kernels for this CPU, once: about 311 s and 2.7 GB of memory"
    assert run(3) == (3, False)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(caching, "LARGE", 50)
    length = len(SOURCE.format(number=4))
    for number in (4, 5):
        assert run(number) == (number, False)
    assert capsys.readouterr().err == f"hamlet: {announcement(length)}\n"
    say_once.cache_clear()
    assert run(4) == (4, True)
    assert capsys.readouterr().err == ""


class Harm:
    """Unpickled, it leaves a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.path,)


def flipped(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 0x10]) + content[at + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:0],
        lambda content: content[:31],
        lambda content: content[:-1],
        lambda content: content + b"\0",
        lambda content: flipped(content, 0),
        lambda content: flipped(content, 40),
        lambda content: flipped(content, len(content) - 9),
    ],
)
def test_a_damaged_file_is_compiled_anew(kept: Path, damage: Callable[[bytes], bytes]) -> None:
    assert run(3) == (3, False)
    file = only(kept)
    file.write_bytes(damage(file.read_bytes()))
    assert run(3) == (3, False)
    assert run(3) == (3, True)
    assert (only(kept), cache.recall(KIND, file.name) is not None) == (file, True)


def test_what_is_kept_under_another_name_is_not_run(kept: Path) -> None:
    run(3)
    file = only(kept)
    run(4)
    (other,) = set(kept.iterdir()) - {file}
    other.write_bytes(file.read_bytes())
    assert run(4) == (4, False)


def test_what_others_may_have_written_is_not_read(kept: Path, tmp_path: Path) -> None:
    run(3)
    file = only(kept)
    content = file.read_bytes()
    file.chmod(0o620)
    assert run(3) == (3, False)
    assert run(3) == (3, True)
    kept.chmod(0o770)
    assert run(3) == (3, False)
    kept.chmod(0o700)
    file.unlink()
    (tmp_path / "somewhere").write_bytes(content)
    file.symlink_to(tmp_path / "somewhere")
    assert run(3) == (3, False)
    file.unlink()
    os.mkfifo(file)
    assert run(3) == (3, False)
    if os.geteuid() == 0:
        os.chown(file, 1234, -1)
        assert run(3) == (3, False)


def test_a_folder_that_is_somebody_else_s_or_no_folder(kept: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run(3)
    file = only(kept)
    file.unlink()
    file.mkdir()
    assert run(3) == (3, False)
    shutil.rmtree(kept)
    kept.write_text("")
    assert [run(3), run(4)] == [(3, False), (4, False)]
    kept.unlink()
    kept.symlink_to(kept.parent)
    assert run(3) == (3, False)
    lines = capfd.readouterr().err.splitlines()
    assert lines
    assert len(set(lines)) == len(lines)
    assert all(line.startswith("hamlet: compiled kernels cannot be kept, so every process") for line in lines)


def test_where_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch, run_program: Run) -> None:
    """... kernels are compiled in every process, and one line says so."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    program = "import test_kernel_cache as t; print(t.run(3), t.run(3), t.run(4))"
    done = run_program(program, cwd=Path(__file__).parent)
    assert done.stdout == "(3, False) (3, False) (4, False)\n"
    (line,) = done.stderr.splitlines()
    assert line.startswith("hamlet: compiled kernels cannot be kept")


def test_a_full_disk(kept: Path, run_program: Run) -> None:
    """Nothing half-written stays."""
    program = """
import resource
import test_kernel_cache as t
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
print(t.run(3), t.run(4))
"""
    done = run_program(program, cwd=Path(__file__).parent)
    assert done.stdout == "(3, False) (4, False)\n", done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(kept.iterdir()) == []


def test_the_oldest_go_where_there_is_no_room(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(3)
    first = only(kept)
    monkeypatch.setattr(cache, "ROOM", 5 * first.stat().st_size // 2)
    os.utime(first, (1, 1))
    run(4)
    (second,) = set(kept.iterdir()) - {first}
    os.utime(second, (2, 2))
    assert run(3) == (3, True)  # and was used now
    run(5)
    assert first.exists()
    assert not second.exists()
    assert len(list(kept.iterdir())) == 2


def test_a_package_s_own_cache_is_neither_read_nor_written(kept: Path, tmp_path: Path) -> None:
    """Machine code that a package brings along is not run, and damaged files in it are no error."""
    (tmp_path / "tiny.hamlet").write_text(
        "universe tiny\nspace none\nmeter energy = 1 { decay 0.0625 }\ndies when energy <= 0\nreward energy\n"
    )
    package = tmp_path / "tiny"
    hamlet.compile(tmp_path / "tiny.hamlet", package)
    brought = package / "__pycache__"
    brought.mkdir()
    source = (package / "numba_kernels.py").read_text().splitlines()
    line = 1 + next(number for number, text in enumerate(source) if text == "@kernel")
    for suffix in ("nbi", "1.nbc"):
        name = f"numba_kernels.rollout-{line}.py{sys.version_info[0]}{sys.version_info[1]}.{suffix}"
        (brought / name).write_bytes(pickle.dumps(Harm(tmp_path / "harm")))
    (brought / "numba_kernels.step-1.py311.nbi").mkdir()
    names = sorted(brought.iterdir())
    env = hamlet.make(hamlet.load(package), worlds=2, device="cpu", backend="numba", quiet=True)
    env.rollout(3)
    assert env.state["meters"][0].tolist() == [1 - 3 * 0.0625] * 2
    assert sorted(brought.iterdir()) == names
    assert not (tmp_path / "harm").exists()
    assert len(list(kept.iterdir())) == 1
