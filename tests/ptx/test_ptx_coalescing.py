"""Kernels compiled without Triton's coalescing pass have the same PTX, but for the names of registers: it is left out
only to save time.

HAMLET_LONG_TESTS=1 compares all kernels of all shipped universes, as is to be done for another version of Triton.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from hamlet.launch.gpu.forms import FORMS
from processes import Run
from samples import SHIPPED

NAMES = sorted(path.stem for path in SHIPPED.glob("*.hamlet"))
CASES = [(name, FORMS) for name in NAMES]


@pytest.mark.long  # for another version of Triton
@pytest.mark.parametrize(("name", "forms"), CASES)
def test_leaving_out_the_coalescing_pass_changes_no_ptx(
    name: str, forms: tuple[str, ...], tmp_path: Path, run_program: Run
) -> None:
    program = Path(__file__).with_name("compare_coalescing.py")
    done = run_program(program, name, tmp_path / name, *forms, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    same = f"{len(forms)} of {len(forms)} kernels have the same PTX"
    assert done.stdout.splitlines() == [f"{name} sm_80: {same}", f"{name} sm_90: {same}"]
