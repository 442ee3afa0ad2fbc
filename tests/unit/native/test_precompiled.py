"""Tests' own compiler of C gives the libraries of GCC, and reads `hamlet.h` for them once."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import pytest

import precompiled
from hamlet.errors import EnvError
from hamlet.native.compilers import HEADER, compiled, compiler
from hamlet.native.library import LIBRARY, header

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="this machine has no compiler of C")

TEXT = """
#include "hamlet.h"
HAMLET_EXPORT f32 sum(const f32 *values);
HAMLET_EXPORT f32 sum(const f32 *values) {
    vf32 all = fetch_vf32(values, 0);
    all = add_vf32(all, fetch_vf32(values, ROW));
    f32 chunk[ROW];
    store_vf32(chunk, 0, all);
    return load_f32(chunk, WIDE - 1);
}
"""


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> str:
    return precompiled.command(tmp_path_factory.mktemp("precompiled") / "compiler")


def made(command: str, text: str, header: bytes = header().encode()) -> bytes:
    """The library of a text."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HAMLET_CC", command)
        return compiled(compiler(), text, header, LIBRARY, "native")


@pytest.mark.parametrize("macros", ["", "#define SCATTERED\n"])
def test_libraries_are_those_of_gcc(macros: str, command: str) -> None:
    assert made(command, macros + TEXT) == made(shlex.join(["cc", *precompiled.OPTIONS]), macros + TEXT)
    read = Path(command.split()[0]).with_name(f"{HEADER}.gch")
    assert {path.name for path in read.iterdir()} == set(precompiled.FORMS)


def test_the_header_is_read_once_and_not_in_place_of_another(command: str) -> None:
    first = made(command, TEXT)
    read = Path(command.split()[0]).with_name(f"{HEADER}.gch")
    then = read.stat().st_ino
    other = header().replace("vf32 b) { return a + b; }", "vf32 b) { return a + b + b; }")
    assert other != header()
    assert made(command, TEXT, other.encode()) != first == made(command, TEXT)
    assert read.stat().st_ino == then


def test_runs_share_what_is_the_same(tmp_path: Path) -> None:
    store = tmp_path / "store"
    first, second = (precompiled.command(tmp_path / name, store) for name in ("first", "second"))
    library = made(first, TEXT)
    (kept,) = store.iterdir()
    read = Path(second.split()[0]).with_name(f"{HEADER}.gch")
    assert made(second, TEXT) == library == kept.read_bytes()
    assert not read.exists()
    other = header().replace("vf32 b) { return a + b; }", "vf32 b) { return a + b + b; }")
    for text, of in ((TEXT, other), (TEXT.replace("chunk, 0,", "chunk, 1 - 1,"), header()), (TEXT + "\n", header())):
        made(second, text, of.encode())
    assert read.exists()
    assert len(list(store.iterdir())) == 4
    with pytest.raises(EnvError):
        made(second, TEXT + "wrong")
    assert len(list(store.iterdir())) == 4
    os.utime(kept, (0, 0))
    precompiled.command(tmp_path / "third", store)
    assert kept not in store.iterdir()
