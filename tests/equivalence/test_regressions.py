"""Universes on which something once went wrong; their first line says what. All ways to run them agree."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from agreement import UNROLLED, Variant, agree, checked

FOUND = sorted((Path(__file__).parent / "regressions").glob("*.hamlet"))


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_what_went_wrong_once_agrees(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    agree(text, checked(text), ("ir",), Variant("algebra", UNROLLED), seed=0)


@pytest.mark.parametrize("path", [path for path in FOUND if "tables" in path.stem], ids=lambda path: path.stem)
def test_its_tables_agree_on_triton(path: Path) -> None:
    fuzz = Path(__file__).with_name("fuzz.py")
    command = [sys.executable, str(fuzz), "--again", str(path), "--by-table", "--backends", "triton"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert result.returncode == 0, result.stdout + result.stderr
