"""Differences outside the functions of a program: in what a kernel does around them, or in a recorded run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hamlet.backend.protocol import Stream
from hamlet_lab.diff.align import history
from hamlet_lab.diff.evaluated import Evaluated
from hamlet_lab.diff.evaluation import Evaluation, Spot, words
from hamlet_lab.diff.explain import suppositions
from hamlet_lab.diff.finding import Finding, Glimpse
from hamlet_lab.diff.inspect import action_that_gives, bf16_of, restarts
from hamlet_lab.diff.match import CPU
from hamlet_lab.diff.outputs import output_of
from hamlet_lab.diff.parting import Outcome
from hamlet_lab.diff.rerun import Rerun
from hamlet_lab.diff.side import Side
from hamlet_lab.diff.words import computed
from hamlet_lab.verify import Candidate
from hamlet_lab.verify.arrays import Array, Difference
from hamlet_lab.verify.locate import value_of
from hamlet_lab.verify.report import Value
from hamlet_lab.verify.writers import writers
from hamletc.ir.evaluate import Array as NumpyArray
from hamletc.targets.body import reachable, versions

MOST_SUPPOSITIONS = 4
PHASES = (
    ("the beginning of an episode", ("episode", "layout", "places")),
    ("the end of an episode", ("alive",)),
    ("the clock", ("hour",)),
    ("the sum of rewards", ("episode_return",)),
    ("observing", ("observation",)),
    ("observing the end of an episode", ("final_observation",)),
    ("masks", ("mask",)),
    ("statistics", ("uses", "causes", "lengths", "finished_return")),
)
"""What kernels do around the functions, and what it leaves. The rest are results of functions, stored."""


def around(side: Side, other: Side, outcome: Outcome, run: Rerun) -> Finding:
    """The phase in which a side departs from its program, and what it has instead of what it should have."""
    found = {difference.array: difference for difference in run.departures}
    phase, first = _phase(found, run.departures[0])
    notes = []
    if phase == "the beginning of an episode" and not restarts(outcome, first):
        notes.append("the value found is the one before: no new episode began")
    if first.array in ("observation", "final_observation") and bf16_of(first.expected, first.found):
        notes.append("the value found is the expected one rounded to bfloat16")
    notes += _history(side, run, first)
    expected, supposed = _expected(side, other, outcome, run, first, f"{first.array} {first.row}".strip())
    notes += supposed
    notes += [f"it comes from {writer}" for writer in writers(side.universe, first.array, first.row)]
    name = f"{first.array} {first.row}".strip()
    return Finding(
        _blame(side),
        phase,
        first.index if first.column == "lane" else None,
        expected,
        Glimpse(side.label, name, value_of(first.found)),
        tuple(notes),
    )


def _expected(
    side: Side, other: Side, outcome: Outcome, run: Rerun, first: Difference, name: str
) -> tuple[Glimpse, list[str]]:
    """What the program gives, and by which operation where one of its functions does; and, where nothing can be looked
    into, what done differently would give what was found."""
    place = output_of(side.universe, side.form.program, first)
    call = None if place is None else next((call for call in run.calls if call.function == place.function), None)
    stored = Glimpse(other.label, name, value_of(first.expected))
    if place is None or call is None or first.column != "lane":
        return stored, []
    function = side.form.program.function(place.function)
    evaluation, spot = Evaluation(side.form.program, function, call), Spot(first.index, place.element)
    value = function.output(place.output).value
    given = replace(computed(side, evaluation, value, spot), label=other.label)
    if given.value != stored.value:
        # A new episode, or what happens to the dead, came after the function.
        return stored, []
    if side.kernels is not None:
        return given, []
    expected, found = (_row(arrays, first) for arrays in (run.arrays, outcome.after))
    computed_here = np.broadcast_to(words(evaluation.values[value]), (place.element + 1, len(found)))[place.element]
    supposed = suppositions(evaluation, value, place.element, found, call.lanes & (expected == computed_here))
    notes = []
    for each in supposed[:MOST_SUPPOSITIONS]:
        source = side.source(evaluation.node(each.value).origin)
        where = (
            ""
            if source is None
            else f", in {source.construct}" + (f" ({source.file}:{source.line})" if source.line else "")
        )
        notes.append(f"everything found in this row is that of {each.text}{where}")
    return given, notes


def _row(arrays: Sequence[Array], first: Difference) -> NumpyArray:
    """The bits of the row of a difference, [columns]."""
    array = next(array for array in arrays if array.name == first.array)
    return words(array.values[array.rows.index(first.row)].numpy())


def _history(side: Side, run: Rerun, first: Difference) -> list[str]:
    """What the program leaves in a state in this tick, construct by construct, where nothing else can be looked at."""
    place = output_of(side.universe, side.form.program, first)
    call = next((call for call in run.calls if call.function == "tick"), None)
    if side.kernels is not None or place is None or place.function != "tick" or call is None:
        return []
    function = side.form.program.function("tick")
    evaluation, spot = Evaluation(side.form.program, function, call), Spot(first.index)
    states = versions(function, reachable(function.nodes, [output.value for output in function.outputs]))
    found, result = value_of(first.found), []
    for write in history(evaluation, states, place.output, function.output(place.output).value):
        value = evaluation.shown(write.value, spot)
        mark = "  <- the value found: what follows had no effect there" if value == found else ""
        result.append(f"the program has {value} after {write.origin.construct}{mark}")
    return result


def wrong_action(side: Side, other: Side, outcome: Outcome, stream: Stream, run: Rerun) -> Finding:
    """A random policy whose functions are right draws other actions."""
    first = next((each for each in run.departures if each.column == "lane"), run.departures[0])
    program = Evaluated(side.universe, side.form.program, "program")
    expected, found = "", ""
    if first.column == "lane":
        actions = action_that_gives(Candidate(program, CPU), side.universe, outcome, stream, first.index)
        expected, found = actions.expected, actions.found
    return Finding(
        _blame(side),
        "the random policy",
        first.index if first.column == "lane" else None,
        Glimpse(other.label, "the action", Value(expected, "")),
        Glimpse(side.label, "the action, by what it did", Value(found, "")),
        ("with these actions given, instead of drawn, both sides agree",),
    )


def _blame(side: Side) -> str:
    if side.interprets:
        return f"{side.label} does not do what its universe is lowered to"
    if side.kernels is None:
        return f"{side.label} does not have what its program gives"
    return f"{side.label} departs from its program, in what it does around the program's functions"


def _phase(found: dict[str, Difference], otherwise: Difference) -> tuple[str, Difference]:
    for phase, arrays in PHASES:
        for array in arrays:
            if array in found:
                return phase, found[array]
    return "what a tick leaves", otherwise
