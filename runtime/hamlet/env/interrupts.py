"""Ctrl-C between two states, never in the middle of one.

A kernel writes the state of worlds, and then their ticks are counted. Were a KeyboardInterrupt to come in between, or
while other threads still write, the worlds would be at no tick at all.
"""

from __future__ import annotations

import signal
import threading
from importlib import import_module
from types import FrameType, TracebackType
from typing import Any

_signal: Any = import_module("_signal")
"""What `signal` is made of in C: that turns numbers into enumerations and back, which takes as long as a small step."""

SIGINT = int(signal.SIGINT)


class Whole:
    """Inside, Ctrl-C waits: at the end, or in `pause`, it does what it would have done. Python interrupts the main
    thread only; in others nothing is to be done.

    Attributes:
        before: what Ctrl-C does outside; `None` while that is so.
        wanted: whether it was pressed inside.
    """

    __slots__ = ("before", "wanted")

    def __init__(self) -> None:
        self.before: Any = None
        self.wanted = False

    def __enter__(self) -> Whole:
        # What something other than Python installed could not be put back.
        if threading.current_thread() is threading.main_thread() and (before := _signal.getsignal(SIGINT)):
            self.before = before
            _signal.signal(SIGINT, self.note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.before is not None and threading.current_thread() is threading.main_thread():
            before, self.before = self.before, None
            _signal.signal(SIGINT, before)
            self._pass_on()

    def pause(self) -> None:
        """Ctrl-C does what it would have done, if it was pressed."""
        if self.wanted:
            _signal.signal(SIGINT, self.before)
            try:
                self._pass_on()
            finally:
                _signal.signal(SIGINT, self.note)

    def note(self, _number: int, _frame: FrameType | None) -> None:
        """Remember that it was pressed."""
        self.wanted = True

    def _pass_on(self) -> None:
        if self.wanted:
            self.wanted = False
            signal.raise_signal(signal.SIGINT)
