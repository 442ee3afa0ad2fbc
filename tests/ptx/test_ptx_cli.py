"""`hamletc verify UNIVERSE --ptx sm_90`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

UNIVERSE = str(Path(__file__).parents[2] / "universes" / "first_meal.hamlet")


def verify(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    command = [sys.executable, "-c", "from hamletc.cli.main import main; main()", "verify", UNIVERSE, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=kept | environment)


def test_unknown_architecture() -> None:
    done = verify("--ptx", "sm_10")
    assert done.returncode == 2
    assert "sm_80" in done.stderr


def test_triton_must_be_able_to_compile() -> None:
    done = verify("--ptx", "sm_90", TRITON_INTERPRET="1")
    assert done.returncode == 1
    assert done.stderr == "error: PTX cannot be compiled under TRITON_INTERPRET=1: start Python without it\n"


@pytest.mark.skipif(os.environ.get("HAMLET_LONG_TESTS") != "1", reason="Triton compiles 44 kernels for this")
def test_verify() -> None:
    done = verify("--ptx", "sm_80", "--ptx", "sm_90", "--backends", "numba", "--quick")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        "first_meal.hamlet@sm_80, first_meal.hamlet@sm_90 and first_meal.hamlet@numba are equal in all " in done.stdout
    )
