"""Draw sites: the random words of a universe, numbered in file order."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from hamlet.universe import Span
from hamletc.language import syntax


def draw_sites(file: syntax.File, functions: tuple[str, ...]) -> dict[Span, int]:
    """The number of the first word of every call of one of these functions, by the call's place. `normal` takes two
    words, the others one; a call inside another one comes after it."""
    sites: dict[Span, int] = {}
    following = 0
    for call in sorted(_calls(file), key=lambda call: (call.span.file, call.span.line, call.span.column)):
        name = call.function
        if name.text in functions and not name.quoted:
            sites[call.span] = following
            following += 2 if name.text == "normal" else 1
    return sites


def _calls(file: syntax.File) -> Iterator[syntax.CallExpr]:
    pending: list[object] = [file]
    while pending:
        node = pending.pop()
        if isinstance(node, syntax.CallExpr):
            yield node
        if isinstance(node, tuple):
            pending += node
        elif dataclasses.is_dataclass(node) and not isinstance(node, Span | type):
            pending += [getattr(node, field.name) for field in dataclasses.fields(node)]
