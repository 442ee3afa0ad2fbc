"""Where meters lie at a place of a tick, for many places that differ in a few meters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hamletc.checking import intervals
from hamletc.checking.intervals import Interval


class Levels(Mapping[str, Interval | None]):
    """An unchanging mapping from meters to where they lie. After a write it shares what was not written, so that writes
    and joins cost no more in a universe with many meters."""

    __slots__ = ("_recent", "_shared")

    def __init__(self, shared: Mapping[str, Interval | None], recent: Mapping[str, Interval | None]) -> None:
        self._shared = shared
        self._recent = recent

    def __getitem__(self, name: str) -> Interval | None:
        return self._recent[name] if name in self._recent else self._shared[name]

    def __contains__(self, name: object) -> bool:
        return name in self._recent or name in self._shared

    def __iter__(self) -> Iterator[str]:
        yield from self._shared
        yield from (name for name in self._recent if name not in self._shared)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def write(self, name: str, where: Interval | None) -> Levels:
        """These, but for one meter."""
        return Levels(self._shared, {**self._recent, name: where})

    def settled(self) -> Levels:
        """The same, all of it shared where much is not; for a place from which others branch off."""
        many = len(self._recent) ** 2 > len(self._shared)
        return Levels({**self._shared, **self._recent}, {}) if many else self


def joined(levels: Sequence[Levels], bounds: Mapping[str, Interval]) -> Levels:
    """Where meters lie when they lie as in one of these; a meter that is missing lies in its `bounds`."""
    first = levels[0]
    if any(other._shared is not first._shared for other in levels):
        names = {name: None for each in levels for name in each}
        return Levels({name: _hull([each.get(name, bounds.get(name)) for each in levels]) for name in names}, {})
    written: dict[str, list[Interval | None]] = {}
    for each in levels:
        for name, where in each._recent.items():
            written.setdefault(name, []).append(where)
    recent: dict[str, Interval | None] = {}
    for name, found in written.items():
        others = [first._shared.get(name, bounds.get(name))] if len(found) < len(levels) else []
        recent[name] = _hull(found + others)
    return Levels(first._shared, recent).settled()


def _hull(found: Sequence[Interval | None]) -> Interval | None:
    whole = found[0]
    for where in found[1:]:
        if whole is None or where is None:
            return None
        whole = whole if where is whole else intervals.hull(whole, where)
    return whole
