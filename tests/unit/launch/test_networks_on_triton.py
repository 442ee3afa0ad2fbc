"""Networks by Triton's kernel: on its interpreter, and its PTX executed."""

from __future__ import annotations

from pathlib import Path

import pytest

from processes import Run


@pytest.mark.parametrize("how", ["interpreter", "ptx"])
def test_networks_of_the_kernel(how: str, run_program: Run) -> None:
    done = run_program(Path(__file__).with_name("networks_on_triton.py"), how)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "actions [0, 1, 2, 4] [0, 1, 2, 4]" in done.stdout.replace("3, ", "")
    if how == "interpreter":
        assert "episodes 20 20" in done.stdout
