"""YAML text to nodes. Of YAML, packs use scalars, lists and mappings; everything else is refused.

The events come from pyyaml (its C parser where there is one); the tree is made here, so that limits hold while it
grows, keys are compared, and every node keeps its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

from hamlet.universe import Span
from hamlet_townlet.reader.limits import DEEPEST_NESTING, MOST_NODES
from hamlet_townlet.reader.nodes import Entry, ListNode, MapNode, Node, ScalarNode
from hamletc.diagnostics import Diagnostic, Label, diagnose

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FOREIGN = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_TAB = re.compile(r"^[ ]*(\t)[ \t]*[^\s#]", re.MULTILINE)

_HINTS = {
    "mapping values are not allowed": "Quote text that contains `: `, and check the indentation.",
    "did not find expected key": "Check the indentation: the keys of one mapping stand in one column.",
    "did not find expected '-' indicator": "Check the indentation: the items of one list stand in one column.",
    "did not find expected ',' or ']'": "Close the list with `]`.",
    "did not find expected ',' or '}'": "Close the mapping with `}`.",
    "could not find expected ':'": "Write `key: value`.",
    "found unexpected end of stream": "Close the quotes.",
    "unknown escape character": "Use single quotes, or double the backslash.",
}


_ANY = "Check the indentation and the quotes, here and in the lines above."


class _RefusedError(Exception):
    """The text cannot be read any further."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


@dataclass(slots=True)
class _Open:
    """A list or mapping that is being read; `keys` is `None` in a list."""

    span: Span
    items: list[Node] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    keys: dict[str, ScalarNode] | None = None
    key: ScalarNode | None = None


def compose(text: str, file: int = 0) -> tuple[Node | None, tuple[Diagnostic, ...]]:
    """The one document in a YAML text; `None` where it is empty or cannot be read, and what is wrong with it.

    `file` is the number that the spans of the nodes carry.

    Lines end with a line feed, or a carriage return and a line feed.
    """
    found: list[Diagnostic] = []
    try:
        _refuse_characters(text)
        return _compose(_events(text), found, file), tuple(found)
    except _RefusedError as refused:
        return None, (*found, refused.diagnostic)


def _refuse_characters(text: str) -> None:
    if match := _FOREIGN.search(text):
        span = _at(text, match.start())
        message = f"the character U+{ord(match[0]):04X} cannot stand in YAML"
        raise _RefusedError(diagnose("H101", message, span, hint="Remove it."))
    if match := re.search(r"\r(?!\n)", text):
        span = _at(text, match.start())
        message = "a carriage return without a line feed"
        raise _RefusedError(diagnose("H101", message, span, hint="End lines with a line feed."))


def _at(text: str, index: int) -> Span:
    line = text.count("\n", 0, index) + 1
    column = index - (text.rfind("\n", 0, index) + 1) + 1
    return Span(line, column, line, column + 1)


def _events(text: str) -> Iterator[yaml.Event]:
    try:
        yield from yaml.parse(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        span = Span(1, 1, 1, 1)
        if mark is not None:
            span = Span(mark.line + 1, mark.column + 1, mark.line + 1, mark.column + 2)
        if (tab := _TAB.search(text)) and _at(text, tab.start(1)).line in (span.line, span.line - 1):
            place = _at(text, tab.start(1))
            hint = "Indent with spaces: YAML does not allow tabs."
            raise _RefusedError(diagnose("H102", "a tab in the indentation", place, hint=hint)) from error
        problem = error.problem or "it cannot be read"
        hints = [hint for start, hint in _HINTS.items() if start in problem]
        message = f"this is not YAML: {problem}"
        raise _RefusedError(diagnose("H101", message, span, hint=hints[0] if hints else _ANY)) from error
    except yaml.YAMLError as error:
        raise _RefusedError(diagnose("H101", "this is not YAML", Span(1, 1, 1, 1), hint=_ANY)) from error


def _compose(events: Iterator[yaml.Event], found: list[Diagnostic], file: int) -> Node | None:
    stack: list[_Open] = []
    root: Node | None = None
    count = documents = 0
    for event in events:
        done: Node
        match event:
            case yaml.DocumentStartEvent():
                documents += 1
                if documents > 1:
                    _refuse("a second document", event, "Keep one document in a file: leave `---` out.")
                continue
            case yaml.AliasEvent():
                _refuse(f"the alias `*{event.anchor}`", event, "Write the value out.")
            case yaml.NodeEvent() if event.anchor is not None:
                _refuse(f"the anchor `&{event.anchor}`", event, "Leave it out, and write repeated values out.")
            case yaml.ScalarEvent() | yaml.CollectionStartEvent() if event.tag is not None:
                _refuse("a tag", event, "Leave the word with `!` out.")
            case yaml.ScalarEvent():
                done = ScalarNode(event.value, event.implicit[0], _span(event, file))
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                if len(stack) == DEEPEST_NESTING:
                    message = f"nesting deeper than {DEEPEST_NESTING}"
                    raise _RefusedError(diagnose("H105", message, _span(event), hint="No pack needs so much."))
                _no_key(stack, event)
                stack.append(_Open(_span(event, file), keys={} if isinstance(event, yaml.MappingStartEvent) else None))
                continue
            case yaml.CollectionEndEvent():
                done = _close(stack.pop())
            case _:
                continue
        count += 1
        if count > MOST_NODES:
            hint = "No pack needs so many."
            raise _RefusedError(diagnose("H105", f"more than {MOST_NODES} values", _span(event), hint=hint))
        if not stack:
            root = done
        else:
            _add(stack[-1], done, found)
    return root


def _refuse(what: str, event: yaml.Event, hint: str) -> None:
    raise _RefusedError(diagnose("H103", f"{what}: packs do not use it", _span(event), hint=hint))


def _no_key(stack: list[_Open], event: yaml.Event) -> None:
    if stack and stack[-1].keys is not None and stack[-1].key is None:
        _refuse("a list or mapping as a key", event, "Write a word as a key.")


def _add(parent: _Open, node: Node, found: list[Diagnostic]) -> None:
    if parent.keys is None:
        parent.items.append(node)
    elif parent.key is None:
        if not isinstance(node, ScalarNode):
            raise TypeError("keys are scalars")
        if node.plain and node.text == "<<":
            hint = "Write the keys out."
            raise _RefusedError(diagnose("H103", "the merge key `<<`: packs do not use it", node.span, hint=hint))
        parent.key = node
    else:
        key, parent.key = parent.key, None
        first = parent.keys.setdefault(key.text, key)
        if first is key:
            parent.entries.append(Entry(key, node))
        else:
            message = f"the key `{key.text}` is given twice"
            secondary = (Label(first.span, "the first time"),)
            found.append(diagnose("H104", message, key.span, secondary=secondary, hint="Remove one of the two."))


def _close(opened: _Open) -> Node:
    ends: list[Node] = opened.items if opened.keys is None else [entry.value for entry in opened.entries]
    last = ends[-1].span if ends else opened.span
    span = Span(opened.span.line, opened.span.column, last.end_line, last.end_column, opened.span.file)
    return ListNode(tuple(opened.items), span) if opened.keys is None else MapNode(tuple(opened.entries), span)


def _span(event: yaml.Event, file: int = 0) -> Span:
    start, end = event.start_mark, event.end_mark
    if start is None or end is None:
        return Span(1, 1, 1, 1, file)
    return Span(start.line + 1, start.column + 1, end.line + 1, end.column + 1, file)
