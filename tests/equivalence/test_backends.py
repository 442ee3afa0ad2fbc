"""The interpreter, numba and Triton (on its interpreter) give the same bits, and everything in a universe fired."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sample_universes import MANY, NAMES


@pytest.mark.parametrize("name", [*NAMES, *MANY, "drawn"])
def test_backends_agree(name: str, tmp_path: Path) -> None:
    program = Path(__file__).with_name("compare.py")
    result = subprocess.run(
        [sys.executable, str(program), name, str(tmp_path / name)], capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"{name}: numba, triton against the interpreter\nequal in all " in result.stdout
