from __future__ import annotations

import logging

import lark
import pytest

from hamletc.language.grammar import whole
from hamletc.language.tables import GRAMMAR, Automaton, after, terminals
from hamletc.language.tokens import Token

AMBIGUOUS = 'start: "if" start | "if" start "else" start | "a"\n'
TERMINALS = 'NAME: /[a-z]+/\nLABEL: /[A-Z]+/\nNUMBER: /[0-9]+/\nSTRING: /"[a-z]+"/'


def conflicts(grammar: str, caplog: pytest.LogCaptureFixture) -> list[str]:
    """What lark says about conflicts, which it resolves silently otherwise."""
    caplog.clear()
    with caplog.at_level(logging.DEBUG, logger=lark.logger.name):
        lark.Lark(grammar, parser="lalr", lexer="basic", debug=True)
    return [record.getMessage() for record in caplog.records if "conflict" in record.getMessage().lower()]


def expected_after(*words: str) -> set[str]:
    """The words that can follow, apart from names."""
    automaton = Automaton()
    for word in words:
        automaton.feed(terminals().get(word, "NAME"), Token("word", word, 1, 1))
    return {text for text, terminal in terminals().items() if terminal in automaton.expected() and text.isalpha()}


def test_the_words_of_observe_are_those_of_the_grammar() -> None:
    found = expected_after("universe", "u", "observe", "{")
    assert found == set(filter(str.isalpha, after("observe", "{"))) >= {"grid", "lifetime"}


def test_the_grammar_has_no_conflicts(caplog: pytest.LogCaptureFixture) -> None:
    assert conflicts(AMBIGUOUS, caplog) != []
    assert conflicts(whole(GRAMMAR.read_text()).replace("%declare NAME LABEL NUMBER STRING", TERMINALS), caplog) == []
