"""From grammar.lark to the tables of an LALR(1) automaton, by lark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import lark
from lark.grammar import Rule
from lark.lexer import Lexer
from lark.parsers.lalr_analysis import Shift

from hamletc.language.tables import LIST, ONLY, Contents, mark


class _NoLexer(Lexer):
    """Tokens are fed one by one, so lark needs no lexer."""

    def __init__(self, lexer_conf: Any) -> None:
        pass

    def lex(self, *_states: Any) -> Iterator[Any]:
        return iter(())


def generate(grammar: str) -> Contents:
    """The contents of tables.json for a grammar. The same grammar gives the same contents: states are numbered in the
    order in which a walk from the first one meets them."""
    parser = lark.Lark(grammar, parser="lalr", lexer=_NoLexer, keep_all_tokens=True, maybe_placeholders=True)
    state = parser.parse_interactive().parser_state
    table: dict[int, dict[str, tuple[Any, Any]]] = state.parse_conf.parse_table.states
    rules = {rule: number for number, rule in enumerate(parser.rules)}
    states: list[tuple[dict[str, int], dict[int, int]]] = []
    lookaheads: dict[tuple[str, ...], int] = {}
    numbers = {state.position: 0}
    for old in (walk := [state.position]):
        shifts, reductions = dict[str, int](), dict[int, list[str]]()
        for symbol, (action, argument) in sorted(table[old].items()):
            if action is Shift:
                if argument not in numbers:
                    numbers[argument] = len(walk)
                    walk.append(argument)
                shifts[symbol] = numbers[argument]
            else:
                reductions.setdefault(rules[argument], []).append(symbol)
        sets = {rule: lookaheads.setdefault(tuple(symbols), len(lookaheads)) for rule, symbols in reductions.items()}
        states.append((shifts, sets))
    return {
        "grammar": [mark(grammar)],
        "terminals": sorted((t.pattern.value, t.name) for t in parser.terminals if t.pattern is not None),
        "rules": [(rule.origin.name, _value(rule), _arguments(rule)) for rule in parser.rules],
        "lookaheads": list(lookaheads),
        "states": [(shifts, *(number for pair in sets.items() for number in pair)) for shifts, sets in states],
    }


def _value(rule: Rule) -> str:
    """What becomes of what a rule matched. Rules that begin with an underscore are spliced into those above; with a
    question mark and no name of their own they hand on the one thing that they matched."""
    if rule.origin.name.startswith("_"):
        return LIST
    return rule.alias or (ONLY if rule.options.expand1 else rule.origin.name)


def _arguments(rule: Rule) -> str:
    """A `v` for each value that a rule matched, a `-` for each optional part that is absent."""
    absent = rule.options.empty_indices or (False,) * len(rule.expansion)
    return "".join("-" if each else "v" for each in absent)
