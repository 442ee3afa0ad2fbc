"""The lanes of a block, which tuning chooses, do not change a bit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def test_blocks_give_the_same_bits() -> None:
    package = HERE.parents[1] / "generated" / "first_meal"
    command = [sys.executable, str(HERE / "blocks.py"), str(package)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("arrays are equal\n")
