"""Text to tokens. Comments come out apart; whatever cannot be a token becomes one that carries its diagnostic."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from hamlet.frozen import dataclass
from hamlet.universe import Span
from hamletc.diagnostics import Diagnostic, Edit, diagnose
from hamletc.language import lexemes
from hamletc.language.lexemes import LONGEST_NAME as LONGEST_NAME
from hamletc.language.lexemes import Token as Token
from hamletc.language.lexemes import TokenKind as TokenKind
from hamletc.language.words import FOREIGN, FUNCTIONS, MEANINGS, RESERVED

if TYPE_CHECKING:
    from hamletc.language.habits import HabitReading

MOST_TOKENS = 400_000
"""The most tokens a source may have."""

MOST_DROPPED = 19
"""The most problems of pieces that are left out of the tokens."""

FILED = ("include", "extends", "map", "at", "follows", "teleport")
"""The words behind which something stands in quotes: the name of a file, a letter of a map."""

MOST_READINGS = 1000
"""The most foreign pieces of a text that are read as what was meant; behind them the rest of a line is skipped."""

ITSELF = ("agent", "self", "me", "this", "my")
"""Words before a dot that mean the agent that asks."""

_TOKEN = re.compile(
    rf"""
    (?P<space>[ \t\r\n]+)
  | (?P<comment>\#[^\n]*)
  | (?P<number>[0-9]{{1,2}}:[0-9]{{2}}\b|\.?[0-9](?:[eE][+-](?=[0-9])|\.(?!\.)|\w)*)
  | (?P<path>[^\W\d]\w*(?:\.[^\W\d]\w*)+)
  | (?P<word>[^\W\d]\w*)
  | (?P<quoted>`[^`\r\n]*`?)
  | (?P<foreign>{FOREIGN})
  | (?P<symbol>\+=|-=|->|\.\.|<=|>=|==|!=|[-+*/(){{}}<>=:,])
  | (?P<bad>[^ \t\r\n\w#+\-*/(){{}}<>=:,.`]+|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_STRING = re.compile(r'"[^"\r\n]*"')
_FACTOR = re.compile(r"[ \t]*[0-9(]|[\w(`.]")
"""What shows that `%` is meant as a remainder."""
_STEP = re.compile(r"--[ \t]*[A-Za-z_]\w*")
_SYMBOL = re.compile(r"\+=|-=|->|\.\.|<=|>=|==|!=|[-+*/(){}<>=:,]")
_ROLE = re.compile(r"\brole[ \t\r\n]+([A-Za-z_]\w*)")
_JOINED = re.compile(r"^[ \t]*(?:universe[ \t]+\S+[ \t]+extends|include|override|without)\b", re.MULTILINE)
_WHOLE = re.compile(r"(?:\s|#[^\n]*\n)*universe\b")
DECLARED = ("meter", "state", "param", "input", "control", "let", "effect", "table")
"""The words behind which names of values are declared."""
_DECLARED = re.compile(rf"\b(?:{'|'.join(DECLARED)})[ \t\r\n]+([A-Za-z_]\w*)")
_COMMENTS = {
    "//": "Comments begin with `#` and go to the end of the line.",
    "/*": "Comments begin with `#`, in every line.",
    "--": "Comments begin with `#` and go to the end of the line.",
}
_PREFIXES = {"position", "velocity", "distance", "straight", "walking", "streak", "every", "after"}
_BEGIN_OPERANDS = MEANINGS | RESERVED | _PREFIXES | set(FUNCTIONS)


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with its `#`, without spaces at its end."""

    text: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Scan:
    """What a text consists of. The last of the tokens is of kind "end"; it has a problem where the text is too long.
    `problems` are about what is in none of the tokens."""

    tokens: tuple[Token, ...]
    comments: tuple[Comment, ...]
    problems: tuple[Diagnostic, ...]


def scan(text: str) -> Scan:
    """Split a text into tokens and comments."""
    scanner = _Scanner(text)
    scanner.run()
    return Scan(tuple(scanner.tokens), tuple(scanner.comments), scanner.problems)


class _Scanner:
    """Goes through a text once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.tokens: list[Token] = []
        self.comments: list[Comment] = []
        self._line, self._line_start = 1, 0
        self._problems: dict[str, Diagnostic] = {}  # the first of each kind of piece that is left out
        self._brackets = 0  # around indices that are open
        self._dropped: dict[str, int] = {}  # how many there are of each kind
        self._edits: dict[str, list[Edit]] = {}  # of all of each kind
        self._readings = 0
        self._quoting = 0  # how many braces of a map are open
        self._endless = False  # whether a `/*` without an end was met

    def run(self) -> None:
        position = 0
        while (match := _TOKEN.match(self._text, position)) is not None:
            if len(self.tokens) >= MOST_TOKENS:
                span = self._span(position, 1)
                hint = "Check that it is the right file; no universe needs so many."
                problem = diagnose("H003", f"more than {MOST_TOKENS:,} words, numbers and symbols", span, hint=hint)
                self.tokens.append(Token("end", "", span.line, span.column, problem))
                return
            kind, piece = match.lastgroup, match.group()
            if kind == "space":
                self._break_lines(position, piece)
            elif kind == "word" and piece.isascii() and len(piece) <= LONGEST_NAME:
                self.tokens.append(Token("word", piece, self._line, position - self._line_start + 1))
            elif kind == "symbol":
                if piece in "{}":
                    self._count_braces(piece)
                self.tokens.append(Token("symbol", piece, self._line, position - self._line_start + 1))
            else:
                position = self._take(match)
                continue
            position = match.end()
        end = self._span(len(self._text), 0)
        self.tokens.append(Token("end", "", end.line, end.column))

    def _take(self, match: re.Match[str]) -> int:
        """Take a piece of the text that is no space, no symbol and no plain word. Returns where the next one begins."""
        piece, start = match.group(), match.start()
        kind = match.lastgroup
        span = self._span(start, len(piece))
        if piece.startswith('"') and self._quotes() and (string := _STRING.match(self._text, start)) is not None:
            self.tokens.append(Token("string", string.group(), span.line, span.column))
            return string.end()
        match kind:
            case "comment":
                self.comments.append(Comment(piece.rstrip(), span.line, span.column))
            case "word":
                self.tokens.append(lexemes.word(piece, span))
            case "quoted":
                self.tokens.append(lexemes.quoted(piece, span))
            case "number":
                self._number(piece, span)
            case "path":
                self._path(piece, span)
            case "foreign" if self._readings < MOST_READINGS or piece in _COMMENTS:
                self._readings += 1
                return self._foreign(piece, start, span)
            case "foreign":
                end = self._text.find("\n", start)
                piece = self._text[start:] if end < 0 else self._text[start:end]
                self.tokens.append(lexemes.bad(piece, self._span(start, len(piece))))
                return start + len(piece)
            case _:
                self.tokens.append(lexemes.bad(piece, span))
        return match.end()

    def _quotes(self) -> bool:
        """Whether something stands in quotes where the scanner is."""
        last = self.tokens[-1] if self.tokens else None
        listed = last is not None and last.text == "," and self.tokens[-2:-1] and self.tokens[-2].kind == "string"
        return self._quoting > 0 or bool(listed) or (last is not None and last.text in FILED) or self._names_table()

    def _names_table(self) -> bool:
        """Whether the tokens end with `table demand`, `table demand 3 x 2`, `links wired` or `text mission`."""
        last = next((place for place in range(len(self.tokens) - 1, -1, -1) if not self._is_size(place)), 0)
        return last > 0 and self.tokens[last - 1].text in ("table", "links", "text")

    def _is_size(self, place: int) -> bool:
        """Whether a token is a size, or the `x` before one."""
        token = self.tokens[place]
        return token.kind == "number" or (token.text == "x" and self.tokens[place - 1].text != "table")

    def _count_braces(self, symbol: str) -> None:
        """Note whether a map or a drawing is open behind this symbol."""
        if symbol == "}":
            self._quoting = max(self._quoting - 1, 0)
        elif symbol == "{" and (self._quoting or self._begins_quotes()):
            self._quoting += 1

    def _begins_quotes(self) -> bool:
        """Whether the tokens end with `map`, `map "town.txt"`, `draw` or `text mission: task`."""
        last = self.tokens[-2:]
        begins = bool(last) and (
            last[-1].text in ("map", "draw") or (last[-1].kind == "string" and last[0].text == "map")
        )
        return begins or self._chooses_a_text()

    def _chooses_a_text(self) -> bool:
        """Whether the tokens behind the last brace end with `text mission: task`."""
        places = range(len(self.tokens) - 1, 1, -1)
        ends = (place for place in places if self.tokens[place].text in ("{", "}", ":"))
        last = next(ends, 0)
        return last > 1 and self.tokens[last].text == ":" and self.tokens[last - 2].text == "text"

    def _span(self, start: int, length: int) -> Span:
        column = start - self._line_start + 1
        return Span(self._line, column, self._line, column + length)

    def _break_lines(self, start: int, piece: str) -> None:
        breaks = piece.count("\n")
        if breaks:
            self._line += breaks
            self._line_start = start + piece.rindex("\n") + 1

    def _number(self, text: str, span: Span) -> None:
        if not _NUMBER.fullmatch(text):
            from hamletc.language.habits import read_number

            reading = read_number(text, self.tokens[-1].text if self.tokens else "")
            message = f"`{lexemes.shortened(text)}` is not a number"
            edits = () if reading.put is None else (Edit(span, reading.put or " ".join(reading.pieces or ())),)
            problem = diagnose("H005", message, span, hint=reading.hint, edits=edits)
            self._read_as(reading.pieces or (), span, problem)
            return
        self.tokens.append(lexemes.number(text, span))

    def _path(self, text: str, span: Span) -> None:
        from hamletc.foreign import instead

        first, *more, last = text.split(".")
        if not more and text.isascii() and len(text) <= LONGEST_NAME and self._has_role(first):
            self.tokens.append(Token("word", text, span.line, span.column))
            return
        if not text.isascii() or len(last) > LONGEST_NAME:
            self.tokens.append(lexemes.word(text, span))
            return
        hint = instead(first) or f"Names have no parts: write `{last}`."
        edits = (Edit(span, last),) if instead(first) is None or first in ITSELF else ()
        problem = diagnose("H004", "`.` means nothing between names", span, hint=hint, edits=edits)
        self._read_as((last,), span, problem)

    def _has_role(self, name: str) -> bool:
        """Whether a role may be called so: it is declared in this text, or may be in another one that belongs to it."""
        return name in self._roles or self._joined

    @cached_property
    def _roles(self) -> frozenset[str]:
        return frozenset(_ROLE.findall(self._text))

    @cached_property
    def _joined(self) -> bool:
        """Whether the text is one of several."""
        return _WHOLE.match(self._text) is None or _JOINED.search(self._text) is not None

    def _foreign(self, piece: str, start: int, span: Span) -> int:
        from hamletc.language.habits import in_graph, read_symbol

        if self._indexes(piece, start):
            self.tokens.append(Token("symbol", piece, span.line, span.column))
            return start + 1
        counted = bool(self.tokens) and self.tokens[-1].kind == "number"
        if piece == "%" and counted and not _FACTOR.match(self._text, start + 1):
            self.tokens.append(Token("symbol", piece, span.line, span.column))
            return start + 1
        adjoins = bool(self.tokens) and start > 0 and self._text[start - 1] not in " \t\r\n"
        dashes = piece.startswith("--") and not piece.endswith(">")
        dashes = dashes and not (piece == "--" and in_graph(self._text, start))
        if piece in ("//", "/*") or (dashes and self._begins_comment(piece, start, adjoins=adjoins)):
            return self._foreign_comment(piece[:2], start, span)
        if (
            dashes
            and not (adjoins and self.tokens[-1].kind == "word")
            and self.tokens[-1:]
            and not self._decreases(start)
        ):
            for offset in range(len(piece)):
                self.tokens.append(Token("symbol", "-", span.line, span.column + offset))
            return start + len(piece)
        before = self.tokens[-1].text if self.tokens else ""
        reading = read_symbol(self._text, start, piece, before, adjoins=adjoins)
        span = self._span(start, reading.taken)
        message = reading.message or f"`{lexemes.shortened(piece)}` means nothing here"
        if reading.pieces is None:
            problem = diagnose(reading.code, message, span, hint=reading.hint, edits=self._written(reading, start))
            self.tokens.append(Token("bad", piece[: reading.taken], span.line, span.column, problem))
        else:
            problem = diagnose(reading.code, message, span, hint=reading.hint, edits=self._written(reading, start))
            self._read_as(reading.pieces, span, problem, piece)
        return start + reading.taken

    def _written(self, reading: HabitReading, start: int) -> tuple[Edit, ...]:
        """The edits that write what a piece at `start` is read as, apart from the words beside it."""
        if reading.put is None or (reading.pieces is None and not reading.put):
            return ()
        first, last = start - reading.before, start + (reading.through or reading.taken)
        text = reading.put or " ".join(reading.pieces or ())
        left, right = self._text[first - 1 : first], self._text[last : last + 1]
        text = " " * _touch(left, text[:1]) + text + " " * _touch(text[-1:], right)
        return (Edit(self._span(first, last - first), text),)

    def _indexes(self, piece: str, start: int) -> bool:
        """Whether a bracket stands around an index: it follows a name at once, or closes one that does."""
        if piece == "]" and self._brackets:
            self._brackets -= 1
            return True
        last = self.tokens[-1] if self.tokens else None
        named = last is not None and last.kind in ("word", "quoted") and last.text not in (*RESERVED, "in", "at")
        opens = piece == "[" and named and start > 0 and self._text[start - 1] not in " \t\r\n"
        self._brackets += opens
        return opens

    def _read_as(self, pieces: tuple[str, ...], span: Span, problem: Diagnostic, same: str = "") -> None:
        """Add the tokens that a piece of text is read as; the first has the problem. Where there are none, the problem
        stands alone; of many that are the `same`, the first says how many there are."""
        if not pieces:
            self._drop(same or problem.message, problem)
        for number, piece in enumerate(pieces):
            kind: TokenKind = "symbol" if _SYMBOL.fullmatch(piece) else "number" if piece[0].isdigit() else "word"
            kind = "quoted" if piece.startswith("`") else kind
            own = problem if number == 0 else None
            self.tokens.append(Token(kind, piece, span.line, span.column, own, length=span.end_column - span.column))

    def _drop(self, same: str, problem: Diagnostic) -> None:
        """Note the problem of something that is left out; of all that are the `same` the first."""
        self._dropped[same] = self._dropped.get(same, 0) + 1
        self._problems.setdefault(same, problem)
        self._edits.setdefault(same, []).extend(problem.edits)

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """The problems of what is in none of the tokens; each says how many there are like it."""
        found: list[Diagnostic] = []
        for same, problem in islice(self._problems.items(), MOST_DROPPED):
            count = self._dropped[same]
            label = replace(problem.primary, text=f"the first of {count}") if count > 1 else problem.primary
            found.append(replace(problem, primary=label, edits=tuple(self._edits[same])))
        return tuple(found)

    # --- comments as others write them ---

    def _begins_comment(self, dashes: str, start: int, *, adjoins: bool) -> bool:
        """Whether dashes, which could be signs, begin a comment: before a space, and between a number and an
        undeclared word."""
        after = self._text[start + len(dashes) : start + len(dashes) + LONGEST_NAME]
        if adjoins and self.tokens[-1].kind == "word":
            return False
        if not after or after[0] in " \t\r\n":
            return True
        word = re.match(r"[A-Za-z_]\w*", after)
        ended = bool(self.tokens) and (self.tokens[-1].kind == "number" or self.tokens[-1].text in (")", "}"))
        if word is None or not ended or self._decreases(start):
            return False
        return word[0] not in self._declared and word[0] not in _BEGIN_OPERANDS

    def _decreases(self, start: int) -> bool:
        """Whether `--` stands before a meter at the beginning of a statement."""
        begins = bool(self.tokens) and self.tokens[-1].text in ("{", "}", "->")
        return begins and _STEP.match(self._text, start) is not None

    @cached_property
    def _declared(self) -> frozenset[str]:
        return frozenset(_DECLARED.findall(self._text))

    def _foreign_comment(self, begin: str, start: int, span: Span) -> int:
        span = self._span(start, len(begin))
        close = self._text.find("*/", start + 2) if begin == "/*" and not self._endless else -1
        edits = (Edit(span, "#"), *(self._inside(start, close) if close >= 0 else ()))
        self._drop(begin, diagnose("H017", f"`{begin}` begins no comment", span, hint=_COMMENTS[begin], edits=edits))
        if close >= 0:
            self._break_lines(start, self._text[start : close + 2])
            return close + 2
        self._endless = self._endless or begin == "/*"
        end = self._text.find("\n", start)
        return len(self._text) if end < 0 else end

    def _inside(self, start: int, close: int) -> Iterator[Edit]:
        """The edits of a comment between `/*` and `*/`, but for its beginning: a `#` in every line."""
        inside = self._text[start:close]
        for number in range(1, inside.count("\n") + 1):
            yield Edit(Span(self._line + number, 1, self._line + number, 1), "# ")
        line = self._line + inside.count("\n")
        column = close - (start + inside.rfind("\n")) if "\n" in inside else self._span(close, 0).column
        goes_on = self._text[close + 2 :].partition("\n")[0].strip() != ""
        yield Edit(Span(line, column, line, column + 2), "\n" * goes_on)


def _touch(left: str, right: str) -> bool:
    """Whether two characters side by side would be one word or number."""
    return re.fullmatch(r"\w\w", left + right) is not None
