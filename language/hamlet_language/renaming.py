"""Renaming: all places of a name in a text at once, or a line that says why it cannot be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from hamlet_language.document import Document
from hamlet_language.naming import Place, is_same, named, references
from hamlet_language.noticing import diagnostics
from hamlet_language.outline import Declared, every
from hamlet_language.positions import Lines, Position, Range
from hamletc.expansion.trees import names_in
from hamletc.language import syntax
from hamletc.language.source import read_source
from hamletc.language.spelling import spell_name
from hamletc.language.tables import terminals
from hamletc.language.tokens import scan
from hamletc.language.words import CALLS, MEANINGS, RESERVED, YIELDING

INCLUDED = re.compile(r'\b(?:include|extends)\s+"([^"\n]+)"')
"""A file that another one names."""
MOST_NEIGHBOURS = 500
"""The most files of a folder that are looked through."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """A text that takes the place of these ranges, and of those in files that belong to the text."""

    text: str
    ranges: tuple[Range, ...]
    elsewhere: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """A line that says why a name stays as it is."""

    reason: str


def rename(document: Document, position: Position, name: str) -> Renaming | Refusal:
    """Rename what is declared by the name at a position, everywhere in the text and in the files that it includes and
    extends. All names of one text are renamed together to one that is new, so what the universe means stays; the check
    is asked whether it still says the same."""
    plain = name[1:-1] if len(name) > 1 and name[0] == name[-1] == "`" else name
    declared = named(document, position)
    if not declared:
        return Refusal("no declaration has the name at this place: what a template's arguments name is not followed")
    old = declared[0].name.text
    refusal = _refused(document, declared, plain)
    if refusal is not None:
        return refusal
    spelled = _spelled(plain)
    own, elsewhere = list[Range](), list[Place]()
    for place in references(document, position):
        if place.path == document.path:
            own.append(place.range)
        else:
            elsewhere.append(place)
    renaming = Renaming(spelled, tuple(own), tuple(elsewhere))
    before, after = diagnostics(document), diagnostics(renamed(document, renaming))
    if [notice.code for notice in before] != [notice.code for notice in after]:
        said = next((notice.message for notice in after if notice.severity == "error"), "the check says something else")
        return Refusal(f"`{old}` cannot be followed everywhere: with `{plain}` {said}")
    return renaming


def renamed(document: Document, renaming: Renaming) -> Document:
    """The text behind a renaming, beside files that are renamed as well."""
    texts = {source.path: source.text for source in document.linked[1]}
    others = dict(document.others)
    for path in dict.fromkeys(place.path for place in renaming.elsewhere):
        ranges = [place.range for place in renaming.elsewhere if place.path == path]
        others[path.resolve()] = _changed(texts[path], ranges, renaming.text)
    return Document(document.path, _changed(document.text, renaming.ranges, renaming.text), others)


def _changed(text: str, ranges: Sequence[Range], new: str) -> str:
    lines = Lines(text)
    for each in reversed(ranges):
        text = text[: lines.offset(each.start)] + new + text[lines.offset(each.end) :]
    return text


def _refused(document: Document, declared: tuple[Declared, ...], new: str) -> Refusal | None:
    """The reason to rename nothing that can be seen beforehand."""
    name, kinds = declared[0].name, {each.kind for each in declared}
    old, local = name.text, isinstance(name, syntax.LocalName)
    if document.included:
        return Refusal(f"`{old}` may stand in universes that include this text")
    if any(notice.severity == "error" for notice in diagnostics(document)):
        return Refusal("the text has errors; mend these first")
    sources = document.linked[1]
    files = {each.span.file for each in _all(document) if is_same(each, name)} - {0}
    if not files <= set(range(len(sources))):
        return Refusal(f"`{old}` stands in another file, too")
    for each in sorted(files):
        sharer = _sharer(document, sources[each].path)
        if sharer is not None:
            return Refusal(f"`{old}` stands in {sources[each].path.name}, which {sharer.name} includes, too")
    if len(kinds) > 1:
        return Refusal(f"`{old}` is the name of several things: {', '.join(sorted(kinds))}")
    # Whether a local of that name can be read at the same place the check says.
    if any(each.text == new for each in _all(document) if not (local and isinstance(each, syntax.LocalName))):
        return Refusal(f"`{new}` is a name in this universe already")
    tokens = scan(_spelled(new)).tokens
    if len(tokens) != 2 or tokens[0].problem is not None or tokens[0].kind not in ("word", "quoted"):
        return Refusal(f"`{new}` cannot be a name")
    return None


def _sharer(document: Document, path: Path) -> Path | None:
    """Another universe beside the text or a file of it that includes or extends this file."""
    own = {source.path.resolve() for source in document.linked[1]}
    for folder in dict.fromkeys((document.path.resolve().parent, path.resolve().parent)):
        for each in islice(sorted(folder.glob("*.hamlet")), MOST_NEIGHBOURS):
            if each.resolve() in own:
                continue
            text = document.others.get(each.resolve()) or read_source(each)
            names = INCLUDED.findall(text) if isinstance(text, str) else []
            if any((each.parent / name).resolve() == path.resolve() for name in names):
                return each
    return None


def _all(document: Document) -> tuple[syntax.Name, ...]:
    """All names of a text and those that belong to it."""
    declared = (each.name for each in every(document.declarations))
    return (*names_in(document.declarations), *declared)


def _spelled(name: str) -> str:
    """A name, in backticks where the language has a word that is written so."""
    words = (RESERVED, MEANINGS, YIELDING, CALLS, terminals())
    if any(name in each for each in words):
        return f"`{name}`"
    return spell_name(syntax.Name(name, syntax.NOWHERE))
