"""Differences of meaning between two universes: which parts are new, gone or changed, by their values and not by
their text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from hamlet.policies.parts import OF_THE_TEXT, differing, parts_of, values_of, without_places
from hamlet_lab.divergence.record import SourceLine
from hamlet_lab.divergence.session import Side

How: TypeAlias = Literal["new", "gone", "changed"]
TOLD = 3
"""Values of a part that are told one by one, at most."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part in which two universes differ.

    Attributes:
        name: its kind and name: "affordance Bed", "lifespan", "the order of meters".
        how: on the right, beside the left.
        left, right: its first line there; `None` where it stands nowhere.
        values: what differs in it: "decay 0.02 -> 0.03"; none where that is much.
    """

    name: str
    how: How
    left: SourceLine | None
    right: SourceLine | None
    values: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """The part as text."""
        yield f"  {self.how:<7}  {self.name}" + (f": {', '.join(self.values)}" if self.values else "")
        for each in (self.left, self.right):
            if each is not None and each.line:
                yield f"           {each.file}:{each.line}  {each.text.strip()}".rstrip()


def meaning(left: Side, right: Side) -> tuple[Part, ...]:
    """The parts in which two universes differ; none where their texts alone do."""
    ours, theirs = values_of(left.universe), values_of(right.universe)
    names = differing(parts_of(left.universe), parts_of(right.universe))
    return tuple(_part(name, ours.get(name), theirs.get(name), left, right) for name in names)


def _part(name: str, ours: Any, theirs: Any, left: Side, right: Side) -> Part:
    if not ours or not theirs:
        return Part(name, "new" if theirs else "gone", _place(name, ours, left), _place(name, theirs, right), ())
    values = list(_values(ours, theirs, _Way("", ours, theirs)))
    # One line is shown of each side: that of the first value.
    first = values[0][1] if values else _Way("", ours, theirs)
    told = tuple(said for said, _ in values) if len(values) <= TOLD else ()
    return Part(name, "changed", _place(name, first.left, left), _place(name, first.right, right), told)


@dataclass(frozen=True, slots=True)
class _Way:
    """The way to a value: the entry of the part that it is in, and what stands nearest around it in both texts."""

    entry: str
    left: Any
    right: Any

    def into(self, key: str, left: Any, right: Any) -> _Way:
        """The way to what is one step further."""
        around = [each if _placed(each) else before for each, before in ((left, self.left), (right, self.right))]
        return _Way(self.entry or key.replace("_", " "), *around)


def _placed(value: Any) -> bool:
    return isinstance(value, dict) and "span" in value


def _place(name: str, value: Any, side: Side) -> SourceLine | None:
    """The first line of a part."""
    while isinstance(value, list) and value:
        value = value[0]
    match value:
        case {"span": [int(line), _, _, _, *file]}:
            title = side.universe.sources[file[0] if file and isinstance(file[0], int) else 0]
            return side.with_text(SourceLine(name, title, line))
        case _:
            return None


def _values(ours: Any, theirs: Any, way: _Way) -> Iterator[tuple[str, _Way]]:
    """The values that differ between two trees, each with the way to it."""
    match ours, theirs:
        case dict(), dict() if ours.get("kind") == theirs.get("kind"):
            for key in {**ours, **theirs}:
                if key not in OF_THE_TEXT:
                    pair = ours.get(key), theirs.get(key)
                    yield from _values(*pair, way.into(key, *pair))
        case list(), list() if len(ours) == len(theirs):
            for pair in zip(ours, theirs, strict=True):
                yield from _values(*pair, way.into("", *pair))
        case _ if without_places(ours) != without_places(theirs):
            yield f"{way.entry} {_plain(ours)} -> {_plain(theirs)}".strip(), way
        case _:
            pass


def _plain(value: Any) -> str:
    match value:
        case None | [] | {}:
            return "nothing"
        case {"kind": "Number", "value": int(number) | float(number)} | (int(number) | float(number)):
            return f"{number:.9g}"
        case str():
            return value
        case _:
            return "another expression"
