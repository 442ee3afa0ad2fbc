"""How many levels a syntax tree has. What walks over trees calls itself once or more for each level."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

from hamlet.universe import Span
from hamletc.diagnostics import Diagnostic, diagnose
from hamletc.language.syntax import File, Name, Numeral, Signed

DEEPEST_TREE = 200
"""The most levels of a syntax tree that an author writes; `a + b + c` has one more than `a + b`."""
DEEPEST_WRITTEN = 2 * DEEPEST_TREE
"""The most levels of a syntax tree in which something is written out: a template in another, a condition of stages."""


def too_high_as_read(file: File) -> Any:
    """A node of a file on a level beyond those that an author may write; `None` where there is none. A declaration on
    one line has a word or a symbol for each of its levels, or for two."""
    wide = (each for each in reversed(file.declarations) if not _is_narrow(each.span))
    return next((high for each in wide if (high := too_high(each, DEEPEST_TREE - 1)) is not None), None)


def _is_narrow(span: Span) -> bool:
    return span.line == span.end_line and 2 * (span.end_column - span.column) < DEEPEST_TREE - 1


def too_high(tree: object, levels: int = DEEPEST_TREE) -> Any:
    """A node of a tree that is on a level beyond so many; `None` where there is none. It takes no recursion."""
    return next((node for node, level in levels_of(tree) if level > levels), None)


def levels_of(tree: object) -> Iterator[tuple[Any, int]]:
    """The nodes of a tree, each with its level, from 0 on, without recursion."""
    pending: list[tuple[Any, int]] = [(tree, 0)]
    while pending:
        node, level = pending.pop()
        if isinstance(node, tuple):
            pending.extend((item, level) for item in node)
        elif not isinstance(node, str | bool | Span | None):
            yield node, level
            if not isinstance(node, Name | Numeral | Signed):  # there are many, with nothing below them
                kind: Any = type(node)
                pending.extend((getattr(node, name), level + 1) for name in _names(kind))


@cache
def _names(kind: Any) -> tuple[str, ...]:
    """The names of the fields of a kind of node."""
    return tuple(field.name for field in fields(kind))


def complaint(span: Span) -> Diagnostic:
    """The diagnostic for a tree with too many levels at a place."""
    hint = "Split it: several `reward` lines are added, and a rule can compute a meter in steps."
    return diagnose("H015", f"an expression of more than {DEEPEST_TREE} levels", span, hint=hint)
