"""Whole numbers where only a number may stand: sizes, hours, ticks, coordinates."""

from __future__ import annotations

from hamletc.checking.report import Report
from hamletc.language import syntax

LONGEST = 18


def whole_number(numeral: syntax.Signed, low: int, high: int, what: str, report: Report) -> int | None:
    """The number, or an error and `None`. `what` names it: "the radius"."""
    value = any_whole_number(numeral, what, report)
    if value is None or low <= value <= high:
        return value
    report.add(
        "H033",
        f"{what} must be {low} .. {high}" if high > low else f"{what} must be {low}",
        numeral.span,
        hint=f"Write a whole number from {low} to {high}." if high > low else f"Write {low}.",
    )
    return None


def any_whole_number(numeral: syntax.Signed, what: str, report: Report) -> int | None:
    """The number, however large; or an error and `None`."""
    digits = numeral.text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        report.add("H032", f"{what} must be a whole number", numeral.span, hint="Write digits only, as in 24.")
        return None
    if len(digits) > LONGEST:
        report.add("H033", f"{what} is far too large", numeral.span, hint="Write a smaller whole number.")
        return None
    return int(numeral.text)
