"""Makes a failing universe smaller: lines are left out as long as it fails."""

from __future__ import annotations

import time
from collections.abc import Callable

ANYTHING_GOES = "inert allowed"
"""With this line a universe may have what nothing uses, so that more of it can be left out."""


def shrink(text: str, fails: Callable[[str], bool], seconds: float) -> str:
    """A shorter text that fails too; the text itself, where none is found in so many seconds.

    Args:
        fails: whether a text is a valid universe and something goes wrong with it.
    """
    end = time.monotonic() + seconds
    lines = text.splitlines()
    if ANYTHING_GOES not in lines and fails(_joined(generous := [*lines[:2], ANYTHING_GOES, *lines[2:]])):
        lines = generous
    size = len(lines) // 2
    while size >= 1:
        begin, found = 0, False
        while begin < len(lines) and time.monotonic() < end:
            fewer = lines[:begin] + lines[begin + size :]
            if fewer and fails(_joined(fewer)):
                lines, found = fewer, True
            else:
                begin += size
        if not found or size > 1:
            size //= 2
    return _joined(lines)


def _joined(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"
