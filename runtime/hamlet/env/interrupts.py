"""Ctrl-C takes effect between two ticks, never in the middle of one; two threads never run one environment together.

A kernel writes the state of worlds, and then `Env` counts their ticks. A KeyboardInterrupt between the two, or while
other threads still write, would leave lanes at different ticks; so would another thread that runs them meanwhile.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from importlib import import_module
from types import FrameType, TracebackType
from typing import Any

from hamlet.errors import EnvError

_signal: Any = import_module("_signal")
"""The C module behind `signal`. That converts numbers to enumerations and back, which takes as long as a small step."""

SIGINT = int(signal.SIGINT)


OUTSIDE = object()
"""Has the place of a handler where nobody is inside."""
TWO_THREADS = (
    "this environment is in another call now, of another thread or of a signal's handler: give each thread an "
    "environment of its own, or a lock around its calls"
)


class Whole:
    """A context that nobody else enters meanwhile, and that delays Ctrl-C to its end, or to `pause`. Python interrupts
    the main thread only, so in other threads nothing is delayed.

    Attributes:
        before: the handler of Ctrl-C outside the context; `None` in other threads than the main one, and where C code
            installed it; `OUTSIDE` where nobody is inside.
        pressed: whether Ctrl-C was pressed inside the context.
    """

    __slots__ = ("_handler", "before", "pressed")

    def __init__(self) -> None:
        self.before: Any = OUTSIDE
        self.pressed = False
        self._handler = self.note

    def __enter__(self) -> Whole:
        """Raises `EnvError` where somebody is inside."""
        # `getsignal` gives `None` for a handler that C code installed; it could not be restored.
        before = _signal.getsignal(SIGINT)
        if before is not None:
            try:
                _signal.signal(SIGINT, self._handler)
            except ValueError:
                # Only the main thread may do that: asking first whether this is it would take longer.
                before = None
        # No call stands between the look and the write, so Python gives no other thread its turn there; a lock would
        # take a thirtieth of a small step.
        if self.before is OUTSIDE:
            self.before = before
            return self
        if before is not None:
            _signal.signal(SIGINT, before)
            self._pass_on()
        raise EnvError(TWO_THREADS)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        before = self.before
        self.before = OUTSIDE
        if before is not None:
            _signal.signal(SIGINT, before)
            if self.pressed:
                self._pass_on()

    def pause(self, ready: Callable[[], None]) -> None:
        """Let a delayed Ctrl-C take effect now; before it does, call what makes ready for the end."""
        if self.pressed:
            ready()
            _signal.signal(SIGINT, self.before)
            try:
                self._pass_on()
            finally:
                _signal.signal(SIGINT, self._handler)

    def note(self, _number: int, _frame: FrameType | None) -> None:
        """Remember that Ctrl-C was pressed."""
        self.pressed = True

    def _pass_on(self) -> None:
        if self.pressed:
            self.pressed = False
            signal.raise_signal(signal.SIGINT)
