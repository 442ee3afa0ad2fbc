"""Printed functions mean what the IR says: random ones, run by Triton's interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from hamletc.ir.ops import OPS, Fold

HERE = Path(__file__)


def test_random_functions(tmp_path: Path) -> None:
    # Triton's interpreter refuses `&` of two bools in a fork of the process of `run_program`; nobody knows why yet.
    environment = os.environ | {"PYTHONPATH": str(HERE.parents[3])}
    command = [sys.executable, str(HERE.with_name("run_functions.py")), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    lanes, *operations = done.stdout.split()
    assert int(lanes) > 10_000
    assert set(operations) == {op.__name__ for op in OPS if op is not Fold}
