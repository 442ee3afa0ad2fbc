"""Names that stand where a number must be written: sizes, hours, ticks, coordinates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.report import Findings
from hamletc.expansion.trees import roles
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
    written = finder.tree(clock)
    if written is not None and (hours := written.hours.text).isdigit():
        names.hours = int(hours[:LONGEST_CLOCK])
    declarations = tuple(written if item is clock else finder.tree(item) for item in file.declarations)
    return None if finder.failed else replace(file, declarations=declarations)


class _Numbers:
    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self.failed = False

    def tree(self, node: Any) -> Any:
        """The node with the numbers below it written out. None stands inside an expression."""
        if isinstance(node, tuple):
            items = tuple(self.tree(item) for item in node)
            return items if any(new is not old for new, old in zip(items, node, strict=True)) else node
        if isinstance(node, syntax.Signed):
            return node if node.value is None else self._number(node, node.value)
        if node is None or isinstance(node, str | bool | syntax.Name):
            return node
        changes: dict[str, Any] = {}
        for name, role in roles(node):
            old = getattr(node, name)
            new = self.tree(old) if role == "tree" else old
            if new is not old:
                changes[name] = new
        return replace(node, **changes) if changes else node

    def _number(self, signed: syntax.Signed, value: syntax.Expr) -> syntax.Signed:
        number = self._expressions.exact(value, f"`{signed.text.strip('`')}`, which stands for a number,")
        if number is None:
            self.failed = True
            return signed
        is_whole = number.is_integer() and abs(number) < LARGEST_WHOLE
        return replace(signed, text=f"{number:.0f}" if is_whole else repr(number), value=None)
