"""From a parting to its cause: who is to blame, and the first value that differs.

Each side should give what its program gives. A side that does not is to blame: its kernels are looked at line by line,
the interpreter statement by statement, and where functions are right, what is done around them. If both sides do, their
programs differ: see `alignment`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.protocol import RandomPolicy, RecordedPolicy, Stream
from hamlet.interpreter import Interpreter, Write
from hamlet.numbers.binary32 import bits32
from hamlet.schema import abi
from hamlet.universe import Universe
from hamlet_lab.divergence.alignment import between_programs
from hamlet_lab.divergence.arrays import Array, Difference, bits, differences
from hamlet_lab.divergence.events import CPU, Candidate, Event, Reset, Rollout, Runner, Step, ticks_of
from hamlet_lab.divergence.executed import Executed, Rerun, rerun
from hamlet_lab.divergence.explain import explanations, suppositions
from hamlet_lab.divergence.kernels import Fault, first_fault
from hamlet_lab.divergence.locate import locate, retold, writers
from hamlet_lab.divergence.record import Cause, Divergence, Reading, Value, source_at, value_of
from hamlet_lab.divergence.session import Outcome, Parting, Side
from hamlet_lab.divergence.values import PHASES, Evaluation, Spot, computed, show, words
from hamletc.ir.evaluate import Array as NumpyArray
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import STAGES, Program, function_of, pairer, reducer, ticking
from hamletc.ir.ops import Value as Node
from hamletc.kernel.calls import FunctionCall

POLICY = ("policy", "choose", "steer")
OBSERVING = {"observe": ("observation", "final_observation"), "mask": ("mask",)}
"""The functions that are seen by what they write alone."""
REDUCING = tuple(name(stage) for stage in STAGES for name in (reducer, pairer))
OBSERVED = {array for arrays in OBSERVING.values() for array in arrays}
AROUND = (
    ("the beginning of an episode", ("episode", "layout", "places")),
    ("the end of an episode", ("alive",)),
    ("the clock", ("hour",)),
    ("the sum of rewards", ("episode_return",)),
    ("observing", ("observation",)),
    ("observing the end of an episode", ("final_observation",)),
    ("masks", ("mask",)),
    ("statistics", (*abi.COUNTS, *abi.LANE_COUNTS)),
)
"""Phases of kernels around the functions, and the arrays that each writes. The rest are results of functions, stored.
"""
MOST_SUPPOSITIONS = 4


def explained(parting: Parting) -> Divergence:
    """The record of a parting with its cause."""
    return replace(locate(parting), cause=cause(parting))


def cause(parting: Parting) -> Cause:
    """The first value that differs, and why."""
    (left, right), stream = parting.sides, parting.stream
    ours = rerun(left.universe, left.form.program, parting.left, stream)
    theirs = rerun(right.universe, right.form.program, parting.right, stream)
    if ours.departures:
        return _Blamed(left, right, parting.left, stream, ours, parting.difference).cause().swapped()
    if theirs.departures:
        return _Blamed(right, left, parting.right, stream, theirs, parting.difference).cause()
    return between_programs(parting, ours, theirs)


@dataclass(frozen=True, slots=True)
class _Blamed:
    """A side that does not have what its program gives. The other side, on the left of the cause, stands for
    the program.
    `known` is the difference in the record, with the constructs that it can come from."""

    side: Side
    other: Side
    outcome: Outcome
    stream: Stream
    run: Rerun
    reported: Difference

    def cause(self) -> Cause:
        policy = self._right_with_given_actions()
        cause = self._wrong_line(policy)
        if cause is None and isinstance(self.side.candidate.backend, Interpreter):
            cause = self._wrong_statement()
        if cause is None:
            cause = self._wrong_action() if policy else self._around()
        return cause

    def _told(
        self, blame: str, phase: str, lane: int | None, left: Reading, right: Reading, notes: list[str] | None = None
    ) -> Cause:
        world, agent = (None, None) if lane is None else divmod(lane, self.outcome.before.shape.agents)
        return Cause(blame, phase, world, agent, left, right, tuple(notes or ()))

    def _wrong_line(self, policy: bool) -> Cause | None:
        """The first wrong line of the side's kernels; `None` where it has none."""
        kernels = self.side.compiled().kernels
        if kernels is None:
            return None
        faults = (first_fault(kernels, call) for call in self._suspects(policy))
        fault = next((each for each in faults if each is not None), None)
        if fault is None:
            return None
        evaluation, value, spot = fault.evaluation, fault.value, fault.spot
        right = computed(self.side, evaluation, value, spot)
        actual = show(evaluation.node(value).type, fault.actual)
        code = right.code if fault.line is None else f"{kernels.file}:{fault.line[0]}: {fault.line[1]}"
        return self._told(
            f"{self.side.label} does not compute what its program says",
            PHASES[evaluation.call.function],
            evaluation.call.lane(spot.lane),
            replace(right, label=self.other.label),
            replace(right, code=code, value=actual),
            [*evaluation.call.asked(spot.lane), *_how(fault), *explanations(evaluation, value, spot, fault.actual)],
        )

    def _suspects(self, policy: bool) -> list[FunctionCall]:
        """The calls whose functions may be wrong, in the order of a tick."""
        if policy:
            return [call for call in self.run.calls if call.function in POLICY]
        outputs, event = _Outputs(self.side.universe, self.outcome), self.outcome.event
        departed = {difference.array for difference in self.run.departures}
        result = []
        for call in self.run.calls:
            written = OBSERVING.get(call.function)
            if written is not None:
                # Where more differs than what is observed, that is a consequence.
                suspect = not departed.isdisjoint(written) and departed <= OBSERVED
            elif call.function in REDUCING:
                # What lanes add is seen by what comes of it alone.
                suspect = bool(departed - OBSERVED)
            else:
                suspect = call.function not in POLICY and (
                    ticks_of(event) > 1 or outputs.contradicts(self.side.form.program, call, isinstance(event, Reset))
                )
            if suspect:
                result.append(call)
        return result

    def _wrong_statement(self) -> Cause | None:
        """The first statement after which the interpreter has another value in a meter than the program; `None` where
        meters are not what differs."""
        side, lane, call = self.side, self.run.lane, self.run.call("tick")
        if lane is None or call is None:
            return None
        evaluation = Evaluation(side.form.program, call)
        spot, writes = Spot(lane), retold(side.universe, self.outcome, self.stream, lane).writes
        wrong = [_first_wrong(evaluation, spot, meter.name, writes) for meter in side.universe.meters]
        firsts = [each for each in wrong if each is not None]
        if not firsts:
            return None
        value, bits, write = min(firsts, key=lambda each: each[0])
        shown = show(evaluation.node(value).type, bits)
        theirs = Reading(side.label, "no statement writes here", shown)
        if write is not None:
            source = side.with_text(source_at(side.universe, write.construct, write.span))
            code = f"{write.meter}, as {write.construct} leaves it"
            theirs = Reading(side.label, code, shown, (), source)
        ours = computed(self.other, evaluation, value, spot)
        return self._told(self._blame(), PHASES["tick"], lane, ours, theirs)

    def _right_with_given_actions(self) -> bool:
        """Whether a rollout that goes wrong with random actions goes right with these actions given."""
        event = self.outcome.event
        if not isinstance(event, Rollout) or not isinstance(event.policy, RandomPolicy):
            return False
        told = retold(self.side.universe, self.outcome, self.stream)
        policy, by_tick = RecordedPolicy(torch.stack(told.actions)), dict(event.by_tick)
        if controls := [each for each in told.controls if each is not None]:
            by_tick["controls"] = torch.stack(controls)
        arrays = self._rerun(self.side.candidate, replace(event, policy=policy, by_tick=by_tick))
        return next(differences(self.run.arrays, arrays), None) is None

    def _wrong_action(self) -> Cause:
        """A random policy whose functions are right draws other actions."""
        lane, expected, actual = self.run.lane, "", ""
        if lane is not None:
            told = retold(self.side.universe, self.outcome, self.stream)
            drawn = told.actions[0]
            actions = schema.action_names(self.side.universe)
            expected, actual = actions[int(drawn[lane])], self._action_that_gives(drawn, told.controls[0], lane)
        return self._told(
            self._blame(),
            "the random policy",
            lane,
            Reading(self.other.label, "the action", Value(expected, "")),
            Reading(self.side.label, "the action, by what it did", Value(actual, "")),
            ["with these actions given, instead of drawn, both sides agree"],
        )

    def _action_that_gives(self, drawn: Tensor, controls: Tensor | None, lane: int) -> str:
        """The actions of a lane, in place of the one drawn, that explain what was found after the first tick."""
        program = Candidate(Executed(self.side.universe, self.side.form.program, "program"), CPU)
        actual, does = _column(self.outcome.after, lane), []
        for number, name in enumerate(schema.action_names(self.side.universe)):
            actions = drawn.clone()
            actions[lane] = number
            outputs = _column(self._rerun(program, Step(actions, controls)), lane)
            if all(torch.equal(value, actual[array]) for array, value in outputs.items()):
                does.append(name)
        return " or ".join(does) or "none that gives this"

    def _rerun(self, candidate: Candidate, event: Event) -> list[Array]:
        runner = Runner.resumed(self.side.universe, candidate, self.outcome.before)
        return [array.copied() for array in runner.apply(event, self.stream)]

    def _around(self) -> Cause:
        """The phase in which the side departs from its program, and what it has instead of what it should have."""
        departed = {difference.array: difference for difference in self.run.departures}
        phases = ((phase, departed[array]) for phase, arrays in AROUND for array in arrays if array in departed)
        phase, first = next(phases, ("what a tick leaves", self.run.departures[0]))
        notes = []
        if phase == "the beginning of an episode" and not self._restarts(first):
            notes.append("the value found is the one before: no new episode began")
        if first.array in ("observation", "final_observation") and _rounded(first):
            notes.append("the value found is the expected one rounded to bfloat16")
        notes += self._history(first)
        expected, supposed = self._expected(first)
        notes += supposed
        if first.name != self.reported.name:
            notes += [f"it comes from {source}" for source in writers(self.side.universe, first.array, first.row)]
        actual = Reading(self.side.label, first.name, value_of(first.actual))
        return self._told(self._blame(), phase, first.lane, expected, actual, notes)

    def _blame(self) -> str:
        if isinstance(self.side.candidate.backend, Interpreter):
            return f"{self.side.label} does not do what its universe is lowered to"
        if self.side.compiled().kernels is None:
            return f"{self.side.label} does not have what its program gives"
        return f"{self.side.label} departs from its program, in what it does around the program's functions"

    def _restarts(self, difference: Difference) -> bool:
        """Whether the world of a difference has begun a new episode."""
        before, agents = self.outcome.before, self.outcome.before.shape.agents
        world = difference.index if difference.column == "world" else difference.index // agents
        after = next(array for array in self.outcome.after if array.name == "episode")
        return int(after.values[0, world]) != int(before.state["episode"][world])

    def _expected(self, first: Difference) -> tuple[Reading, list[str]]:
        """The value that the program gives, with the operation where one of its functions computes it; and, where
        nothing can be looked into, the operations that would give the other side's value if they were done differently.
        """
        side, program = self.side, self.side.form.program
        stored = Reading(self.other.label, first.name, value_of(first.expected))
        place = output_of(side.universe, program, first)
        call = None if place is None else self.run.call(place.function)
        if place is None or call is None or first.column != "lane":
            return stored, []
        evaluation, spot = Evaluation(program, call), Spot(first.index, place.element)
        value = evaluation.function.output(place.output).value
        reading = replace(computed(side, evaluation, value, spot), label=self.other.label)
        if reading.value != stored.value:
            # A new episode, or what happens to the dead, came after the function.
            return stored, []
        if side.compiled().kernels is not None:
            return reading, []
        expected, actual = (_row(arrays, first) for arrays in (self.run.arrays, self.outcome.after))
        here = np.broadcast_to(words(evaluation.values[value]), (place.element + 1, len(actual)))[place.element]
        supposed = suppositions(evaluation, value, place.element, actual, call.lanes & (expected == here))
        notes = []
        for each in supposed[:MOST_SUPPOSITIONS]:
            source = side.source(evaluation.node(each.value).origin)
            where = "" if source is None else f", in {source.construct}"
            where += f" ({source.file}:{source.line})" if source is not None and source.line else ""
            notes.append(f"everything found in this row is that of {each.text}{where}")
        return reading, notes

    def _history(self, first: Difference) -> list[str]:
        """The values of a state in this tick by the program, construct by construct, where nothing else can be seen."""
        program, call = self.side.form.program, self.run.call("tick")
        place = output_of(self.side.universe, program, first)
        if self.side.compiled().kernels is not None or place is None or place.function != "tick" or call is None:
            return []
        evaluation = Evaluation(program, call)
        actual, result = value_of(first.actual), []
        for left in evaluation.history(place.output, evaluation.function.output(place.output).value):
            value = evaluation.shown(left.value, Spot(first.index))
            mark = "  <- the value found: what follows had no effect there" if value == actual else ""
            result.append(f"the program has {value} after {left.origin.title}{mark}")
        return result


def _how(fault: Fault) -> Iterator[str]:
    """How a wrong line was seen, where that is worth a word."""
    if fault.returned:
        yield "the line is right where it is looked at, and what the function returns is not"
    elif not fault.together:
        yield "seen only where the lines that it is computed from are not looked at: operations were merged"


def _first_wrong(
    evaluation: Evaluation, spot: Spot, meter: str, writes: list[Write]
) -> tuple[Node, int, Write | None] | None:
    """The value of the program after the first statement where the interpreter has another one; its bits, its write."""
    made = {(write.span.file, write.span.line): write for write in writes if write.meter == meter}
    state = f"meter.{meter}"
    start = evaluation.entering(state)
    if start is None:
        return None
    actual = evaluation.bits(start, spot)
    for left in evaluation.history(state, evaluation.function.output(state).value):
        write = made.get((left.origin.file, left.origin.line))
        actual = actual if write is None else bits32(write.value)
        if actual != evaluation.bits(left.value, spot):
            return left.value, actual, write
    return None


def _rounded(difference: Difference) -> bool:
    """Whether what was found is what was expected, rounded to bfloat16."""
    expected, actual = difference.expected, difference.actual
    return expected.dtype == torch.float32 and bool(torch.equal(bits(expected.bfloat16().float()), bits(actual)))


def _row(arrays: list[Array], first: Difference) -> NumpyArray:
    """The bits of the row of a difference, [columns]."""
    array = next(array for array in arrays if array.name == first.array)
    return words(array.values[array.rows.index(first.row)].numpy())


def _column(arrays: list[Array], lane: int) -> dict[str, Tensor]:
    """The bits of the state and the outcome of a lane."""
    left_out = (*OBSERVED, "finished_return", *abi.LANE_COUNTS)
    lanes = [each for each in arrays if each.column == "lane" and each.name not in left_out]
    return {each.name: bits(each.values[:, lane]) for each in lanes}


class _Outputs:
    """The outputs of a side after an event, by the names that functions have for them."""

    def __init__(self, universe: Universe, outcome: Outcome) -> None:
        agents = outcome.before.shape.agents
        arrays = {array.name: array.values for array in outcome.after}
        outcomes = schema.outcome_fields(universe)
        self._outcomes = {name for field in outcomes for name in field.names}
        self._values: dict[str, NumpyArray] = {}
        for field in (*schema.state_fields(universe), *outcomes):
            values = np.atleast_2d(arrays[field.name].numpy())
            if field.per == "world":
                values = np.repeat(values, agents, axis=1)
            self._values |= dict(zip(field.names, values, strict=True))
        began = outcome.before.state["episode"].numpy() != arrays["episode"].numpy().reshape(-1)
        self._began = np.repeat(began, agents)

    def contradicts(self, program: Program, call: FunctionCall, reset: bool) -> bool:
        """Whether an output of the called function is not what it should be, where nothing wrote over it. `reset`: the
        event was a reset."""
        results = evaluate(program.function(call.function), call.inputs, program.tables, program.functions)
        everywhere = np.ones_like(self._began)
        for name in results.keys() & self._values.keys():
            if call.function in ("shuffle", "reset"):
                seen = everywhere if reset else self._began
            else:
                seen = everywhere if name in self._outcomes else ~(everywhere if reset else self._began)
            if ((words(results[name]) != words(self._values[name])) & seen & call.lanes).any():
                return True
        return False


@dataclass(frozen=True, slots=True)
class OutputPlace:
    """An output of a function, and the element of it."""

    function: str
    output: str
    element: int = 0


def output_of(universe: Universe, program: Program, difference: Difference) -> OutputPlace | None:
    """The output that gives the row of a difference in a tick; `None` where no function does."""
    row = difference.row
    match difference.array:
        case "observation":
            number = schema.observation_names(universe).index(row)
            segment = next(each for each in schema.observation_segments(universe) if number < each.offset + each.count)
            return OutputPlace("observe", segment.name, number - segment.offset)
        case "mask":
            number = schema.action_names(universe).index(row)
            for output in program.function("mask").outputs:
                if number < (output.count or 1):
                    return OutputPlace("mask", output.name, number)
                number -= output.count or 1
            return None
        case array:
            fields = (*schema.state_fields(universe), *schema.outcome_fields(universe))
            rows = {field.name: dict(zip(field.rows or ("",), field.names, strict=True)) for field in fields}
            name = rows.get(array, {}).get(row)
            functions = (program.function(each) for each in map(function_of, ticking()) if program.has(each))
            giving = (each.name for each in functions if any(output.name == name for output in each.outputs))
            function = next(giving, None)
            return None if function is None or name is None else OutputPlace(function, name)
