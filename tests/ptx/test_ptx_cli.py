"""`hamletc verify UNIVERSE --ptx sm_90`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from processes import COMMAND, Command, Run

UNIVERSE = str(Path(__file__).parents[2] / "universes" / "first_meal.hamlet")


@pytest.fixture
def verify(run_program: Run) -> Command:
    def call(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return run_program(COMMAND, "verify", UNIVERSE, *arguments, **environment)

    return call


def test_unknown_architecture(verify: Command) -> None:
    done = verify("--ptx", "sm_10")
    assert done.returncode == 2
    assert "sm_80" in done.stderr


def test_triton_must_be_able_to_compile(verify: Command) -> None:
    done = verify("--ptx", "sm_90", TRITON_INTERPRET="1")
    assert done.returncode == 1
    assert done.stderr == "error: PTX cannot be compiled under TRITON_INTERPRET=1: start Python without it\n"


@pytest.mark.skipif(os.environ.get("HAMLET_LONG_TESTS") != "1", reason="Triton compiles 44 kernels for this")
def test_verify(verify: Command) -> None:
    done = verify("--ptx", "sm_80", "--ptx", "sm_90", "--backends", "c", "--quick")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "first_meal.hamlet@sm_80, first_meal.hamlet@sm_90 and first_meal.hamlet@c are equal in all " in done.stdout
