"""Sides that do the same, event by event, until they part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import torch

from hamlet.backend.buffers import Buffers, Shape
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Coverage, Interpreter
from hamlet.universe import Universe
from hamlet_lab.divergence.arrays import Array, Difference, compare
from hamlet_lab.divergence.events import (
    CPU,
    Candidate,
    Event,
    Jump,
    Rollout,
    Runner,
    describe,
    later,
    part,
    remembers,
    ticks_of,
)
from hamlet_lab.divergence.record import SourceLine
from hamlet_lab.divergence.versions import Translation, common

if TYPE_CHECKING:
    from hamlet_lab.divergence.compiled import Compiled, Form
    from hamletc.ir.function import Origin


def _not_compiled() -> Compiled:
    raise ValueError("this side was made without its program: see `hamlet_lab.diff.open`")


@dataclass(frozen=True, slots=True)
class Side:
    """One of the sides that are compared.

    Attributes:
        label: what a user calls it: `town.hamlet@c`.
        universe: what it runs.
        candidate: what runs it.
        compiled: what is looked at where it differs; asked for only then.
        texts: the sources of the universe by file name, as far as they are at hand.
    """

    label: str
    universe: Universe
    candidate: Candidate
    compiled: Callable[[], Compiled] = _not_compiled
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def interprets(self) -> bool:
        """Whether it is the interpreter on the CPU, the definition."""
        return type(self.candidate.backend) is Interpreter and self.candidate.device.type == "cpu"

    @property
    def form(self) -> Form:
        """The program that its results should be those of."""
        return self.compiled().forms[-1]

    def source(self, origin: Origin) -> SourceLine | None:
        """The construct that a value comes from, with the text of its line; `None` for what no author wrote."""
        if not origin.construct.kind:
            return None
        return self.with_text(
            SourceLine(origin.title, self.universe.sources[origin.file] if origin.line else "", origin.line)
        )

    def with_text(self, source: SourceLine) -> SourceLine:
        """A construct of the side's universe with the text of its line, where that is at hand."""
        lines = self.texts.get(source.file, "").split("\n")
        return replace(source, text=lines[source.line - 1]) if 0 < source.line <= len(lines) else source


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario: worlds, random numbers and observations that sides run with."""

    name: str
    shape: Shape
    stream: Stream
    obs_dtype: torch.dtype | None

    def __str__(self) -> str:
        return f"{self.name}, {self.shape.worlds} worlds of {self.shape.agents}, seed {self.stream.seed}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an event on one side: the event as that side ran it, its buffers before, and its arrays after,
    both on the CPU.
    """

    event: Event
    before: Buffers
    after: list[Array]


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two sides part.

    Attributes:
        sides: both of them.
        scenario, within: what was run, in words, and the event, of which it is a part.
        stream: the random numbers of the event.
        tick: the number of ticks that were run before the event.
        left, right: what the event did to either side.
        difference: the first of the values that differ.
    """

    sides: tuple[Side, Side]
    scenario: str
    within: Event
    stream: Stream
    tick: int
    left: Outcome
    right: Outcome
    difference: Difference


class Session:
    """All sides in the same state, as long as they agree. The others are held to the left one.

    Attributes:
        compared, ticks: how many values were compared, and ticks run.
        skipped: events that only the left side can do, in words.
        stream: the random numbers of the next event.
    """

    def __init__(self, left: Side, others: Sequence[Side], scenario: Scenario, coverage: Coverage) -> None:
        self.compared = self.ticks = 0
        self.skipped: list[str] = []
        self.stream = scenario.stream
        self._scenario = scenario
        self._sides = (left, *others)
        # What fires on the left is counted: there, where it is the interpreter, and else by one beside it.
        counting = Candidate(Interpreter(left.universe, CPU, coverage), CPU)
        self._counting = self._runner(left, counting)
        self._runners = [self._counting if left.interprets else self._runner(left), *map(self._runner, others)]
        self._translations = [
            None if side.universe == left.universe else Translation(left.universe, side.universe, scenario.shape)
            for side in self._sides
        ]

    @property
    def reference(self) -> Buffers:
        """Buffers on the CPU in the left side's state, for scripts that look where agents are."""
        return self._counting.buffers

    def run(self, event: Event) -> Parting | None:
        """Do an event on all sides and compare; where the first of them parts from the left one, if one does."""
        events = [event if each is None else each.event(event) for each in self._translations]
        possible = [each for each in events if each is not None]
        if len(possible) < len(events):
            self.skipped.append(describe(event))
            return None
        if not self._sides[0].interprets:
            self._counting.take_over(self._runners[0].buffers)
            self._counting.apply(event, self.stream)
        before = [runner.copied() for runner in self._runners]
        after = self._runners[0].apply(event, self.stream)
        for number in range(1, len(self._sides)):
            theirs = self._runners[number].apply(possible[number], self.stream)
            pair = Outcome(event, before[0], after), Outcome(possible[number], before[number], theirs)
            parting = self._parting(number, event, self.stream, *pair)
            if parting is not None:
                return self._narrowed(number, parting) if isinstance(event, Rollout) else parting
        self.ticks += ticks_of(event)
        self.stream = later(self.stream, ticks_of(event))
        if isinstance(event, Jump):
            self.stream = Stream(self.stream.seed, event.tick)
        return None

    def _parting(self, number: int, within: Event, stream: Stream, left: Outcome, right: Outcome) -> Parting | None:
        """The first difference between the left side and another one, if there is any."""
        sides, ours, theirs = (self._sides[0], self._sides[number]), left.after, right.after
        if self._translations[number] is not None:
            ours, theirs = common(ours, theirs, (sides[0].universe, sides[1].universe))
            if not ticks_of(within):
                # Before the first tick these are 0, which is the number of something.
                ours, theirs = ([each for each in a if each.name not in ("used", "cause")] for a in (ours, theirs))
        count, difference = compare(ours, theirs)
        self.compared += count
        if difference is None:
            return None
        tick = self.ticks + (stream.tick - self.stream.tick) % (1 << 32)
        left, right = (replace(each, after=[array.copied() for array in each.after]) for each in (left, right))
        return Parting(sides, str(self._scenario), within, stream, tick, left, right, difference)

    def _narrowed(self, number: int, parting: Parting) -> Parting:
        """The tick of a rollout after which the sides differ: between a tick that leaves them equal, where the rollout
        is taken up again, and one that does not, half of the ticks are run."""
        first = parting
        if remembers(first.left.event):
            # No part of it begins with what lanes remember by then.
            return self._shortest(number, parting)
        equal, different = 0, ticks_of(first.left.event)
        before = first.left.before, first.right.before
        while different - equal > 1:
            middle = (equal + different) // 2
            other, after = self._again(number, first, before, equal, middle)
            if other is not None:
                different, parting = middle, other
            else:
                equal, before = middle, after
        one_tick, _ = self._again(number, first, before, equal, different)
        return one_tick or self._shortest(number, parting)

    def _shortest(self, number: int, parting: Parting) -> Parting:
        """Of a rollout with a tick that goes wrong only after others in the same launch: the fewest ticks that do."""
        first, before = parting, (parting.left.before, parting.right.before)
        equal = 0
        while ticks_of(parting.left.event) - equal > 1:
            middle = (equal + ticks_of(parting.left.event)) // 2
            other, _ = self._again(number, first, before, 0, middle)
            equal, parting = (middle, parting) if other is None else (equal, other)
        return parting

    def _again(
        self, number: int, parting: Parting, before: tuple[Buffers, Buffers], begin: int, end: int
    ) -> tuple[Parting | None, tuple[Buffers, Buffers]]:
        """Some ticks of a rollout from buffers before them: where the sides part, if they do, and buffers after."""
        stream, outcomes, runners = later(parting.stream, begin), [], []
        for side, outcome, buffers in zip(parting.sides, (parting.left, parting.right), before, strict=True):
            assert isinstance(outcome.event, Rollout)
            runner, event = Runner.resumed(side.universe, side.candidate, buffers), part(outcome.event, begin, end)
            outcomes.append(Outcome(event, buffers, runner.apply(event, stream)))
            runners.append(runner)
        left, right = (runner.copied() for runner in runners)
        return self._parting(number, parting.within, stream, *outcomes), (left, right)

    def _runner(self, side: Side, candidate: Candidate | None = None) -> Runner:
        return Runner(side.universe, candidate or side.candidate, self._scenario.shape, self._scenario.obs_dtype)
