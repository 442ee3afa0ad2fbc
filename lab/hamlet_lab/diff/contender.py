"""One of the two sides that are compared."""

from __future__ import annotations

from dataclasses import dataclass

from hamlet.universe import Universe
from hamlet_lab.diff.recording import Recording
from hamlet_lab.verify import Candidate


@dataclass(frozen=True, slots=True)
class Contender:
    """A universe and what runs it.

    Attributes:
        label: what a user calls it: `town.hamlet@numba`.
        recording: the run that it gives again, where it is a recorded one; the other side has to run the same.
    """

    label: str
    universe: Universe
    candidate: Candidate
    recording: Recording | None = None
