from __future__ import annotations

import logging
from importlib.resources import files

import lark
import pytest

GRAMMAR = files("hamletc.language").joinpath("grammar.lark").read_text(encoding="utf-8")
AMBIGUOUS = 'start: "if" start | "if" start "else" start | "a"\n'


def conflicts(grammar: str, caplog: pytest.LogCaptureFixture) -> list[str]:
    """What lark says about conflicts, which it resolves silently otherwise."""
    caplog.clear()
    with caplog.at_level(logging.DEBUG, logger=lark.logger.name):
        lark.Lark(grammar, parser="lalr", lexer="basic", debug=True)
    return [record.getMessage() for record in caplog.records if "conflict" in record.getMessage().lower()]


def test_the_grammar_has_no_conflicts(caplog: pytest.LogCaptureFixture) -> None:
    assert conflicts(AMBIGUOUS, caplog) != []
    assert conflicts(GRAMMAR.replace("%declare NAME NUMBER", "NAME: /[a-z]+/\nNUMBER: /[0-9]+/"), caplog) == []
