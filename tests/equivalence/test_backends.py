"""The interpreter, kernels in C and Triton (on its interpreter) give the same bits, and everything in a universe fired.

HAMLET_LONG_TESTS=1 adds the universes of which others have everything.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from processes import Run
from samples import LOCALS, MANY, MEETING, NAMES, ROLES, WAYS

# What differs between edges of a grid is the program, which `tests/unit/lowering` compares; kernels only print it.
# Agents that meet are in `herd`, and in PTX in `tests/ptx`; tables are in `tests/unit/lowering`.
# Effects are statements like others, and graphs have a table of moves; random universes have both. Draws on each
# backend are in `tests/features/random_numbers`.
LONG = (
    *("shifts", "bounce", "sticky", "wrap", "epidemic", "queue", "crowded", "tangled", "ledger"),
    *("effects", "lines", "drawn", "first_meal"),
)
SHORT = [name for name in (*NAMES, *MANY, *MEETING, *WAYS, ROLES, LOCALS) if name not in LONG]


@pytest.mark.parametrize("name", [*SHORT, *LONG] if os.environ.get("HAMLET_LONG_TESTS") == "1" else SHORT)
def test_backends_agree(name: str, tmp_path: Path, run_program: Run) -> None:
    program = Path(__file__).with_name("compare.py")
    result = run_program(program, name, tmp_path / name)
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"{name}@c and {name}@triton are equal in all " in result.stdout
