"""What a YAML file says: scalars, lists and mappings, each with its place."""

from __future__ import annotations

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
