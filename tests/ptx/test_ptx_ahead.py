"""Machine code in a package is what a launch would compile, and its parameters lie as the kernel reads them."""

from __future__ import annotations

from pathlib import Path

from processes import Run


def test_launches_with_machine_code_equal_the_interpreter(tmp_path: Path, run_program: Run) -> None:
    program = Path(__file__).with_name("launch_ahead.py")
    cache = {"TRITON_CACHE_DIR": str(tmp_path / "cache")}
    done = run_program(program, "first_meal", tmp_path / "first_meal", **cache)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "values equal; launched {'observe': 2, 'reset': 1, 'rollout': 1, 'step': 2}" in done.stdout
