"""Numbers where no expression may stand: sizes, hours, ticks, coordinates."""

from __future__ import annotations

from hamletc.checking.intervals import SMALLEST
from hamletc.checking.report import Report
from hamletc.language import syntax

LONGEST = 18


def whole_number(numeral: syntax.Signed | syntax.Numeral, low: int, high: int, what: str, report: Report) -> int | None:
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


def any_whole_number(numeral: syntax.Signed | syntax.Numeral, what: str, report: Report) -> int | None:
    """The number, however large; or an error and `None`."""
    digits = numeral.text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        report.add("H032", f"{what} must be a whole number", numeral.span, hint="Write digits only, as in 24.")
        return None
    if len(digits) > LONGEST:
        report.add("H033", f"{what} is far too large", numeral.span, hint="Write a smaller whole number.")
        return None
    return int(numeral.text)


def any_number(numeral: syntax.Signed, largest: float, what: str, report: Report) -> float | None:
    """The number in binary64, or an error and `None` where it is beyond `largest` on either side, or too small."""
    value = float(numeral.text)
    if value != 0 and abs(value) <= SMALLEST / 2:
        report.add("H035", f"{what} is too small: it would become 0", numeral.span, hint="Write 0, or a larger number.")
        return None
    if abs(value) <= largest:
        return value
    report.add(
        "H033",
        f"{what} must be {-largest:g} .. {largest:g}",
        numeral.span,
        hint=f"Write a number from {-largest:g} to {largest:g}.",
    )
    return None
