"""The simulated device does what a GPU does, and refuses what it refuses. `make rehearsal` runs everything on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hamlet.package.module import Module
from processes import Run
from rehearsal import simulating
from samples import text

HERE = Path(__file__).parent


@pytest.mark.skipif(simulating(), reason="this process has the device already")
def test_the_simulated_device(run_program: Run, compiled: Callable[[str], Module], tmp_path: Path) -> None:
    cache = {"TRITON_CACHE_DIR": str(tmp_path), "OMP_NUM_THREADS": "1"}
    done = run_program(HERE / "checks.py", compiled(text("nowhere"), "triton").path, **cache)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "'step'" in done.stdout
