"""The LALR automaton that lark makes from grammar.lark, driven one token at a time.

Before a token is shifted, `accepts` says whether it can be: it follows the reductions that the token would cause
without doing them. So a state knows exactly what may come next, which makes keywords contextual and messages true.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import lark
from lark.parsers.lalr_analysis import Shift

from hamletc.language import lalr
from hamletc.language.tokens import Token

END = "$END"
"""The terminal after the last token."""


@cache
def grammar() -> lark.Lark:
    """The parser of grammar.lark."""
    return lalr.load(lalr.grammar_text(), lalr.shipped())


@cache
def terminals() -> dict[str, str]:
    """The terminal of each keyword and symbol, by its text."""
    return {t.pattern.value: t.name for t in grammar().terminals if t.pattern is not None}


class Automaton:
    """A parse in progress: a stack of states and one of the values built so far."""

    def __init__(self) -> None:
        self._parser = grammar().parse_interactive().parser_state
        self._table: dict[int, dict[str, tuple[Any, Any]]] = self._parser.parse_conf.parse_table.states

    def accepts(self, terminal: str) -> bool:
        """Whether this terminal may come next."""
        action, argument = self._table[self._parser.position].get(terminal, (None, None))
        if action is None or action is Shift:
            return action is Shift
        stack = list(self._parser.state_stack)
        while action is not None and action is not Shift:
            if argument.expansion:
                del stack[-len(argument.expansion) :]
            _, state = self._table[stack[-1]][argument.origin.name]
            if state == self._parser.parse_conf.end_state:
                return True
            stack.append(state)
            action, argument = self._table[state].get(terminal, (None, None))
        return action is Shift

    @property
    def height(self) -> int:
        """How much has been begun and not ended."""
        return len(self._parser.state_stack)

    def expected(self) -> frozenset[str]:
        """Every terminal that may come next."""
        known = self._table[self._parser.position]
        return frozenset(t for t in known if (t == END or t.isupper()) and self.accepts(t))

    def feed(self, terminal: str, token: Token) -> Any:
        """Shift a token that is accepted. The terminal `END` returns what was built."""
        span = token.span
        value = lark.Token(
            terminal,
            token.text,
            line=span.line,
            column=span.column,
            end_line=span.end_line,
            end_column=span.end_column,
        )
        return self._parser.feed_token(value, is_end=terminal == END)

    def settle(self, terminal: str, token: Token) -> None:
        """Do the reductions before a terminal that is accepted, without shifting it."""
        self.feed(terminal, token)
        self._pop()

    def unwind(self, terminal: str) -> None:
        """Drop what was begun, back to where this terminal can be shifted at once."""
        while self._table[self._parser.position].get(terminal, (None,))[0] is not Shift:
            self._pop()

    def _pop(self) -> None:
        self._parser.state_stack.pop()
        self._parser.value_stack.pop()
