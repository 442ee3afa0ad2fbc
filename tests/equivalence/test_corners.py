"""Universes that reach what the others do not: all their programs agree with the interpreter, and everything fires."""

from __future__ import annotations

import pytest
import torch

from examples import LONG
from hamlet_lab.divergence.executed import Executed
from hamlet_lab.verify import Candidate, Effort, verify
from hamletc.compilation import Compilation
from hamletc.lowering.plan import Limits
from hamletc.passes.pipeline import gpu_passes
from samples import CORNERS, sample

CPU = torch.device("cpu")
EFFORT = Effort(worlds=67, ticks=2, rounds=8, compact=(torch.bfloat16,))


@pytest.mark.parametrize("name", CORNERS)
def test_programs_agree(name: str) -> None:
    universe = sample(name)
    plain, by_table = Compilation.begin(universe), Compilation.begin(universe, Limits(1, 1, 1, 1))
    programs = {
        "optimised": plain.run().run(gpu_passes).program,
        "by table": by_table.run().program,
    }
    if LONG:
        # What passes start from: where it is wrong, so is what they make of it.
        programs["unoptimised"] = plain.program
    report = verify(universe, [Candidate(Executed(universe, *each[::-1]), CPU) for each in programs.items()], EFFORT)
    assert report.ok, report.render(counts=True)
