"""Items of `observe`: what they are resolved with, and what they need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from hamlet import universe
from hamlet.frozen import dataclass
from hamlet.numbers.binary32 import canonical32
from hamlet.universe import Span
from hamletc import messages
from hamletc.checking.draft import Draft
from hamletc.checking.names import Names
from hamletc.checking.report import Findings
from hamletc.language import syntax

Item: TypeAlias = syntax.ObserveItem | syntax.GroupItem | syntax.ObserveListed


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of items in the making. `first` says whether what has a name of some sort is observed for the first time,
    or may be observed again, and reports it otherwise."""

    names: Names
    draft: Draft
    report: Findings
    first: Callable[[str, str, Span], bool]

    @property
    def space(self) -> universe.Space | None:
        """The space of the universe."""
        return self.draft.space

    def nothing(self, item: Item, what: messages.observations.Item) -> None:
        """Report that there is nothing that the item shows."""
        self.report.add(messages.observations.NothingToObserve(item.span, what))

    def has_grid(self, item: Item) -> bool:
        """Whether there is a grid, or the space has errors; otherwise that is reported."""
        if self.space is None or isinstance(self.space, universe.Grid):
            return True
        self._misses_space(item, "a grid", self.space)
        return False

    def has_space(self, item: Item) -> bool:
        """Whether agents are somewhere; otherwise that is reported."""
        if not isinstance(self.space, universe.NoSpace):
            return True
        self._misses_space(item, "a space", self.space)
        return False

    def _misses_space(self, item: Item, needed: Literal["a space", "a grid"], space: universe.Space) -> None:
        none = isinstance(space, universe.NoSpace)
        self.report.add(messages.observations.SpaceMissing(item.span, item.keyword(), needed, space.span, none))


def word_of(item: Item) -> Span:
    """The place of the word that an item begins with."""
    span = item.span
    return Span(span.line, span.column, span.line, span.column + len(item.keyword()), span.file)


def number_at(value: float, span: Span) -> universe.Number:
    """A constant, as binary32, at a place."""
    return universe.Number(canonical32(value), span)
