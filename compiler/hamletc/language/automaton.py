"""The LALR(1) automaton of grammar.lark, driven one token at a time.

Before a token is shifted, `accepts` says whether it can be: it follows the reductions that the token would cause
without doing them. So a state knows exactly what may come next, which makes keywords contextual and messages true.
"""

from __future__ import annotations

from typing import Any

from hamletc.language.build import Builder, Leaf
from hamletc.language.tables import END, LIST, ONLY, Rule, tables
from hamletc.language.tokens import Token


class Automaton:
    """A parse in progress: a stack of states and one of the values built so far."""

    def __init__(self) -> None:
        self._tables = tables()
        self._builder = Builder()
        self._states = [0]
        self._values: list[Any] = []

    def accepts(self, terminal: str) -> bool:
        """Whether this terminal may come next."""
        table = self._tables
        step = table.states[self._states[-1]].get(terminal)
        if step is None or step >= 0:
            return step is not None
        states = list(self._states)
        while step is not None and step < 0:
            rule = table.rules[~step]
            del states[len(states) - rule.size :]
            state = table.states[states[-1]][rule.symbol]
            if state == table.last:
                return True
            states.append(state)
            step = table.states[state].get(terminal)
        return step is not None

    @property
    def height(self) -> int:
        """How much has been begun and not ended."""
        return len(self._states)

    def expected(self) -> frozenset[str]:
        """Every terminal that may come next."""
        known = self._tables.states[self._states[-1]]
        return frozenset(t for t in known if (t == END or t.isupper()) and self.accepts(t))

    def feed(self, terminal: str, token: Token) -> Any:
        """Shift a token that is accepted. The terminal `END` returns what was built."""
        table = self._tables
        while (step := table.states[self._states[-1]][terminal]) < 0:
            rule = table.rules[~step]
            first = len(self._values) - rule.size
            value = self._reduced(rule, self._values[first:])
            del self._states[first + 1 :]
            del self._values[first:]
            state = table.states[self._states[-1]][rule.symbol]
            if state == table.last:
                return value
            self._states.append(state)
            self._values.append(value)
        self._states.append(step)
        self._values.append(Leaf(terminal, token.text, token.span))
        return None

    def settle(self, terminal: str, token: Token) -> None:
        """Do the reductions before a terminal that is accepted, without shifting it."""
        self.feed(terminal, token)
        self._pop()

    def unwind(self, terminal: str) -> None:
        """Drop what was begun, back to where this terminal can be shifted at once."""
        while self._tables.states[self._states[-1]].get(terminal, -1) < 0:
            self._pop()

    def _reduced(self, rule: Rule, values: list[Any]) -> Any:
        arguments: list[Any] = []
        following = iter(values)
        for each in rule.arguments:
            value = None if each == "-" else next(following)
            if not isinstance(value, list):
                arguments.append(value)
            elif arguments:
                arguments += value
            else:
                arguments = value  # a list that grows is not copied each time
        if rule.builds == ONLY:
            return arguments[0]
        return arguments if rule.builds == LIST else getattr(self._builder, rule.builds)(*arguments)

    def _pop(self) -> None:
        self._states.pop()
        self._values.pop()
