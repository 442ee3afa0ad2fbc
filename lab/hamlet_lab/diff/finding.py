"""What is said about the place where two runs part."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet_lab.verify.report import Value


@dataclass(frozen=True, slots=True)
class Source:
    """A construct and its line: `text` is "" where the text of the universe is not at hand."""

    construct: str
    file: str
    line: int
    text: str

    def lines(self) -> list[str]:
        if not self.line:
            return [f"  --> {self.construct}"] if self.construct else []
        head = f"  --> {self.file}:{self.line}  {self.construct}"
        if not self.text.strip():
            return [head]
        gutter, body = " " * len(str(self.line)), self.text.rstrip()
        start = len(body) - len(body.lstrip())
        under = " " * start + "^" * (len(body) - start)
        return [head, f"  {gutter} |", f"  {self.line} | {body}", f"  {gutter} | {under}"]


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What one side has.

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
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """The first value that differs.

    Attributes:
        blame: what parts the two sides, as a sentence.
        phase: of the tick.
        lane: where, `None` for what belongs to no agent.
        left, right: the value on both sides.
        notes: what else is known, as sentences.
    """

    blame: str
    phase: str
    lane: int | None
    left: Glimpse
    right: Glimpse
    notes: tuple[str, ...] = ()
