"""Processes that train together, as `torchrun` starts them (torch.distributed, gloo), or one alone.

They exchange sums of groups, never sums of sums: each process adds the same tree (`hamlet_train.exact.tree`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from hamlet_train.exact import tree
from hamlet_train.exact.network import Array
from hamlet_train.groups import Groups, Share


@dataclass(frozen=True, slots=True)
class Ranks:
    """This process and how many there are.

    Attributes:
        restarted: whether `torchrun` started all of them anew, since one had died.
    """

    rank: int = 0
    size: int = 1
    restarted: bool = False

    @property
    def first(self) -> bool:
        """Whether this process writes files and speaks."""
        return self.rank == 0

    def sum_groups(self, values: Array, share: Share) -> Array:
        """The sum over all groups of all processes; values [groups of this share, ...] are overwritten."""
        own = tree.nodes(share.first, share.end, share.groups.count)
        return self.sum_nodes(tree.reduce(values, share.first, own, share.groups.count), share)

    def sum_nodes(self, sums: Array, share: Share) -> Array:
        """The same of the sums of the nodes [nodes, ...] that cover the groups of this share."""
        groups = share.groups
        if self.size == 1:
            return tree.total(dict(zip(self._nodes(groups, self.rank), sums, strict=True)))
        covers = [self._nodes(groups, rank) for rank in range(self.size)]
        gathered = self.gather(sums, [len(cover) for cover in covers])
        return tree.total(dict(zip([node for cover in covers for node in cover], gathered, strict=True)))

    def gather(self, rows: Array, counts: Sequence[int]) -> Array:
        """The rows of all processes behind one another; `counts` says how many each has."""
        if self.size == 1:
            return rows
        sent = np.zeros((max(counts), *rows.shape[1:]), rows.dtype)
        sent[: len(rows)] = rows
        # Bytes are exchanged, whatever they mean.
        flat = torch.from_numpy(sent.reshape(-1).view(np.uint8))
        received = [torch.empty_like(flat) for _ in counts]
        torch.distributed.all_gather(received, flat)
        arrays = [each.numpy().view(rows.dtype).reshape(sent.shape) for each in received]
        return np.concatenate([array[:count] for array, count in zip(arrays, counts, strict=True)])

    def wait(self) -> None:
        """Until all processes are here."""
        if self.size > 1:
            torch.distributed.barrier()

    def _nodes(self, groups: Groups, rank: int) -> list[tree.Node]:
        share = groups.share(rank, self.size)
        return tree.nodes(share.first, share.end, groups.count)


def joined() -> Ranks:
    """The processes that `torchrun` started, after they have met; one alone where it did not."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    restarts = int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"))
    rank = int(os.environ.get("RANK", "0"))
    if size > 1 and not torch.distributed.is_initialized():
        # Torch does not annotate what it exports here.
        distributed: Any = torch.distributed
        store, *_ = next(distributed.rendezvous("env://"))
        if size == int(os.environ.get("LOCAL_WORLD_SIZE", "0")):
            # torchrun keeps its store over restarts, in which the addresses of those that died still stand. Only on
            # one machine do all processes count restarts alike.
            store = distributed.PrefixStore(f"restart {restarts}", store)
        distributed.init_process_group("gloo", store=store, rank=rank, world_size=size)
    return Ranks(rank, size, restarts > 0)


def left() -> None:
    """Part from the other processes."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
