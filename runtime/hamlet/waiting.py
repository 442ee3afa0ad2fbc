"""One line for whoever waits for a compiler: what is compiled, and how many seconds it has taken so far.

`hamlet.make` and commands of `hamletc` say that somebody is there to be told (`told`); whatever compiles says that it
does (`compiling`). On a terminal the line counts seconds; elsewhere it is written once, when compiling begins.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import monotonic

EVERY = 1.0
"""Seconds between two counts."""


@dataclass(slots=True)
class Line:
    """The line of one `told`.

    Attributes:
        name: of the universe.
        written: whether it was; where seconds are not counted it is not written again.
        open: whether kernels are compiled now.
        begun: when that began, by the monotonic clock.
    """

    name: str
    written: bool = False
    open: bool = False
    begun: float = field(default_factory=monotonic)

    def show(self, end: str = "") -> None:
        """Write it, on a terminal over what stands there."""
        counts = _is_terminal()
        if self.written and not counts:
            return
        self.written = True
        seconds = f": {monotonic() - self.begun:.0f} s" if counts else ", which takes seconds"
        text = f"hamlet: compiling kernels of {self.name} for this machine, once{seconds}"
        with contextlib.suppress(OSError, ValueError, AttributeError):
            print(f"\r{text}" if counts else text, end=end if counts else "\n", file=sys.stderr, flush=True)


_LINE: ContextVar[Line | None] = ContextVar("line", default=None)


@contextmanager
def told(name: str, quiet: bool = False) -> Iterator[None]:
    """Inside, the user is told when kernels of this universe are compiled; with `quiet` only if somebody outside said
    so."""
    if quiet or _LINE.get() is not None:
        yield
        return
    token = _LINE.set(Line(name))
    try:
        yield
    finally:
        _LINE.reset(token)


@contextmanager
def compiling() -> Iterator[None]:
    """Kernels are compiled inside."""
    line = _LINE.get()
    if line is None or line.open:
        yield
        return
    line.open, line.begun, done = True, monotonic(), threading.Event()
    line.show()
    counter = threading.Thread(target=_count, args=(line, done), name="hamlet-waiting", daemon=True)
    if _is_terminal():
        counter.start()
    try:
        yield
    finally:
        line.open = False
        done.set()
        if counter.ident is not None:
            counter.join()
            line.show("\n")


def _count(line: Line, done: threading.Event) -> None:
    while not done.wait(EVERY):
        line.show()


def _is_terminal() -> bool:
    """Whether seconds can be counted on stderr: not where it is a file, or where a bar of progress has its place."""
    stream = sys.__stderr__
    if stream is None or sys.stderr is not stream:
        return False
    with contextlib.suppress(OSError, ValueError):
        return stream.isatty()
    return False
