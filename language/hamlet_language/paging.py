"""Answers of the language service to the worker of a page: JSON in, JSON out. `hamletc.page.service` finds them by
entry points, and gives them the path of the text, beside the files that it reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hamlet_language as service

Json = dict[str, Any]
MOST_OFFERS = 60
"""The most offers of an answer."""


def complete(asked: Json, path: Path) -> Json:
    """The offers at a place, `at` a line and units before it, and from where on it stands in the place of a word
    that was begun."""
    document = service.Document(path, asked["text"])
    offers = service.completion(document, service.Position(*asked["at"]))
    begun = _begun(document, offers)
    fitting = sorted((offer for offer in offers if _fits(offer.text, begun)), key=lambda offer: _rank(offer, begun))
    shown = [{"text": each.text, "kind": each.kind, "detail": each.detail} for each in fitting[:MOST_OFFERS]]
    start = None if not offers else [offers[0].range.start.line, offers[0].range.start.character]
    return {"offers": shown, "from": start}


def hover(asked: Json, path: Path) -> Json:
    """Lines of Markdown about the word at a place, and where that begins and ends; `None` where there are none."""
    said = service.hover(service.Document(path, asked["text"]), service.Position(*asked["at"]))
    if said is None:
        return {"about": None}
    start, end = said.range.start, said.range.end
    return {"about": said.text, "from": [start.line, start.character], "to": [end.line, end.character]}


def mend(asked: Json, path: Path) -> Json:
    """The text after all that hints say for certain."""
    return {"text": service.fixed(service.Document(path, asked["text"]))}


def _begun(document: service.Document, offers: tuple[service.Offer, ...]) -> str:
    """The word that was begun before the place."""
    if not offers:
        return ""
    begin, end = (document.lines.offset(place) for place in (offers[0].range.start, offers[0].range.end))
    return document.text[begin:end].lower()


def _fits(text: str, begun: str) -> bool:
    """Whether the letters that were written stand in a text in their order."""
    letters = iter(text.lower())
    return all(letter in letters for letter in begun)


def _rank(offer: service.Offer, begun: str) -> tuple[bool, bool, str]:
    """Texts that begin so first, then names."""
    return not offer.text.lower().startswith(begun), offer.kind != "name", offer.text
