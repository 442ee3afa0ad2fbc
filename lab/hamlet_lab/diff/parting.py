"""The event after which two runs differ, all being equal before it."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet.backend.buffers import Buffers
from hamlet.backend.protocol import Stream
from hamlet_lab.verify.arrays import Array, Difference
from hamlet_lab.verify.events import Event


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an event did to one side: the event as that side ran it, its buffers before, and its arrays after."""

    event: Event
    before: Buffers
    after: list[Array]


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two runs part.

    Attributes:
        scenario: what was run, in words.
        stream: the random numbers of the event.
        tick: the ticks that were run before it.
        left, right: what it did to either side.
        difference: the first of the values that differ.
    """

    scenario: str
    stream: Stream
    tick: int
    left: Outcome
    right: Outcome
    difference: Difference
