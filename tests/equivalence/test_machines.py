"""CPU kernels for other CPUs than this one: shorter vectors, other tables, no fused multiply-add; the same bits."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from hamlet.native.cpu import cpu_flags
from processes import Run

UNIVERSES = Path(__file__).parents[2] / "universes"

# Kernels are compiled for each type of observations.
PROGRAM = """
import os
from dataclasses import replace

import torch

import hamlet_lab.verify
from hamletc.cli.main import main
if os.environ.get("HAMLET_LONG_TESTS") != "1":
    hamlet_lab.verify.QUICK = replace(hamlet_lab.verify.QUICK, compact=(torch.float32,))
main()
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="these are CPUs of x86-64")
@pytest.mark.parametrize(
    ("cpu", "feature", "universe"),
    [
        ("x86-64", "sse2", "first_meal"),
        pytest.param("haswell", "avx2", "first_meal", marks=pytest.mark.long),
        pytest.param("haswell", "avx2", "shifts", marks=pytest.mark.long),
    ],
)
def test_kernels_for_another_cpu(cpu: str, feature: str, universe: str, tmp_path: Path, run_program: Run) -> None:
    """`haswell` has AVX2 and fused operations, `x86-64` only SSE2."""
    if feature not in cpu_flags():
        pytest.skip(f"this CPU has no {feature}")
    arguments = ["verify", str(UNIVERSES / f"{universe}.hamlet"), "--backends", "c", "--quick"]
    done = run_program(PROGRAM, *arguments, HAMLET_CPU=cpu, XDG_CACHE_HOME=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "equal in all " in done.stdout
