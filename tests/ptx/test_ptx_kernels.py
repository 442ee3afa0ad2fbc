"""The kernels of universes, compiled to PTX and executed, equal the interpreter in every bit.

Triton takes seconds to compile each of them. HAMLET_LONG_TESTS=1 compares all universes in all scenarios, in minutes.
"""

from __future__ import annotations

import os
import re
from itertools import product
from pathlib import Path

import pytest

from processes import Run
from samples import CONSTRUCTS, MEETING

SHORT = (("first_meal", "80", "alone"), ("adrift", "90", "together"), ("queue", "90", "crowd"))
"""A grid, a continuous space, and agents that meet in worlds of several warps."""
LONG = (
    *product(("first_meal", "town", "shifts"), ("80", "90", "100"), ("alone", "together")),
    *product(CONSTRUCTS, ("80", "90"), ("alone", "together")),
    *product(("town", "adrift", "vast", "volume"), ("80", "90"), ("crowd",)),
    *product(MEETING, ("80", "90", "100"), ("alone", "together", "crowd")),
)
CASES = LONG if os.environ.get("HAMLET_LONG_TESTS") == "1" else SHORT


@pytest.mark.parametrize(("name", "capability", "scenario"), CASES)
def test_ptx_equals_the_interpreter(
    name: str, capability: str, scenario: str, tmp_path: Path, run_program: Run
) -> None:
    program = Path(__file__).with_name("compare_ptx.py")
    done = run_program(program, name, tmp_path / name, capability, scenario)
    assert done.returncode == 0, done.stdout + done.stderr
    compared = re.fullmatch(
        rf"{name} {scenario}: ptx sm_{capability} equals the interpreter in (\d+) values\n", done.stdout
    )
    assert compared is not None, done.stdout
    assert int(compared[1]) > 20_000


def test_blocks_count_in_copies(tmp_path: Path, run_program: Run) -> None:
    """And the sums are the interpreter's."""
    done = run_program(Path(__file__).with_name("count_in_copies.py"), tmp_path / "first_meal")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "copies used: [64, 64]\n"


def test_steps_notice_what_they_kept_of_another_layout(tmp_path: Path, run_program: Run) -> None:
    done = run_program(Path(__file__).with_name("keep_scenes.py"), tmp_path / "short_lives")
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.fullmatch(r"(\d+) episodes ended, 12 times spoilt\n", done.stdout)
    assert found is not None, done.stdout
    assert int(found[1]) > 100
