"""Two contenders in one scenario, event by event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch
from torch import Tensor

from hamlet.backend.buffers import Buffers
from hamlet.backend.protocol import RecordedPolicy, Stream
from hamlet.interpreter import Coverage, Interpreter
from hamlet_lab.diff.contender import Contender
from hamlet_lab.diff.parting import Outcome, Parting
from hamlet_lab.diff.versions import Translation, common
from hamlet_lab.verify import Candidate
from hamlet_lab.verify.arrays import Array, Difference, compare
from hamlet_lab.verify.events import Event, Jump, Rollout, Side, describe, ticks_of
from hamlet_lab.verify.session import Scenario

CPU = torch.device("cpu")


class Match:
    """Both sides in the same state, as long as they agree.

    Attributes:
        compared, ticks: how many values were compared, and ticks run.
        skipped: events that only the left side can do, in words.
        stream: the random numbers of the next event.
    """

    def __init__(self, left: Contender, right: Contender, scenario: Scenario, coverage: Coverage) -> None:
        self.compared = 0
        self.ticks = 0
        self.skipped: list[str] = []
        self._contenders = left, right
        self._scenario = scenario
        self.stream = scenario.stream
        self._sides = self._side(left), self._side(right)
        # What fires on the left side is counted by an interpreter beside it.
        counting = Contender("", left.universe, Candidate(Interpreter(left.universe, CPU, coverage), CPU))
        self._counting = self._side(counting)
        self._universes = left.universe, right.universe
        self._translation = None
        if left.universe != right.universe:
            self._translation = Translation(left.universe, right.universe, scenario.shape)

    @property
    def reference(self) -> Buffers:
        """Buffers on the CPU in the left side's state, for scripts that look where agents are."""
        return self._counting.buffers

    def run(self, event: Event) -> Parting | None:
        """Do an event on both sides and compare; where they part, if they do."""
        other = event if self._translation is None else self._translation.event(event)
        if other is None:
            self.skipped.append(describe(event))
            return None
        self._counting.copy_from(self._sides[0].buffers)
        self._counting.apply(event, self.stream)
        before = self._copies(side.buffers for side in self._sides)
        parting = self._try((event, other), self.stream, before, self._sides)
        if parting is not None and isinstance(event, Rollout) and isinstance(other, Rollout):
            return self._bisected(event, other, parting)
        self.ticks += ticks_of(event)
        self.stream = _later(self.stream, ticks_of(event))
        if isinstance(event, Jump):
            self.stream = Stream(self.stream.seed, event.tick)
        return parting

    def _try(
        self, events: tuple[Event, Event], stream: Stream, before: tuple[Buffers, ...], sides: tuple[Side, Side]
    ) -> Parting | None:
        after = [side.apply(event, stream) for side, event in zip(sides, events, strict=True)]
        ours, theirs = common(after[0], after[1], self._universes)
        if self._translation is not None and not ticks_of(events[0]):
            # Before the first tick these are 0, which is the number of something.
            ours, theirs = ([each for each in side if each.name not in ("used", "cause")] for side in (ours, theirs))
        count, difference = compare(ours, theirs)
        self.compared += count
        if difference is None:
            return None
        tick = self.ticks + (stream.tick - self.stream.tick) % (1 << 32)
        outcomes = [Outcome(*each) for each in zip(events, before, (_copied(a) for a in after), strict=True)]
        return Parting(str(self._scenario), stream, tick, outcomes[0], outcomes[1], difference)

    def _bisected(self, left: Rollout, right: Rollout, parting: Parting) -> Parting:
        """The tick of a rollout after which the sides differ: between a tick that leaves them equal, where the rollout
        is taken up again, and one that does not, half of the ticks are run."""
        equal, different, stream = 0, left.ticks, parting.stream
        before: tuple[Buffers, ...] = parting.left.before, parting.right.before
        while different - equal > 1:
            middle = (equal + different) // 2
            sides = self._resumed(before)
            events = _part(left, equal, middle), _part(right, equal, middle)
            found = self._try(events, _later(stream, equal), before, sides)
            if found is not None:
                different, parting = middle, found
            else:
                equal, before = middle, self._copies(side.buffers for side in sides)
        events = _part(left, equal, different), _part(right, equal, different)
        one_tick = self._try(events, _later(stream, equal), before, self._resumed(before))
        # A tick that differs only after others in the same launch: the shortest rollout that was seen to differ.
        return parting if one_tick is None else one_tick

    def _resumed(self, before: tuple[Buffers, ...]) -> tuple[Side, Side]:
        left, right = (self._side(contender) for contender in self._contenders)
        for side, buffers in zip((left, right), before, strict=True):
            side.copy_from(buffers)
        return left, right

    def _copies(self, buffers: Iterable[Buffers]) -> tuple[Buffers, ...]:
        """Copies on the CPU."""
        result = []
        for contender, source in zip(self._contenders, buffers, strict=True):
            side = self._side(Contender("", contender.universe, Candidate(contender.candidate.backend, CPU)))
            side.copy_from(source)
            result.append(side.buffers)
        return tuple(result)

    def _side(self, contender: Contender) -> Side:
        return Side(contender.universe, contender.candidate, self._scenario.shape, self._scenario.obs_dtype)


def differences(left: list[Array], right: list[Array]) -> Iterator[Difference]:
    """The first difference of each array, of those that both sides have."""
    for ours, theirs in zip(*common(left, right), strict=True):
        _, difference = compare([ours], [theirs])
        if difference is not None:
            yield difference


def _copied(after: list[Array]) -> list[Array]:
    """Arrays on the CPU that later events leave alone."""
    return [Array(each.name, each.column, each.rows, each.values.to("cpu", copy=True)) for each in after]


def _later(stream: Stream, ticks: int) -> Stream:
    return Stream(stream.seed, (stream.tick + ticks) % (1 << 32))


def _part(event: Rollout, begin: int, end: int) -> Rollout:
    """The ticks of a rollout from one to before another."""
    policy = event.policy
    if isinstance(policy, RecordedPolicy):
        actions: Tensor = policy.actions[begin:end]
        policy = RecordedPolicy(actions)
    return Rollout(end - begin, policy, event.observe_every_tick)
