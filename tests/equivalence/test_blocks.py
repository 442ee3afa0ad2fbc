"""The lanes of a block, which tuning chooses, do not change a bit."""

from __future__ import annotations

from pathlib import Path

import pytest

from hamletc.compile import Options, build
from hamletc.frontend import Stopwatch
from hamletc.package import write
from hamletc.passes.pipeline import WHOLE_NAMES
from processes import Run
from samples import sample


@pytest.mark.parametrize("name", [pytest.param("first_meal", marks=pytest.mark.long), "adrift", "shifts"])
def test_blocks_give_the_same_bits(name: str, tmp_path: Path, run_program: Run) -> None:
    """The agents of a world of `adrift` remember together what one of them used; those of `shifts` observe rows of
    tables."""
    plain = Options(targets=("triton",), disabled_passes=WHOLE_NAMES)
    for folder, options in ((name, Options(targets=("triton",))), ("plain", plain)):
        write(build(sample(name), options, Stopwatch()), tmp_path / folder)
    texts = [(tmp_path / folder / "triton_kernels.py").read_text() for folder in (name, "plain")]
    if name != "adrift":
        assert ["_take(" in text for text in texts] == [True, False]
        assert ["_find(" in text for text in texts] == [True, False]
    program = Path(__file__).with_name("blocks.py")
    done = run_program(program, tmp_path / name, tmp_path / "plain")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("arrays are equal\n")
