"""Two programs whose results differ: the step on the way from their universes that parts them, and the operation.

The forms of both programs stand in a row, from the last of the left side back to its universe, and from the right
one's on to its last. The first two neighbours that give different results are aligned: values are paired from outputs
backwards. Versions of a state (`energy_0`, `energy_1`, ...) are paired by the constructs that wrote them, in order;
other values by the operands of the same operation. A pair is followed into operands that differ; where none does, or
where the functions are built differently, it is what was looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

import numpy as np
import torch

from hamlet.numbers.binary32 import spell32
from hamlet.schema import GIVEN, observation_segments
from hamlet.universe import Universe
from hamlet_lab.divergence.arrays import Difference
from hamlet_lab.divergence.compiled import Form, passes
from hamlet_lab.divergence.executed import Rerun
from hamlet_lab.divergence.explain import explanations
from hamlet_lab.divergence.locate import writers
from hamlet_lab.divergence.record import Cause, Reading, value_of
from hamlet_lab.divergence.record import Value as Shown
from hamlet_lab.divergence.session import Parting, Side
from hamlet_lab.divergence.values import PHASES, Evaluation, Spot, computed, words
from hamletc.ir.evaluate import Array, evaluate
from hamletc.ir.operands import operands
from hamletc.ir.ops import Const, Value
from hamletc.kernel.calls import FunctionCall


@dataclass(frozen=True, slots=True)
class Pair:
    """Values that differ, though what they are made of does not.

    Attributes:
        left, right: the values; `None` where a side has none.
        writers: the constructs that wrote a state last on either side ("nothing" where none did), where those differ.
            `left` and `right` are what they wrote, or the operations that read it.
        state: its name.
    """

    left: Value | None
    right: Value | None
    writers: tuple[str, str] | None = None
    state: str = ""


class Alignment:
    """The values of two evaluations at a spot, side by side."""

    def __init__(self, left: Evaluation, right: Evaluation, spot: Spot) -> None:
        self.left, self.right, self.spot = left, right, spot

    def first(self) -> Pair | None:
        """The first values that differ, in the order of the left function; `None` where no common output differs."""
        pairs: list[Pair] = []
        theirs = {output.name: output.value for output in self.right.function.outputs}
        for output in self.left.function.outputs:
            other = theirs.get(output.name)
            if other is not None and self._differs(output.value, other):
                pairs.append(self._trace(output.value, other, None))
        return min(pairs, key=lambda pair: (pair.left is None, pair.left or 0), default=None)

    def _differs(self, left: Value, right: Value) -> bool:
        return self.left.bits(left, self.spot) != self.right.bits(right, self.spot)

    def _trace(self, left: Value, right: Value, readers: tuple[Value, Value] | None) -> Pair:
        """From a pair that differs to the first one that does."""
        state = self.left.states.get(left)
        if state is not None and state == self.right.states.get(right):
            return self._writes(state, left, right, readers)
        return self._operation(left, right)

    def _operation(self, left: Value, right: Value) -> Pair:
        ours, theirs = self.left.node(left).op, self.right.node(right).op
        if type(ours) is not type(theirs) or len(operands(ours)) != len(operands(theirs)):
            return Pair(left, right)
        pairs = [pair for pair in zip(operands(ours), operands(theirs), strict=True) if self._differs(*pair)]
        pairs = [pair for pair in pairs if not self._constant(*pair)]
        return self._trace(*min(pairs), (left, right)) if pairs else Pair(left, right)

    def _constant(self, left: Value, right: Value) -> bool:
        """Whether one of them is a number: then it is the operation on it that the author wrote differently."""
        return isinstance(self.left.node(left).op, Const) or isinstance(self.right.node(right).op, Const)

    def _writes(self, state: str, left: Value, right: Value, readers: tuple[Value, Value] | None) -> Pair:
        """The first construct that leaves another value in a state, or that is another one, up to two versions."""
        histories = self.left.history(state, left), self.right.history(state, right)
        for ours, theirs in zip_longest(*histories):
            if ours is None or theirs is None or ours.origin.title != theirs.origin.title:
                break
            if self._differs(ours.value, theirs.value):
                return self._operation(ours.value, theirs.value)
        else:
            return self._operation(left, right)
        if (ours is None or theirs is None) and readers is not None:
            # One side reads the state before the other side's last writes to it.
            last = [writes[-1].origin.title if writes else "nothing" for writes in histories]
            return Pair(*readers, (last[0], last[1]), state)
        values = [None if each is None else each.value for each in (ours, theirs)]
        constructs = ["nothing" if each is None else each.origin.title for each in (ours, theirs)]
        return Pair(values[0], values[1], (constructs[0], constructs[1]), state)


@dataclass(frozen=True, slots=True)
class _Stage:
    """A form of a side's program, and the calls on which it is looked at."""

    side: Side
    form: Form
    calls: tuple[FunctionCall, ...]

    def evaluation(self, number: int) -> Evaluation:
        """All values of a call."""
        return Evaluation(self.form.program, self.calls[number])

    def results(self, number: int) -> dict[str, Array]:
        """The outputs of a call."""
        program, call = self.form.program, self.calls[number]
        return evaluate(program.function(call.function), call.inputs, program.tables, program.functions)


def between_programs(parting: Parting, ours: Rerun, theirs: Rerun) -> Cause:
    """The first operation that differs between neighbouring forms of two programs whose results differ; or, where all
    functions agree, what the universes declare for what is done around them."""
    left, right = parting.sides
    functions = _functions(left) & _functions(right)
    our_calls, their_calls = (tuple(call for call in run.calls if call.function in functions) for run in (ours, theirs))
    stages = [_Stage(left, form, our_calls) for form in reversed(left.compiled().forms)]
    stages += [_Stage(right, form, their_calls) for form in right.compiled().forms]
    for number, (call, other) in enumerate(zip(our_calls, their_calls, strict=False)):
        if call.function != other.function:
            break
        link = _first_link(stages, number)
        if link is not None:
            if link[0].side is link[1].side:
                link = _first_link(_with_passes(*link), number) or link
            return _between(*link, number, parting)
    return _declared(left, right, parting.difference)


def _functions(side: Side) -> set[str]:
    """The names of the functions that all forms of a side's program have."""
    names = [{function.name for function in form.program.functions} for form in side.compiled().forms]
    return set.intersection(*names)


def _first_link(stages: Sequence[_Stage], number: int) -> tuple[_Stage, _Stage] | None:
    """The first two neighbours that give different results in a call."""
    for first, second in pairwise(stages):
        if first.form.program is not second.form.program and _spot(first, second, number) is not None:
            return first, second
    return None


def _with_passes(first: _Stage, second: _Stage) -> list[_Stage]:
    """Two neighbouring forms of a side, with what the passes make in between where they lead from one to the other."""
    forms = first.side.compiled().forms
    forward = forms.index(first.form) < forms.index(second.form)
    begin, end = (first, second) if forward else (second, first)
    made = passes(first.side.universe, begin.form) if begin.form is forms[0] else ()
    stages = [begin, *(_Stage(first.side, form, first.calls) for form in made), end]
    return stages if forward else stages[::-1]


def _spot(first: _Stage, second: _Stage, number: int) -> Spot | None:
    """Where a common output of a function differs first."""
    used = first.calls[number].lanes & second.calls[number].lanes
    results, others = first.results(number), second.results(number)
    spots = []
    for name in results.keys() & others.keys():
        values, other = results[name], others[name]
        if other.shape == values.shape and other.dtype == values.dtype:
            differs = np.atleast_2d((words(values) != words(other)) & used)
            spots += [Spot(int(lane), int(element)) for element, lane in np.argwhere(differs)[:1]]
    return min(spots, key=lambda spot: (spot.lane, spot.element), default=None)


def _between(first: _Stage, second: _Stage, number: int, parting: Parting) -> Cause:
    """The first values that differ between two forms."""
    spot = _spot(first, second, number)
    assert spot is not None
    ours, theirs = first.evaluation(number), second.evaluation(number)
    pair = Alignment(ours, theirs, spot).first() or Pair(None, None)
    one_side = first.side is second.side
    call = first.calls[number]
    notes = [*call.asked(spot.lane)]
    if pair.writers is not None:
        notes.append(f"the last to write {pair.state} is {pair.writers[0]} on the left, {pair.writers[1]} on the right")
    elif pair.left is not None and pair.right is not None:
        notes += explanations(ours, pair.left, spot, theirs.bits(pair.right, spot))
    agents = parting.left.before.shape.agents
    return Cause(
        # The forms of the left side come in reverse.
        _blame(first, second, first if first.side is parting.sides[0] else second),
        PHASES[call.function],
        *divmod(call.lane(spot.lane), agents),
        _reading(first, ours, pair.left, spot, one_side),
        _reading(second, theirs, pair.right, spot, one_side),
        tuple(notes),
    )


def _reading(stage: _Stage, evaluation: Evaluation, value: Value | None, spot: Spot, one_side: bool) -> Reading:
    label = f"{stage.side.label}, after {stage.form.made_by}" if one_side else stage.side.label
    if value is None:
        return Reading(label, "nothing", None)
    return replace(computed(stage.side, evaluation, value, spot), label=label)


def _blame(first: _Stage, second: _Stage, later: _Stage) -> str:
    if first.side is not second.side:
        return f"{first.side.label} and {second.side.label} are lowered from universes that say different things"
    if later.form.made_by.startswith("the package's"):
        return f"{later.form.made_by} of {later.side.label} is not what this compiler makes of its universe"
    return f"{later.form.made_by} changes what the program of {later.side.label} computes"


def _declared(left: Side, right: Side, difference: Difference) -> Cause:
    """The cause where programs agree: the universes declare other defaults, or other ranges of bytes."""
    if difference.array in GIVEN:
        phase, blame = f"the {difference.array} at the beginning", "declare other defaults"
    else:
        phase = "what is done around the functions"
        blame = "do what their programs say, and differ around functions that agree"
    notes = []
    if difference.array in ("observation", "final_observation") and difference.expected.dtype == torch.uint8:
        ranges = [_range(side.universe, difference.row) for side in (left, right)]
        notes.append(f"bytes stand for {ranges[0]} on the left, for {ranges[1]} on the right")
    ours = _declaration(left, difference, value_of(difference.expected))
    theirs = _declaration(right, difference, value_of(difference.actual))
    return Cause(f"{left.label} and {right.label} {blame}", phase, None, None, ours, theirs, tuple(notes))


def _declaration(side: Side, difference: Difference, value: Shown) -> Reading:
    """The value of a side, and the first of the constructs that it can come from."""
    source = next(iter(writers(side.universe, difference.array, difference.row)), None)
    return Reading(side.label, difference.name, value, (), None if source is None else side.with_text(source))


def _range(universe: Universe, row: str) -> str:
    """Where the values of an observed row lie."""
    name = row.partition("[")[0]
    scale = next(segment.scale for segment in observation_segments(universe) if segment.name == name)
    return f"{spell32(scale.low)} .. {spell32(scale.high)}"
