"""The samples of an epoch in their order: one by one, or by whole lanes where a network remembers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hamlet_train.draws import order
from hamlet_train.exact.network import Array
from hamlet_train.exact.store import Store
from hamlet_train.groups import Share


@dataclass(frozen=True, slots=True)
class Taken:
    """The samples that groups take in an epoch.

    Attributes:
        order: [groups, most] i32, the samples of each group, or its lanes; counts: [groups] i64, how many each has.
        samples: [groups, most] i64, with how many each lane teaches; `None` where samples are taken one by one.
    """

    order: Array
    counts: Array
    samples: Array | None

    @classmethod
    def of(cls, store: Store, share: Share, seed: int, update: int, epoch: int) -> Taken:
        """The order that Philox draws for the groups of a share."""
        each = share.groups.worlds_each * share.groups.agents
        rows = store.valid if store.memory is None else store.valid.sum(axis=1, dtype=np.int64)
        teaching = _padded(rows, share.count * each).reshape(share.count, -1)
        valid = teaching != 0
        taken = order(seed, update, epoch, range(share.first, share.end), valid)
        samples = None if store.memory is None else np.take_along_axis(teaching, taken, axis=1)
        return cls(taken, valid.sum(axis=1, dtype=np.int64), samples)

    def of_part(self, part: int, parts: int) -> Array:
        """[groups]: the samples of a part of so many."""
        begins, ends = (self.counts * number // parts for number in (part, part + 1))
        if self.samples is None:
            return np.asarray(ends - begins)
        places = np.arange(self.samples.shape[1])
        inside = (begins[:, None] <= places) & (places < ends[:, None])
        counted: Array = np.where(inside, self.samples, 0).sum(axis=1)
        return counted


def _padded(rows: Array, count: int) -> Array:
    """The rows, with zeros for those that there are not: the last group may have fewer lanes than others."""
    padded = np.zeros((count, *rows.shape[1:]), rows.dtype)
    padded[: len(rows)] = rows
    return padded
