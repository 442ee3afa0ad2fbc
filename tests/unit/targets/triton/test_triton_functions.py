"""Printed functions mean what the IR says: random ones, run by Triton's interpreter."""

from __future__ import annotations

from pathlib import Path

from hamletc.ir.ops import OPS, Fold
from processes import Run


def test_random_functions(tmp_path: Path, run_program: Run) -> None:
    program = Path(__file__).with_name("run_functions.py")
    done = run_program(program, tmp_path)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    lanes, *operations = done.stdout.split()
    assert int(lanes) > 10_000
    assert set(operations) == {op.__name__ for op in OPS if op is not Fold}
