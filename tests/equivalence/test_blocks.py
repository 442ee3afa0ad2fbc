"""The lanes of a block, which tuning chooses, do not change a bit."""

from __future__ import annotations

from pathlib import Path

import pytest

from hamletc.compile import Options, build
from hamletc.frontend import Stopwatch
from hamletc.package import write
from processes import Run
from samples import sample


@pytest.mark.parametrize("name", ["first_meal", "adrift"])
def test_blocks_give_the_same_bits(name: str, tmp_path: Path, run_program: Run) -> None:
    """The agents of a world of `adrift` remember together what one of them used."""
    write(build(sample(name), Options(targets=("triton",)), Stopwatch()), tmp_path / name)
    program = Path(__file__).with_name("blocks.py")
    done = run_program(program, tmp_path / name)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("arrays are equal\n")
