"""What `hamlet.h` refuses, and what it finds when it is loaded: bits would differ."""

from __future__ import annotations

import os
import subprocess
import sys
from ctypes import CDLL, c_int32, c_uint32
from pathlib import Path

import pytest
from built import ADDED, HERE, Header, build, compiler, header_folder

pytestmark = pytest.mark.skipif(compiler() is None, reason="this machine has no C compiler")

CONTRACTS, EXTENDS, DROPS_SUBNORMALS, FLUSHES_SUBNORMALS, ROUNDS_ELSEWHERE, REARRANGES, DROPS_ZEROS = range(1, 8)
DROP, FLUSH, DOWN, UP, TO_ZERO = 0x40, 0x8000, 0x2000, 0x4000, 0x6000
"""Bits of the control word of x86."""


def test_this_machine_is_exact(header: Header) -> None:
    assert header.call("selftest", gives=c_int32) == 0


@pytest.mark.parametrize(
    ("control", "number"),
    [
        (DROP, DROPS_SUBNORMALS),
        (FLUSH, FLUSHES_SUBNORMALS),
        (DOWN, ROUNDS_ELSEWHERE),
        (UP, ROUNDS_ELSEWHERE),
        (TO_ZERO, ROUNDS_ELSEWHERE),
    ],
)
def test_what_a_thread_has_set_is_found(header: Header, control: int, number: int) -> None:
    found = header.call("selftest_with", c_uint32(control), gives=c_int32)
    if found < 0:
        pytest.skip("without x86's vectors there is no such control word")
    assert found == number


def text_of_wrong(folder: Path, source: str, *flags: str) -> str:
    """What the compiler says to a source file that it refuses."""
    path = folder / "source.c"
    path.write_text(source)
    made = build(folder / "wrong.so", *flags, source=path)
    assert made.returncode != 0
    return made.stderr


@pytest.mark.parametrize("flag", ["-ffast-math", "-ffinite-math-only"])
def test_fast_math_is_refused(flag: str, tmp_path: Path) -> None:
    assert "build it without -ffast-math" in text_of_wrong(tmp_path, '#include "hamlet.h"\n', flag)


def test_wider_numbers_are_refused(tmp_path: Path) -> None:
    source = '#include <float.h>\n#undef FLT_EVAL_METHOD\n#define FLT_EVAL_METHOD 2\n#include "hamlet.h"\n'
    assert "f32 must be computed as f32" in text_of_wrong(tmp_path, source)


ALONE = '#include "hamlet.h"\ni32 selftest(void);\ni32 selftest(void) { return hamlet_selftest(); }\n'


def found_with(folder: Path, header: Path, *flags: str) -> int:
    """What the self-test finds under these flags."""
    source, target = folder / "alone.c", folder / f"alone{len(list(folder.iterdir()))}.so"
    source.write_text(ALONE.replace("hamlet.h", str(header / "hamlet.h")))
    made = build(target, *flags, source=source)
    assert made.returncode == 0, made.stderr
    number: int = CDLL(str(target)).selftest()
    return number


def has_fma() -> bool:
    """Whether this machine multiplies and adds by one instruction."""
    return " fma " in Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else False


@pytest.mark.skipif(not has_fma(), reason="this machine cannot contract")
def test_contraction_is_forbidden_or_found(tmp_path: Path) -> None:
    """GCC heeds what the header says, Clang the command."""
    said = subprocess.run([*(compiler() or []), "--version"], capture_output=True, text=True, check=True)
    wanted = CONTRACTS if "clang" in said.stdout else 0
    assert found_with(tmp_path, header_folder(), "-O2", "-mfma", "-ffp-contract=fast") == wanted


@pytest.mark.skipif(not has_fma(), reason="this machine cannot contract")
@pytest.mark.parametrize("flags", [("-mavx2",), ("-DHAMLET_SCALAR",)])
def test_contraction_is_found(tmp_path: Path, flags: tuple[str, ...]) -> None:
    text = (header_folder() / "hamlet.h").read_text()
    forbidding = ['"fp-contract=off", ', "#pragma STDC FP_CONTRACT OFF\n"]
    for words in forbidding:
        assert words in text
        text = text.replace(words, "")
    (tmp_path / "hamlet.h").write_text(text)
    assert found_with(tmp_path, tmp_path, "-O2", "-mfma", "-ffp-contract=fast", *flags) == CONTRACTS


@pytest.mark.parametrize(
    ("flag", "number"),
    [
        ("-fassociative-math -fno-signed-zeros -fno-trapping-math", REARRANGES),
        ("-freciprocal-math", REARRANGES),
        ("-fno-signed-zeros", DROPS_ZEROS),
    ],
)
def test_parts_of_fast_math_are_found(flag: str, number: int, tmp_path: Path) -> None:
    assert found_with(tmp_path, header_folder(), "-O2", *flag.split()) == number


@pytest.mark.long
@pytest.mark.skipif(ADDED in os.environ, reason="this is the run with sanitisers")
def test_sanitisers_find_nothing() -> None:
    """The other tests of this folder, with what checks each access and each operation whose result C leaves open."""
    command = compiler() or []
    library = subprocess.run([*command, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    if not Path(library.stdout.strip()).is_absolute():
        pytest.skip("this compiler has no sanitisers")
    flags = "-fsanitize=address,undefined -fno-sanitize-recover=all -g"
    environment = os.environ | {ADDED: flags, "LD_PRELOAD": library.stdout.strip(), "ASAN_OPTIONS": "detect_leaks=0"}
    tests = [str(HERE / f"test_c_{name}.py") for name in ("operations", "memory", "counts", "together")]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "0", "-q", "-p", "no:cacheprovider", *tests],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
