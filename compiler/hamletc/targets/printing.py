"""Lists of names as targets write them, broken where a line would be too long, and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from hamlet.numbers.binary32 import spell32
from hamletc.ir.function import Table
from hamletc.ir.ops import Type

WIDTH = 120


def listing(head: str, items: Iterable[str], tail: str, indent: int = 4, remarks: Sequence[Sequence[str]] = ()) -> str:
    """`head item, item tail`, over several lines where one would be too long.

    Args:
        indent: that of the first line.
        remarks: the comments behind each item, which then has a line of its own; none for most.
    """
    items = list(items)
    line = head + ", ".join(items) + tail
    if indent + len(line) <= WIDTH and not any(remarks):
        return line
    return opened(head, items, tail, indent, remarks)


def opened(head: str, items: Iterable[str], tail: str, indent: int = 4, remarks: Sequence[Sequence[str]] = ()) -> str:
    """The same over several lines in any case."""
    inner = " " * (indent + 4)
    lines: list[str] = []
    open_line = False
    for item, remark in zip_longest(items, remarks, fillvalue=()):
        if remark:
            lines.append(f"{inner}{item},  {' '.join(remark)}")
        elif open_line and len(lines[-1]) + len(item) + 2 <= WIDTH:
            lines[-1] += f" {item},"
        else:
            lines.append(f"{inner}{item},")
        open_line = not remark
    return "\n".join([head, *lines, " " * indent + tail])


def table_values(table: Table) -> list[str]:
    """The values of a table; what is spelled as a decimal is rounded to binary32 where an array is made of it."""
    values = [spell32(value) if table.type is Type.F32 else str(value) for value in table.values]
    return values if len(values) > 1 else [f"{values[0]},"]
