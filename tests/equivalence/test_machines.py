"""CPU kernels for other CPUs than this one: shorter vectors, other tables, no fused multiply-add; the same bits."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from llvmlite.binding import get_host_cpu_features

UNIVERSES = Path(__file__).parents[2] / "universes"

# Numba compiles for each type of observations.
PROGRAM = """
import os
from dataclasses import replace

import torch

import hamlet_lab.verify
from hamlet.launch.cpu.ops import WIDE
from hamletc.cli.main import main
if os.environ.get("HAMLET_LONG_TESTS") != "1":
    hamlet_lab.verify.QUICK = replace(hamlet_lab.verify.QUICK, compact=(torch.float32,))
print(WIDE, "lanes in a vector")
main()
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numba compiles for these CPUs on x86-64 only")
@pytest.mark.parametrize(
    ("cpu", "features", "universe"),
    [
        ("haswell", "+avx2", "first_meal"),
        pytest.param("x86-64", "", "first_meal", marks=pytest.mark.long),
        pytest.param("haswell", "+avx2", "shifts", marks=pytest.mark.long),
    ],
)
def test_kernels_for_another_cpu(cpu: str, features: str, universe: str, tmp_path: Path) -> None:
    """`haswell` has AVX2 and fused operations, `x86-64` only SSE2."""
    if features and not get_host_cpu_features().get(features[1:]):
        pytest.skip(f"this CPU has no {features[1:]}")
    environment = os.environ | {
        "NUMBA_CPU_NAME": cpu,
        "NUMBA_CPU_FEATURES": features,
        "XDG_CACHE_HOME": str(tmp_path),
    }
    arguments = ["verify", str(UNIVERSES / f"{universe}.hamlet"), "--backends", "numba", "--quick"]
    command = [sys.executable, "-c", PROGRAM, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{32 if features else 16} lanes in a vector" in done.stdout
    assert "equal in all " in done.stdout
