"""The lanes of a block, which tuning chooses, do not change a bit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hamletc.compile import Options, build
from hamletc.frontend import Stopwatch
from hamletc.package import write
from samples import sample


@pytest.mark.parametrize("name", ["first_meal", "adrift"])
def test_blocks_give_the_same_bits(name: str, tmp_path: Path) -> None:
    """The agents of a world of `adrift` remember together what one of them used."""
    write(build(sample(name), Options(targets=("triton",)), Stopwatch()), tmp_path / name)
    program = Path(__file__).with_name("blocks.py")
    done = subprocess.run([sys.executable, str(program), str(tmp_path / name)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("arrays are equal\n")
