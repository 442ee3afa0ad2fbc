"""What is cured while parsing: habits of other languages, and what is often forgotten.

Each cure recognises one way in which a token cannot stand where it does, says what to write, and lets the parser go on
as if that had been written. Those of conditions are in `conditionals`, those of what is left out in `unfinished`.
"""

from __future__ import annotations

import re

from hamlet.universe import Span
from hamletc.diagnostics import Edit
from hamletc.diagnostics.edit import before, behind
from hamletc.foreign import instead
from hamletc.language.branches import arrow, branch, branch_behind_name, else_of_rule, other_word
from hamletc.language.conditionals import (
    comparison,
    guarded_statement,
    if_statement,
    if_without_else,
    needs,
    then,
    when,
)
from hamletc.language.misplaced import listed
from hamletc.language.renamed import renamed
from hamletc.language.situation import ASSIGNMENTS, Cure, Situation, source
from hamletc.language.tokens import Token
from hamletc.language.unfinished import copies, unfinished, without_braces
from hamletc.language.words import FUNCTIONS, MEANINGS, SHAPES

_QUANTITIES = MEANINGS & {
    "age",
    "day_cos",
    "day_sin",
    "deficit",
    "here",
    "hour",
    "last",
    "progress",
    "shortfall",
    "speed",
}
_WITH_ARGUMENTS = (MEANINGS | set(FUNCTIONS)) - _QUANTITIES
_RANGES = ("-", ":", ",", "to", "until", "till", "through", "and")
_TYPES = {
    **dict.fromkeys(("integer", "int32", "i32", "whole"), "int"),
    **dict.fromkeys(("float", "float32", "f32", "double", "number"), "real"),
}
_OPERATORS = {"plus": "+", "minus": "-", "times": "*"}
_CALCULATED = frozenset(("+", "-", "*", "/", "<", ">", "==", "<=", ">="))
_PHRASES = {"distance": "distance to", "streak": "streak of", "at": "here ==", "on": "here ==", "here": "here =="}


def cure(situation: Situation) -> Cure | None:
    """The first cure that recognises the situation."""
    found = (recognise(situation) for recognise in _CURES)
    return next((cure for cure in found if cure is not None), None)


def shape(tokens: tuple[Token, ...], start: int) -> str:
    """How the declaration that begins there is written, as a sentence."""
    word = tokens[start].text
    return f"Write it as in `{SHAPES.get(f'{word} {tokens[start + 1].text}') or SHAPES[word]}`."


# --- `=` and `:` -----------------------------------------------------------------------------------------------------


def _equals(s: Situation) -> Cure | None:
    """`decay = 0.02`, `decay: 0.02`, `meter energy: 1`, `energy == 1`, `rule r = ...`."""
    found = s.token.text
    if found not in ("=", ":", "==") or s.token.kind != "symbol":
        return None
    if s.declaration == "state" and s.before.text in ("int", "real") and "in" in s.texts:
        edits = (s.insert("in 0 .. 10", sure=False),)
        return Cure(f"Write its bounds: `{s.before.text} in 0 .. 10 = ...`.", edits=edits)
    if found == "=" and "==" in s.texts:
        return Cure("Compare with `==`.", 1, ("==",), edits=(s.instead(1, "=="),))
    wanted = next((text for text in ("=", ":") if text in s.texts), None)
    if wanted == "=" and found == "==" and "+=" in s.texts:
        return Cure("Write `=`, `+=` or `-=`; `==` compares.", 1, ("=",), edits=(s.instead(1, "="),))
    if wanted is not None:
        edits = (s.instead(1, f" {wanted}" if wanted == "=" and _adjoins(s) else wanted),)
        return Cure(f"Write `{wanted}`.", 1, (wanted,), edits=edits)
    if found == ":" and ("then" in s.texts or "->" in s.texts or ".." in s.texts):
        return None
    if s.shifted not in ("NAME", "NUMBER") or s.accepts(1):
        first = s.start if s.opener is None and s.index - s.start <= 3 else s.index - 1
        rest = s.rest(1)
        rest = rest[:-1] if rest and rest[-1].text == "," else rest
        hint = f"Write `{source((*s.tokens[first : s.index], *rest))}`."
        if not rest:
            hint = f"The braces stand directly behind `{s.before.text}`."
        message = f"there is no `{found}` here"
        return Cure(hint, 1, (), "H018", message, label="leave it out", edits=(s.without(s.index),))
    return None


def _adjoins(s: Situation) -> bool:
    """Whether the token stands right behind the one before."""
    return s.before.line == s.token.line and s.before.span.end_column == s.token.column


# --- ranges, commas, parentheses -------------------------------------------------------------------------------------


def _range(s: Situation) -> Cure | None:
    """`open 8 - 18`, `open 8 18`, `open from 8 to 18`, `in 0 to 1`, `in (0, 1)`."""
    edits: tuple[Edit, ...]
    if ".." in s.texts and s.declaration == "affordance" and s.token.text in ("{", "lasts"):
        hint = f"Write `open {s.before.text} .. 18`: the hours from the first up to the second."
        return Cure(hint, 0, ("..", "1"), edits=(s.insert(".. 18", sure=False),))
    first = -(s.before.text == "from")
    if s.after(first).text == "from" and s.after(first - 1).text == "open" and s.after(first + 2).text in _RANGES:
        hours = f"{s.after(first + 1).text} .. {s.after(first + 3).text}"
        written = ("..", s.after(first + 3).text) if first else hours.split()
        return Cure(f"Write `open {hours}`.", first + 4, tuple(written), edits=(s.instead(4, hours, first=first),))
    edits = (s.instead(1, ".."),)
    if ".." in s.texts and s.token.text in _RANGES:
        return Cure(f"Write `{s.before.text} .. {s.after().text}`.", 1, ("..",), edits=edits)
    if ".." in s.texts and s.before.kind == s.token.kind == "number" and s.before.line == s.token.line:
        return Cure(f"Write `{s.before.text} .. {s.token.text}`.", 0, ("..",), edits=(s.insert(".."),))
    dash = next((n for n in range(s.index - 3, s.index) if s.tokens[n].text == "-"), None)
    if ".." in s.texts and s.before.kind == "number" and dash is not None:
        edits = (Edit(s.tokens[dash].span, ".."),) if s.tokens[dash - 1].kind == "number" else ()
        return Cure("Write `..` between the bounds, as in `in 0 .. 1`.", edits=edits)
    opening = next((n for n in range(s.index - 1, s.start, -1) if s.tokens[n].text == "("), s.start)
    if s.token.text in (",", "..") and s.tokens[opening - 1].text == "in":
        return Cure("Write `in LOW .. HIGH`, without parentheses.", edits=_bare_bounds(s, opening))
    return None


def _bare_bounds(s: Situation, opening: int) -> tuple[Edit, ...]:
    """The edits of `in (0, 1)`."""
    high, count = s.number(1)
    if not high or s.tokens[s.index + count].text != ")":
        return ()
    low = source(s.tokens[opening + 1 : s.index])
    first = opening - s.index
    return (s.instead(count + 1 - first, f"{low} .. {high}", first=first),)


def _comma(s: Situation) -> Cure | None:
    """`0,02`, and commas between items."""
    if s.token.text != ",":
        return None
    first, second = s.before, s.after()
    adjoin = first.span.end_column == s.token.column and s.token.span.end_column == second.column
    if first.kind == second.kind == "number" and adjoin and first.text.isdigit() and second.text[0].isdigit():
        fraction = f"{first.text}.{second.text}"
        edits: tuple[Edit, ...] = (s.instead(3, fraction, first=-1),)
        if len(second.text) == 3 and first.text != "0":
            hint = f"Write `{first.text}{second.text}`, or `{fraction}` for a fraction."
            edits = (s.instead(3, f"{first.text}{second.text}", first=-1, sure=False),)
        else:
            hint = f"Write `{fraction}`."
        return Cure(hint, 2, (), "H009", "a number has no comma", edits=edits)
    follows = s.accepts(1)
    edits = (s.without(s.index),) if follows else listed(s)
    return Cure("Items stand side by side, without commas.", int(follows), edits=edits)


def _call(s: Situation) -> Cure | None:
    """`random()`, `hour()`, `distance Bed`, `at Bed`, `abs energy`."""
    before_it = s.before.text
    if s.token.text == ")" and before_it == "(" and s.tokens[s.index - 2].kind == "word":
        return _without_arguments(s, s.tokens[s.index - 2].text)
    if s.before.kind != "word" or s.shifted != "NAME" or s.token.kind not in ("word", "quoted", "number"):
        return None
    if before_it in ("position", "velocity") and s.after().text in ASSIGNMENTS and ("+=" in s.texts or "->" in s.texts):
        first, last = s.before.span, s.token.span
        span = Span(first.line, first.column, last.end_line, last.end_column)
        hint = "Statements that move an agent are `move (1, 0)` and `teleport (0, 0)`."
        return Cure(hint, 0, (), "H009", f"`{before_it} {s.token.text}` cannot be written", span, "no meter")
    if (before_it, s.token.text) == ("at", "hour") and "*" in s.texts:
        return Cure("Write `hour == 8`.")
    if before_it in _PHRASES and "*" in s.texts:
        edits = (Edit(s.before.span, _PHRASES[before_it]),)
        return Cure(f"Write `{_PHRASES[before_it]} {s.token.text}`.", edits=edits)
    if before_it in ("position", "velocity") and re.fullmatch(r"\w+", s.token.text) and "*" in s.texts:
        hint = "Axes are called `x`, `y` and `z`; where there are more than three, `x0`, `x1`, ..."
        return Cure(hint, edits=(s.instead(1, "x", sure=False),))
    if before_it in _WITH_ARGUMENTS and before_it not in ("true", "false", "nothing", "visited") and "*" in s.texts:
        called = before_it in FUNCTIONS and FUNCTIONS[before_it].takes(1) and s.token.kind != "number"
        written = (s.instead(2, f"{before_it}({s.token.text})", first=-1),) if called else ()
        return Cure(f"Write `{before_it}(...)`, its arguments in parentheses.", edits=written)
    return None


def _without_arguments(s: Situation, name: str) -> Cure:
    """The cure of `hour()`."""
    hint = "Functions have arguments, as in `uniform(0, 1)`; meters and params stand without parentheses."
    edits: tuple[Edit, ...] = ()
    if (other := instead(name)) is not None:
        hint, edits = other, (s.instead(3, "uniform(0, 1)", first=-2),) if name in ("random", "rand") else ()
    elif name in _QUANTITIES:
        hint, edits = f"Write `{name}` without parentheses.", (s.instead(2, "", first=-1),)
    message = f"`{name}` is called without arguments" if name in _WITH_ARGUMENTS else None
    return Cure(hint, 0, ("1",), "H009", message, edits=edits)


def _operator(s: Situation) -> Cure | None:
    """`energy plus mood`."""
    operator = _OPERATORS.get(s.token.text, "")
    if operator not in s.texts:
        return None
    return Cure(f"Write `{operator}`.", 1, (operator,), edits=(s.instead(1, operator),))


def _window(s: Situation) -> Cure | None:
    """`window 5 { mice  role cat }`."""
    if s.token.text != "{" or s.tokens[s.index - 2].text != "window" or s.declaration != "observe":
        return None
    close = s.closer.get(s.index, s.index)
    names = [token.text for token in s.tokens[s.index + 1 : close] if token.kind in ("word", "quoted")]
    windows = [f"window {s.before.text} of {name}" for name in names if name not in ("cell", "role", "state", "of")]
    if not windows:
        return None
    hint = f"A window shows one thing: write `{'  '.join(windows)}`."
    edits = (s.instead(close - s.index + 3, "  ".join(windows), first=-2),)
    return Cure(hint, close - s.index + 1, ("of", names[-1]), edits=edits)


def _observed(s: Situation) -> Cure | None:
    """`observe { meters  count(sick) }`, `observe { energy + 1 }`: what is computed has a name."""
    opens = s.token.text == "(" and s.before.text in FUNCTIONS
    if s.declaration != "observe" or not (opens or s.token.text in _CALCULATED) or "window" not in s.texts:
        return None
    if s.before.kind not in ("word", "quoted") or s.before.line != s.token.line:
        return None
    hint = f"What is computed has a name: `value: {source((s.before, s.token, *s.rest(1)))}`."
    free = all(token.text != "value" for token in s.tokens)
    return Cure(hint, edits=(before(s.before.span, "value: ", sure=free),))


def _encoding(s: Situation) -> Cure | None:
    """`position }`, and `position  grid of moss`, where the item behind `position` is read as its encoding."""
    hint = "Write one of `position relative`, `position absolute`, `position scaled`."
    if s.declaration == "observe" and s.before.text == "position" and s.token.text == "}":
        edits = (behind(s.before.span, " relative", sure=False),)
        return Cure(hint, 0, (), "H026", "`position` needs an encoding", s.before.span, "", edits)
    position, item = s.tokens[s.index - 2], s.before.text
    if position.text != "position" or item not in ("grid", "window") or s.token.text == "}":
        return None
    edits = (behind(position.span, " relative", sure=False),)
    return Cure(hint, 0, (item,), "H026", "`position` needs an encoding", position.span, "", edits)


def _statement_outside(s: Situation) -> Cure | None:
    """`energy += 1` and `each tick { energy += 1 }` where a declaration stands."""
    if "rule" in s.texts and source(s.tokens[s.index : s.index + 3]) == "each tick {" and s.opener is None:
        rule = ("rule", s.called_for("tick"))
        hint = "What happens in every tick is a rule: `rule hunger: energy -= 0.01`."
        return Cure(hint, 2, rule, edits=(s.instead(2, " ".join(rule)),))
    if "rule" in s.texts and s.token.kind == "word" and s.after().text in ASSIGNMENTS and s.opener is None:
        statement = source((s.token, *s.rest(1)))
        if s.after().text == "=":
            hint = f"Write `meter {statement}` for a meter, or `rule NAME: {statement}` for what happens every tick."
            return Cure(hint, edits=(before(s.token.span, "meter ", sure=False),))
        edits = (before(s.token.span, f"rule {s.called_for(s.token.text)}: ", sure=s.token.column == 1),)
        return Cure(f"Write `rule NAME: {statement}`.", edits=edits)
    return None


def _type(s: Situation) -> Cure | None:
    """`control n: integer in 0 .. 3`, `state n: float in 0 .. 3 = 0`."""
    if s.declaration == "control" and s.before.text == ":" and s.token.text in _TYPES and s.after().text == "in":
        if _TYPES[s.token.text] == "int":
            return Cure("The type of whole numbers is `int`.", 1, ("int",), edits=(s.instead(1, "int"),))
        return Cure("Controls are real numbers where they are not `int`.", edits=(s.cut(s.index - 1, s.index),))
    named = s.tokens[s.index - 2].text
    if s.declaration == "state" and s.before.text == "in" and s.tokens[s.index - 3].text == ":" and named in _TYPES:
        return Cure(f"The type is written `{_TYPES[named]}`.", edits=(s.instead(1, _TYPES[named], first=-2),))
    return None


_CURES = (
    *(
        copies,
        then,
        renamed,
        _range,
        _type,
        _equals,
        when,
        guarded_statement,
        unfinished,
        without_braces,
        branch_behind_name,
        branch,
        other_word,
        arrow,
        else_of_rule,
        if_without_else,
        if_statement,
        comparison,
    ),
    *(needs, _comma, _call, _operator, _window, _observed, _encoding, _statement_outside),
)
