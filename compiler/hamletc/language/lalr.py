"""The LALR tables that lark makes of grammar.lark, shipped beside it as data: grammar.json.

Making them takes 90 ms, three times as long as reading a universe. Lark's own cache would be a pickle, which runs what
somebody put there. `tests/unit/language/test_lalr.py` keeps the file equal to the grammar; whoever changes the grammar
runs it with `--update-golden`. Until then the tables are made anew each time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from importlib.resources import files
from typing import Any

import lark
from lark.grammar import Rule
from lark.lexer import Lexer, TerminalDef

from hamletc.language.build import Builder

TABLES = "grammar.json"

Cells = dict[str, int]
"""What a state does, by symbol: n >= 0 shifts and goes to state n, n < 0 reduces by rule -1 - n."""


class _NoLexer(Lexer):
    """Tokens are fed one by one, so lark needs no lexer."""

    def __init__(self, lexer_conf: Any) -> None:
        pass

    def lex(self, *_states: Any) -> Iterator[Any]:
        return iter(())


OPTIONS: Mapping[str, Any] = {
    "parser": "lalr",
    "lexer": _NoLexer,
    "keep_all_tokens": True,
    "maybe_placeholders": True,
}


def grammar_text() -> str:
    """The text of the grammar."""
    return _resource("grammar.lark")


def load(text: str, tables: str) -> lark.Lark:
    """The parser of a grammar from its tables, or from the grammar where they are those of another one."""
    found = json.loads(tables)
    if found["grammar"] != _digest(text):
        return make(text)
    rules, terminals = found["rules"], found["terminals"]
    memo = dict(enumerate((*rules, *terminals)))
    symbols = sorted({symbol for state in found["states"] for symbol in state})
    number = {symbol: index for index, symbol in enumerate(symbols)}
    references = [{"@": index} for index in memo]
    parser = {
        "tokens": dict(enumerate(symbols)),
        "states": {index: dict(_actions(state, number)) for index, state in enumerate(found["states"])},
        "start_states": {"start": 0},
        "end_states": {"start": found["end"]},
    }
    lexer = {"terminals": references[len(rules) :], "ignore": [], "g_regex_flags": 0, "use_bytes": False}
    frontend = {
        "lexer_conf": {**lexer, "lexer_type": _NoLexer},
        "parser_conf": {"rules": references[: len(rules)], "start": ["start"], "parser_type": "lalr"},
        "parser": parser,
    }
    data = {"parser": frontend, "rules": references[: len(rules)], "options": {**OPTIONS, "start": ["start"]}}
    load_from: Any = lark.Lark._load_from_dict
    result: lark.Lark = load_from(data, memo, transformer=Builder())
    return result


def shipped() -> str:
    """The tables as they are shipped."""
    return _resource(TABLES)


def make(text: str) -> lark.Lark:
    """The parser of a grammar."""
    return lark.Lark(text, transformer=Builder(), **OPTIONS)


def tables_of(text: str) -> str:
    """The tables of a grammar, as they are to be shipped: a rule, a terminal or a state per line.

    Rules and states have no order of their own in lark; here rules are sorted, and states counted from the first one
    on as they are met.
    """
    made = make(text)
    data, memo = made.memo_serialize([TerminalDef, Rule])
    rules = sorted(_line(memo[each["@"]]) for each in data["rules"])
    terminals = sorted(_line(memo[each["@"]]) for each in data["parser"]["lexer_conf"]["terminals"])
    rows = {rule: -1 - row for row, rule in enumerate(rules)}
    parser = data["parser"]["parser"]
    first = parser["start_states"]["start"]
    numbers, states = {first: 0}, []
    queue = [first]
    for state in queue:
        actions = {parser["tokens"][token]: action for token, action in parser["states"][state].items()}
        cells: Cells = {}
        for symbol, (reduces, argument) in sorted(actions.items()):
            if reduces:
                cells[symbol] = rows[_line(memo[argument["@"]])]
                continue
            if argument not in numbers:
                numbers[argument] = len(queue)
                queue.append(argument)
            cells[symbol] = numbers[argument]
        states.append(_line(cells))
    parts = {"rules": rules, "terminals": terminals, "states": states}
    head = {"grammar": _digest(text), "end": numbers[parser["end_states"]["start"]]}
    lists = "".join(f',\n"{name}": {_listing(lines)}' for name, lines in parts.items())
    return json.dumps(head)[:-1] + lists + "}\n"


def _actions(cells: Cells, number: Mapping[str, int]) -> Iterator[tuple[int, tuple[int, Any]]]:
    """A state as lark keeps it."""
    for symbol, target in cells.items():
        yield number[symbol], (1, {"@": -1 - target}) if target < 0 else (0, target)


def _line(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _listing(lines: Iterable[str]) -> str:
    return "[\n" + ",\n".join(lines) + "\n]"


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _resource(name: str) -> str:
    return files("hamletc.language").joinpath(name).read_text(encoding="utf-8")
