"""Ctrl-C takes effect between two ticks, never in the middle of one.

A kernel writes the state of worlds, and then `Env` counts their ticks. A KeyboardInterrupt between the two, or while
other threads still write, would leave lanes at different ticks.
"""

from __future__ import annotations

import signal
from importlib import import_module
from types import FrameType, TracebackType
from typing import Any

_signal: Any = import_module("_signal")
"""The C module behind `signal`. That converts numbers to enumerations and back, which takes as long as a small step."""

SIGINT = int(signal.SIGINT)


class Whole:
    """A context that delays Ctrl-C to its end, or to `pause`. Python interrupts the main thread only, so in other
    threads the context does nothing.

    Attributes:
        before: the handler of Ctrl-C outside the context; `None` outside it.
        wanted: whether Ctrl-C was pressed inside the context.
    """

    __slots__ = ("_handler", "before", "wanted")

    def __init__(self) -> None:
        self.before: Any = None
        self.wanted = False
        self._handler = self.note

    def __enter__(self) -> Whole:
        # `getsignal` gives `None` for a handler that C code installed; it could not be restored.
        before = _signal.getsignal(SIGINT)
        if before is not None:
            try:
                _signal.signal(SIGINT, self._handler)
            except ValueError:
                # Only the main thread may do that: asking first whether this is it would take longer.
                return self
            self.before = before
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        before = self.before
        if before is not None:
            try:
                _signal.signal(SIGINT, before)
            except ValueError:
                # The main thread is inside too.
                return
            self.before = None
            self._pass_on()

    def pause(self) -> None:
        """Let a delayed Ctrl-C take effect now."""
        if self.wanted:
            _signal.signal(SIGINT, self.before)
            try:
                self._pass_on()
            finally:
                _signal.signal(SIGINT, self._handler)

    def note(self, _number: int, _frame: FrameType | None) -> None:
        """Remember that Ctrl-C was pressed."""
        self.wanted = True

    def _pass_on(self) -> None:
        if self.wanted:
            self.wanted = False
            signal.raise_signal(signal.SIGINT)
