"""Symbols and numbers as other languages write them: what they are read as, so that the rest is checked.

Nothing of that can occur in a text without errors, but for two minus signs side by side before a declared word. So the
scanner imports this module when it meets the first such piece.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

from hamlet.frozen import dataclass
from hamletc.language.words import LOOK_ALIKE, UNITS_OF_MEASURE

_OPERAND = r"`[^`\r\n]*`|[^\W\d]\w*|[0-9][\w.]*"
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_STATEMENT = re.compile(rf"\s*(?:\{{|together\b|(?:{_OPERAND})\s*(?:\+=|-=|=(?!=)))")
_STATEMENT_BEGINS = re.compile(rf"(?:^|[{{}}\n]|[0-9)][ \t])[ \t]*(?:{_OPERAND})[ \t]*\Z")
_IN_GRAPH = re.compile(r"\bgraph[ \t]*\{[^{}]*\Z")
_LOOKS_BACK = 200
"""The most characters before a piece that tell what it is meant to be: a text has many pieces, and one look at each."""
_IS_OPERAND = re.compile(_OPERAND)
_NEXT_OPERAND = re.compile(rf"[ \t]*({_OPERAND})")
_FACTOR_FOLLOWS = re.compile(r"[ \t]*[0-9(]|[\w(`.]")
_GOES_ON = re.compile(r"[(\[.]|[ \t]*(?:\^|\*\*)")
_ENDS = re.compile(r"[ \t]*(?:[}\r\n#]|\Z)")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_SIZES = re.compile(r"[1-9][0-9]*(?:x[1-9][0-9]*)+")
_TIME = re.compile(r"([0-9]{1,2})(am|pm|h|uhr)", re.IGNORECASE)
_WITH_UNIT = re.compile(r"([0-9]+(?:\.[0-9]+)?)(days?|hours?|ticks?)")
_LIST = re.compile(r"\[[ \t]*(-?[0-9][\w.]*(?:[ \t]*,[ \t]*-?[0-9][\w.]*)*)[ \t]*\]")

_OTHERWISE: Mapping[str, str] = MappingProxyType(
    {
        "&&": "and",
        "&": "and",
        "||": "or",
        "|": "or",
        "!": "not",
        "<>": "!=",
        "!==": "!=",
        "~=": "!=",
        "=<": "<=",
        "===": "==",
        ":=": "=",
        "-->": "->",
        "==>": "->",
        "...": "..",
        "..=": "..",
        "..<": "..",
    }
)
"""What stands for another symbol or word, wherever it stands."""


@dataclass(frozen=True, slots=True)
class HabitReading:
    """What a foreign piece of text is read as: some pieces, none where it is dropped, or nothing at all (`None`) where
    it cannot be understood. `taken` is how many characters of the text it takes, `hint` what to write. An edit puts the
    pieces in its place, or `put` where it is something else, or nothing (`None`); also in the place of so many
    characters `before`, and of those up to `through`, which counts from the beginning."""

    pieces: tuple[str, ...] | None
    hint: str
    taken: int
    code: str = "H017"
    message: str | None = None
    put: str | None = ""
    before: int = 0
    through: int = 0


def read_symbol(text: str, start: int, piece: str, before: str, *, adjoins: bool) -> HabitReading:
    """What the `piece` at `start` is read as. `before` is the last token before it, which it `adjoins` or not."""
    end = start + len(piece)
    left = before if _IS_OPERAND.fullmatch(before) else "a"
    following = _NEXT_OPERAND.match(text, end)
    both = _both_operands(text, start, end, before)
    back, through = both or (0, 0)
    right = following[1] if following else "b"
    code = "H004" if piece in _OF_NO_MEANING else "H017"
    match piece:
        case _ if piece in _OTHERWISE:
            return HabitReading((_OTHERWISE[piece],), f"Write `{_OTHERWISE[piece]}`.", len(piece), code)
        case "=>" if _does(text, end):
            return HabitReading(("->",), "Write `->` before what a rule does.", 2)
        case "=>":
            return HabitReading((">=",), "Write `>=` to compare, and `->` before what a rule does.", 2)
        case "**" | "^":
            put = f"pow({left}, {right})" if both else None
            return HabitReading(("*",), f"Write `pow({left}, {right})`.", len(piece), code, None, put, back, through)
        case "*=" | "/=" | "%=" | "^=" | "**=":
            functions = {"^=": "pow", "**=": "pow", "%=": "mod"}
            value = f"{functions[piece]}({left}, {right})" if piece in functions else f"{left} {piece[0]} {right}"
            put = f"= {value}" if both and _ENDS.match(text, start + through) else None
            return HabitReading(("=",), f"Write `{left} = {value}`.", len(piece), put=put, through=through)
        case "%" if following is None:
            missing = left != before and before != ")"
            hint = "Write it behind a number: `20 %` is 0.2."
            return HabitReading(("1",) if missing else (), hint, 1, code, "`%` behind no number", None)
        case "%":
            put = f"mod({left}, {right})" if both else None
            return HabitReading(
                ("*",), f"Write `mod({left}, {right})`, the remainder.", 1, code, None, put, back, through
            )
        case "--" if in_graph(text, start):
            return HabitReading(("-",), f"Write `{left} - {right}`.", 2)
        case "++" | "--" if before in ("{", "}", "->") and following and _WORD.fullmatch(right):
            pieces = (right, f"{piece[0]}=", "1")
            return HabitReading(pieces, f"Write `{right} {piece[0]}= 1`.", following.end() - start)
        case "++" | "--" if adjoins and _WORD.fullmatch(before) and not _FACTOR_FOLLOWS.match(text, end):
            return HabitReading((f"{piece[0]}=", "1"), f"Write `{left} {piece[0]}= 1`.", 2, put=f" {piece[0]}= 1")
        case "++" | "--" if _STATEMENT_BEGINS.search(_line(text, start)) and following:
            return HabitReading((f"{piece[0]}=",), f"Write `{left} {piece[0]}= {right}`.", 2)
        case "++":
            return HabitReading(("+",), "Write one `+`.", 2)
        case ";":
            return HabitReading((), "Nothing stands between two items, not even at the end of a line.", 1, code)
        case "?":
            hint = "Write `if CONDITION then A else B`, or `A when CONDITION`, which is 0 where it does not hold."
            return HabitReading(None, hint, 1, code)
        case "[" | "]":
            return _bracket(text, start, before)
        case _ if piece in UNITS_OF_MEASURE:
            return HabitReading((), "Numbers have no units: leave it out.", 1, "H004")
        case _ if piece[0] in LOOK_ALIKE:
            meant = _meant(piece)
            taken = len(piece) if meant != LOOK_ALIKE[piece[0]] else 1
            return HabitReading(
                (meant,), f"Write `{meant}`.", taken, "H004", f"{described(piece[0])} means nothing here"
            )
        case _:
            return _in_quotes(piece)


def in_graph(text: str, start: int) -> bool:
    """Whether the nodes of a graph stand before a place in its line."""
    return _IN_GRAPH.search(_line(text, start)) is not None


def _line(text: str, start: int) -> str:
    """The line before a place, or the last part of it, which begins with what ends the line before."""
    first = max(start - _LOOKS_BACK, 0)
    return text[max(text.rfind("\n", first, start), first) : start]


def read_number(text: str, before: str) -> HabitReading:
    """What a malformed number is read as; `before` is the last token before it."""
    if _SIZES.fullmatch(text):
        pieces = text.replace("x", " x ").split()
        return HabitReading(tuple(pieces), f"Write `{' '.join(pieces)}`.", len(text))
    if (time := _TIME.fullmatch(text)) and before == "clock":
        return HabitReading((time[1], "hours"), f"Write `{time[1]} hours`.", len(text))
    if time and time[2].lower() in ("am", "pm"):
        hour = str(int(time[1]) % 12 + 12 * (time[2].lower() == "pm"))
        return HabitReading((hour,), f"Hours are 0 to 23: write `{hour}`.", len(text))
    if time:
        return HabitReading((time[1],), f"Hours are 0 to 23: write `{time[1]}`.", len(text))
    if ":" in text:
        hour = str(int(text.split(":")[0]))
        return HabitReading((hour,), f"Hours are whole numbers: write `{hour}`.", len(text))
    if unit := _WITH_UNIT.fullmatch(text):
        return HabitReading((unit[1], unit[2]), f"Write `{unit[1]} {unit[2]}`.", len(text))
    for meant in (
        f"0{text}",
        f"{text}0" if text.endswith(".") else "",
        text.replace("_", ""),
        text.rstrip("fFlLdD"),
        f"0{text.rstrip('fF')}",
    ):
        if _NUMBER.fullmatch(meant):
            return HabitReading((meant,), f"Write `{meant}`.", len(text))
    return HabitReading(("1",), "Numbers are written `1`, `0.25` or `1e-3`.", len(text), put=None)


def described(character: str) -> str:
    """A character by its number and name."""
    name = unicodedata.name(character, "a control character").lower()
    return f"the character U+{ord(character):04X} ({name})"


_OF_NO_MEANING = frozenset(("&&", "&", "||", "|", "!", ";", "%", "^", "?", "[", "]"))
"""What consists of characters that the language does not use."""


def _both_operands(text: str, start: int, end: int, before: str) -> tuple[int, int] | None:
    """How many characters before a symbol its left operand begins, and how many behind that place its right one ends:
    where each is one word or number, and no operator of the same rank stands before. Otherwise nothing."""
    left, right = text[:start].rstrip(" \t"), _NEXT_OPERAND.match(text, end)
    if right is None or not _IS_OPERAND.fullmatch(before) or not left.endswith(before):
        return None
    if _GOES_ON.match(text, right.end()) or left[: -len(before)].rstrip(" \t").endswith(("*", "/", "%", "^", ".")):
        return None
    return start - len(left) + len(before), right.end() - start


def _does(text: str, end: int) -> bool:
    """Whether a statement or block seems to follow."""
    return _STATEMENT.match(text, end) is not None


def _meant(piece: str) -> str:
    """The symbol that is meant by a character and the ASCII character behind it, or by the first alone."""
    together = LOOK_ALIKE[piece[0]] + piece[1:]
    return together if together in ("-=", "+=", "->", "<=", ">=", "==") else LOOK_ALIKE[piece[0]]


def _bracket(text: str, start: int, before: str) -> HabitReading:
    """`in [0, 1]` and `at [2, 3]` are understood, other brackets are not; those of an index follow a name at once."""
    numbers = _LIST.match(text, start)
    if numbers is None:
        return HabitReading(None, "There are no lists: names and numbers stand side by side.", 1, "H004")
    parts = [part.strip() for part in numbers[1].split(",")]
    taken = numbers.end() - start
    if before == "in" and len(parts) == 2:
        hint = f"Write `in {parts[0]} .. {parts[1]}`."
        pieces = (*_signed(parts[0]), "..", *_signed(parts[1]))
        return HabitReading(pieces, hint, taken, "H004", put=f"{parts[0]} .. {parts[1]}")
    listed = [piece for part in parts for piece in (",", *_signed(part))]
    hint, put, gap = f"Write `({', '.join(parts)})`.", f"({', '.join(parts)})", 0
    if _WORD.fullmatch(before) and before not in ("at", "to", "starts", "of"):
        hint = f"An index of a table stands behind its name at once, without a space: `{before}[{', '.join(parts)}]`."
        put, gap = f"[{', '.join(parts)}]", start - len(text[:start].rstrip(" \t"))
    return HabitReading(("(", *listed[1:], ")"), hint, taken, "H004", put=put, before=gap)


def _signed(number: str) -> tuple[str, ...]:
    return ("-", number[1:]) if number.startswith("-") else (number,)


def _in_quotes(piece: str) -> HabitReading:
    """A name in quotes of any kind; a lone quotation mark means nothing."""
    if len(piece) == 1 or not piece[1:-1].isprintable():
        return HabitReading(None, "Names stand as they are, or in backticks.", 1, "H004")
    name = piece[1:-1]
    plain = _WORD.fullmatch(name) is not None
    hint = f"Names stand as they are: write `{name}`." if plain else f"Write the name in backticks: `` `{name}` ``."
    return HabitReading((name if plain else f"`{name}`",), hint, len(piece), "H004", f"`{piece}` is in quotes")
