"""Tables: their sizes, their files, and what reads them."""

from __future__ import annotations

from math import prod

from hamlet.universe import Expression, Span
from hamletc.diagnostics import Finding, Label, Told, finding
from hamletc.intervals import Interval
from hamletc.language.spelling import counted
from hamletc.messages.ranges import called

_OF_FILES = "The file of a table holds numbers with commas between them, line by line: leave headings and names out."
_LONGEST_CELL = 24


@finding("H276")
class TableTooLarge(Finding):
    table: str
    most: int
    axes: int

    def told(self) -> Told:
        hint = "Split it, or compute a part of it: `let` names an expression."
        return Told(f"the table `{self.table}` has more than {self.most:,} numbers, or than {self.axes} sizes", hint)


@finding("H276")
class TableOfOtherSize(Finding):
    """A table whose sizes ask for another number of numbers than it has."""

    table: str
    sizes: tuple[int, ...]
    numbers: int

    def told(self) -> Told:
        sizes = " x ".join(map(str, self.sizes))
        hint = f"Write {prod(self.sizes)}, row by row, or leave the sizes out: then there is one index."
        return Told(f"the table `{self.table}` of {sizes} has {counted(self.numbers, 'number')}", hint)


@finding("H277")
class NoNumber(Finding):
    """A line of a file with something else than numbers; `cell` is the first such thing."""

    cell: str

    def told(self) -> Told:
        cell = self.cell if len(self.cell) <= _LONGEST_CELL else f"{self.cell[:_LONGEST_CELL]}..."
        return Told(f"`{cell}` is no number" if cell else "there is a place without a number in this line", _OF_FILES)


@finding("H277")
class LineUnread(Finding):
    reason: str

    def told(self) -> Told:
        return Told(f"this line cannot be read as numbers: {self.reason}", _OF_FILES)


@finding("H277")
class LineOfOtherLength(Finding):
    numbers: int
    first: int

    def told(self) -> Told:
        message = f"this line has {counted(self.numbers, 'number')}, and the lines before it have {self.first}"
        return Told(message, "Every line of the file of a table has as many numbers as the first one.")


@finding("H277")
class FileWithoutNumbers(Finding):
    def told(self) -> Told:
        return Told("this file has no numbers", _OF_FILES)


@finding("H275")
class OtherNumberOfIndices(Finding):
    table: str
    axes: int
    indices: int
    declared: Span

    def told(self) -> Told:
        example = ", ".join("ijklmnop"[: self.axes])
        message = f"`{self.table}` is read by {_indices(self.axes)}, not by {_indices(self.indices)}"
        hint = f"Write `{self.table}[{example}]`."
        return Told(message, hint, "", (Label(self.declared, "the table"),))


@finding("H275")
class TableWithoutIndex(Finding):
    table: str
    axes: int
    declared: Span

    def told(self) -> Told:
        example = ", ".join("ijklmnop"[: self.axes])
        secondary = (Label(self.declared, "declared as a table"),)
        return Told(f"`{self.table}` is a table, not a number", f"Write `{self.table}[{example}]`.", "", secondary)


@finding("H275")
class IndexOutside(Finding):
    """An index that is not proven to be inside of a table; `where` it lies, `whole` is whether it is a whole number as
    far as it is a constant."""

    table: str
    size: int
    where: Interval
    whole: bool

    def told(self) -> Told:
        last = self.size - 1
        hint = f"Keep it inside, as in `clamp(i, 0, {last})` or `mod(i, {self.size})`; a guard does not do that."
        label = f"this is {self.where}" if self.where.is_single else f"anywhere in {self.where}"
        what = f"an index of `{self.table}` is 0 to {last}" if self.whole else "an index must be a whole number"
        return Told(what, hint, label)


@finding("H275")
class IndexNotWhole(Finding):
    """An index that is not proven to be a whole number; `part` is what may be none."""

    table: str
    index: Expression
    part: Expression

    def told(self) -> Told:
        hint = "Make it one: `floor(x)`, `ceil(x)` or `round(x)`; a state `int in LOW .. HIGH` is one."
        label = f"{called(self.part, 'this')} may be no whole number" if self.part is not self.index else ""
        return Told(f"an index of `{self.table}` must be a whole number, and this may be none", hint, label)


def _indices(number: int) -> str:
    return f"{number} {'index' if number == 1 else 'indices'}"
