"""What a YAML file says: scalars, lists and mappings, each with its place, and what a scalar means.

Scalars mean what YAML 1.1 and HAMLET's own loader read, except where a person would read them differently: `1e3` is a
number (for pyyaml it is text). `010` (8 for YAML), `1:30` (90) and their like are refused, and so is a bare `yes` or
`on` where text is needed.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TypeAlias

from hamlet.universe import Span


@dataclass(frozen=True, slots=True)
class ScalarNode:
    """A scalar as written; `plain` where no quotes and no block style say that it is text."""

    text: str
    plain: bool
    span: Span


@dataclass(frozen=True, slots=True)
class ListNode:
    """A list."""

    items: tuple[Node, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Entry:
    """A key and its value. No two keys of a mapping have the same text."""

    key: ScalarNode
    value: Node


@dataclass(frozen=True, slots=True)
class MapNode:
    """A mapping, in the order of the file."""

    entries: tuple[Entry, ...]
    span: Span


Node: TypeAlias = ScalarNode | ListNode | MapNode


def start(node: Node) -> Span:
    """A place on one line to point at: the first key of a mapping, the first item of a list, a scalar as a whole."""
    match node:
        case MapNode(entries=(first, *_)):
            return first.key.span
        case ListNode(items=(first, *_)):
            return start(first)
        case _:
            return node.span


_WORDS = {
    **dict.fromkeys(("true", "yes", "on"), True),
    **dict.fromkeys(("false", "no", "off"), False),
}
_NULL = ("", "~", "null", "Null", "NULL")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9_]*)")
_HEXADECIMAL = re.compile(r"[-+]?0[xb][0-9A-Fa-f_]+")
_FLOAT = re.compile(r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?")
_OCTAL = re.compile(r"[-+]?0o?[0-9_]+")
_SEXAGESIMAL = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-9]{1,2})+(?:\.[0-9_]*)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_LONGEST = 400
"""The most characters of a scalar that can be a number; longer scalars are text."""


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A scalar that people and YAML read differently. `reason` completes "`010` ..."; `hint` is a sentence."""

    reason: str
    hint: str


Value: TypeAlias = bool | int | float | str | Doubtful | None


def meaning(node: ScalarNode) -> Value:
    """The value of a scalar; infinity where it is not a finite binary64 number."""
    text = node.text
    if not node.plain or len(text) > _LONGEST:
        return text
    if text in _NULL:
        return None
    if text in (text.lower(), text.capitalize(), text.upper()) and text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _INTEGER.fullmatch(text):
        return int(text.replace("_", ""))
    if _OCTAL.fullmatch(text):
        plain = text.lstrip("+-").lstrip("0o").replace("_", "") or "0"
        return Doubtful("is an octal number for YAML", f"Write `{plain}` for the decimal number.")
    if _HEXADECIMAL.fullmatch(text):
        return _based(text)
    if _SEXAGESIMAL.fullmatch(text):
        return Doubtful("is a number to base 60 for YAML", "Write a decimal number, or quote the text.")
    if _NOT_FINITE.fullmatch(text):
        return math.inf
    if _FLOAT.fullmatch(text):
        return float(text.replace("_", ""))
    return text


def _based(text: str) -> int | str:
    """A hexadecimal or binary number."""
    try:
        return int(text.replace("_", ""), 0)
    except ValueError:
        return text
