"""What a verification found, as data and as text."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from hamlet.interpreter import Write
from hamlet.numbers.binary32 import bits32, spell32
from hamlet.universe import Universe


@dataclass(frozen=True, slots=True)
class Value:
    """A value as a person reads it, and its bits."""

    text: str
    bits: str

    def __str__(self) -> str:
        return f"{self.text}  ({self.bits})" if self.bits else self.text


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first difference between a candidate and the interpreter.

    Attributes:
        candidate: the name of the backend that differs.
        scenario, event: what was being run, in words.
        tick: ticks since the scenario began, the one that differs counted from 0.
        field, row: the array and its row; the row is "" where the array has none.
        world, agent: where; `None` for an array without worlds or without agents.
        action: what the agent did in this tick, "" where that does not matter.
        writers: the constructs that can write this field, each with its source line.
        writes: what the interpreter wrote to this meter in this tick, in order; empty for other fields.
    """

    candidate: str
    scenario: str
    event: str
    tick: int
    field: str
    row: str
    world: int | None
    agent: int | None
    action: str
    expected: Value
    found: Value
    writers: tuple[str, ...]
    writes: tuple[str, ...]

    def lines(self) -> list[str]:
        place = [f"{self.field} {self.row}".strip()]
        if self.world is not None:
            place.append(f"world {self.world}")
        if self.agent is not None:
            place.append(f"agent {self.agent}")
        if self.action:
            place.append(f"action {self.action}")
        lines = [
            f"{self.candidate} differs from the interpreter",
            f"  run       {self.scenario}",
            f"  when      tick {self.tick}, {self.event}",
            f"  where     {', '.join(place)}",
            f"  expected  {self.expected}",
            f"  found     {self.found}",
        ]
        if self.writers:
            lines += ["  written by", *(f"    {writer}" for writer in self.writers)]
        if self.writes:
            lines += ["  what the interpreter wrote in this tick", *(f"    {write}" for write in self.writes)]
        return lines


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a verification.

    Attributes:
        universe: its name.
        candidates: the names of the backends compared with the interpreter.
        compared: how many values were compared.
        ticks: how many agent-ticks each backend ran.
        coverage: how often each construct fired, in file order; see `hamlet.interpreter.coverage`.
        divergence: the first difference, or `None`.
    """

    universe: str
    candidates: tuple[str, ...]
    compared: int
    ticks: int
    coverage: dict[str, int]
    divergence: Divergence | None

    @property
    def equal(self) -> bool:
        """No difference was found."""
        return self.divergence is None

    @property
    def never_fired(self) -> tuple[str, ...]:
        """Constructs that were never exercised."""
        return tuple(name for name, count in self.coverage.items() if count == 0)

    @property
    def ok(self) -> bool:
        """No difference was found, in a comparison that compared something and left nothing out."""
        return self.equal and self.compared > 0 and not self.never_fired

    def render(self, counts: bool = False) -> str:
        """The report as text; with `counts`, also how often each construct fired."""
        names = ", ".join(self.candidates) or "nothing"
        lines = [f"{self.universe}: {names} against the interpreter"]
        if self.divergence is not None:
            lines += self.divergence.lines()
        if self.compared == 0:
            lines.append("nothing was compared: that is a failure")
        elif self.equal:
            lines.append(f"equal in all {self.compared:,} values of {self.ticks:,} agent-ticks")
        if self.equal:
            fired = len(self.coverage) - len(self.never_fired)
            lines.append(f"{fired} of {len(self.coverage)} constructs fired")
            lines += [f"  never fired, so not verified: {name}" for name in self.never_fired]
        if counts:
            lines += [f"  {count:>12,}  {name}" for name, count in self.coverage.items()]
        return "\n".join(lines)


def describe_write(universe: Universe, write: Write, found: bool) -> str:
    """A write of the interpreter as a line; `found` where it left the value that the candidate has."""
    value = Value(spell32(write.value), f"0x{bits32(write.value):08x}") if isfinite(write.value) else write.value
    line = f"{universe.sources[write.span.file]}:{write.span.line}  {write.construct}: {value}"
    return f"{line}  <- the value found: what follows had no effect there" if found else line
