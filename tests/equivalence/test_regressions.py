"""Universes on which something once went wrong; their first line says what, and as which case if that matters. All ways
to run them agree."""

from __future__ import annotations

import re
from pathlib import Path
from zlib import crc32

import pytest
from agreement import BackendName, agree, checked
from cases import case

from processes import Run

FOUND = sorted((Path(__file__).parent / "regressions").glob("*.hamlet"))
"""The names of files say on which backends it went wrong."""
WAYS = (6, 5)
"""Numbers of cases without and with tables of affordances; both run by policies that are tables. Where the case does
not matter one of them is taken."""


def gone_wrong_on(backend: str) -> list[Path]:
    """The universes that went wrong on a backend."""
    return [path for path in FOUND if backend in path.stem.split("_")]


def cases_of(path: Path) -> list[int]:
    """The number of the case as which it went wrong, if that matters."""
    return [int(number) for number in re.findall(r"case (\d+)", path.read_text(encoding="utf-8").partition("\n")[0])]


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_what_went_wrong_once_agrees(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for turn, number in enumerate(cases_of(path) or [WAYS[crc32(path.stem.encode()) % len(WAYS)]]):
        agree(text, checked(text), ("ir",), case(number), again=turn > 0)


def agrees(path: Path, backend: BackendName) -> None:
    text = path.read_text(encoding="utf-8")
    agree(text, checked(text), (backend,), case(next(iter(cases_of(path)), 1)), again=True)


def again(paths: list[Path], backend: str, run_program: Run) -> None:
    """In a process of their own, because Triton decides when it is imported whether kernels run on its interpreter."""
    fuzz = Path(__file__).with_name("fuzz.py")
    firsts = (str(next(iter(cases_of(path)), 1)) for path in paths)
    result = run_program(fuzz, "--again", *paths, "--first", *firsts, "--backends", backend)
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.count(" are equal in all ") == len(paths) > 0


def test_they_agree_on_triton(run_program: Run) -> None:
    again([*gone_wrong_on("tables"), *gone_wrong_on("triton")], "triton", run_program)


@pytest.mark.parametrize("path", gone_wrong_on("c"), ids=lambda path: path.stem)
def test_its_kernels_in_c_agree(path: Path) -> None:
    agrees(path, "c")


@pytest.mark.parametrize("path", gone_wrong_on("wasm"), ids=lambda path: path.stem)
def test_its_kernels_in_webassembly_agree(path: Path) -> None:
    pytest.importorskip("wasmtime")
    agrees(path, "wasm")


def test_their_ptx_agrees(run_program: Run) -> None:
    again(gone_wrong_on("ptx"), "ptx:sm_90", run_program)
