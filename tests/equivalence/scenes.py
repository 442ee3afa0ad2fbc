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
from hamlet_lab.verify.fired import counting
from hamlet_lab.verify.injection import Injector
from hamlet_lab.verify.players import Script, some_table

WALK = 2
"""Ticks of a script that visits affordances."""

ROUNDS = 6
"""Injected states, at most; fewer, if everything has fired, or nothing new in `QUIET` of them in a row."""

QUIET = 2

TICKS = 3
"""Of a rollout."""


def compare(universe: Universe, candidates: Sequence[Candidate], case: Case) -> Comparison:
    """Compare backends with the interpreter to the bit, all arrays after every event, until the first difference."""
    coverage = counting(universe)
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
    left, quiet = len(coverage.never_fired), 0
    for _ in range(ROUNDS):
        yield Inject(injector.state())
        yield Step(injector.actions(0.5))
        quiet = quiet + 1 if len(coverage.never_fired) == left else 0
        left = len(coverage.never_fired)
        if left == 0 or quiet == QUIET:
            break
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
