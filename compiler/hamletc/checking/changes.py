"""Changes of meters by the statements of a tick: which can raise one, and which can lower one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from hamlet import universe
from hamlet.universe import Assign, Expression, Span
from hamletc import intervals
from hamletc.intervals import ANYTHING, Interval


@dataclass(slots=True)
class Changes:
    """The meters that some statements can raise, and those that some can lower, with these statements."""

    raised: dict[str, list[Span]] = field(default_factory=dict)
    lowered: dict[str, list[Span]] = field(default_factory=dict)

    def add(self, meter: str, span: Span, *, rises: bool = True, falls: bool = True) -> None:
        """Add a statement that can change a meter."""
        if rises:
            self.raised.setdefault(meter, []).append(span)
        if falls:
            self.lowered.setdefault(meter, []).append(span)

    def assign(self, statement: Assign, old: Interval | None, value: Interval | None, *, within: bool) -> None:
        """Add a statement that writes a meter.

        Args:
            old: where the meter lies before; `None` where nobody knows.
            value: where the value of the statement lies.
            within: whether the meter is within its bounds then.
        """
        rises, falls = True, True
        if value is not None:
            match statement.op:
                case "+=":
                    rises, falls = value.high > 0, value.low < 0
                case "-=":
                    rises, falls = value.low < 0, value.high > 0
                case "=" if old is not None:
                    rises, falls = value.high > old.low, value.low < old.high
                case "=":
                    pass
        if statement.op == "=" and within:
            rises = rises and not _stays(statement.value, statement.meter, "min")
            falls = falls and not _stays(statement.value, statement.meter, "max")
        self.add(statement.meter, statement.span, rises=rises, falls=falls)


def _stays(value: Expression, meter: str, op: Literal["min", "max"]) -> bool:
    """Whether a value is never above the meter (`min`) or never below it (`max`), as in `record = max(record, age)`."""
    match value:
        case universe.MeterValue() | universe.WorldValue() | universe.CellValue():
            return value.meter == meter
        case universe.Binary(op="min" | "max", left=left, right=right):
            both = (_stays(left, meter, op), _stays(right, meter, op))
            return any(both) if value.op == op else all(both)
        case universe.If(then=then, otherwise=otherwise):
            return _stays(then, meter, op) and _stays(otherwise, meter, op)
        case _:
            return False


def result_of(assign: Assign, old: Interval | None, value: Interval | None) -> Interval | None:
    """Where a meter lies behind an assignment, not yet clamped."""
    if value is None or (old is None and assign.op != "="):
        return None
    try:
        match assign.op:
            case "+=" if old is not None:
                return intervals.add(old, value)
            case "-=" if old is not None:
                return intervals.subtract(old, value)
            case _:
                return value
    except OverflowError:
        return ANYTHING
