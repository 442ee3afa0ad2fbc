"""What happens in a case: a few ticks in which, if it can be, everything in the universe fires."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from cases import Case

from hamlet.backend.protocol import Policy, RandomPolicy, RecordedPolicy
from hamlet.interpreter import Coverage, Interpreter
from hamlet.universe import Universe
from hamlet_lab.divergence.events import CPU, Event, Inject, Reset, Rollout, Step
from hamlet_lab.divergence.locate import locate
from hamlet_lab.divergence.session import Session, Side
from hamlet_lab.verify import Candidate, Comparison
from hamlet_lab.verify.injection import Injector
from hamlet_lab.verify.players import Script, some_table

WALK = 5
"""Ticks of a script that visits affordances."""

ROUNDS = 6
"""Injected states, at most; two, if by then everything has fired."""

TICKS = 5
"""Of a rollout."""


def compare(universe: Universe, candidates: Sequence[Candidate], case: Case) -> Comparison:
    """Compare backends with the interpreter to the bit, all arrays after every event, until the first difference."""
    coverage = Coverage(universe)
    left = Side("interpreter", universe, Candidate(Interpreter(universe, CPU), CPU))
    others = [Side(candidate.backend.name, universe, candidate) for candidate in candidates]
    session = Session(left, others, case.scenario(universe), coverage)
    parts = (session.run(event) for event in _events(universe, session, coverage, case))
    parting = next((part for part in parts if part is not None), None)
    names = tuple(side.label for side in others)
    ticks = session.ticks * session.reference.shape.lanes
    divergence = None if parting is None else locate(parting)
    return Comparison(left.label, names, session.compared, ticks, dict(coverage.counts), divergence, must_fire="all")


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
