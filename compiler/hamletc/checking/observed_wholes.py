"""Whole numbers that agents observe as such: each value of one has a row, or is a number of a discrete space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from hamlet import universe
from hamletc import messages
from hamletc.checking.draft import Draft
from hamletc.checking.report import Findings
from hamletc.checking.wholes import LARGEST_WHOLE, wholes_in
from hamletc.intervals import Interval

MOST_HOT = 4096
"""The most values of an expression that have a row each."""


def check_observed_wholes(draft: Draft, lies: Callable[[universe.Expression], Interval], report: Findings) -> None:
    """Report what is observed value by value and may be no whole number, or has too many values; `lies` says where."""
    if draft.space is None:
        return
    wholes = wholes_in(draft, draft.space)
    discrete = draft.discrete()
    hot = [item for item in draft.observed() if isinstance(item, universe.ObserveHot)]
    every: list[universe.ObserveHot | universe.ObserveValue] = [*hot, *discrete]
    for item in every:
        if report.said(item.value.span):
            continue
        is_hot = isinstance(item, universe.ObserveHot)
        span, doubt, where = item.value.span, wholes.doubt(item.value), lies(item.value)
        if doubt is not None:
            word: Literal["hot", "discrete"] = "hot" if is_hot else "discrete"
            report.add(messages.observations.ObservedNotWhole(span, word, item.value, doubt))
        elif is_hot and where.high - where.low >= MOST_HOT:
            report.add(messages.observations.TooManyValues(span, where, MOST_HOT))
        elif max(-where.low, where.high) > LARGEST_WHOLE:
            report.add(messages.observations.ValuesBeyondWholes(span, where, LARGEST_WHOLE))
