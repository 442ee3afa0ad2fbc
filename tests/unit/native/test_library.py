"""Texts of C become shared libraries once, are kept by their contents, and are refused where bits would differ."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import sys
from collections.abc import Callable
from importlib.util import find_spec, module_from_spec
from pathlib import Path

import pytest

from hamlet.errors import EnvError
from hamlet.launch.cpu import levels
from hamlet.native import compilers, library
from hamlet.native.compilers import CHOICE, compiled, compiler
from hamlet.native.library import KIND, machine_code, opened, probed
from hamlet.terminal import say_once
from processes import Run

TEXT = '#include "hamlet.h"\nHAMLET_EXPORT i32 number(void);\nHAMLET_EXPORT i32 number(void) {{ return {}; }}\n'
CC = shutil.which("cc")

pytestmark = pytest.mark.skipif(CC is None, reason="this machine has no compiler of C")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where libraries are kept: nothing yet, and a compiler that notes its runs and is fast."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    noting = tmp_path / "noting"
    noting.write_text(f'#!/bin/sh\necho >> {tmp_path}/runs\nexec {CC} "$@"\n')
    noting.chmod(0o700)
    monkeypatch.setenv(CHOICE, f"{noting} -O0 -DHAMLET_SCALAR")
    forget()
    return tmp_path / "cache" / "hamletc" / KIND


def forget() -> None:
    """What a process does that begins."""
    library._library.cache_clear()
    compilers._compiler.cache_clear()
    say_once.cache_clear()


def number(value: int | str, **defines: str) -> tuple[int, bool]:
    """What a library gives, and whether a compiler ran."""
    forget()
    runs = Path(os.environ["XDG_CACHE_HOME"]).parent / "runs"
    before = runs.read_text() if runs.exists() else ""
    found = int(library.library(TEXT.format(value), defines).number())
    return found, (runs.read_text() if runs.exists() else "") == before


def only(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


def test_the_same_contents_are_found(kept: Path) -> None:
    assert number(3) == (3, False)
    assert number(3) == (3, True)
    assert number("VALUE", VALUE="4") == (4, False)
    assert number("VALUE", VALUE="5") == (5, False)
    assert number("VALUE", VALUE="4") == (4, True)
    assert kept.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in kept.iterdir()} == {0o600}
    assert library.library(TEXT.format(3)) is library.library(TEXT.format(3))


def test_header_compiler_and_cpu_are_part_of_the_name(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert number(3) == (3, False)
    header = library.header()
    with monkeypatch.context() as patch:
        patch.setattr(library, "header", lambda: header + "\n")
        assert number(3) == (3, False)
    with monkeypatch.context() as patch:
        patch.setattr(library.cpu, "identity", lambda: "another CPU")
        assert number(3) == (3, False)
    with monkeypatch.context() as patch:
        patch.setenv(CHOICE, f"{os.environ[CHOICE]} -DMORE")
        assert number(3) == (3, False)
    program = Path(os.environ[CHOICE].split()[0])
    program.write_text(program.read_text() + "\n")
    assert number(3) == (3, False)
    assert len(list(kept.iterdir())) == 5


@pytest.mark.parametrize("damage", [lambda content: content[:0], lambda content: content[:-1] + b"?"])
def test_a_damaged_file_is_made_anew(kept: Path, damage: Callable[[bytes], bytes]) -> None:
    number(3)
    file = only(kept)
    file.write_bytes(damage(file.read_bytes()))
    assert number(3) == (3, False)
    assert number(3) == (3, True)


def test_what_others_may_have_written_is_not_loaded(kept: Path) -> None:
    number(3)
    only(kept).chmod(0o620)
    assert number(3) == (3, False)
    kept.chmod(0o770)
    assert number(3) == (3, False)


@pytest.mark.usefixtures("kept")
def test_where_nothing_can_be_kept_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    for value in (3, 4):
        library._library.cache_clear()
        assert library.library(TEXT.format(value)).number() == value
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("hamlet: compiled kernels cannot be kept, so every process compiles them")
    assert (tmp_path / "runs").read_text() == "\n\n"


def test_a_full_disk(kept: Path, run_program: Run) -> None:
    """Nothing half-written stays, and a library that fits nowhere is one line."""
    program = f"""
import resource
from hamlet.native.library import library
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    library({TEXT.format(3)!r})
except Exception as error:
    print(type(error).__name__, error)
"""
    done = run_program(program, cwd=Path(__file__).parent)
    assert done.stdout.startswith("EnvError the compiler of C ("), done
    assert len(done.stdout.splitlines()) == 1
    assert not kept.exists() or list(kept.iterdir()) == []


@pytest.mark.usefixtures("kept")
def test_libraries_do_not_take_each_other_s_place() -> None:
    """Descriptors are used again, and the loader of the system knows libraries by their paths."""
    contents = [machine_code(TEXT.format(value), {}, "native") for value in (1, 2)]
    loaded = [opened(content) for content in contents * 20]
    assert [each.number() for each in loaded] == [1, 2] * 20


def test_modules_imported_anew_load_what_they_are_given() -> None:
    contents = [machine_code(TEXT.format(value), {}, "native") for value in (1, 2)]
    spec = find_spec(library.__name__)
    assert spec is not None
    assert spec.loader is not None
    modules = [module_from_spec(spec) for _ in contents]
    for module in modules:
        spec.loader.exec_module(module)
    loaded = [module.opened(content) for module, content in zip(modules, contents, strict=True)]
    assert [each.number() for each in loaded] == [1, 2]


def test_without_descriptors_a_file_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    content = machine_code(TEXT.format(6), {}, "native")
    monkeypatch.setattr(library, "DESCRIPTORS", tmp_path / "nowhere")
    assert probed(opened(content)).number() == 6
    with pytest.raises(OSError, match=r"library\.so"):
        opened(content[:100])


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("nowhere", r"HAMLET_CC names no command: there is no 'nowhere' \(unset it, or install gcc"),
        ("'", r"HAMLET_CC is no command: \"'\" \(No closing quotation\)"),
        (" ", r"HAMLET_CC is no command: ' '$"),
        ("sh -c 'kill -9 $$'", r"^the compiler of C \(.*\) failed: it was killed \(SIGKILL\)$"),
        ("sh -c 'exit 3'", r"failed: it ended with 3$"),
        ("cc -O0 -DHAMLET_SCALAR -ffast-math", r"failed: hamlet\.h:\d+:\d+: error: .*build it without -ffast-math"),
        ("cc -O1 -DHAMLET_SCALAR -fno-signed-zeros", r"^kernels in C are not exact here: the sign of zero is lost$"),
    ],
)
def test_compilers_that_will_not_do(command: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CHOICE, command)
    with pytest.raises(EnvError, match=message) as raised:
        library.library(TEXT.format(7))
    assert "\n" not in str(raised.value)


@pytest.mark.usefixtures("kept")
def test_a_text_that_is_wrong_is_one_line() -> None:
    with pytest.raises(EnvError, match=r"failed: library\.c:3:\d+: error: .*nothing_of_this_name") as raised:
        library.library(TEXT.format("nothing_of_this_name"))
    assert "\n" not in str(raised.value)


def test_a_machine_without_a_compiler_is_told_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(CHOICE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    forget()
    with pytest.raises(EnvError, match=r"kernels in C need a compiler, and there is none: .*pip install ziglang"):
        compiler()
    (tmp_path / "ziglang").mkdir()
    (tmp_path / "ziglang" / "__init__.py").write_text("raise SystemExit('never imported')")
    program = tmp_path / "ziglang" / "zig"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o700)
    found = compiler()
    assert found.command == (str(program), "cc")
    assert "-march=x86_64_v3" in found.arguments("x86-64-v3")
    for name, first in (("gcc", found.command), ("clang", (str(tmp_path / "clang"),))):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o700)
        forget()
        assert compiler().command == first, "clang, which pip brings, is before others"


def test_a_thread_that_flushes_subnormals_is_told_so() -> None:
    class Flushing:
        """Its self-test finds what a thread has set."""

        def __getitem__(self, _name: str) -> Callable[[], int]:
            return lambda: 4

    with pytest.raises(EnvError, match=r"subnormal results become zero; this thread was told so \(as by torch"):
        probed(Flushing())  # type: ignore[arg-type]


def test_every_number_of_the_self_test_is_told() -> None:
    listed = library.header().partition("HAMLET_EXACT,")[2].partition("}")[0]
    assert len(library.WRONG) == len([name for name in listed.split(",") if name.strip()])
    assert ctypes.sizeof(ctypes.c_void_p) == 8


@pytest.mark.usefixtures("kept")
def test_a_compiler_that_reads_its_headers_whole_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """... is asked again: parts of `immintrin.h` are read where that can be done."""
    picky = tmp_path / "picky"
    lines = ["#!/bin/sh", f'echo "$@" >> {tmp_path}/asked', 'case "$*" in *NARROW*) exit 1;; esac', f'exec {CC} "$@"']
    picky.write_text("\n".join(lines) + "\n")
    picky.chmod(0o700)
    monkeypatch.setenv(CHOICE, f"{picky} -O0")
    assert library.library(TEXT.format(8)).number() == 8
    first, second = (tmp_path / "asked").read_text().splitlines()
    assert first.replace("-DHAMLET_NARROW ", "") == second


@pytest.mark.usefixtures("kept")
def test_parts_of_headers_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """... for CPUs of every level."""
    monkeypatch.setenv(CHOICE, "cc -O0")
    for level in ("native", *(name for name in levels.NAMES if platform.machine() == "x86_64")):
        compiled(compiler(), TEXT.format(9), library.header().encode(), {"HAMLET_NARROW": "1"}, level)
