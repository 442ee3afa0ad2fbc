"""Where copied text came from: each piece that is copied to another place is like a file of its own, with a number
behind those of the sources, so that every copy has places of its own and each can be told where it was written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import cache
from operator import is_not
from typing import Any, Literal, TypeVar, cast

from hamlet.frozen import dataclass
from hamlet.universe import Span
from hamletc.diagnostics import Diagnostic, Edit, Finding, Label

T = TypeVar("T")

_LEAVES = (str, int, float, bool, type(None))

MOST_LABELS = 4
"""How many copies of copies a diagnostic tells of."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A piece of text that stands somewhere else than where it is written.

    Attributes:
        file: the number of the file, or of the copy, that it was written in.
        user: what stands for it.
        shown: whether messages and generated code name the place of what stands for it, or of what is written.
        label: what to say about the other place: "in `let hunger`".
        repeats: whether it stands where it is written, too, and is checked there.
        made: whether nobody wrote it: it is what something else stands for.
        rounds: in how many rounds what is written there is done, of which this is one; 0 where it is done once.
        body: of the copy that a call of a function makes, the place of what is behind `=`.
    """

    file: int
    user: Span
    shown: Literal["user", "written"]
    label: str
    repeats: bool = False
    made: bool = False
    rounds: int = 0
    body: Span | None = None


class Places:
    """The copies of a universe. `sources` is the number of its files."""

    def __init__(self, sources: int) -> None:
        self._sources = sources
        self._copies: list[Copy] = []

    def add(self, copy: Copy) -> int:
        """Note a copy. Returns the number that spans in it have as that of their file."""
        self._copies.append(copy)
        return self._sources + len(self._copies) - 1

    def is_copied(self, span: Span) -> bool:
        """Whether a place is in a copy."""
        return span.file >= self._sources

    def repeats(self, span: Span) -> bool:
        """Whether a place is in a copy of what is checked elsewhere."""
        return span.file >= self._sources and self._copies[span.file - self._sources].repeats

    def rounds(self, span: Span) -> tuple[int, tuple[int, ...]]:
        """In how many rounds what stands at a place is done, and by which numbers that place is known in all of
        them."""
        number, others = 1, []
        while span.file >= self._sources:
            copy = self._copies[span.file - self._sources]
            if copy.rounds:
                number *= copy.rounds
            else:
                others.append(span.file)
            span = replace(span, file=copy.file)
        return number, tuple(others)

    def is_of_call(self, span: Span) -> bool:
        """Whether a place is inside of what a call of a function stands for, and not all of it: other calls, with other
        arguments, may stand for something else there."""
        while span.file >= self._sources:
            copy = self._copies[span.file - self._sources]
            inside = replace(span, file=copy.file)
            if copy.body is not None and inside != copy.body:
                return True
            span = inside if copy.body is None else copy.user
        return False

    def is_made(self, span: Span) -> bool:
        """Whether nobody wrote what is at a place."""
        while span.file >= self._sources:
            copy = self._copies[span.file - self._sources]
            if copy.made:
                return True
            span = replace(span, file=copy.file)
        return False

    def shown(self, span: Span) -> Span:
        """The place in a source that stands for this one."""
        while span.file >= self._sources:
            copy = self._copies[span.file - self._sources]
            span = copy.user if copy.shown == "user" else replace(span, file=copy.file)
        return span

    def written(self, span: Span) -> Span:
        """The place in a source in which the text is written."""
        while span.file >= self._sources:
            span = replace(span, file=self._copies[span.file - self._sources].file)
        return span

    def labels(self, span: Span) -> tuple[Label, ...]:
        """The other places that belong to a place in a copy."""
        found: list[Label] = []
        while span.file >= self._sources and len(found) < MOST_LABELS:
            copy = self._copies[span.file - self._sources]
            inside = replace(span, file=copy.file)
            span, other = (copy.user, inside) if copy.shown == "user" else (inside, copy.user)
            label = Label(self.shown(other), copy.label)
            if label not in found:
                found.append(label)
        return tuple(found)

    def told(self, finding: Finding) -> Diagnostic:
        """A finding in words, with the places that are shown for those in copies."""
        told, primary = finding.diagnostic(), self.shown(finding.span)
        own = (replace(label, span=self.shown(label.span)) for label in told.secondary)
        others = tuple(dict.fromkeys((*own, *self.labels(finding.span))))
        edits = tuple(map(self._edited, told.edits))
        return replace(told, primary=replace(told.primary, span=primary), secondary=others, edits=edits)

    def _edited(self, edit: Edit) -> Edit:
        """An edit of the text that was written. Who uses a copy otherwise may not mean it."""
        return replace(edit, span=self.written(edit.span), sure=False) if self.is_copied(edit.span) else edit

    def settled(self, node: T) -> T:
        """A tree with the places in sources that stand for those in copies."""
        return rewritten(node, self.shown) if self._copies else node


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()


def rewritten(node: T, place: Callable[[Span], Span]) -> T:
    """A tree with other places. What stays as it is is not copied."""
    # What is made of a node has the type of the node, which its fields alone cannot prove.
    made: Any = node
    kind: Any = type(node)
    if kind is Span:
        made = place(cast(Span, node))
    elif isinstance(node, tuple):
        items = [rewritten(item, place) for item in node]
        made = tuple(items) if any(map(is_not, items, node)) else node
    else:
        changes = {}
        for name in _names(kind):
            old = getattr(node, name)
            if type(old) not in _LEAVES and (new := rewritten(old, place)) is not old:
                changes[name] = new
        made = replace(made, **changes) if changes else node
    return cast(T, made)
