"""The LALR automaton of grammar.lark, driven one token at a time.

Before a token is shifted, `accepts` says whether it can be: it follows the reductions that the token would cause
without doing them. So a state knows exactly what may come next, which makes keywords contextual and messages true.

Lark makes the tables (`hamletc.language.lalr`), and grammar.json has them as data, so that nothing of lark is needed to
read a universe: importing it and making the tables would take four times as long as that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from hamletc.language.build import maker
from hamletc.language.forms import written_forms
from hamletc.language.pieces import Leaf
from hamletc.language.tokens import Token

END = "$END"
"""The terminal after the last token."""
GRAMMAR = Path(__file__).with_name("grammar.lark")
TABLES = Path(__file__).with_name("grammar.json")


class Rule(NamedTuple):
    """A rule of the grammar, and what to do with the values of its symbols when it is reduced.

    Attributes:
        origin: the symbol that it derives. One that begins with `_` has a list as its value, whose items become values
            of the rule above.
        absent: how many optional parts are absent before each symbol and behind the last; they have the value `None`.
        collapses: whether a single value stands for itself.
        stands: whether that is all that it does: one symbol, and nothing absent.
        method: what makes one value of several, by its name: `hamletc.language.build.maker`.
        length: the number of its symbols.
    """

    origin: str
    absent: list[int]
    collapses: bool
    stands: bool
    method: str
    length: int


class Tables(NamedTuple):
    """What to do in each state, by symbol: n >= 0 shifts and goes to state n, n < 0 reduces by rule -1 - n. `end` is
    the state in which a file has been read, `terminals` are by their texts."""

    rules: list[Rule]
    states: list[dict[str, int]]
    end: int
    terminals: dict[str, str]


def digest(by_hand: str) -> int:
    """Tells a grammar from another one: its rules by hand, and the forms of nodes."""
    return crc32(f"{by_hand}{written_forms()}".encode())


@cache
def tables() -> Tables:
    """The tables of the grammar. Where those in grammar.json are of another one, as after an edit, they are made."""
    by_hand, text = GRAMMAR.read_text(encoding="utf-8"), TABLES.read_text(encoding="utf-8")
    found = json.loads(text)
    if found["grammar"] != digest(by_hand):
        from hamletc.language.lalr import tables_of

        found = json.loads(tables_of(by_hand, digest(by_hand)))
    rules = [
        Rule(origin, absent, one, one and absent == [0, 0], method, len(absent) - 1)
        for origin, absent, one, method in found["rules"]
    ]
    return Tables(rules, found["states"], found["end"], found["terminals"])


@cache
def collapsed(below: int, state: int, terminal: str) -> int:
    """The state in place of one above `below`, when before a terminal all has been reduced that lets a single value
    stand for itself: a name is a factor, a term, a sum. The same few come again and again."""
    rules, table = tables().rules, tables().states
    while (target := table[state].get(terminal, 0)) < 0 and (rule := rules[-1 - target]).stands:
        state = table[below][rule.origin]
    return state


def terminals() -> Mapping[str, str]:
    """The terminal of each keyword and symbol, by its text."""
    return tables().terminals


def after(*texts: str) -> frozenset[str]:
    """The keywords and symbols that may come right after these, wherever they stand in this order."""
    states, known = tables().states, terminals()
    reached: list[int] = list(range(len(states)))
    for text in texts:
        reached = [shift for state in reached if (shift := states[state].get(known[text], -1)) >= 0]
    return frozenset(text for text, terminal in known.items() if any(terminal in states[each] for each in reached))


class Automaton:
    """A parse in progress: a stack of states and one of the values built so far."""

    def __init__(self) -> None:
        self._rules, self._table, self._end, _ = tables()
        self._states = [0]
        self._values: list[Any] = []

    def accepts(self, terminal: str) -> bool:
        """Whether this terminal may come next."""
        target = self._table[self._states[-1]].get(terminal)
        if target is None or target >= 0:
            return target is not None
        # Copying the stack would make a deeply nested text take quadratic time.
        table, rules, states = self._table, self._rules, self._states
        kept, pushed = len(states), list[int]()
        while target is not None and target < 0:
            rule = rules[-1 - target]
            more = len(pushed) - rule.length
            if more > 0:
                del pushed[more:]
                below = pushed[-1]
            else:
                kept += more
                pushed.clear()
                below = states[kept - 1]
            state = table[below][rule.origin]
            if state == self._end:
                return True
            state = collapsed(below, state, terminal)
            pushed.append(state)
            target = table[state].get(terminal)
        return target is not None

    def copy(self) -> Automaton:
        """Another automaton that has read the same."""
        other = Automaton()
        other._states, other._values = self._states.copy(), self._values.copy()
        return other

    @property
    def height(self) -> int:
        """How much has been begun and not ended."""
        return len(self._states)

    def expected(self) -> frozenset[str]:
        """Every terminal that may come next."""
        known = self._table[self._states[-1]]
        return frozenset(t for t in known if (t == END or t.isupper()) and self.accepts(t))

    def feed(self, terminal: str, token: Token) -> Any:
        """Shift a token that is accepted. The terminal `END` returns what was built."""
        states, values = self._states, self._values
        while (target := self._table[states[-1]][terminal]) < 0:
            rule = self._rules[-1 - target]
            if rule.stands and not isinstance(values[-1], list):
                states[-1] = collapsed(states[-2], states[-1], terminal)
                continue
            self._reduce(rule)
            if states[-1] == self._end:
                return values[-1]
        states.append(target)
        values.append(Leaf(terminal, token.text, token.span))
        return None

    def _reduce(self, rule: Rule) -> None:
        """Put one value in the place of those of a rule's symbols."""
        first = len(self._values) - rule.length
        values: list[Any] = []
        for absent, value in zip(rule.absent, self._values[first:], strict=False):
            values += [None] * absent
            values += value if isinstance(value, list) else (value,)
        values += [None] * rule.absent[-1]
        del self._values[first:], self._states[first + 1 :]
        self._states.append(self._table[self._states[-1]][rule.origin])
        if rule.origin.startswith("_"):
            self._values.append(values)
        elif rule.collapses and len(values) == 1:
            self._values.append(values[0])
        else:
            self._values.append(maker(rule.method)(*values))

    def settle(self, terminal: str, token: Token) -> None:
        """Do the reductions before a terminal that is accepted, without shifting it."""
        self.feed(terminal, token)
        self._pop()

    def unwind(self, terminal: str) -> None:
        """Drop what was begun, back to where this terminal can be shifted at once."""
        while self._table[self._states[-1]].get(terminal, -1) < 0:
            self._pop()

    def _pop(self) -> None:
        self._states.pop()
        self._values.pop()
