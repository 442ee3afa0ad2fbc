"""Schedules, executed: equal to the interpreter; and whatever is changed in one is refused or gives other bits."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from hamlet_lab.divergence.executed import Executed
from hamlet_lab.verify import Candidate, Effort, verify
from hamletc.compile import lower, optimise, schedule, specialise
from hamletc.kernel.schedule import ScheduleError
from hamletc.kernel.verifier import verify_schedule
from samples import sample
from samples.schedules import Mutant, mutants

CPU = torch.device("cpu")
EFFORT = Effort(7, 9, 16, (torch.uint8,))

SAME = {
    # Lanes that do not run have no other value of these, or nobody reads it.
    "unguarded within running",
    "call reduce_tick",
}


@pytest.mark.parametrize("name", ["town", "shifts", "queue", "herd", "handled", "gallery/cartpole", "gallery/garden"])
@pytest.mark.parametrize("what", ["lowered", "optimised", "numba"])
def test_it_is_equal_to_the_interpreter(name: str, what: str) -> None:
    universe = sample(name)
    compilation = lower(universe)
    if what != "lowered":
        compilation = optimise(compilation)
    if what == "numba":
        compilation = specialise(compilation, "numba")
    report = verify(universe, [Candidate(Executed(universe, compilation.program, what), CPU)], EFFORT)
    assert report.equal, report.render()
    assert report.values > 1_000
