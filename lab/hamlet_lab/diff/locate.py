"""From the event after which two runs differ to the first value that does.

Each side should give what its program gives. A side that does not is to blame: its kernels are looked at line by line,
the interpreter statement by statement. If both do, their programs differ: they are followed back, form by form and
pass by pass, to the universes they were lowered from, and the first two neighbours that differ are aligned.
"""

from __future__ import annotations

from dataclasses import replace

from hamlet_lab.diff import Parting
from hamlet_lab.diff.around import around, wrong_action
from hamlet_lab.diff.evaluated import Call
from hamlet_lab.diff.evaluation import show
from hamlet_lab.diff.finding import Finding, Glimpse
from hamlet_lab.diff.inspect import right_with_given_actions
from hamlet_lab.diff.kernel import Fault, first_fault
from hamlet_lab.diff.parting import Outcome
from hamlet_lab.diff.programs import between_programs
from hamlet_lab.diff.rerun import Rerun, rerun
from hamlet_lab.diff.side import Side
from hamlet_lab.diff.statements import statements
from hamlet_lab.diff.suspects import OBSERVED, OBSERVING, Found
from hamlet_lab.diff.words import PHASES, computed, explained
from hamlet_lab.verify.events import Reset, ticks_of

POLICY = ("policy", "choose")


def locate(left: Side, right: Side, parting: Parting) -> Finding:
    """The first value that differs, and why."""
    runs = tuple(
        rerun(side.universe, side.form.program, outcome, parting.stream)
        for side, outcome in ((left, parting.left), (right, parting.right))
    )
    for side, other, outcome, run in ((left, right, parting.left, runs[0]), (right, left, parting.right, runs[1])):
        if run.departures:
            policy = right_with_given_actions(side.contender, outcome, parting.stream, run.arrays)
            found = _within(side, other, outcome, run, policy)
            if found is None and side.interprets:
                found = statements(side, other, outcome, parting.stream, run)
            if found is None:
                found = (
                    wrong_action(side, other, outcome, parting.stream, run)
                    if policy
                    else around(side, other, outcome, run)
                )
            return found if side is right else replace(found, left=found.right, right=found.left)
    return between_programs(left, right, parting, runs[0], runs[1])


def _within(side: Side, other: Side, outcome: Outcome, run: Rerun, policy: bool) -> Finding | None:
    """The first wrong line of a side's kernels. The other side, on the left, has what the program says."""
    if side.kernels is None:
        return None
    for call in _suspects(side, outcome, run, policy):
        fault = first_fault(side.kernels, call)
        if fault is not None:
            return _wrong_line(side, other, fault)
    return None


def _suspects(side: Side, outcome: Outcome, run: Rerun, policy: bool) -> list[Call]:
    """The calls whose functions may be wrong, in the order of a tick."""
    if policy:
        return [call for call in run.calls if call.function in POLICY]
    found, program = Found(side.universe, outcome), side.form.program
    several = ticks_of(outcome.event) > 1
    departed = {difference.array for difference in run.departures}
    result = []
    for call in run.calls:
        written = OBSERVING.get(call.function)
        if written is not None:
            # Where more differs than what is observed, that is a consequence.
            suspect = not departed.isdisjoint(written) and departed <= OBSERVED
        else:
            suspect = call.function not in POLICY and (
                several or found.contradicts(program, call, isinstance(outcome.event, Reset))
            )
        if suspect:
            result.append(call)
    return result


def _wrong_line(side: Side, other: Side, fault: Fault) -> Finding:
    evaluation, value, spot = fault.evaluation, fault.value, fault.spot
    assert side.kernels is not None
    right = computed(side, evaluation, value, spot)
    left = replace(right, label=other.label)
    found = show(evaluation.node(value).type, fault.found)
    code = right.code if fault.line is None else f"{side.kernels.file}:{fault.line[0]}: {fault.line[1]}"
    notes = explained(evaluation, value, spot, fault.found)
    if fault.returned:
        notes.insert(0, "the line is right where it is looked at, and what the function returns is not")
    elif not fault.together:
        notes.insert(0, "seen only where the lines that it is computed from are not looked at: operations were merged")
    return Finding(
        f"{side.label} does not compute what its program says",
        PHASES[evaluation.call.function],
        spot.lane,
        left,
        Glimpse(side.label, code, found, right.inputs, right.source),
        tuple(notes),
    )
