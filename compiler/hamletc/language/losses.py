"""What formatting would lose: words, numbers, symbols and comments before and after, counted.

A formatter that does not know a construct yet prints a text without it. Trees show that only where the reader kept the
construct; tokens show it always.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hamletc.errors import CompileError
from hamletc.language.tokens import Comment, Scan, Token

_SINGULAR = {"ticks": "tick", "hours": "hour", "days": "day", "agents": "agent", "copies": "copy"}
"""Words whose number the formatter mends: `1 hours`."""


class FormattingError(CompileError):
    """A formatted text would lack something of its source, or have more; the message is one line."""


def compare_tokens(before: Scan, after: Scan) -> None:
    """Both texts say the same, but for parentheses that change nothing, backticks that are not needed, and layout.

    Raises:
        FormattingError: one has a word, a number, a symbol or a comment that the other lacks.
    """
    pieces = tuple(_pieces(before))
    first, second = list(map(_said, pieces)), list(map(_said, _pieces(after)))
    lost, added = Counter(first) - Counter(second), Counter(second) - Counter(first)
    if not lost and not added:
        return
    if not lost:
        raise FormattingError(f"formatting would add `{next(iter(added))}`: this is a fault of hamletc")
    same = next((n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), len(second))
    # Of equal pieces the one is named that is at or behind the first difference.
    piece = next(piece for piece in (*pieces[same:], *pieces) if _said(piece) in lost)
    place = f"line {piece.line}, column {piece.column}"
    raise FormattingError(f"formatting would lose `{piece.text}` ({place}): this is a fault of hamletc")


def _pieces(scan: Scan) -> Iterator[Token | Comment]:
    yield from (token for token in scan.tokens if token.text not in ("(", ")"))
    yield from scan.comments


def _said(piece: Token | Comment) -> str:
    """What a piece says, however it is spelled."""
    if isinstance(piece, Token) and piece.kind == "quoted":
        return _SINGULAR.get(piece.text[1:-1], piece.text[1:-1])
    return _SINGULAR.get(piece.text, piece.text)
