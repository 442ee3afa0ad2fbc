"""The tables that lark makes of a grammar, as they are shipped: grammar.json.

`pytest tests/unit/language/test_lalr.py --update-golden` writes them anew, and keeps them equal to the grammar.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import lark
from lark.grammar import Rule
from lark.parsers.lalr_analysis import Shift

from hamletc.language.grammar import whole


def make(by_hand: str) -> lark.Lark:
    """Lark's own parser of a grammar, which has its tables; it is never used to parse."""
    return lark.Lark(whole(by_hand), parser="lalr", lexer="basic", keep_all_tokens=True, maybe_placeholders=True)


def tables_of(by_hand: str, digest: int) -> str:
    """The tables of a grammar that has these rules by hand, with its digest: a rule, a terminal or a state per line.

    Rules and states have no order of their own in lark; here rules are sorted, and states counted from the first one
    on as they are met.
    """
    made = make(by_hand)
    table = made.parse_interactive().parser_state.parse_conf.parse_table
    lines = sorted({_line(_rule(rule)) for rule in made.rules})
    rows = {line: -1 - row for row, line in enumerate(lines)}
    first = table.start_states["start"]
    numbers, states = {first: 0}, []
    queue = [first]
    for state in queue:
        cells: dict[str, int] = {}
        for symbol, (action, argument) in sorted(table.states[state].items()):
            if action is not Shift:
                cells[symbol] = rows[_line(_rule(argument))]
                continue
            if argument not in numbers:
                numbers[argument] = len(queue)
                queue.append(argument)
            cells[symbol] = numbers[argument]
        states.append(_line(cells))
    terminals = sorted(f"{_line(t.pattern.value)}:{_line(t.name)}" for t in made.terminals if t.pattern is not None)
    head = _line({"grammar": digest, "end": numbers[table.end_states["start"]]})
    parts = (f'"rules":{_listing(lines)}', f'"terminals":{_listing(terminals, "{}")}', f'"states":{_listing(states)}')
    return ",\n".join((head[:-1], *parts)) + "}\n"


def _rule(rule: Rule) -> tuple[Any, ...]:
    """The fields of `hamletc.language.tables.Rule`."""
    marks = "".join(str(int(empty)) for empty in rule.options.empty_indices) or "0" * len(rule.expansion)
    absent = [len(ones) for ones in marks.split("0")]
    collapses = rule.options.expand1 and not rule.alias
    return rule.origin.name, absent, collapses, rule.alias or rule.origin.name


def _line(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _listing(lines: Iterable[str], brackets: str = "[]") -> str:
    return f"{brackets[0]}\n" + ",\n".join(lines) + f"\n{brackets[1]}"
