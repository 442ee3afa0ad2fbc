"""Semantic tokens: what each word, number and symbol of a text is, by what it names there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

from hamlet.universe import Span
from hamlet_language.document import Document
from hamlet_language.outline import every
from hamlet_language.positions import Range
from hamlet_language.vocabulary import vocabulary
from hamletc.expansion.trees import names_in
from hamletc.language import syntax
from hamletc.language.tokens import Token

Colour: TypeAlias = Literal[
    "keyword", "variable", "parameter", "function", "class", "method", "event", "macro", "enumMember", "number",
    "string", "comment", "operator",
]  # fmt: skip
"""Types of the language server protocol that are used here."""
COLOURS: tuple[Colour, ...] = get_args(Colour)
MODIFIERS = ("declaration", "readonly", "defaultLibrary")
_KINDS: Mapping[str, Colour] = MappingProxyType(
    {
        **dict.fromkeys(("affordance", "role", "item"), "class"),
        **dict.fromkeys(("action", "move"), "method"),
        **dict.fromkeys(("rule", "cascade", "effect", "reward", "report"), "event"),
        **dict.fromkeys(("region", "node", "stage", "level"), "enumMember"),
        "function": "function",
        "parameter": "parameter",
        "template": "macro",
    }
)
"""The colours of declared names; any other is a variable."""
_READONLY = frozenset(("param", "input", "control", "let", "local", "table", "terrain"))


@dataclass(frozen=True, slots=True)
class Coloured:
    """A piece of a line, and what it is."""

    range: Range
    colour: Colour
    modifiers: tuple[str, ...] = ()


def semantic_tokens(document: Document) -> tuple[Coloured, ...]:
    """The pieces of a text in their order; none of them is longer than a line, and they do not overlap."""
    declared = {each.name.text: each.kind for each in reversed(tuple(every(document.declarations)))}
    own = () if document.file is None else document.file.declarations
    declaring = frozenset(each.name.span for each in every(own))
    if document.file is not None:
        declaring |= {document.file.name.span}
    names = frozenset(name.span for name in names_in(own)) | declaring
    declaring |= {each.name.span for each in document.locals}
    local = frozenset(name.span for name in names_in(document.declarations) if isinstance(name, syntax.LocalName))
    pieces = [*_words(document, declared, names, declaring, local), *_comments(document)]
    return tuple(sorted(pieces, key=lambda piece: piece.range.start))


def _words(
    document: Document,
    declared: Mapping[str, str],
    names: frozenset[Span],
    declaring: frozenset[Span],
    local: frozenset[Span],
) -> Iterator[Coloured]:
    for token in document.scanned.tokens:
        if token.problem is not None or token.inserted or token.kind in ("bad", "end"):
            continue
        where = document.lines.range(token.span)
        if token.kind in ("word", "quoted"):
            kind = "local" if token.span in local else declared.get(token.text.strip("`"))
            coloured = _word(token, kind, is_name=token.span in names or token.kind == "quoted")
            if coloured is not None:
                colour, modifiers = coloured
                modifiers = ("declaration", *modifiers) if token.span in declaring else modifiers
                yield Coloured(where, colour, modifiers)
        elif token.kind == "number":
            yield Coloured(where, "number")
        elif token.kind == "string":
            yield Coloured(where, "string")
        elif token.text not in "(){}[],:":
            yield Coloured(where, "operator")


def _word(token: Token, kind: str | None, *, is_name: bool) -> tuple[Colour, tuple[str, ...]] | None:
    text = token.text.strip("`")
    words = vocabulary()
    if is_name and kind is not None:
        return _KINDS.get(kind, "variable"), ("readonly",) if kind in _READONLY else ()
    if text in words.functions and text not in words.keywords:
        return "function", ("defaultLibrary",)
    if text in words.quantities:
        return "variable", ("readonly", "defaultLibrary")
    if text in words.naming | words.opening | words.control | words.keywords:
        return "keyword", ()
    return ("variable", ()) if is_name else None


def _comments(document: Document) -> Iterator[Coloured]:
    for comment in document.scanned.comments:
        span = Span(comment.line, comment.column, comment.line, comment.column + len(comment.text))
        yield Coloured(document.lines.range(span), "comment")
