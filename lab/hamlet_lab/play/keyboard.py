"""Where keys come from: a terminal, whose settings are restored in any case, or a text."""

from __future__ import annotations

import os
import select
import signal
import sys
from codecs import getincrementaldecoder
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Protocol

from hamlet_lab.play.keys import END, ENTER, SPACE, TAB
from hamletc.errors import CompileError

ESCAPE = "\x1b"
REST = 0.1
"""Seconds in which the rest of a key that is several characters arrives."""
SEVERAL = {"[A": "up", "[B": "down", "[C": "right", "[D": "left"}
"""Keys by what follows the escape character; terminals in application mode have an O for the bracket."""
SINGLE = {"\r": ENTER, "\n": ENTER, " ": SPACE, "\t": TAB, "\x04": END}


class Keyboard(Protocol):
    """A giver of keys: a person or a text."""

    @property
    def waits(self) -> bool:
        """Whether somebody sits there, for whom time passes."""
        ...

    def read(self, seconds: float | None) -> str | None:
        """The next key; `None` where none comes within so many seconds."""
        ...


class Written:
    """Keys of a text. After the last of them the game ends."""

    waits = False

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = iter(keys)

    def read(self, seconds: float | None) -> str | None:
        """The next key, where one is waited for without end."""
        return None if seconds is not None else next(self._keys, END)


class Typed:
    """Keys of a terminal that gives each of them at once."""

    waits = True

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._text = ""

    def read(self, seconds: float | None) -> str | None:
        """The next key."""
        first = self._character(seconds)
        if first is None or first == "":
            return first if first is None else END
        if first != ESCAPE:
            return SINGLE.get(first, first)
        sequence = ""
        while (more := self._character(REST)) and len(sequence) < 16:
            sequence += more
            # The last character of a sequence is a letter or ~ (ECMA-48, 5.4), behind a bracket or an O.
            if len(sequence) > 1 and "@" <= more <= "~":
                break
            if sequence[0] not in "[O":
                break
        return SEVERAL.get(sequence.replace("O", "[", 1), "")

    def _character(self, seconds: float | None) -> str | None:
        """A character; "" where the terminal is gone."""
        while not self._text:
            ready, _, _ = select.select([self._descriptor], [], [], seconds)
            if not ready:
                return None
            try:
                read = os.read(self._descriptor, 1024)
            except OSError:
                return ""
            if not read:
                return ""
            self._text += self._decoder.decode(read)
        first, self._text = self._text[0], self._text[1:]
        return first


@contextmanager
def typed() -> Iterator[Typed]:
    """The keyboard of the terminal on standard input. Its settings are restored at the end, after errors and signals
    too.

    Raises:
        CompileError: standard input is no terminal, or one that cannot give single keys.
    """
    try:
        import termios
        import tty
    except ImportError as error:
        raise CompileError("single keys need a terminal as Linux and macOS have it: give --keys") from error
    descriptor = _terminal()
    before = termios.tcgetattr(descriptor)

    def stopped(number: int, _: Any) -> None:
        raise SystemExit(128 + number)

    handled = {each: signal.signal(each, stopped) for each in (signal.SIGTERM, signal.SIGHUP)}
    try:
        tty.setcbreak(descriptor)
        yield Typed(descriptor)
    finally:
        with suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
        for each, handler in handled.items():
            signal.signal(each, handler)


def _terminal() -> int:
    """The descriptor of standard input."""
    try:
        descriptor = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        descriptor = -1
    if descriptor < 0 or not os.isatty(descriptor):
        raise CompileError("standard input is no terminal: give the keys, as in --keys 'up up enter'")
    return descriptor
