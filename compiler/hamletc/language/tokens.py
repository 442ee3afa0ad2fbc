"""Text to tokens. Comments come out apart; whatever cannot be a token becomes one that carries its diagnostic."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal, TypeAlias

from hamlet.binary32 import round32
from hamlet.universe import Span
from hamletc.diagnostics import Diagnostic, diagnose

LONGEST_NAME = 64
"""The most characters a name or a number may have."""

MOST_TOKENS = 400_000
"""The most tokens a source may have."""

TokenKind: TypeAlias = Literal["word", "quoted", "number", "symbol", "bad", "end"]

_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r\n]+)
  | (?P<comment>\#[^\n]*)
  | (?P<number>\.?[0-9](?:[eE][+-](?=[0-9])|\.(?!\.)|\w)*)
  | (?P<word>[^\W\d]\w*)
  | (?P<quoted>`[^`\r\n]*`?)
  | (?P<symbol>\+=|-=|->|\.\.|<=|>=|==|!=|[-+*/(){}<>=:,])
  | (?P<bad>[^ \t\r\n\w#+\-*/(){}<>=:,.`]+|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_SIZES = re.compile(r"[1-9][0-9]*(?:x[1-9][0-9]*)+")
_WRITTEN_OTHERWISE = {"&&": "and", "&": "and", "||": "or", "|": "or", "!": "not", "&&!": "and not", "||!": "or not"}


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or symbol where it stands; never more than one line.

    The text of a "quoted" word has its backticks. A "bad" token has a `problem`. An "end" token stands after the last
    one. `inserted` is a closing brace that the author forgot: it is empty and stands where one was expected.
    """

    kind: TokenKind
    text: str
    line: int
    column: int
    problem: Diagnostic | None = None
    inserted: bool = False

    @property
    def span(self) -> Span:
        width = 0 if self.inserted else len(self.text)
        return Span(self.line, self.column, self.line, self.column + width)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with its `#`, without spaces at its end."""

    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Scan:
    """What a text consists of. The last of the tokens is of kind "end"; it has a problem where the text is too long."""

    tokens: tuple[Token, ...]
    comments: tuple[Comment, ...]


def scan(text: str) -> Scan:
    """Split a text into tokens and comments."""
    tokens: list[Token] = []
    comments: list[Comment] = []
    line, line_start = 1, 0
    for match in _TOKEN.finditer(text):
        piece = match.group()
        column = match.start() - line_start + 1
        if len(tokens) == MOST_TOKENS:
            span = Span(line, column, line, column + 1)
            problem = diagnose("H003", f"more than {MOST_TOKENS:,} words, numbers and symbols", span)
            return Scan((*tokens, Token("end", "", line, column, problem)), tuple(comments))
        match match.lastgroup:
            case "space":
                breaks = piece.count("\n")
                if breaks:
                    line += breaks
                    line_start = match.start() + piece.rindex("\n") + 1
            case "comment":
                comments.append(Comment(piece.rstrip(), line, column))
            case "symbol":
                tokens.append(Token("symbol", piece, line, column))
            case "word":
                tokens.append(_word(piece, Span(line, column, line, column + len(piece))))
            case "quoted":
                tokens.append(_quoted(piece, Span(line, column, line, column + len(piece))))
            case "number":
                tokens.append(_number(piece, Span(line, column, line, column + len(piece))))
            case _:
                tokens.append(_bad(piece, Span(line, column, line, column + len(piece))))
    tokens.append(Token("end", "", line, len(text) - line_start + 1))
    return Scan(tuple(tokens), tuple(comments))


def _word(text: str, span: Span) -> Token:
    problem = None
    if not text.isascii():
        hint = "Names consist of the letters a to z and A to Z, digits and `_`; write others in backticks."
        problem = diagnose("H004", f"`{_shortened(text)}` has letters that names cannot have", span, hint=hint)
    elif len(text) > LONGEST_NAME:
        problem = diagnose("H007", f"a name of {len(text)} characters; {LONGEST_NAME} are allowed", span)
    return Token("bad" if problem else "word", text, span.line, span.column, problem)


def _quoted(text: str, span: Span) -> Token:
    name = text[1:-1]
    problem = None
    if len(text) == 1 or not text.endswith("`"):
        hint = "A name in backticks ends in its line."
        opening = Span(span.line, span.column, span.line, span.column + 1)
        problem = diagnose("H004", "this backtick has no second one", opening, hint=hint)
    elif not name:
        problem = diagnose("H004", "there is no name between these backticks", span)
    elif not name.isprintable():
        problem = diagnose(
            "H004", f"{_described(next(c for c in name if not c.isprintable()))} cannot be part of a name", span
        )
    elif len(name) > LONGEST_NAME:
        problem = diagnose("H007", f"a name of {len(name)} characters; {LONGEST_NAME} are allowed", span)
    return Token("bad" if problem else "quoted", text, span.line, span.column, problem)


def _number(text: str, span: Span) -> Token:
    problem = None
    if not _NUMBER.fullmatch(text):
        problem = diagnose("H005", f"`{_shortened(text)}` is not a number", span, hint=_number_hint(text))
    elif len(text) > LONGEST_NAME:
        problem = diagnose("H005", f"a number of {len(text)} characters; {LONGEST_NAME} are allowed", span)
    elif not _fits(text):
        hint = "The largest binary32 number is 3.4028235e38."
        problem = diagnose("H006", f"`{text}` is too large for a binary32 number", span, hint=hint)
    return Token("bad" if problem else "number", text, span.line, span.column, problem)


def _bad(text: str, span: Span) -> Token:
    if text.isascii() and text.isprintable():
        message = f"`{_shortened(text)}` means nothing here"
    else:
        message = f"{_described(next(c for c in text if not (c.isascii() and c.isprintable())))} means nothing here"
    if text in _WRITTEN_OTHERWISE:
        hint = f"Write `{_WRITTEN_OTHERWISE[text]}`."
    elif text == ";":
        hint = "Nothing stands between two items, not even at the end of a line."
    else:
        hint = None
    return Token("bad", text, span.line, span.column, diagnose("H004", message, span, hint=hint))


def _described(character: str) -> str:
    name = unicodedata.name(character, "a control character").lower()
    return f"the character U+{ord(character):04X} ({name})"


def _fits(text: str) -> bool:
    value = float(text)
    try:
        round32(value)
    except OverflowError:
        return False
    return not math.isinf(value)


def _number_hint(text: str) -> str | None:
    if _SIZES.fullmatch(text):
        return f"Write `{' x '.join(text.split('x'))}`."
    if text.startswith(".") and _NUMBER.fullmatch("0" + text):
        return f"Write `0{text}`."
    if text.endswith(".") and _NUMBER.fullmatch(text + "0"):
        return f"Write `{text}0`."
    if "_" in text and _NUMBER.fullmatch(text.replace("_", "")):
        return f"Write `{text.replace('_', '')}`."
    return None


def _shortened(text: str) -> str:
    return text if len(text) <= 24 else text[:20] + "..."
