"""Kernels compiled without Triton's coalescing pass have the same PTX, to the byte: it is left out only to save time.

HAMLET_LONG_TESTS=1 compares all kernels of all shipped universes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hamlet.launch.gpu.forms import FORMS
from samples import SHIPPED

LONG = os.environ.get("HAMLET_LONG_TESTS") == "1"
NAMES = sorted(path.stem for path in SHIPPED.glob("*.hamlet"))
CASES = [(name, FORMS) for name in NAMES] if LONG else [("first_meal", ("reset", "step"))]


@pytest.mark.parametrize(("name", "forms"), CASES)
def test_leaving_out_the_coalescing_pass_changes_no_ptx(name: str, forms: tuple[str, ...], tmp_path: Path) -> None:
    program = Path(__file__).with_name("compare_coalescing.py")
    environment = {key: value for key, value in os.environ.items() if key != "TRITON_INTERPRET"}
    command = [sys.executable, str(program), name, str(tmp_path / name), *forms]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    same = f"{len(forms)} of {len(forms)} kernels have the same PTX"
    assert done.stdout.splitlines() == [f"{name} sm_80: {same}", f"{name} sm_90: {same}"]
