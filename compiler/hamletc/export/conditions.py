"""Conditions of the preprocessor, decided when a text is written: the lines that a compiler without macros of its own
reads."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

DIRECTIVE = re.compile(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)")
IS_DEFINED = re.compile(r"defined\s*\(?\s*(\w+)\s*\)?")
WORDS = (("&&", " and "), ("||", " or "), ("!=", "<>"), ("!", " not "), ("<>", "!="))
"""Signs of C, and what they are in Python; `!=` steps aside while `!` is read."""
COMPARING: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Gt: operator.gt,
    ast.Lt: operator.lt,
}


@dataclass(slots=True)
class _Branch:
    """A condition that is open: whether its lines are read now, and whether those of one of its branches were."""

    reads: bool
    over: bool


def decided(text: str, macros: frozenset[str]) -> str:
    """A text without conditions and the lines that they leave out, where these macros alone are defined, as 1."""
    return "\n".join(_lines(text, macros))


def _lines(text: str, macros: frozenset[str]) -> Iterator[str]:
    opened: list[_Branch] = []
    for line in text.splitlines():
        directive = DIRECTIVE.match(line)
        if directive is None:
            if all(branch.reads for branch in opened):
                yield line
            continue
        match directive[1], directive[2].strip():
            case "endif", _:
                opened.pop()
            case "else", _:
                opened[-1].reads = not opened[-1].over
            case "elif", condition:
                opened[-1].reads = not opened[-1].over and holds(condition, macros)
                opened[-1].over |= opened[-1].reads
            case "ifdef", name:
                opened.append(_Branch(name in macros, name in macros))
            case "ifndef", name:
                opened.append(_Branch(name not in macros, name not in macros))
            case _, condition:
                reads = holds(condition, macros)
                opened.append(_Branch(reads, reads))


def holds(condition: str, macros: frozenset[str]) -> bool:
    """Whether a condition holds.

    Raises:
        ValueError: it has other signs than those of conditions of names and integers.
    """
    plain = IS_DEFINED.sub(lambda match: str(int(match[1] in macros)), condition)
    for sign, word in WORDS:
        plain = plain.replace(sign, word)
    return bool(_value(ast.parse(plain.strip(), mode="eval").body, macros))


def _value(node: ast.expr, macros: frozenset[str]) -> int:
    """A part of a condition. A name that is no macro is 0, as for the preprocessor."""
    match node:
        case ast.Constant(value=int(value)):
            return value
        case ast.Name(id=name):
            return int(name in macros)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return int(not _value(operand, macros))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _value(left, macros) + _value(right, macros)
        case ast.BoolOp(op=ast.And(), values=values):
            return int(all(_value(each, macros) for each in values))
        case ast.BoolOp(op=ast.Or(), values=values):
            return int(any(_value(each, macros) for each in values))
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            return int(COMPARING[type(sign)](_value(left, macros), _value(right, macros)))
        case _:
            raise ValueError(f"no condition of names and integers: {ast.unparse(node)}")
