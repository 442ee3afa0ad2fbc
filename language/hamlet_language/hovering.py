"""Hovers: a few lines about the word at a position, in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from hamlet.universe import Span
from hamlet_language.document import Document
from hamlet_language.naming import named
from hamlet_language.outline import Declared
from hamlet_language.positions import Position, Range
from hamlet_language.proving import addition, drift, told
from hamletc.changes import Change, changes_of
from hamletc.codes import CODES
from hamletc.explained import section
from hamletc.intervals import ZERO, Interval
from hamletc.language import syntax
from hamletc.language.layout import item_of
from hamletc.language.words import CALLS, QUANTITIES, SHAPES, YIELDING

_CODE = re.compile(r"\bH\d{3}\b")
_AROUND = (syntax.Name, syntax.SpaceDecl, syntax.MapDecl, syntax.MovesDecl, syntax.TemplateDecl)
"""Nodes that declare names without being their declarations, and those that are long."""
MOST_CHANGES = 24
"""The most changes of a meter that are listed."""


@dataclass(frozen=True, slots=True)
class Hover:
    """Lines of Markdown about a range."""

    text: str
    range: Range


def hover(document: Document, position: Position) -> Hover | None:
    """Lines about a name, a word of the language, or a code of a diagnostic in a comment."""
    line, column = document.lines.place(position)
    if (coded := _code(document, line, column)) is not None:
        return coded
    token = document.token(line, column)
    if token is None:
        return None
    declared = named(document, position)
    text = "\n\n---\n\n".join(_declared(document, each) for each in declared) or _word(document, token.text, token.span)
    return Hover(text, document.lines.range(token.span)) if text else None


def _declared(document: Document, declared: Declared) -> str:
    """The head of a declaration, where it is, and of a meter what changes it."""
    head = item_of(declared.declaration).head if _has_layout(declared.declaration) else ""
    shown = head or f"{declared.kind} {declared.name.text}"
    parts = [f"```hamlet\n{shown}\n```", f"{declared.kind}, {_place(document, declared.name.span)}"]
    if isinstance(declared.declaration, syntax.MeterDecl):
        parts += _meter(document, declared.declaration)
    return "\n\n".join(parts)


def _has_layout(node: syntax.Node) -> bool:
    """Whether a node is written by itself, and in a line or two."""
    return not isinstance(node, _AROUND)


def _meter(document: Document, meter: syntax.MeterDecl) -> Iterator[str]:
    if meter.bounds is None and meter.state is None:
        yield "from 0 to 1, as no range is written"
    changes = changes_of(meter.name.text, document.declarations)
    if not changes:
        yield "nothing changes it"
        return
    in_play = None if document.proofs is None else document.proofs.meters.get(meter.name.text)
    if in_play is not None:
        yield f"in play: {told(in_play)}"
    lines = [
        f"- {_effect(document, change)}: {change.owner} (`{change.text}`, {_place(document, change.span)})"
        for change in changes[:MOST_CHANGES]
    ]
    if len(changes) > MOST_CHANGES:
        lines.append(f"- and {len(changes) - MOST_CHANGES} more")
    yield "In the order of a tick:\n\n" + "\n".join(lines)
    if (where := drift(document, changes)) is not None and document.proofs is not None:
        yield f"left alone: {told(where)} in a tick"


def _effect(document: Document, change: Change) -> str:
    """The effect of a change, and by how much where its text does not say it."""
    where = addition(document, change)
    if where is None:
        return change.effect
    effect = "raises" if where.low >= 0 else "lowers" if where.high <= 0 else "changes"
    if where.is_single:
        return effect if where != ZERO else change.effect
    size = where if effect != "lowers" else Interval(-where.high, -where.low)
    return f"{effect} by {told(size)}"


def _place(document: Document, span: Span) -> str:
    """`line 12`, `line 12 of needs.hamlet`."""
    sources = document.linked[1]
    elsewhere = 0 < span.file < len(sources)
    return f"line {span.line}" + (f" of {PurePath(sources[span.file].title).name}" if elsewhere else "")


def _word(document: Document, text: str, span: Span) -> str:
    """How a word of the language is used."""
    tokens = document.scanned.tokens
    index = next(index for index, token in enumerate(tokens) if token.span == span)
    follows = tokens[index + 1].text
    pair = f"{text} {follows}"
    if text in CALLS and (follows == "(" or text not in SHAPES):
        call = CALLS[text]
        return f"```hamlet\n{call.example}\n```\n\nfunction of {call}"
    for word in (pair, text):
        if word in SHAPES:
            return f"```hamlet\n{SHAPES[word]}\n```"
    meaning = QUANTITIES.get(text) or YIELDING.get(text)
    return "" if meaning is None else f"`{text}`: {meaning}"


def _code(document: Document, line: int, column: int) -> Hover | None:
    for comment in document.scanned.comments:
        if comment.line == line and comment.column <= column:
            for code in _CODE.finditer(comment.text):
                start, end = comment.column + code.start(), comment.column + code.end()
                if start <= column <= end and code[0] in CODES:
                    text = f"**{code[0]}**: {CODES[code[0]].title}\n\n{section(code[0])}"
                    return Hover(text, document.lines.range(Span(line, start, line, end)))
    return None
