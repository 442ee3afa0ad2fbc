"""A universe for the language service, and places in texts."""

from __future__ import annotations

from pathlib import Path

import hamlet_language as service
from hamlet_language import Document, Position

ROOT = Path(__file__).parents[3]
SHIPPED = sorted((ROOT / "universes").rglob("*.hamlet"))
GARDEN = """\
universe garden
space grid 4 x 4
meter water = 0.5 in 0 .. 2 { decay 0.01  interact 0.001 }
meter joy = 1
action REST { joy += 0.1  water += 0.1 }
rule thirst: water < 0.2 -> joy -= 0.1 * water
rule even: water > 1 -> joy = 0.5
affordance Well at random {
    instantly { water += 0.5  joy -= 0.01 }
}
dies when water <= 0 or joy <= 0
reward joy
observe { meters }
"""


def document(text: str, path: Path = Path("garden.hamlet")) -> Document:
    return Document(path, text)


def at(text: str, part: str, more: int = 0) -> Position:
    """The position of the only place where a part stands, or of a character of it."""
    assert text.count(part) == 1, part
    before = text[: text.index(part) + more]
    return Position(before.count("\n"), len(before) - before.rfind("\n") - 1)


def offered(text: str) -> dict[str, service.Offer]:
    """The offers at the end of a text."""
    end = Position(text.count("\n"), len(text) - text.rfind("\n") - 1)
    return {offer.text: offer for offer in service.completion(document(text), end)}


def cut(text: str, part: str) -> str:
    """A text up to the end of a part of it."""
    assert text.count(part) == 1, part
    return text[: text.index(part) + len(part)]


def hover(of: Document, position: Position) -> str:
    """The text of the hover at a position; empty where there is none."""
    said = service.hover(of, position)
    return "" if said is None else said.text
