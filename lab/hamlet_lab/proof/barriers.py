"""Barriers of a block, which keep apart what the warps of a world load and store of it.

Each thread meets the same number of barriers, so what one does before a barrier is done when others are behind it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hamlet_lab.proof.of_schedule import Word


@dataclass(slots=True)
class Met:
    """How many barriers a thread has met by now, and where it loads and stores numbers of its world: words, and rows of
    cells, of which it takes some itself and loads others."""

    count: int = 0
    loads: dict[Word, set[int]] = field(default_factory=dict)
    stores: dict[Word, set[int]] = field(default_factory=dict)

    def loads_of(self, word: Word) -> None:
        """A load, by now."""
        self.loads.setdefault(word, set()).add(self.count)

    def stores_of(self, word: Word) -> None:
        """A store, by now."""
        self.stores.setdefault(word, set()).add(self.count)


@dataclass(slots=True)
class Barriers:
    """The barriers that threads of a world meet, in all cases."""

    cases: list[Met] = field(default_factory=list)

    def unordered(self, cells: str) -> str | None:
        """In words, what no barrier keeps apart; `cells` is the array whose words may be loaded behind a store, too."""
        if len({each.count for each in self.cases}) > 1:
            return "threads of a block meet different numbers of barriers"
        for word in {word for each in self.cases for word in each.stores}:
            loads = {at for each in self.cases for at in each.loads.get(word, ())}
            stores = {at for each in self.cases for at in each.stores.get(word, ())}
            if loads & stores or (word[0] != cells and loads and max(loads) > min(stores)):
                return f"no barrier is between a load of {word[0]}[{word[1]}] and a store to it, which warps may do"
        return None
