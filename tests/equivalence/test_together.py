"""What the agents of a world have together is the same on Triton's interpreter, as compiled PTX, and in the tick IR,
for worlds within a warp, in a block of several warps, and two to such a block."""

from __future__ import annotations

from pathlib import Path

import pytest

from processes import Run


@pytest.mark.parametrize(
    ("where", "agents"),
    [
        # The sizes between are run as PTX, which is made of the same functions.
        ("interpreted", (5, 130)),
        pytest.param("interpreted", (1, 5, 33, 130), marks=pytest.mark.long),
        ("sm_90", (1, 5, 33, 128)),
        pytest.param("interpreted", (2,), marks=pytest.mark.long),
        pytest.param("sm_90", (64,), marks=pytest.mark.long),
        pytest.param("sm_80", (32,), marks=pytest.mark.long),
    ],
)
def test_reductions_are_those_of_the_tick_ir(
    where: str, agents: tuple[int, ...], tmp_path: Path, run_program: Run
) -> None:
    program = Path(__file__).with_name("together.py")
    done = run_program(program, tmp_path, where, *map(str, agents))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(" values are equal\n")
