"""Completion: names and words that can stand at a position, none of which the parser would refuse there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet_language.document import Document
from hamlet_language.outline import every
from hamlet_language.positions import Position, Range
from hamletc.language.braces import DECLARATIONS
from hamletc.language.prefixes import Prefix
from hamletc.language.spelling import spell_name
from hamletc.language.tables import terminals
from hamletc.language.tokens import scan
from hamletc.language.words import CALLS, PLACES, QUANTITIES, SHAPES, YIELDING

OfferKind: TypeAlias = Literal["name", "word", "function", "quantity"]
_STARTED = re.compile(r"[A-Za-z_]\w*\Z")
_QUOTED = re.compile(r'"[^"\n]*\Z')
_NAMING = frozenset(
    (
        *("action", "affordance", "cascade", "control", "effect", "input", "item", "let", "meter", "param", "report"),
        *("role", "rule", "state", "table", "template", "universe"),
    )
)
"""The words behind which a new name stands."""
_TAKING = ("without", "override", "extends")
_VALUES = frozenset(
    ("meter", "state", "world meter", "world state", "cell meter", "cell state", "param", "input", "control", "terrain")
)
_WRITTEN = frozenset(("meter", "state", "world meter", "world state", "cell meter", "cell state"))
_IN_EXPRESSIONS = _VALUES | {"let", "local", "function", "table", "role", "effect", "item", "parameter", "region"}
_COMPARED = frozenset(("affordance", "action", "move", "region", "node", "parameter"))
_BEHIND = {
    "use": frozenset(("template",)),
    "spawn": frozenset(("role", "parameter")),
    "begin": frozenset(("effect", "parameter")),
    "to": frozenset(("affordance", "region", "node", "parameter")),
}
"""The kinds of names behind these words."""
_IN_CASCADES = ("deficit", "shortfall")


@dataclass(frozen=True, slots=True)
class Offer:
    """A text that can stand in place of a range. `detail` says in some words what it is."""

    text: str
    kind: OfferKind
    detail: str
    range: Range


def completion(document: Document, position: Position) -> tuple[Offer, ...]:
    """Offers of all that can stand at a position, in place of the word that was begun before it."""
    end = document.lines.offset(position)
    before = document.text[:end]
    line = before[before.rfind("\n") + 1 :]
    if "#" in _without_quotes(line) or _QUOTED.search(_without_quotes(line)) or line.count("`") % 2:
        return ()
    started = _STARTED.search(before)
    start = end if started is None else started.start()
    if re.search(r"[\w.%]\Z", before[:start]):
        return ()
    scanned = scan(before[:start])
    if scanned.problems or any(token.problem is not None for token in scanned.tokens):
        return ()
    prefix = Prefix(scanned)
    begun = Range(document.lines.position(*_place(before, start)), document.lines.position(*_place(before, end)))
    offers = (*_words(prefix), *_names(document, prefix), *_quantities(prefix))
    texts: dict[str, Offer] = {}
    for text, kind, detail in offers:
        texts.setdefault(text, Offer(text, kind, detail, begun))
    return tuple(texts.values())


_Offered: TypeAlias = tuple[str, OfferKind, str]


def _words(prefix: Prefix) -> Iterator[_Offered]:
    for word in prefix.words():
        yield word, "word", SHAPES.get(word, "")


def _names(document: Document, prefix: Prefix) -> Iterator[_Offered]:
    """The names that are declared and fit; none where a new one is to be written."""
    tokens = prefix.tokens
    if not prefix.goes_on("NAME") or not tokens:
        return
    kinds = _kinds(prefix)
    declared = [(each.name, each.kind) for each in every(document.declarations)]
    readable = [(each.name, "local") for each in document.locals if prefix.is_inside(each.let.span)]
    for name, kind in (*readable, *declared):
        if kinds is not None and kind not in kinds:
            continue
        text = spell_name(name)
        if prefix.accepts(text, "quoted" if text.startswith("`") else "word"):
            yield text, "name", kind


def _kinds(prefix: Prefix) -> frozenset[str] | None:
    """The kinds of names that fit; `None`: any."""
    tokens = prefix.tokens
    last, earlier = tokens[-1].text, tokens[-2].text if len(tokens) > 1 else ""
    if last in _NAMING:
        if earlier in _TAKING:
            return frozenset((last,))
        listed = prefix.around and prefix.around[-1].text in ("observe", "draw")
        return frozenset((last,)) if listed and last in ("affordance", "item", "action", "state") else frozenset()
    if last in ("==", "!=") and earlier in PLACES:
        return _COMPARED
    if last in _BEHIND:
        return _BEHIND[last]
    if prefix.goes_on(terminals()["("]):
        return _IN_EXPRESSIONS
    return _WRITTEN | {"parameter"} if prefix.goes_on(terminals()["together"]) else None


def _quantities(prefix: Prefix) -> Iterator[_Offered]:
    """Functions and quantities, where an expression can stand."""
    if not (prefix.tokens and prefix.goes_on("NAME") and prefix.goes_on(terminals()["("])):
        return
    if _kinds(prefix) != _IN_EXPRESSIONS:
        return
    in_cascade = _declaration(prefix) == "cascade"
    for text, meaning in (*QUANTITIES.items(), *YIELDING.items()):
        if prefix.accepts(text) and (in_cascade or text not in _IN_CASCADES):
            yield text, "quantity", meaning
    for text, call in CALLS.items():
        if prefix.accepts(text):
            yield text, "function", call.example


def _declaration(prefix: Prefix) -> str:
    """The word of the declaration that the prefix ends in."""
    words = (token.text for token in reversed(prefix.tokens) if token.kind == "word")
    return next((word for word in words if word in DECLARATIONS), "")


def _without_quotes(line: str) -> str:
    """A line without what stands in pairs of quotes."""
    return re.sub(r'"[^"]*"|`[^`]*`', "", line)


def _place(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1
