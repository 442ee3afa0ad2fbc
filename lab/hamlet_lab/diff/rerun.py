"""An event once more, by a program: what it should have given, and every function that was called for it."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet.backend.protocol import Stream
from hamlet.universe import Universe
from hamlet_lab.diff.evaluated import Call, Evaluated
from hamlet_lab.diff.match import CPU, differences
from hamlet_lab.diff.parting import Outcome
from hamlet_lab.verify import Candidate
from hamlet_lab.verify.arrays import Array, Difference
from hamlet_lab.verify.events import Side as Runner
from hamletc.ir.function import Program


@dataclass(frozen=True, slots=True)
class Rerun:
    """What a program makes of an event.

    Attributes:
        calls: of its functions, in the order of a tick.
        arrays: all of them afterwards.
        departures: where the side that was run has something else: the first difference of each array.
    """

    calls: tuple[Call, ...]
    arrays: list[Array]
    departures: tuple[Difference, ...]


def rerun(universe: Universe, program: Program, outcome: Outcome, stream: Stream) -> Rerun:
    """Run the event of an outcome on its buffers before."""
    calls: list[Call] = []
    before = outcome.before
    backend = Evaluated(universe, program, "program", calls.append)
    dtype = None if before.observation is None else before.observation.dtype
    runner = Runner(universe, Candidate(backend, CPU), before.shape, dtype)
    runner.copy_from(before)
    arrays = runner.apply(outcome.event, stream)
    return Rerun(tuple(calls), arrays, tuple(differences(arrays, outcome.after)))
