"""A population: all members learn side by side, and after each round the last ones go on from the first ones.

M. Jaderberg and others, "Population based training of neural networks", 2017. Who is in the last quarter becomes a copy
of a member of the first one, all that it is, and goes on with other settings, each by a number up or down or as it is.
All begin with the same seed, so the best member is one training whose settings change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from hamlet_train.errors import TrainError
from hamlet_train.schedule import CHANGING, Change
from hamlet_train.settings import Settings
from hamlet_train.tuning.rungs import HORIZON, WORLDS, Rungs
from hamlet_train.tuning.search import Candidate, Ended, Search
from hamlet_train.tuning.space import Space
from hamlet_train.tuning.worlds import Tell

ROUNDS = 10
PART = 4
"""One of so many members goes on from another one."""
FEW = 2
"""Updates of a round at least, where worlds are chosen."""
WORD = 2
"""The last number of counters of its draws: those of candidates are 0."""


@dataclass(frozen=True, slots=True)
class Population(Search):
    """Population-based training; `space` has the numbers that settings may have."""

    space: Space = field(kw_only=True)

    def climb(self, tell: Tell, ended: Ended) -> list[Candidate]:
        members = list(self.candidates)
        paths = dict[int, Path]()
        for turn in range(ROUNDS):
            for each in members:
                tell(f"round {turn + 1} of {ROUNDS}: member {each.number + 1} of {len(members)}")
                self._learn(each, turn, paths.get(each.number))
            ranking = sorted(members, key=lambda each: each.order)
            ended(turn, ranking)
            for each in members:
                self.shelf.drop(each.number, turn - 1)
            if turn < ROUNDS - 1:
                paths = {each.number: self.saved(each) for each in members}
                for last, first in self._pairs(ranking, turn):
                    members[last.number] = self._copied(first, last.number, turn)
                    paths[last.number] = self.saved(first)
        return ranking

    def _learn(self, member: Candidate, turn: int, path: Path | None) -> None:
        record = self.shelf.record(member.number, turn)
        if record is None:
            training = self.going_on(member, path)
            record = self.taught(member, training, member.manifest.updates * (turn + 1) // ROUNDS)
            self.shelf.put(member.number, turn, training, record)
        member.take(record)

    def _pairs(self, ranking: Sequence[Candidate], turn: int) -> list[tuple[Candidate, Candidate]]:
        """The members that are left out, each with the one from which it goes on."""
        part = max(len(ranking) // PART, 1)
        pairs = []
        for last in ranking[len(ranking) - part :]:
            first = ranking[int(self._words(last.number, turn)()) % part]
            if first.scores[-1].value > last.scores[-1].value:
                pairs.append((last, first))
        return pairs

    def _copied(self, first: Candidate, number: int, turn: int) -> Candidate:
        """A member like another one, with settings near its own."""
        manifest, update, words = first.manifest, first.scores[-1].update, self._words(number, turn)
        words()
        settings = near(manifest.schedule.at(update), self.space, words)
        changed = replace(manifest, changes=(*manifest.changes, Change(update, settings)))
        return Candidate(number, changed, [*first.lines], [*first.evaluations], [*first.scores])

    def _words(self, number: int, turn: int) -> Any:
        """Random words of a member after a round: a function that gives the next one."""
        bits = np.random.Philox(key=self.candidates[0].manifest.seed, counter=[0, number, turn, WORD])
        return bits.random_raw


def near(settings: Settings, space: Space, words: Any) -> Settings:
    """Settings each of which is the next smaller or greater number of a space, or as it was."""
    changed = dict[str, Any]()
    for name, numbers in space.items():
        values, now = sorted(numbers), getattr(settings, name)
        place = min(range(len(values)), key=lambda index: abs(values[index] - now))
        step = int(words()) % 3 - 1
        if step:
            changed[name] = values[min(max(place + step, 0), len(values) - 1)]
    return replace(settings, **changed)


def narrowed(space: Space, searches: Sequence[str]) -> Space:
    """The settings of a space that may change while a member learns. `searches` are those that a user names.

    Raises:
        TrainError: one of them may not.
    """
    for name in searches:
        if name not in CHANGING:
            raise TrainError(f"--search {name}: a population changes {', '.join(CHANGING)} while it learns")
    return {name: values for name, values in space.items() if name in CHANGING}


def sizes(budget: int, agents: int, members: int, worlds: int | None, horizon: int) -> int:
    """The worlds of each member: those that the user says, else as a budget in agent-ticks has room for.

    Raises:
        TrainError: a member could not do an update in each round.
    """
    each = budget // members
    if worlds is None:
        worlds = next((one for one in WORLDS if each >= one * agents * HORIZON * ROUNDS * FEW), WORLDS[-1])
    needs = worlds * agents * horizon * ROUNDS
    if each < needs:
        raise TrainError(
            f"{budget:,} agent-ticks are too few: {members} members in {worlds} worlds need {members * needs:,}, or "
            "take fewer --population or --worlds"
        )
    return worlds


def rounds_of(budget: int, members: int) -> Rungs:
    """The rounds of a budget in agent-ticks."""
    each = budget // members
    return Rungs((members,) * ROUNDS, tuple(each * (turn + 1) // ROUNDS for turn in range(ROUNDS)))
