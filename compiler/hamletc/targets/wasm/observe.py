"""What agents observe last, as `hamlet.h` of kernels in C writes it."""

from __future__ import annotations

from hamletc.kernel.code import Function, assign, function, loop, when
from hamletc.kernel.expressions import call, names
from hamletc.targets.wasm.memory import WIDE

last, flags, first, array, start, count, lane, line, row = names("last flags first array start count lane line row")


def observe() -> list[Function]:
    """The function that writes lines."""
    elements = loop(row, count, body=[assign(line[row], last[row * WIDE + lane - first])])
    flagged = when(flags[lane], [assign(line, call("part", array, start + lane, 0)), elements])
    body = [loop(lane, first, first + WIDE, body=[flagged])]
    summary = "Write what the flagged lanes of a vector observe last to lines."
    return [function("store_last", ["last", "flags", "first", "array", "start", "count"], summary, body, "apart")]
