"""The soak of the language service: nothing is raised, no offer is refused, and where one would be it is told."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import hamlet_language as service

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"
SECONDS = 1.5


@pytest.fixture
def language(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """benchmarks/ is no package: it runs as scripts."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import language

    yield language
    sys.modules.pop("language", None)


def test_prefixes_and_edits_are_answered(language: ModuleType) -> None:
    tried = language.soak(SECONDS, random.Random(7))
    assert tried.wrong == []
    assert tried.prefixes > 10
    assert tried.written > 10


def test_an_offer_that_does_not_parse_is_told(language: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def offers(_: service.Document, position: service.Position) -> tuple[service.Offer, ...]:
        return (service.Offer("%%", "word", "", service.Range(position, position)),)

    monkeypatch.setattr(service, "completion", offers)
    assert language.soak(0.5, random.Random(7)).wrong


def test_what_is_raised_is_told(language: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def raised(*_: object) -> tuple[service.Offer, ...]:
        raise IndexError("nothing is there")

    monkeypatch.setattr(service, "completion", raised)
    (first, *_) = language.soak(0.2, random.Random(7)).wrong
    assert first["what"] == "IndexError: nothing is there"


def test_one_token_of_a_text_is_changed(language: ModuleType) -> None:
    text = language.written()
    tokens = [token for token in language.scan(text).tokens if token.kind != "end"]
    new, place = language.changed(text, tokens, random.Random(1))
    lines = zip(new.split("\n"), text.split("\n"), strict=True)
    assert [number for number, (a, b) in enumerate(lines, 1) if a != b] in ([place.line], [])
    assert abs(text.count("\n") - language.LINES) < 10
