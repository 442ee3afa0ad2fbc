"""Names that stand where a number must be written: sizes, hours, ticks, coordinates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.report import Findings
from hamletc.expansion.trees import Field, rebuilt
from hamletc.language import syntax

LONGEST_CLOCK = 9
"""The most digits of a clock's hours that count; so many are an error."""
LARGEST_WHOLE = 1e18
"""Up to this size a whole number is written without an exponent."""


def with_numbers(file: syntax.File, names: Names, report: Findings) -> syntax.File | None:
    """The file with the numbers that such expressions are, in binary64; or `None`, where one is no number and that has
    been reported."""
    finder = _Numbers(Expressions(names, report))
    clock = next((item for item in file.declarations if isinstance(item, syntax.ClockDecl)), None)
    # A number of days is one of hours of the clock.
    written = clock if clock is None else finder.tree(clock)
    if written is not None and (hours := written.hours.text).isdigit():
        names.hours = int(hours[:LONGEST_CLOCK])
    declarations: tuple[syntax.Decl, ...]
    declarations = tuple(written if item is clock else finder.tree(item) for item in file.declarations)
    return None if finder.failed else replace(file, declarations=declarations)


class _Numbers:
    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self.failed = False

    def tree(self, node: Any, field: Field | None = None) -> Any:
        """The node with the numbers below it written out. None stands inside an expression."""
        if isinstance(node, syntax.Signed):
            return node if node.value is None else self._number(node, node.value)
        return node if field is not None and field.role == "expression" else rebuilt(node, self.tree)

    def _number(self, signed: syntax.Signed, value: syntax.Expr) -> syntax.Signed:
        number = self._expressions.exact(value, f"`{signed.text.strip('`')}`, which stands for a number,")
        if number is None:
            self.failed = True
            return signed
        is_whole = number.is_integer() and abs(number) < LARGEST_WHOLE
        return replace(signed, text=f"{number:.0f}" if is_whole else repr(number), value=None)
