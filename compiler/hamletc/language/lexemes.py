"""Tokens, each of a piece of text: a word, a name in backticks, a number, or what cannot be one."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, TypeAlias

from hamlet.numbers.binary32 import round32
from hamlet.universe import Span
from hamletc.diagnostics import Diagnostic, Edit, diagnose

LONGEST_NAME = 64
"""The most characters a name or a number may have."""

SHORT_NUMBER = 30
"""Whole numbers of fewer digits fit into binary32."""

TokenKind: TypeAlias = Literal["word", "quoted", "number", "string", "symbol", "bad", "end"]
_SHORTER = "Choose a shorter name."


class Token(NamedTuple):
    """A word, number or symbol where it stands; never more than one line.

    The text of a "quoted" word has its backticks. An "end" token stands after the last one. A "bad" token has a
    `problem`; any other that has one is spelled otherwise in the source, where it takes `length` characters. `inserted`
    is a closing brace that the author forgot: it is empty and stands where one was expected.
    """

    kind: TokenKind
    text: str
    line: int
    column: int
    problem: Diagnostic | None = None
    inserted: bool = False
    length: int | None = None

    @property
    def span(self) -> Span:
        width = 0 if self.inserted else len(self.text) if self.length is None else self.length
        return Span(self.line, self.column, self.line, self.column + width)


def word(text: str, span: Span) -> Token:
    problem = None
    if not text.isascii():
        hint = "Names consist of the letters a to z and A to Z, digits and `_`; write others in backticks."
        message = f"`{shortened(text)}` has letters that names cannot have"
        problem = diagnose("H004", message, span, hint=hint, edits=(Edit(span, f"`{text}`", sure=False),))
    elif len(text) > LONGEST_NAME:
        problem = diagnose("H007", f"a name of {len(text)} characters; {LONGEST_NAME} are allowed", span, hint=_SHORTER)
    return Token("bad" if problem else "word", text, span.line, span.column, problem)


def quoted(text: str, span: Span) -> Token:
    name = text[1:-1]
    problem = None
    if len(text) == 1 or not text.endswith("`"):
        hint = "A name in backticks ends in its line."
        opening = Span(span.line, span.column, span.line, span.column + 1)
        problem = diagnose("H004", "this backtick has no second one", opening, hint=hint)
    elif not name:
        hint = "Write a name between them, or leave them out."
        problem = diagnose("H004", "there is no name between these backticks", span, hint=hint)
    elif not name.isprintable():
        from hamletc.language.habits import described

        character = next(c for c in name if not c.isprintable())
        hint = "Use characters that can be printed."
        problem = diagnose("H004", f"{described(character)} cannot be part of a name", span, hint=hint)
    elif len(name) > LONGEST_NAME:
        problem = diagnose("H007", f"a name of {len(name)} characters; {LONGEST_NAME} are allowed", span, hint=_SHORTER)
    return Token("bad" if problem else "quoted", text, span.line, span.column, problem)


def number(text: str, span: Span) -> Token:
    problem = None
    if len(text) < SHORT_NUMBER and text.isdigit():
        pass
    elif len(text) > LONGEST_NAME:
        message = f"a number of {len(text)} characters; {LONGEST_NAME} are allowed"
        problem = diagnose("H005", message, span, hint="Numbers are binary32: nine digits say all.")
    elif not _fits(text):
        hint = "The largest binary32 number is 3.4028235e38."
        problem = diagnose("H006", f"`{text}` is too large for a binary32 number", span, hint=hint)
    return Token("bad" if problem else "number", text, span.line, span.column, problem)


def bad(text: str, span: Span) -> Token:
    if text.isascii() and text.isprintable():
        message = f"`{shortened(text)}` means nothing here"
    else:
        from hamletc.language.habits import described

        message = f"{described(next(c for c in text if not (c.isascii() and c.isprintable())))} means nothing here"
    hint = "Leave it out; any character can stand in a comment, and those that can be printed in a name in backticks."
    edit = Edit(span, "", sure=False)
    if text.isspace():
        hint, edit = "Write an ordinary space.", Edit(span, " ")
    elif text in ("'", '"'):
        hint = "Names stand as they are, or in backticks."
    return Token("bad", text, span.line, span.column, diagnose("H004", message, span, hint=hint, edits=(edit,)))


def _fits(text: str) -> bool:
    value = float(text)
    try:
        round32(value)
    except OverflowError:
        return False
    return not math.isinf(value)


def shortened(text: str) -> str:
    return text if len(text) <= 24 else text[:20] + "..."
