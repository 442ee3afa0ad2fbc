"""Edits: text that takes the place of a span, so that what a hint says to write is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from hamlet.frozen import dataclass
from hamlet.universe import Span
from hamletc.suggest import is_slip


@dataclass(frozen=True, slots=True)
class Edit:
    """A text in the place of a span, which may be empty.

    Attributes:
        span: the place in the text as it is.
        text: stands there afterwards.
        sure: whether the author can hardly have meant anything else; otherwise it is a suggestion, as where it has a
            number or a name that somebody must choose. The name of a rule changes nothing, and is no choice.
    """

    span: Span
    text: str
    sure: bool = True


def before(span: Span, text: str, *, sure: bool = True) -> Edit:
    """An edit that writes a text before a place."""
    return Edit(Span(span.line, span.column, span.line, span.column, span.file), text, sure)


def behind(span: Span, text: str, *, sure: bool = True) -> Edit:
    """An edit that writes a text behind a place."""
    return Edit(Span(span.end_line, span.end_column, span.end_line, span.end_column, span.file), text, sure)


def around(span: Span, first: str, last: str, *, sure: bool = True) -> tuple[Edit, Edit]:
    """Edits that write texts before and behind a place."""
    return before(span, first, sure=sure), behind(span, last, sure=sure)


def guessed(span: Span, word: str, meant: str | None) -> tuple[Edit, ...]:
    """The edits that write the word which is meant by a misspelt one, sure where it is a slip; none without a guess."""
    return () if meant is None else (Edit(span, meant, is_slip(word, meant)),)


def is_sure(edits: Sequence[Edit]) -> bool:
    """Whether there are edits, all of them sure: those of a diagnostic are done together."""
    return bool(edits) and all(edit.sure for edit in edits)


def apart(groups: Iterable[Sequence[Edit]]) -> Iterator[Edit]:
    """The edits of groups, each group whole or not at all: of groups whose edits overlap only the first."""
    taken: list[Span] = []
    for group in groups:
        spans = [edit.span for edit in group]
        if not any(_overlap(new, old) for new in spans for old in taken):
            taken += spans
            yield from group


def overlapping(edits: Sequence[Edit]) -> bool:
    """Whether two of the edits overlap."""
    spans = [edit.span for edit in edits]
    return any(_overlap(first, second) for n, first in enumerate(spans) for second in spans[:n])


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text after edits, no two of which overlap."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)

    def offset(line: int, column: int) -> int:
        return min(starts[min(line, len(starts)) - 1] + column - 1, len(text))

    ordered = sorted(edits, key=lambda edit: _begin(edit.span), reverse=True)
    touched = Counter(line for edit in ordered for line in range(edit.span.line, edit.span.end_line + 1))
    for edit in ordered:
        first, last = offset(*_begin(edit.span)), offset(*_end(edit.span))
        if not edit.text and first < last and touched[edit.span.line] == touched[edit.span.end_line] == 1:
            first, last = _whole_lines(text, first, last)
        text = text[:first] + edit.text + text[last:]
    return text


def _whole_lines(text: str, first: int, last: int) -> tuple[int, int]:
    """The ends of what is left out, with the end of its line where nothing else stands in it."""
    begin, end = text.rfind("\n", 0, first) + 1, text.find("\n", last)
    alone = end >= 0 and not text[begin:first].strip() and not text[last:end].strip() and text[first:last].strip()
    return (begin, end + 1) if alone else (first, last)


def _begin(span: Span) -> tuple[int, int]:
    return span.line, span.column


def _end(span: Span) -> tuple[int, int]:
    return span.end_line, span.end_column


def _overlap(first: Span, second: Span) -> bool:
    """Whether two spans have a character in common, or one at whose place nothing stands is inside the other or at its
    ends: then the order in which texts are written would matter."""
    if first.file != second.file:
        return False
    if _begin(first) == _end(first) or _begin(second) == _end(second):
        return _begin(first) <= _end(second) and _begin(second) <= _end(first)
    return _begin(first) < _end(second) and _begin(second) < _end(first)
