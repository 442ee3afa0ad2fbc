"""The record of a first divergence, and its one text.

Everything that names a place in a universe does so by `SourceLine`: construct, file and line as data, not as a string.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite, isnan

import torch
from torch import Tensor

from hamlet.numbers.binary32 import bits32, spell32
from hamlet.universe import Span, Universe

NAN = 0x7FC00000
"""The bits of every NaN: which one it is belongs to no promise."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value as a person reads it, and its bits in hex, or "" for a truth value."""

    text: str
    bits: str

    def __str__(self) -> str:
        return f"{self.text}  ({self.bits})" if self.bits else self.text


def f32_value(value: float) -> Value:
    """A binary32 number in decimal and in hex."""
    bits = NAN if isnan(value) else bits32(value)
    return Value(spell32(value) if isfinite(value) else str(value), f"0x{bits:08x}")


def value_of(value: Tensor) -> Value:
    """The one value of a tensor, in decimal and in hex."""
    match value.dtype:
        case torch.float32:
            return f32_value(float(value))
        case torch.bfloat16:
            # bfloat16 is the upper half of binary32.
            return Value(repr(float(value)), f32_value(float(value)).bits[:6])
        case torch.bool:
            return Value(str(bool(value)).lower(), "")
        case _:
            return Value(str(int(value)), f"0x{int(value) & 0xFFFFFFFF:08x}")


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A construct and its line.

    Attributes:
        construct: as in `hamlet.interpreter.coverage`: "cascade hunger_saddens".
        file, line: "" and 0 for what has no line.
        text: of the line; "" where the text of the universe is not at hand.
    """

    construct: str
    file: str
    line: int
    text: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}  {self.construct}" if self.line else self.construct

    def lines(self) -> list[str]:
        """The place, and under it the line with a mark."""
        if not self.construct:
            return []
        head = f"  --> {self}"
        if not self.line or not self.text.strip():
            return [head]
        gutter, body = " " * len(str(self.line)), self.text.rstrip()
        start = len(body) - len(body.lstrip())
        under = " " * start + "^" * (len(body) - start)
        return [head, f"  {gutter} |", f"  {self.line} | {body}", f"  {gutter} | {under}"]


def source_at(universe: Universe, construct: str, span: Span) -> SourceLine:
    """A construct of a universe, without the text of its line."""
    return SourceLine(construct, universe.sources[span.file], span.line)


@dataclass(frozen=True, slots=True)
class Written:
    """A write of a statement to a meter. `found`: its value is the one that the right side has in the end."""

    source: SourceLine
    value: Value
    found: bool

    def __str__(self) -> str:
        line = f"{self.source}: {self.value}"
        return f"{line}  <- the value found: what follows had no effect there" if self.found else line


@dataclass(frozen=True, slots=True)
class Reading:
    """The reading of one side: a value, and where it comes from.

    Attributes:
        label: which side.
        code: where it comes from: an operation of a program, a line of kernels, a statement; "" for a stored field.
        value: `None` where this side has no such value.
        inputs: the values that it is computed from, by name.
        source: the construct; `None` for what no author wrote.
    """

    label: str
    code: str
    value: Value | None
    inputs: tuple[tuple[str, Value], ...] = ()
    source: SourceLine | None = None

    def lines(self, side: str) -> list[str]:
        """Lines about the reading of `side` ("left", "right")."""
        lines = [f"{side:<5}  {'none' if self.value is None else self.value}  in {self.label}"]
        lines += [f"  {self.code}"] if self.code else []
        lines += [f"    {name} = {operand}" for name, operand in self.inputs]
        return [*lines, *(self.source.lines() if self.source is not None else [])]


@dataclass(frozen=True, slots=True)
class Cause:
    """The cause of a divergence: the first operation, line or phase that differs though its operands do not.

    Attributes:
        blame: what parts the two sides, as a sentence.
        phase: of the tick.
        world, agent: where; `None` for what belongs to no agent.
        left, right: what either side has.
        notes: what else is known, as sentences.
    """

    blame: str
    phase: str
    world: int | None
    agent: int | None
    left: Reading
    right: Reading
    notes: tuple[str, ...] = ()

    def swapped(self) -> Cause:
        """The same, with the sides in the other order."""
        return replace(self, left=self.right, right=self.left)

    def lines(self) -> list[str]:
        """The cause in words."""
        place = "".join(f", {where}" for where in _where(self.world, self.agent))
        lines = [self.blame, f"first value that differs, in {self.phase}{place}:"]
        lines += ["", *self.left.lines("left"), "", *self.right.lines("right")]
        return [*lines, *([""] if self.notes else []), *(f"note: {note}" for note in self.notes)]


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first value in which two sides differ, all being equal before it.

    Attributes:
        left, right: what a user calls the sides.
        run, event: what was being run, in words.
        tick: ticks since the run began, the one that differs counted from 0.
        field, row: the array and its row, "" where it has none.
        world, agent: where; `None` for an array without worlds or without agents.
        action: of the agent in this tick, "" where that does not matter.
        expected, found: the values of the left and of the right side.
        more: how many other values differ after this event.
        writers: the constructs that can write this field, in the order of a tick.
        writes: what the interpreter writes to this meter in this tick, in order; empty for other fields.
        cause: `None` where nobody looked for it.
    """

    left: str
    right: str
    run: str
    event: str
    tick: int
    field: str
    row: str
    world: int | None
    agent: int | None
    action: str
    expected: Value
    found: Value
    more: int
    writers: tuple[SourceLine, ...]
    writes: tuple[Written, ...]
    cause: Cause | None = None

    def lines(self) -> list[str]:
        """The record as text."""
        place = [f"{self.field} {self.row}".strip(), *_where(self.world, self.agent)]
        place += [f"action {self.action}"] if self.action else []
        lines = [
            f"{self.left} and {self.right} differ",
            f"  run    {self.run}",
            f"  when   tick {self.tick}, {self.event}",
            f"  where  {', '.join(place)}",
            f"  left   {self.expected}",
            f"  right  {self.found}",
        ]
        if self.more:
            lines.append(
                f"  more   {self.more:,} other value{'s differ' if self.more > 1 else ' differs'} after this event"
            )
        if self.writers:
            lines += ["  written by", *(f"    {writer}" for writer in self.writers)]
        if self.writes:
            lines += ["  what the interpreter writes in this tick, in order", *(f"    {each}" for each in self.writes)]
        return [*lines, *([] if self.cause is None else ["", *self.cause.lines()])]


def _where(world: int | None, agent: int | None) -> list[str]:
    return [f"{name} {number}" for name, number in (("world", world), ("agent", agent)) if number is not None]
