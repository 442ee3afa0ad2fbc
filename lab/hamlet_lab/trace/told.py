"""A trace in words, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator

from hamlet.numbers.binary32 import spell32
from hamlet_lab.trace.changes import Change, Tick, Trace

GIVEN_KINDS = ("meter.", "world.")
MANY = ("cells.", "pairs.")
"""States of which there may be thousands; they are told where somebody asks for them."""


def lines(trace: Trace, states: Collection[str] = ()) -> Iterator[str]:
    """The trace as text: of each tick its action and its changes. `states`: the names of those that are told, all but
    those of cells and pairs where there are none."""
    course = trace.course
    place = f"world {course.world}, agent {trace.agent}, seed {course.seed}"
    first, last = int(course.ticks[0]), int(course.ticks[-1])
    yield f"{course.label}, {place}: ticks {first} .. {last}"
    told = {tick.number: [each for each in tick.changes if _told(each, states)] for tick in trace.ticks}
    shown = [each for changes in told.values() for each in changes]
    names = max((len(name_of(each.state)) for each in shown), default=0)
    values = max((len(_values(each)) for each in shown), default=0)
    for tick in trace.ticks:
        end = f"  ended by {tick.ended}" if tick.ended else ""
        yield f"tick {tick.number}  {tick.action}  reward {spell32(tick.reward)}{end}"
        for each in told[tick.number]:
            yield f"  {name_of(each.state):<{names}}  {_values(each):<{values}}  {each.source}"
    left = sum(len(tick.changes) for tick in trace.ticks) - len(shown)
    if left and not states:
        yield f"{left:,} changes of cells and pairs are left out: --state NAME shows them"
    yield _equal(trace)


def to_json(trace: Trace, states: Collection[str] = ()) -> str:
    """The trace as JSON; a change has both values in decimal and in hex."""
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
    told = tick.changes if not states else [each for each in tick.changes if _told(each, states)]
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
                "construct": each.source.construct,
                "file": each.source.file,
                "line": each.source.line,
                "text": each.source.text.strip(),
            }
            for each in told
        ],
    }


def _told(change: Change, states: Collection[str]) -> bool:
    if not states:
        return not change.state.startswith(MANY)
    bare = change.state.partition("[")[0]
    return any(name in (change.state, bare, name_of(change.state), bare.partition(".")[2]) for name in states)


def _values(change: Change) -> str:
    return f"{change.before.text} -> {change.after.text}"


def _equal(trace: Trace) -> str:
    course = trace.course
    if trace.differs is None:
        return f"{len(trace.ticks)} of {len(trace.ticks)} ticks: the program leaves every bit that {course.label} left"
    tick, field = trace.differs
    return f"tick {tick}: {course.label} left another {field} than the program: `hamletc diff` finds where"
