"""A trace in words, and as JSON."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Collection, Iterator

from hamlet.numbers.binary32 import spell32
from hamlet_lab.divergence.record import SourceLine
from hamlet_lab.trace.changes import Change, Local, Tick, Trace

GIVEN_KINDS = ("meter.", "world.")
MANY = ("cells.", "pairs.")
"""States of which there may be thousands; they are told where somebody asks for them."""


def lines(trace: Trace, states: Collection[str] = ()) -> Iterator[str]:
    """The trace as text: of each tick its action, its changes, and locals between them. `states`: the names of those
    that are told, all but those of cells and pairs where there are none."""
    course = trace.course
    place = f"world {course.world}, agent {trace.agent}, seed {course.seed}"
    first, last = int(course.ticks[0]), int(course.ticks[-1])
    yield f"{course.label}, {place}: ticks {first} .. {last}"
    told = {tick.number: [each for each in _in_order(tick) if _told(each, states)] for tick in trace.ticks}
    shown = [each for changes in told.values() for each in changes]
    names = max((len(_name(each)) for each in shown), default=0)
    values = max((len(_values(each)) for each in shown), default=0)
    for tick in trace.ticks:
        end = f"  ended by {tick.ended}" if tick.ended else ""
        yield f"tick {tick.number}  {tick.action}  reward {spell32(tick.reward)}{end}"
        for each in told[tick.number]:
            yield f"  {_name(each):<{names}}  {_values(each):<{values}}  {each.source}"
    left = sum(not _told(each, states) for tick in trace.ticks for each in tick.changes)
    if left and not states:
        yield f"{left:,} changes of cells and pairs are left out: --state NAME shows them"
    yield _equal(trace)


def to_json(trace: Trace, states: Collection[str] = ()) -> str:
    """The trace as JSON; a change has both values in decimal and in hex, a local how many changes are before it."""
    course = trace.course
    about = {
        "universe": course.universe.name,
        "ran": course.label,
        "world": course.world,
        "agent": trace.agent,
        "seed": course.seed,
        "equal": trace.differs is None,
        "differs": None if trace.differs is None else {"tick": trace.differs[0], "field": trace.differs[1]},
        "ticks": [_tick(tick, states) for tick in trace.ticks],
    }
    return json.dumps(about, indent=1, ensure_ascii=False) + "\n"


def name_of(state: str) -> str:
    """The name of a state for readers: that of a meter is its own."""
    return next((state.removeprefix(kind) for kind in GIVEN_KINDS if state.startswith(kind)), state)


def _tick(tick: Tick, states: Collection[str]) -> dict[str, object]:
    told = [(number, each) for number, each in enumerate(tick.changes) if not states or _told(each, states)]
    numbers = [number for number, _ in told]
    return {
        "tick": tick.number,
        "action": tick.action,
        "reward": tick.reward,
        "ended": tick.ended,
        "changes": [
            {
                "state": each.state,
                "before": each.before.text,
                "after": each.after.text,
                "bits": [each.before.bits, each.after.bits],
                **_source(each.source),
            }
            for _, each in told
        ],
        "locals": [
            {
                "name": each.name,
                "value": each.value.text,
                "bits": each.value.bits,
                "changes_before": bisect_left(numbers, each.before),
                **_source(each.source),
            }
            for each in tick.locals
            if not states or _told(each, states)
        ],
    }


def _source(source: SourceLine) -> dict[str, object]:
    return {"construct": source.construct, "file": source.file, "line": source.line, "text": source.text.strip()}


def _in_order(tick: Tick) -> Iterator[Change | Local]:
    """Changes with locals where they are worked out."""
    locals_ = list(tick.locals)
    for number, change in enumerate(tick.changes):
        while locals_ and locals_[0].before <= number:
            yield locals_.pop(0)
        yield change
    yield from locals_


def _name(told: Change | Local) -> str:
    return told.name if isinstance(told, Local) else name_of(told.state)


def _told(told: Change | Local, states: Collection[str]) -> bool:
    match told:
        case Local(name=name):
            bare = name.partition("[")[0]
            return any(each in (name, bare, bare.removeprefix("let ")) for each in states) if states else name == bare
        case Change(state=state) if states:
            bare = state.partition("[")[0]
            return any(each in (state, bare, name_of(state), bare.partition(".")[2]) for each in states)
        case Change(state=state):
            return not state.startswith(MANY)


def _values(told: Change | Local) -> str:
    return told.value.text if isinstance(told, Local) else f"{told.before.text} -> {told.after.text}"


def _equal(trace: Trace) -> str:
    course = trace.course
    if trace.differs is None:
        return f"{len(trace.ticks)} of {len(trace.ticks)} ticks: the program leaves every bit that {course.label} left"
    tick, field = trace.differs
    return f"tick {tick}: {course.label} left another {field} than the program: `hamletc diff` finds where"
