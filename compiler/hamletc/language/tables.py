"""The tables of the LALR(1) automaton of grammar.lark.

Lark takes 100 ms to make them, so they are kept in tables.json, with the mark of the grammar that they belong to. After
a change of the grammar they are made anew in every process, until tables.json is, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias
from zlib import crc32

FOLDER = Path(__file__).parent
"""Where grammar.lark and tables.json are."""

END = "$END"
"""The terminal after the last token."""

LIST = "*"
"""As the name of what a rule builds: a list, which is spliced into the arguments of the rule above."""

ONLY = ""
"""As the name of what a rule builds: the one thing that it matched."""

Contents: TypeAlias = Mapping[str, Sequence[Any]]
"""What tables.json holds: `grammar`, one mark; `terminals`, the text and name of each; `rules`, see `Rule`;
`lookaheads`, sets of terminals; `states`, of each where every symbol that may be shifted leads, and pairs of a rule and
the set of terminals before which it is reduced."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the grammar without optional parts.

    Attributes:
        symbol: what it defines.
        builds: the name of the method of `Builder` that is called when it is reduced, or `LIST` or `ONLY`.
        arguments: of that method, in order: `v` for a value that was matched, `-` for an optional part that is absent.
        size: how many values are matched.
    """

    symbol: str
    builds: str
    arguments: str
    size: int


@dataclass(frozen=True, slots=True)
class Tables:
    """An automaton that starts in state 0.

    Attributes:
        rules: what can be reduced.
        states: for each state the symbols that may come next: the state that follows, or `~i` to reduce rule `i`.
        last: the state in which all has been reduced.
        terminals: the terminal of each keyword and symbol, by its text.
    """

    rules: tuple[Rule, ...]
    states: tuple[dict[str, int], ...]
    last: int
    terminals: dict[str, str]


@cache
def tables() -> Tables:
    """The tables of grammar.lark."""
    grammar = (FOLDER / "grammar.lark").read_text(encoding="utf-8")
    contents: Contents = json.loads((FOLDER / "tables.json").read_text(encoding="utf-8"))
    if contents["grammar"] != [mark(grammar)]:
        from hamletc.language.generate import generate

        contents = generate(grammar)
    return read(contents)


def mark(grammar: str) -> int:
    """A number that changes with a grammar."""
    return crc32(grammar.encode())


def read(contents: Contents) -> Tables:
    """The tables with these contents."""
    lookaheads = contents["lookaheads"]
    states = []
    for shifts, *reductions in contents["states"]:
        state: dict[str, int] = dict(shifts)
        for rule, lookahead in zip(reductions[::2], reductions[1::2], strict=True):
            state.update(dict.fromkeys(lookaheads[lookahead], ~rule))
        states.append(state)
    rules = tuple(Rule(*rule, rule[2].count("v")) for rule in contents["rules"])
    return Tables(rules, tuple(states), states[0]["start"], dict(contents["terminals"]))


def text(contents: Contents) -> str:
    """Contents as JSON, an item a line."""
    parts = (f'"{name}": [\n' + ",\n".join(map(json.dumps, items)) + "\n]" for name, items in contents.items())
    return "{\n" + ",\n".join(parts) + "\n}\n"


def terminals() -> dict[str, str]:
    """The terminal of each keyword and symbol, by its text."""
    return tables().terminals
