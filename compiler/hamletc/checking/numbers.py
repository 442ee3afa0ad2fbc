"""Names that stand where a number must be written: sizes, hours, ticks, coordinates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.report import Findings
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.places import Places
from hamletc.expansion.trees import Field, number, rebuilt
from hamletc.language import syntax

LONGEST_CLOCK = 9
"""The most digits of a clock's hours that count; so many are an error."""
LARGEST_WHOLE = 1e18
"""Up to this size a whole number is written without an exponent."""


def with_numbers(file: syntax.File, names: Names, report: Findings) -> syntax.File | None:
    """The file with the numbers that such expressions are, in binary64; or `None`, where one is no number and that has
    been reported."""
    numbers = _Numbers(Expressions(names, report))
    declarations = _written(file.declarations, numbers, (names,))
    return None if numbers.failed else replace(file, declarations=declarations)


class Constants:
    """A step that writes numbers in place of constants, before what counts by them is written out. What is no constant
    stays. `counts_hours` says whether some were ticks of hours or days."""

    def __init__(self) -> None:
        self.counts_hours = False

    def written_out(
        self, declarations: tuple[syntax.Decl, ...], places: Places
    ) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
        """The declarations, and periods of hours or days that nothing has without a clock."""
        report, unheard = Findings(places), Findings()
        clocks = tuple(item for item in declarations if isinstance(item, syntax.ClockDecl))
        file = syntax.File(syntax.Name("", syntax.NOWHERE), clocks, syntax.NOWHERE)
        names, unheard_names = Names(file, report), Names(file, unheard)
        numbers = _Counts(Expressions(unheard_names, unheard), names)
        written = _written(declarations, numbers, (names, unheard_names))
        self.counts_hours = names.counts_hours
        return written, report.in_source_order()


def _written(
    declarations: tuple[syntax.Decl, ...], numbers: _Numbers, symbols: tuple[Names, ...]
) -> tuple[syntax.Decl, ...]:
    clock = next((item for item in declarations if isinstance(item, syntax.ClockDecl)), None)
    # A number of days is one of hours of the clock.
    written: Any = None if clock is None else numbers.tree(clock)
    if written is not None and (hours := written.hours.text).isdigit():
        for names in symbols:
            names.hours = int(hours[:LONGEST_CLOCK])
    return tuple(written if item is clock else numbers.tree(item) for item in declarations)


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
        exact = self._expressions.exact(value, f"`{signed.text.strip('`')}`, which stands for a number,")
        if exact is None:
            self.failed = True
            return signed
        is_whole = exact.is_integer() and abs(exact) < LARGEST_WHOLE
        return replace(signed, text=f"{exact:.0f}" if is_whole else repr(exact), value=None)


class _Counts(_Numbers):
    """Those that decide how much is written out: of things, and the periods of what moves."""

    def __init__(self, expressions: Expressions, names: Names) -> None:
        super().__init__(expressions)
        self._names = names

    def tree(self, node: Any, field: Field | None = None) -> Any:
        """The node with these numbers."""
        match node:
            case syntax.WearProperty(value=value) | syntax.MostProperty(value=value):
                constant = self._constant(value)
                return node if constant is value else replace(node, value=constant)
            case syntax.ParamDecl(bounds=(low, high)):
                bounds = self._constant(low), self._constant(high)
                return node if bounds[0] is low and bounds[1] is high else replace(node, bounds=bounds)
            case syntax.FollowsItem() | syntax.WandersItem():
                made = rebuilt(node, self.tree)
                return made if made.period is None else replace(made, period=self._period(made.period))
            case _:
                return super().tree(node, field)

    def _constant(self, value: syntax.Expr) -> syntax.Expr:
        constant = None if isinstance(value, syntax.Numeral) and not value.unit else self._expressions.exact(value, "")
        return value if constant is None else number(constant, value.span)

    def _period(self, period: syntax.Signed) -> syntax.Signed:
        """A period in ticks."""
        each = self._names.ticks_of(period.unit, period.span)
        if each is None or each == 1 or not period.text.isdigit():
            return period
        return replace(period, text=str(int(period.text) * each), unit="")
