"""Machine code in a package is what a launch would compile, and its parameters lie as the kernel reads them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_launches_with_machine_code_equal_the_interpreter(tmp_path: Path) -> None:
    program = Path(__file__).with_name("launch_ahead.py")
    environment = {key: value for key, value in os.environ.items() if key != "TRITON_INTERPRET"}
    command = [sys.executable, str(program), "first_meal", str(tmp_path / "first_meal")]
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment | {"TRITON_CACHE_DIR": str(tmp_path / "cache")}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "values equal; launched {'observe': 2, 'reset': 1, 'rollout': 1, 'step': 2}" in done.stdout
