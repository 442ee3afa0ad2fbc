"""What happens in a case: a few ticks in which, if it can be, everything in the universe fires."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from cases import Case

from hamlet.backend.protocol import Policy, RandomPolicy, RecordedPolicy
from hamlet.interpreter import Coverage, Interpreter
from hamlet.universe import Universe
from hamlet_lab.verify import Candidate, Report
from hamlet_lab.verify.events import Event, Inject, Reset, Rollout, Step
from hamlet_lab.verify.inject import Injector
from hamlet_lab.verify.script import Script
from hamlet_lab.verify.session import CPU, Session
from hamlet_lab.verify.tables import some_table

WALK = 5
"""Ticks of a script that visits affordances."""

ROUNDS = 6
"""Injected states, at most; two, if by then everything has fired."""

TICKS = 5
"""Of a rollout."""


def compare(universe: Universe, candidates: Sequence[Candidate], case: Case) -> Report:
    """Compare backends with the interpreter to the bit, all arrays after every event, until the first difference."""
    coverage = Coverage(universe)
    session = Session(universe, Interpreter(universe, CPU, coverage), tuple(candidates), case.scenario(universe))
    divergence = None
    for event in _events(universe, session, coverage, case):
        divergence = session.run(event)
        if divergence is not None:
            break
    names = tuple(candidate.backend.name for candidate in candidates)
    ticks = session.ticks * session.reference.shape.lanes
    return Report(universe.name, names, session.compared, ticks, dict(coverage.counts), divergence)


def _events(universe: Universe, session: Session, coverage: Coverage, case: Case) -> Iterator[Event]:
    shape = session.reference.shape
    injector, script = Injector(universe, shape, case.number), Script(universe, shape.lanes)
    yield Reset()
    for _ in range(min(script.length, WALK)):
        yield Step(script.actions(session.reference))
    for index in range(ROUNDS):
        if index >= 2 and not coverage.never_fired:
            break
        yield Inject(injector.state())
        yield Step(injector.actions(0.5))
    yield Inject(injector.state())
    yield Rollout(TICKS, _policy(universe, injector, case), case.every_tick)


def _policy(universe: Universe, injector: Injector, case: Case) -> Policy:
    match case.policy:
        case "random":
            return RandomPolicy()
        case "recorded":
            return RecordedPolicy(torch.stack([injector.actions(0.3) for _ in range(TICKS)]))
        case "table" | "table of probabilities":
            return some_table(universe, case.policy != "table", case.number)
