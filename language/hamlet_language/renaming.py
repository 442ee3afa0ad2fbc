"""Renaming: all places of a name in a text at once, or a line that says why it cannot be."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from hamlet_language.document import Document
from hamlet_language.naming import named
from hamlet_language.noticing import diagnostics
from hamlet_language.outline import every
from hamlet_language.positions import Position, Range
from hamletc.expansion.trees import names_in
from hamletc.language import syntax
from hamletc.language.spelling import spell_name
from hamletc.language.tables import terminals
from hamletc.language.tokens import scan
from hamletc.language.words import CALLS, MEANINGS, RESERVED, YIELDING


@dataclass(frozen=True, slots=True)
class Renaming:
    """A text that takes the place of these ranges."""

    text: str
    ranges: tuple[Range, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A line that says why a name stays as it is."""

    reason: str


def rename(document: Document, position: Position, name: str) -> Renaming | Refusal:
    """Rename what is declared by the name at a position, everywhere in the text. All names of one text are renamed
    together to one that is new, so what the universe means stays; the check is asked whether it still says the same."""
    plain = name[1:-1] if len(name) > 1 and name[0] == name[-1] == "`" else name
    declared = named(document, position)
    if not declared:
        return Refusal("no declaration has the name at this place: what a template's arguments name is not followed")
    old = declared[0].name.text
    refusal = _refused(document, old, plain, frozenset(each.kind for each in declared))
    if refusal is not None:
        return refusal
    spelled = _spelled(plain)
    spans = {each.span for each in names_in(document.declarations) if each.text == old}
    spans |= {each.name.span for each in declared}
    ranges = tuple(sorted(map(document.lines.range, spans), key=lambda each: each.start))
    renaming = Renaming(spelled, ranges)
    before, after = diagnostics(document), diagnostics(renamed(document, renaming))
    if [notice.code for notice in before] != [notice.code for notice in after]:
        said = next((notice.message for notice in after if notice.severity == "error"), "the check says something else")
        return Refusal(f"`{old}` cannot be followed everywhere: with `{plain}` {said}")
    return renaming


def renamed(document: Document, renaming: Renaming) -> Document:
    """The text behind a renaming."""
    text = document.text
    for each in reversed(renaming.ranges):
        text = text[: document.lines.offset(each.start)] + renaming.text + text[document.lines.offset(each.end) :]
    return Document(document.path, text, document.others)


def _refused(document: Document, old: str, new: str, kinds: frozenset[str]) -> Refusal | None:
    """The reason to rename nothing that can be seen beforehand."""
    if document.included:
        return Refusal(f"`{old}` may stand in universes that include this text")
    if any(notice.severity == "error" for notice in diagnostics(document)):
        return Refusal("the text has errors; mend these first")
    sources = document.linked[1]
    files = {each.span.file for each in _all(document) if each.text == old} - {0}
    if files:
        elsewhere = PurePath(sources[min(files)].title).name if min(files) in range(len(sources)) else "another file"
        return Refusal(f"`{old}` stands in {elsewhere}, too")
    if len(kinds) > 1:
        return Refusal(f"`{old}` is the name of several things: {', '.join(sorted(kinds))}")
    if any(each.text == new for each in _all(document)):
        return Refusal(f"`{new}` is a name in this universe already")
    tokens = scan(_spelled(new)).tokens
    if len(tokens) != 2 or tokens[0].problem is not None or tokens[0].kind not in ("word", "quoted"):
        return Refusal(f"`{new}` cannot be a name")
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
