"""What can be altered in emitted code: in templates, and in the strings of which formatters and emitters make it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mutant import COMPILER, Mutant

RULES: tuple[tuple[str, str, str], ...] = (
    (r" <= ", " < ", "comparison"),
    (r" < ", " <= ", "comparison"),
    (r" >= ", " > ", "comparison"),
    (r" > ", " >= ", "comparison"),
    (r" == ", " != ", "comparison"),
    (r" != ", " == ", "comparison"),
    (r" \+ ", " - ", "arithmetic"),
    (r" - ", " + ", "arithmetic"),
    (r" \* ", " + ", "arithmetic"),
    (r" // ", " % ", "arithmetic"),
    (r" % ", " // ", "arithmetic"),
    (r" \+= ", " -= ", "arithmetic"),
    (r" & ", " | ", "logic"),
    (r" \| ", " & ", "logic"),
    (r" >> ", " << ", "arithmetic"),
    (r" << ", " >> ", "arithmetic"),
    (r"~(?=[\w{(])", "", "logic"),
    (r"\bnot (?!in\b|none\b)", "", "logic"),
    (r" is not None", " is None", "condition"),
    (r" is None", " is not None", "condition"),
    (r"(?<=^)-(?=\{)|(?<=\")-(?=\{)", "", "arithmetic"),
    (r"\bminimum\b", "maximum", "operation"),
    (r"\bmaximum\b", "minimum", "operation"),
    (r"\bmin\(", "max(", "operation"),
    (r"\bmax\(", "min(", "operation"),
    (r"\btl\.max\(", "tl.min(", "operation"),
    (r"\bdiv_rn\b", "fdiv", "rounding"),
    (r"\bsqrt_rn\b", "sqrt", "rounding"),
    (r"\bshift_left\b", "shift_right", "operation"),
    (r"\bshift_right\b", "shift_left", "operation"),
    (r"\badd\(", "subtract(", "operation"),
    (r"\bsubtract\(", "add(", "operation"),
    (r"\bless\(", "less_equal(", "operation"),
    (r"\bless_equal\(", "less(", "operation"),
    (r"\bequal\(", "less_equal(", "operation"),
    (r"\bbit_and\(", "bit_or(", "operation"),
    (r"\bbit_or\(", "bit_and(", "operation"),
    (r"\bbit_xor\(", "bit_or(", "operation"),
    (r", bitcast=True", "", "conversion"),
    (r"\.to\(tl\.(?:int1|int64|float32|uint32|int32)\)", "", "conversion"),
    (r", mask=(?:valid|first|wanted|starts|dead|ended)\b", "", "mask"),
    (r"\bmask=first\b", "mask=valid", "mask"),
    (r"\bmask=(?:wanted|starts|dead|ended)\b", "mask=valid", "mask"),
    (r"\bother=0(?:\.0)?\b", "other=1", "constant"),
    (r"\bTrue\b", "False", "constant"),
    (r"\bFalse\b", "True", "constant"),
    (r"(?<![\w.\[])0\.0(?!\d)", "1.0", "constant"),
)
NUMBER = re.compile(r"(?<![\w.])(\d+)(?![\w.])")
SWAPPABLE = re.compile(r"\b(?:tl\.)?(?:where|minimum|maximum|div_rn|divide|less|less_equal|subtract|remainder)\(")
LAYOUT = re.compile(r", \d+\) (?:\}\}|%\})|'\)',\), 4\)")
"""An indentation, where a list may be broken: that is how code looks."""


def alterations(text: str, parts: Sequence[tuple[int, int]]) -> Iterator[tuple[int, str, str, str]]:
    """Where in these parts of a text what is replaced, by what, and its kind."""
    inside = [any(begin <= position < end for begin, end in parts) for position in range(len(text))]
    for pattern, new, kind in RULES:
        for match in re.finditer(pattern, text):
            if match[0] and all(inside[match.start() : match.end()]):
                yield match.start(), match[0], new, kind
    for match in NUMBER.finditer(text):
        if all(inside[match.start() : match.end()]) and not text[match.end() :].startswith(")"):
            yield match.start(), match[0], str(int(match[0]) + 1), "constant"
    for match in SWAPPABLE.finditer(text):
        arguments = _arguments(text, match.end())
        if inside[match.start()] and len(arguments) >= 2:
            (begin, middle), (after, end) = arguments[-2:]
            first, second = text[begin:middle], text[after:end]
            if first != second:
                yield begin, text[begin:end], second + text[middle:after] + first, "operands"


def _arguments(text: str, begin: int) -> list[tuple[int, int]]:
    """Where the arguments of a call are of which the parenthesis ends at `begin`; none if it is not closed."""
    found, depth, start = [], 0, begin
    for position in range(begin, len(text)):
        character = text[position]
        if character in "([{":
            depth += 1
        elif character in ")]}" and depth:
            depth -= 1
        elif character == ")":
            return [*found, (start, position)]
        elif character == "," and depth == 0:
            found.append((start, position))
            start = position + 2
    return []


def template_mutants(path: str) -> list[Mutant]:
    """All mutants of a template, in the order of its text."""
    text = (COMPILER / path).read_text(encoding="utf-8")
    found: list[Mutant] = []
    offset, documented, imported = 0, False, False
    for line in text.splitlines(keepends=True):
        stripped = line.strip()
        imported = imported or stripped.startswith(("from ", "import "))
        quotes = stripped.count('"""')
        if documented or quotes or imported or stripped.startswith("#"):
            documented = documented != (quotes == 1)
            imported = imported and stripped != ")" and stripped.endswith(("(", ",", "}"))
        else:
            found += _of_line(path, offset, line)
        offset += len(line)
    return sorted(dict.fromkeys(found), key=lambda mutant: (mutant.start, mutant.kind, mutant.new))


def _of_line(path: str, offset: int, line: str) -> Iterator[Mutant]:
    layout = LAYOUT.search(line)
    end = len(line.rstrip()) if layout is None else layout.start()
    parts = [(0, end)]
    if "{%" in line:
        yield from _of_statement(path, offset, line)
        return
    for start, old, new, kind in alterations(line, parts):
        if not (old in (" + ", " - ", " | ", " & ") and _in_expression(line, start)):
            yield Mutant(path, offset + start, old, new, kind)
    for match in re.finditer(r'" if (.+?) else', line):
        yield Mutant(path, offset + match.start(1), match[1], f"not ({match[1]})", "condition")
    stripped = line.strip()
    indent = len(line) - len(line.lstrip())
    calls = re.match(r"(?:tl\.(?:store|atomic_add|debug_barrier)|store_\w+|load_\w+|put|_store\w*)\(", stripped)
    called = re.match(r'\{\{ call\("(?:tl\.store|_\w+)"', stripped)
    target = re.match(r"([\w.\[\]{} ]+?) (?:[-+|&]?=) ", stripped)
    # Without its first assignment to a name nothing runs.
    updates = target is not None and ("[" in target[1] or f" {target[1]} " in f" {stripped[target.end() :]} ")
    if calls or called or updates or stripped == "continue":
        yield Mutant(path, offset + indent, stripped, "pass", "statement")


def _of_statement(path: str, offset: int, line: str) -> Iterator[Mutant]:
    for match in re.finditer(r"\{% (?:el)?if (.+?) %\}", line):
        yield Mutant(path, offset + match.start(1), match[1], f"not ({match[1]})", "condition")
    for match in re.finditer(r"\{% for .+? in .+? if (.+?) %\}", line):
        yield Mutant(path, offset + match.start(1), match[1], f"not ({match[1]})", "condition")
    swapped = {"==": "!=", "!=": "==", "<=": "<", "<": "<=", ">": ">=", "and": "or", "or": "and"}
    for match in re.finditer(r" (==|!=|<=|<|>|and|or) ", line):
        kind = "logic" if match[1].isalpha() else "comparison"
        yield Mutant(path, offset + match.start(1), match[1], swapped[match[1]], kind)
    if "{% set " in line:
        for start, old, new, kind in alterations(line, _quoted(line)):
            yield Mutant(path, offset + start, old, new, kind)
        for match in re.finditer(r" if (\w+) else", line):
            yield Mutant(path, offset + match.start(1), match[1], f"not {match[1]}", "condition")


def _quoted(line: str) -> list[tuple[int, int]]:
    return [(match.start() + 1, match.end() - 1) for match in re.finditer(r'"[^"]*"', line)]


def _in_expression(line: str, position: int) -> bool:
    """Whether a place is between double braces and outside of quotes: there + joins lists."""
    begin = line.rfind("{{", 0, position)
    if begin < 0 or line.find("}}", begin) < position:
        return False
    return not any(start <= position < end for start, end in _quoted(line))
