"""Names: where one is declared, and where else it stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hamlet.universe import Span
from hamlet_language.document import Document
from hamlet_language.outline import Declared, every
from hamlet_language.positions import Lines, Position, Range
from hamletc.expansion.trees import names_in
from hamletc.language import syntax


@dataclass(frozen=True, slots=True)
class Place:
    """A range in a file."""

    path: Path
    range: Range


def definition(document: Document, position: Position) -> tuple[Place, ...]:
    """Where the name at a position is declared; of a file that is included, its beginning. Several kinds of
    declarations can have one name: then there are several places."""
    line, column = document.lines.place(position)
    files = tuple(_files(document, line, column))
    if files:
        return files
    return tuple(_places(document, (each.name.span for each in named(document, position))))


def references(document: Document, position: Position) -> tuple[Place, ...]:
    """Where the name at a position stands, its declarations among them, in the text and those that belong to it."""
    declared = named(document, position)
    if not declared:
        return ()
    spans = {each.span for each in names_in(document.declarations) if is_same(each, declared[0].name)}
    spans |= {each.name.span for each in declared}
    ordered = sorted(spans, key=lambda span: (span.file, span.line, span.column))
    return tuple(_places(document, ordered))


def named(document: Document, position: Position) -> tuple[Declared, ...]:
    """The declarations of the name at a position."""
    token = document.token(*document.lines.place(position))
    if token is None:
        return ()
    here = next((each for each in names_in(document.declarations) if each.span == token.span), None)
    if isinstance(here, syntax.LocalName):
        own = (each for each in document.locals if each.name.key == here.key)
        return tuple(Declared(each.name, "local", each.let) for each in own)
    text = token.text.strip("`")
    declared = {each.name.span: each for each in every(document.declarations) if each.name.text == text}
    return tuple(declared.values())


def is_same(name: syntax.Name, other: syntax.Name) -> bool:
    """Whether two names are one: those of a local by its key, others by their text."""
    if isinstance(name, syntax.LocalName) and isinstance(other, syntax.LocalName):
        return name.key == other.key
    return (
        name.text == other.text and not isinstance(name, syntax.LocalName) and not isinstance(other, syntax.LocalName)
    )


def _files(document: Document, line: int, column: int) -> Iterator[Place]:
    """The file that is named in quotes at a place."""
    tree, sources, _ = document.linked
    written = () if tree is None or document.file is None else (document.file.base, *document.file.declarations)
    for each in written:
        match each:
            case syntax.Base(path=path, span=span) | syntax.IncludeDecl(path=path, span=span):
                if span.line <= line <= span.end_line and column <= span.end_column:
                    named = (source for source in sources[1:] if source.name == path)
                    yield from (Place(source.path, Lines(source.text).range(Span(1, 1, 1, 1))) for source in named)
            case _:
                pass


def _places(document: Document, spans: Iterator[Span] | list[Span]) -> Iterator[Place]:
    sources = document.linked[1]
    lines: dict[int, Lines] = {}
    for span in spans:
        if 0 <= span.file < len(sources):
            own = lines.setdefault(span.file, Lines(sources[span.file].text))
            yield Place(sources[span.file].path, own.range(span))
