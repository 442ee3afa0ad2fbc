"""Trainings of all candidates, halved: each learns to the end of a rung, and those that return most go on."""

from __future__ import annotations

from collections.abc import Sequence

from hamlet_train.tuning.search import Candidate, Ended, Search
from hamlet_train.tuning.worlds import Tell


class Halving(Search):
    """Successive halving."""

    __slots__ = ()

    def climb(self, tell: Tell, ended: Ended) -> list[Candidate]:
        going: Sequence[Candidate] = self.candidates
        for rung, count in enumerate(self.rungs.counts):
            going = sorted(going, key=lambda each: each.order)[:count]
            for place, each in enumerate(going, 1):
                tell(f"rung {rung + 1} of {len(self.rungs.counts)}: candidate {place} of {count}")
                self._learn(each, rung)
            ended(rung, sorted(self.candidates, key=lambda each: each.order))
        return sorted(self.candidates, key=lambda each: each.order)

    def _learn(self, candidate: Candidate, rung: int) -> None:
        record = self.shelf.record(candidate.number, rung)
        if record is None:
            training = self.opened(candidate)
            record = self.taught(candidate, training, self.rungs.updates(rung, candidate.manifest.updates))
            self.shelf.put(candidate.number, rung, training, record)
            self.shelf.drop(candidate.number, rung - 1)
        candidate.take(record)
