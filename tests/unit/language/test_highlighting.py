"""The lexer of Pygments: words in their classes, names as the text declares them, nothing lost and nothing unknown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import Comment, Error, Keyword, Name, Number, Operator, String, Token

from hamlet_language.highlighting import HamletLexer
from hamlet_language.vocabulary import vocabulary
from hamletc.language.tables import terminals

ROOT = Path(__file__).parents[3]
SHIPPED = sorted((ROOT / "universes").rglob("*.hamlet"))
PAGES = sorted((ROOT / "docs").rglob("*.md"))
_EXAMPLE = re.compile(r"^```hamlet\n(.*?)^```", re.MULTILINE | re.DOTALL)


def kinds(text: str) -> dict[str, object]:
    """The kind of each piece of a text, the last one of those that are alike."""
    return {piece: kind for kind, piece in HamletLexer().get_tokens(text)}


def strange(text: str) -> list[str]:
    """The pieces of a text that are nothing of the language."""
    return [piece for kind, piece in HamletLexer().get_tokens(text) if kind is Error]


def test_pygments_finds_it() -> None:
    assert isinstance(get_lexer_by_name("hamlet"), HamletLexer)
    assert isinstance(get_lexer_for_filename("town.hamlet"), HamletLexer)


def test_what_words_are() -> None:
    text = "# of a fish\nmeter energy = 1.0 in 0 .. 1\nrule r: min(energy, 1) < 5e-1 and hour > 3 -> `a b` -= 1"
    found = kinds(f'{text}\nmap "m.txt"')
    assert found["# of a fish"] is Comment.Single
    assert found["meter"] is Keyword.Declaration
    assert found["map"] is Keyword.Declaration
    assert found["energy"] is Name
    assert found["r"] is Name.Variable
    assert found["in"] is Keyword.Pseudo
    assert found["min"] is Name.Function
    assert found["5e-1"] is Number
    assert found["and"] is Keyword
    assert found["hour"] is Name.Builtin
    assert found["`a b`"] is Name
    assert found["-="] is Operator
    assert found['"m.txt"'] is String


def test_a_word_that_is_declared_is_a_name() -> None:
    """As later words of the language are, they are names where the text says so."""
    assert kinds("rule r: left > 0 -> other -= 1")["left"] is Keyword.Pseudo
    found = kinds("meter left = 1\nstate other: bool = false\nrule r: left > 0 -> other = false")
    assert (found["left"], found["other"]) == (Name, Name)
    assert kinds("space grid 8 x 8")["x"] is Operator


def test_each_word_of_the_grammar_has_one_class() -> None:
    all_words = vocabulary()
    classes = (all_words.naming, all_words.opening, all_words.control, all_words.quantities, all_words.keywords)
    assert frozenset[str]().union(*classes) >= {word for word in terminals() if word.isalpha()}
    assert sum(map(len, classes)) == len(frozenset[str]().union(*classes))


@pytest.mark.parametrize("folder", sorted({path.parent for path in SHIPPED}), ids=lambda path: path.name)
def test_nothing_of_a_universe_is_unknown(folder: Path) -> None:
    for path in SHIPPED:
        if path.parent == folder:
            text = path.read_text(encoding="utf-8")
            assert not strange(text), path
            assert "".join(piece for _, piece in HamletLexer(stripnl=False).get_tokens(text)) == text


def test_nothing_of_an_example_is_unknown() -> None:
    examples = [each for page in PAGES for each in _EXAMPLE.findall(page.read_text(encoding="utf-8"))]
    assert len(examples) > 30
    for example in examples:
        assert not [piece for piece in strange(example) if piece not in ("…", ".")], example


def test_any_text_is_taken() -> None:
    text = 'universe 1..2 ` " \u2212 @ = §\n{'
    assert "".join(piece for _, piece in HamletLexer(ensurenl=False).get_tokens(text)) == text
    assert Error in dict(HamletLexer().get_tokens(text))
    assert Error in Token
