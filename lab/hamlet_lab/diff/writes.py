"""What the interpreter writes to the meters of one lane."""

from __future__ import annotations

from hamlet.backend.protocol import Stream
from hamlet.interpreter import Interpreter, Trace, Write
from hamlet.universe import Universe
from hamlet_lab.diff.match import CPU
from hamlet_lab.diff.parting import Outcome
from hamlet_lab.verify import Candidate
from hamlet_lab.verify.events import Side


def writes_of(universe: Universe, outcome: Outcome, stream: Stream, lane: int) -> list[Write]:
    """Every write of a statement, in order, while the interpreter does the event of an outcome."""
    before = outcome.before
    trace = Trace(lane // before.shape.agents, lane % before.shape.agents)
    dtype = None if before.observation is None else before.observation.dtype
    side = Side(universe, Candidate(Interpreter(universe, CPU, trace=trace), CPU), before.shape, dtype)
    side.copy_from(before)
    side.apply(outcome.event, stream)
    return trace.writes
