"""Output on a terminal: texts of files without characters that it would obey, and lines that are no errors."""

from __future__ import annotations

import contextlib
import sys
import unicodedata
from functools import cache


def visible(text: str) -> str:
    """The text in one line, with every character that a terminal would obey, or that turns text around, replaced by a
    picture. Every text of a file goes through here on its way to a terminal."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(picture, text))


def visible_lines(text: str) -> str:
    """Several lines, each of them `visible`, with spaces for tabs."""
    return "\n".join(visible(line.expandtabs(4)) for line in text.split("\n"))


def picture(character: str) -> str:
    """The picture that `visible` shows of a character."""
    point = ord(character)
    if point < 0x20:
        return chr(0x2400 + point)
    if point == 0x7F:
        return "\u2421"
    return "\ufffd" if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") else character


@cache
def say_once(line: str) -> None:
    """Tell the user something that is no error: one line on stderr, once in a process."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        print(f"hamlet: {visible(line)}", file=sys.stderr, flush=True)
