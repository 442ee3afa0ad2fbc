"""Whole numbers that agents observe as such: each value of one has a row, or is a number of a discrete space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from hamlet import universe
from hamlet.universe import Expression
from hamletc import messages
from hamletc.checking.draft import Draft
from hamletc.checking.report import Findings
from hamletc.checking.wholes import LARGEST_WHOLE, Wholes, wholes_in
from hamletc.intervals import Interval

MOST_HOT = 4096
"""The most values of an expression that have a row each."""


def check_whole_groups(draft: Draft, lies: Callable[[Expression], Interval], report: Findings) -> None:
    """Report what stands in a group of whole numbers and may be none; `lies` says where."""
    groups = [(group, items) for group, items in draft.observed_in_groups() if group.numbers is not None]
    if draft.space is None or not groups:
        return
    wholes, cells = wholes_in(draft, draft.space), {meter.name: meter for meter in draft.cell_meters}
    for group, items in groups:
        for item in items:
            if report.said(item.span):
                continue
            whole, part = _is_whole(item, wholes, cells)
            where = _range(item, cells, lies)
            if not whole:
                report.add(messages.observations.NumberNotWhole(item.span, group.numbers or "int", part))
            elif where is not None and max(-where.low, where.high) > LARGEST_WHOLE:
                report.add(messages.observations.ValuesBeyondWholes(item.span, where, LARGEST_WHOLE))


def _is_whole(
    item: universe.Observation, wholes: Wholes, cells: dict[str, universe.CellMeter]
) -> tuple[bool, Expression | None]:
    """Whether all numbers of an item are whole; where they may be none, the part of an expression that says so."""
    match item:
        case universe.ObserveValue(value=value):
            part = wholes.doubt(value)
            return part is None, part
        case universe.ObserveView(value=value, own=own, beyond=beyond):
            doubts = [wholes.doubt(each) for each in (value, own) if each is not None]
            part = next((each for each in doubts if each is not None), None)
            return part is None and beyond.is_integer(), part
        case universe.ObserveCells(meter=meter, only=None):
            held = cells[meter].type if meter in cells else None
            return held is not None and held.whole, None
        case universe.ObserveConstant(values=values):
            return all(value.is_integer() for value in values), None
        case _:
            return True, None


def _range(
    item: universe.Observation, cells: dict[str, universe.CellMeter], lies: Callable[[Expression], Interval]
) -> Interval | None:
    match item:
        case universe.ObserveValue(value=value):
            return lies(value)
        case universe.ObserveView(low=low, high=high):
            return Interval(low, high)
        case universe.ObserveCells(meter=meter) if meter in cells:
            return Interval(cells[meter].low, cells[meter].high)
        case universe.ObserveConstant(values=values):
            return Interval(min(values), max(values))
        case _:
            return None


def check_observed_ranges(draft: Draft, lies: Callable[[Expression], Interval], report: Findings) -> None:
    """Report what is observed and can lie outside of the range that its author says; `lies` says where."""
    if not draft.within:
        return
    for item in draft.values():
        said = draft.within.get(item.span)
        if said is None or not isinstance(item, universe.ObserveValue) or report.said(item.value.span):
            continue
        where = lies(item.value)
        if where.low < said.low or where.high > said.high:
            report.add(messages.observations.ObservedOutsideItsRange(item.value.span, where, *said))


def check_observed_wholes(draft: Draft, lies: Callable[[universe.Expression], Interval], report: Findings) -> None:
    """Report what is observed value by value and may be no whole number, or has too many values; `lies` says where."""
    if draft.space is None:
        return
    wholes = wholes_in(draft, draft.space)
    discrete = draft.discrete()
    texts = draft.texts()
    hot = [item for item in draft.observed() if isinstance(item, universe.ObserveHot)]
    every: list[universe.ObserveHot | universe.ObserveValue] = [*hot, *discrete]
    for item in every:
        if report.said(item.value.span):
            continue
        is_hot = isinstance(item, universe.ObserveHot)
        span, doubt, where = item.value.span, wholes.doubt(item.value), lies(item.value)
        if doubt is not None:
            word: Literal["hot", "discrete", "text"] = "hot" if is_hot else "text" if span in texts else "discrete"
            report.add(messages.observations.ObservedNotWhole(span, word, item.value, doubt))
        elif is_hot and where.high - where.low >= MOST_HOT:
            report.add(messages.observations.TooManyValues(span, where, MOST_HOT))
        elif max(-where.low, where.high) > LARGEST_WHOLE:
            report.add(messages.observations.ValuesBeyondWholes(span, where, LARGEST_WHOLE))
        elif span in texts and where.high - where.low + 1 != len(texts[span].texts):
            report.add(messages.observations.TextsOfOtherNumber(span, len(texts[span].texts), where))
