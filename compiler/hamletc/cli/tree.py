"""A tree of dataclasses as text, for `--emit syntax`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from hamlet.universe import Span


def tree(node: object) -> str:
    """One node per line, indented, with the line and column where it begins."""
    return "\n".join(_lines("", node, 0))


def _lines(label: str, node: object, depth: int) -> Iterator[str]:
    indent = "  " * depth + label
    if isinstance(node, tuple):
        if node:
            yield indent.rstrip()
        for item in node:
            yield from _lines("", item, depth + 1)
    elif is_dataclass(node) and not isinstance(node, (Span, type)):
        words = [type(node).__name__]
        words += [str(value) for _, value in _values(node) if isinstance(value, str)]
        span = getattr(node, "span", None)
        place = f"  @{span.line}:{span.column}" if isinstance(span, Span) else ""
        yield indent + " ".join(words) + place
        for name, value in _values(node):
            if (is_dataclass(value) and not isinstance(value, Span)) or isinstance(value, tuple):
                yield from _lines(f"{name}: ", value, depth + 1)


def _values(node: object) -> Iterator[tuple[str, object]]:
    if is_dataclass(node):
        for each in fields(node):
            yield each.name, getattr(node, each.name)
