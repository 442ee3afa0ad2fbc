"""Universes that reach what the others do not: all their programs agree with the interpreter, and everything fires."""

from __future__ import annotations

import pytest
import torch

from corner_universes import CORNERS
from hamlet_lab.divergence.program import Evaluated
from hamlet_lab.verify import Candidate, Effort, verify
from hamletc.lowering.lower import lower
from hamletc.lowering.plan import Limits
from hamletc.passes.pipeline import gpu_passes, run
from sample_universes import sample

CPU = torch.device("cpu")
EFFORT = Effort(worlds=67, ticks=3, rounds=16, compact=(torch.bfloat16,))


@pytest.mark.parametrize("name", CORNERS)
def test_programs_agree(name: str) -> None:
    universe = sample(name)
    plain, by_table = lower(universe), lower(universe, Limits(1, 1, 1, 1))
    programs = {
        "unoptimised": plain,
        "optimised": run(run(plain, universe), universe, choose=gpu_passes),
        "by table": run(by_table, universe),
    }
    report = verify(universe, [Candidate(Evaluated(universe, *each[::-1]), CPU) for each in programs.items()], EFFORT)
    assert report.ok, report.render(counts=True)
