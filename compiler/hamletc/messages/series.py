"""Series, and the indices that go through them."""

from __future__ import annotations

from hamletc.diagnostics import Edit, Finding, Told, finding

_INDEX = "An index is a name of your own, which stands for each thing in turn: `total(c) over c in c1 .. c10`."


@finding("H320")
class NoSeries(Finding):
    """Two ends between which there is no series; `downwards` is the list of what goes down from the first one."""

    first: str
    last: str
    most: int
    downwards: str | None = None

    def told(self) -> Told:
        message = f"`{self.first} .. {self.last}` is no series"
        if self.downwards is not None:
            hint = f"A series goes up. What goes down stands in a list: `{self.downwards}`."
            return Told(message, hint, edits=(Edit(self.span, self.downwards),))
        hint = (
            "A series goes from a whole number up to another, `1 .. 10`, or through names that end in one, `c1 .. c10`;"
            f" it has at most {self.most}. Other names stand in a list: `c in (Bakery, Mill)`."
        )
        return Told(message, hint)


@finding("H320")
class SeriesOutOfStep(Finding):
    """Series that go in step, and are not as long."""

    lengths: tuple[int, ...]

    def told(self) -> Told:
        hint = "What goes in step has one for each of the other: `use Cell(c1 .. c9, 1 .. 9)`."
        return Told(f"series of {' and '.join(map(str, self.lengths))} do not go in step", hint)


@finding("H320")
class SeriesOfOthers(Finding):
    """Not as many series as indices."""

    indices: int
    series: int

    def told(self) -> Told:
        hint = "Each index goes through a series of its own: `(c, n) in (c1 .. c10, 1 .. 10)`."
        return Told(f"{self.indices} indices go through {self.series} series", hint)


@finding("H320")
class NotThroughSeries(Finding):
    """A function that joins nothing."""

    function: str

    def told(self) -> Told:
        hint = "`count`, `total`, `average`, `lowest` and `highest` of one expression go through a series."
        return Told(f"`{self.function}` does not go through a series", hint)


@finding("H320")
class TooMuchThroughSeries(Finding):
    most: int

    def told(self) -> Told:
        hint = (
            "Go through fewer, or let a rule compute a state that others read: each thing of a series is written out."
        )
        return Told(f"series stand for more than {self.most:,} names, numbers and operations", hint)


@finding("H321")
class IndexOfWord(Finding):
    name: str

    def told(self) -> Told:
        return Told(f"`{self.name}` is a word of the language, and no index", _INDEX)


@finding("H321")
class UnusedIndex(Finding):
    name: str

    def told(self) -> Told:
        hint = "Use it, so that each time is about another thing; what is the same each time is `repeat 10 { ... }`."
        return Told(f"the index `{self.name}` is never used", hint)


@finding("H321")
class IndexTwice(Finding):
    name: str

    def told(self) -> Told:
        return Told(f"two indices are called `{self.name}`", "Give each a name of its own.")


@finding("H321")
class IndexIsNoName(Finding):
    """An index of numbers where something is named."""

    name: str
    meaning: str

    def told(self) -> Told:
        hint = "Go through names there, which can go in step with numbers: `(c, n) in (c1 .. c10, 1 .. 10)`."
        return Told(f"`{self.name}` is the number {self.meaning} where a name has to stand", hint)
