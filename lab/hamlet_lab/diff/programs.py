"""Two programs that differ: which step on the way from their universes parts them, and at which operation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import torch

from hamlet.numbers.binary32 import spell32
from hamlet.schema import GIVEN, observation_segments
from hamlet.universe import Universe
from hamlet_lab.diff import Parting
from hamlet_lab.diff.align import Alignment, Pair
from hamlet_lab.diff.evaluated import Call
from hamlet_lab.diff.evaluation import Evaluation, Spot, words
from hamlet_lab.diff.finding import Finding, Glimpse
from hamlet_lab.diff.forms import Form, passes
from hamlet_lab.diff.rerun import Rerun
from hamlet_lab.diff.side import Side
from hamlet_lab.diff.words import PHASES, computed, explained
from hamlet_lab.verify.arrays import Difference
from hamlet_lab.verify.locate import value_of
from hamlet_lab.verify.report import Value
from hamlet_lab.verify.writers import written_by
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Origin


@dataclass(frozen=True, slots=True)
class _Stage:
    """A form of a side's program, and the calls on which it is looked at."""

    side: Side
    form: Form
    calls: tuple[Call, ...]


def between_programs(left: Side, right: Side, parting: Parting, ours: Rerun, theirs: Rerun) -> Finding:
    """The first operation that differs between neighbouring forms of two programs whose results differ; or, where all
    functions agree, what the universes declare for what is done around them."""
    known = _functions(left) & _functions(right)
    our_calls, their_calls = (tuple(call for call in run.calls if call.function in known) for run in (ours, theirs))
    stages = [_Stage(left, form, our_calls) for form in reversed(left.forms)]
    stages += [_Stage(right, form, their_calls) for form in right.forms]
    for number, (call, other) in enumerate(zip(our_calls, their_calls, strict=False)):
        if call.function != other.function:
            break
        found = _first_link(stages, number)
        if found is not None:
            if found[0].side is found[1].side:
                found = _first_link(_with_passes(found), number) or found
            # The forms of the left side come in reverse.
            return _finding(*found, found[0] if found[0].side is left else found[1], number)
    return _declared(left, right, parting.difference)


def _declared(left: Side, right: Side, difference: Difference) -> Finding:
    """What two universes declare where their programs agree: defaults, the ranges of bytes."""
    phase, blame = (
        "what is done around the functions",
        "do what their programs say, and differ around functions that agree",
    )
    if difference.array in GIVEN:
        phase, blame = f"the {difference.array} at the beginning", "declare other defaults"
    values = value_of(difference.expected), value_of(difference.found)
    ours, theirs = (_declaration(side, difference, value) for side, value in zip((left, right), values, strict=True))
    notes = []
    if difference.array in ("observation", "final_observation") and difference.expected.dtype == torch.uint8:
        ranges = [_range(side.universe, difference.row) for side in (left, right)]
        notes.append(f"bytes stand for {ranges[0]} on the left, for {ranges[1]} on the right")
    return Finding(f"{left.label} and {right.label} {blame}", phase, None, ours, theirs, tuple(notes))


def _declaration(side: Side, difference: Difference, value: Value) -> Glimpse:
    """The value of a side, and the first of the constructs that it can come from."""
    name = f"{difference.array} {difference.row}".strip()
    found = written_by(side.universe, difference.array, difference.row)
    source = None if not found else side.source(Origin(found[0][0], found[0][1].line, found[0][1].file))
    return Glimpse(side.label, name, value, source=source)


def _range(universe: Universe, row: str) -> str:
    """Where the values of an observed row lie."""
    name = row.partition("[")[0]
    scale = next(segment.scale for segment in observation_segments(universe) if segment.name == name)
    return f"{spell32(scale.low)} .. {spell32(scale.high)}"


def _functions(side: Side) -> set[str]:
    """What all forms of a side's program have."""
    names = [{function.name for function in form.program.functions} for form in side.forms]
    return set.intersection(*names)


def _first_link(stages: Sequence[_Stage], number: int) -> tuple[_Stage, _Stage] | None:
    """The first two neighbours that give different results in a call."""
    for first, second in pairwise(stages):
        if first.form.program is not second.form.program and _spot(first, second, number) is not None:
            return first, second
    return None


def _with_passes(link: tuple[_Stage, _Stage]) -> list[_Stage]:
    """Two neighbouring forms of a side, with what the passes make in between where they lead from one to the other."""
    first, second = link
    side, calls = first.side, first.calls
    forward = side.forms.index(first.form) < side.forms.index(second.form)
    begin, end = (first, second) if forward else (second, first)
    between = (
        [_Stage(side, form, calls) for form in passes(side.universe, begin.form)] if begin.form is side.forms[0] else []
    )
    stages = [begin, *between, end]
    return stages if forward else stages[::-1]


def _spot(first: _Stage, second: _Stage, number: int) -> Spot | None:
    """Where a common output of a function differs first."""
    calls = first.calls[number], second.calls[number]
    used = calls[0].lanes & calls[1].lanes
    outputs = []
    for stage, call in zip((first, second), calls, strict=True):
        program = stage.form.program
        outputs.append(evaluate(program.function(call.function), call.inputs, program.tables, program.functions))
    spots = []
    for name, values in outputs[0].items():
        other = outputs[1].get(name)
        if other is None or other.shape != values.shape or other.dtype != values.dtype:
            continue
        differs = np.atleast_2d((words(values) != words(other)) & used)
        spots += [Spot(int(lane), int(element)) for element, lane in np.argwhere(differs)[:1]]
    return min(spots, key=lambda spot: spot.lane, default=None)


def _finding(first: _Stage, second: _Stage, later: _Stage, number: int) -> Finding:
    spot = _spot(first, second, number)
    assert spot is not None
    evaluations = []
    for stage in (first, second):
        call = stage.calls[number]
        evaluations.append(Evaluation(stage.form.program, stage.form.program.function(call.function), call))
    pair = Alignment(evaluations[0], evaluations[1], spot).first() or Pair(None, None)
    one_side = first.side is second.side
    ours = _glimpse(first, evaluations[0], pair.left, spot, one_side)
    theirs = _glimpse(second, evaluations[1], pair.right, spot, one_side)
    notes: list[str] = []
    if pair.writers is not None:
        notes.append(f"the last to write {pair.state} is {pair.writers[0]} on the left, {pair.writers[1]} on the right")
    elif pair.left is not None and pair.right is not None:
        notes += explained(evaluations[0], pair.left, spot, evaluations[1].bits(pair.right, spot))
    return Finding(
        _blame(first, second, later), PHASES[first.calls[number].function], spot.lane, ours, theirs, tuple(notes)
    )


def _glimpse(stage: _Stage, evaluation: Evaluation, value: int | None, spot: Spot, one_side: bool) -> Glimpse:
    label = f"{stage.side.label}, after {stage.form.made_by}" if one_side else stage.side.label
    if value is None:
        return Glimpse(label, "nothing", None)
    return replace(computed(stage.side, evaluation, value, spot), label=label)


def _blame(first: _Stage, second: _Stage, later: _Stage) -> str:
    if first.side is not second.side:
        return f"{first.side.label} and {second.side.label} are lowered from universes that say different things"
    if later.form.made_by.startswith("the package's"):
        return f"{later.form.made_by} of {later.side.label} is not what this compiler makes of its universe"
    return f"{later.form.made_by} changes what the program of {later.side.label} computes"
