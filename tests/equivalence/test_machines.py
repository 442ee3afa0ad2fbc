"""CPU kernels for other CPUs than this one: shorter vectors, tables in memory, no fused multiply-add; the same bits."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

UNIVERSES = Path(__file__).parents[2] / "universes"

PROGRAM = """
from hamlet.launch.numba_ops import WIDE
from hamletc.cli.main import main
print(WIDE, "lanes in a vector")
main()
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="numba compiles for these CPUs on x86-64 only")
@pytest.mark.parametrize(("cpu", "universe"), [("haswell", "town"), ("x86-64", "shifts")])
def test_kernels_for_another_cpu(cpu: str, universe: str, tmp_path: Path) -> None:
    """`haswell` has AVX2, `x86-64` only SSE2."""
    environment = os.environ | {
        "NUMBA_CPU_NAME": cpu,
        "NUMBA_CPU_FEATURES": "",
        "NUMBA_CACHE_DIR": str(tmp_path),
    }
    arguments = ["verify", str(UNIVERSES / f"{universe}.hamlet"), "--backends", "numba", "--quick"]
    command = [sys.executable, "-c", PROGRAM, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "32 lanes in a vector" in done.stdout
    assert "equal in all " in done.stdout
