"""Operations of Triton's interpreter that Triton does not look at again have its bits."""

from __future__ import annotations

from pathlib import Path

from processes import Run

PROGRAM = Path(__file__).with_name("operations_on_triton.py")


def test_operations_have_the_bits_of_tritons(run_program: Run) -> None:
    done = run_program(PROGRAM, TRITON_INTERPRET="1")
    assert done.returncode == 0, done.stderr
    *lines, computed = done.stdout.splitlines()
    assert lines == ["same same"] * 2
    assert int(computed) >= 200
