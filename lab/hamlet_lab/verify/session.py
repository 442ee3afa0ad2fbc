"""One run of the interpreter and candidates, side by side, event by event."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from hamlet.backend.buffers import Buffers, Shape
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Interpreter
from hamlet.universe import Universe
from hamlet_lab.verify.arrays import compare
from hamlet_lab.verify.events import Candidate, Event, Jump, Side, ticks_of
from hamlet_lab.verify.locate import Moment, locate
from hamlet_lab.verify.report import Divergence

CPU = torch.device("cpu")


@dataclass(frozen=True, slots=True)
class Scenario:
    """What is run: on which worlds, with which random numbers, with which observations."""

    name: str
    shape: Shape
    stream: Stream
    obs_dtype: torch.dtype | None

    def __str__(self) -> str:
        return f"{self.name}, {self.shape.worlds} worlds of {self.shape.agents}, seed {self.stream.seed}"


class Session:
    """The interpreter, as the reference, and candidates; all in the same state as long as they agree.

    Attributes:
        compared: how many values were compared.
        ticks: how many ticks were run.
        stream: the random numbers of the next event.
    """

    def __init__(
        self, universe: Universe, interpreter: Interpreter, candidates: tuple[Candidate, ...], scenario: Scenario
    ) -> None:
        self.compared = 0
        self.ticks = 0
        self._universe = universe
        self._scenario = scenario
        self.stream = scenario.stream
        self._ours = self._side(Candidate(interpreter, CPU))
        self._theirs = [self._side(candidate) for candidate in candidates]

    @property
    def reference(self) -> Buffers:
        """The interpreter's buffers, for scripts that look where agents are."""
        return self._ours.buffers

    def run(self, event: Event) -> Divergence | None:
        """Do an event on all sides and compare; the first difference, if any."""
        before = self._side(self._ours.candidate)
        before.copy_from(self._ours.buffers)
        expected = self._ours.apply(event, self.stream)
        for side in self._theirs:
            count, difference = compare(expected, side.apply(event, self.stream))
            self.compared += count
            if difference is not None:
                moment = Moment(str(self._scenario), event, self.stream, self.ticks, before.buffers)
                return locate(self._universe, side.candidate, moment, difference)
        self.ticks += ticks_of(event)
        following = event.tick if isinstance(event, Jump) else self.stream.tick + ticks_of(event)
        self.stream = Stream(self.stream.seed, following % (1 << 32))
        return None

    def _side(self, candidate: Candidate) -> Side:
        return Side(self._universe, candidate, self._scenario.shape, self._scenario.obs_dtype)
