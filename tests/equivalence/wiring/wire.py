"""What a wire is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wire:
    """A change of one attribute.

    Attributes:
        field: `Meter.decay`; or `Hour`, a construct without attributes that is there before the change or after it.
        old, new: the text in the base that is replaced, and its replacement.
        tick: after so many ticks the change shows first; 0: at once.
        shows: the arrays in which it shows then, with the row where they have rows. Observations only where nothing
            else does; never the return, which follows the reward. `+` and `-`: a row that only one universe has.
        also: attributes that follow from this one, or that cannot stay as they are.
    """

    field: str
    old: str
    new: str
    tick: int
    shows: str
    also: str = ""


@dataclass(frozen=True, slots=True)
class Base:
    """A universe, the actions that its agents take, tick by tick, and changes of it. `INTERACT/WAIT`: the second agent
    of each world waits."""

    text: str
    actions: str
    wires: tuple[Wire, ...]

    @property
    def name(self) -> str:
        return self.text.split()[1]

    def changed(self, wire: Wire) -> str:
        """The text after a change."""
        if self.text.count(wire.old) != 1:
            raise ValueError(f"{self.name} has {wire.old!r} {self.text.count(wire.old)} times")
        return self.text.replace(wire.old, wire.new)
