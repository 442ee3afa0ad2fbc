"""Checking: from a syntax tree to a Universe, or to what is wrong with it."""

from __future__ import annotations

import keyword
from dataclasses import replace

from hamlet.numbers.binary32 import canonical32
from hamlet.schema.bounds import unclamped_meters
from hamlet.universe import Meter, Universe
from hamletc.checking import trees
from hamletc.checking.course import check_course
from hamletc.checking.declarations import resolve
from hamletc.checking.draft import Draft
from hamletc.checking.inert import check_inert
from hamletc.checking.names import Names
from hamletc.checking.ranges import State
from hamletc.checking.reach import check_ranges
from hamletc.checking.report import Report
from hamletc.checking.space import check_start
from hamletc.diagnostics import Diagnostic
from hamletc.language import syntax

DEEPEST_TREE = 200
"""The most levels that an expression may have."""


def check(file: syntax.File, source_names: tuple[str, ...]) -> tuple[Universe | None, tuple[Diagnostic, ...]]:
    """The universe that a file describes, and the diagnostics in source order.

    The universe is `None` where one of them is an error. `source_names` are the names, without their folder, of the
    files that spans refer to by number. What has an error is left out of the later stages, so that one mistake is
    reported once; unread names and warnings are looked for when all else is right.
    """
    report = Report(inert_allowed=any(isinstance(item, syntax.InertDecl) for item in file.declarations))
    _check_name(file.name, report)
    names = Names(file, report)
    draft = resolve(file, names, report)
    complete = report.harmless
    if draft.start is not None and trees.reads_speed(draft):
        check_start(draft.start, report)
    if _is_shallow(draft, report):
        reach = check_ranges(draft, names, report)
        if complete:
            check_inert(file.name, draft, reach.changes, names, report)
            if report.harmless and not report.inert_allowed:
                check_course(draft, names, reach, report)
    if report.failed:
        return None, report.in_source_order()
    draft.start = trees.start_that_shows(draft)
    universe = draft.finish(file.name.text, source_names, velocity=trees.reads_velocity(draft))
    return None if universe is None else _with_reach(universe, reach.meters), report.in_source_order()


def _with_reach(universe: Universe, ends: State) -> Universe:
    """The universe with how far the meters reach that some statement leaves unclamped."""

    def reaching(meter: Meter) -> Meter:
        end = ends.get(meter.name)
        low, high = (meter.low, meter.high) if end is None else (canonical32(end.low), canonical32(end.high))
        return replace(meter, reach=(low, high))

    loose = unclamped_meters(universe)
    return replace(
        universe, meters=tuple(reaching(meter) if meter.name in loose else meter for meter in universe.meters)
    )


def _is_shallow(draft: Draft, report: Report) -> bool:
    """Whether all expressions can be walked over by recursion; long ones of `min` and `max` are reported."""
    deep = [tree for tree in trees.expressions(draft) if max(level for _, level in trees.nodes(tree)) > DEEPEST_TREE]
    for tree in deep:
        report.add(
            "H015",
            f"an expression of more than {DEEPEST_TREE} levels",
            tree.span,
            hint="A rule can compute a meter in steps.",
        )
    return not deep


def _check_name(name: syntax.Name, report: Report) -> None:
    if name.text.isidentifier() and not keyword.iskeyword(name.text):
        return
    is_word = keyword.iskeyword(name.text)
    report.add(
        "H053",
        f"a universe cannot be called `{name.text}`",
        name.span,
        "a word of Python" if is_word else "no name in Python",
        hint=f"Its package could not be imported; `{name.text}_` could."
        if is_word
        else "Its package could not be imported; use letters, digits and underscores.",
    )
