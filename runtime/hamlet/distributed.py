"""Several processes that share the worlds of one environment: which of them has which worlds, and what they found,
gathered in the order of the worlds.

`torchrun` starts the processes, the *ranks*, and tells each its number in variables. A program without `torchrun` is
the only rank there is, so the same script runs either way.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist

from hamlet.arguments import whole
from hamlet.errors import EnvError, shown

MOST_RANKS = 1 << 20
TORCHRUN = "torchrun"
PATIENCE = timedelta(minutes=30)
"""How long a rank waits for the others before it gives up."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One of `count` parts of all worlds, with the number 0 .. count - 1. Parts are consecutive worlds; the first ones
    have one world more where worlds cannot be split evenly."""

    number: int = 0
    count: int = 1

    def bounds(self, total: int) -> tuple[int, int]:
        """The first of this part's things, of so many in all, and the one behind its last.

        Raises:
            EnvError: there are fewer things than parts.
        """
        if total < self.count:
            raise EnvError(f"{total:,} worlds cannot be split over {self.count:,} shards: take as many worlds at least")
        size, more = divmod(total, self.count)
        first = self.number * size + min(self.number, more)
        return first, first + size + (self.number < more)


def shard() -> Shard:
    """The part of this process: its rank and the number of ranks, as `torchrun` says them; else 0 of 1.

    Raises:
        EnvError: the variables RANK and WORLD_SIZE hold something else.

    Example:
        first, end = hamlet.distributed.shard().bounds(1000)
    """
    ranks = _variable("WORLD_SIZE", 1, 1, MOST_RANKS)
    return Shard(_variable("RANK", 0, 0, ranks - 1), ranks)


def shard_of(argument: Any) -> Shard:
    """The shard of an argument of `hamlet.make`: "torchrun", (number, count), a `Shard`, or `None` for all worlds.

    Raises:
        EnvError: it is something else.
    """
    if argument is None or isinstance(argument, Shard):
        return argument or Shard()
    if isinstance(argument, str) and argument == TORCHRUN:
        return shard()
    if isinstance(argument, (list, tuple)) and len(argument) == 2:
        count = whole(argument[1], 1, MOST_RANKS, "a shard is (number, count), with a count of at least 1")
        return Shard(whole(argument[0], 0, count - 1, f"a shard of {count} has a number in 0 .. {count - 1}"), count)
    raise EnvError(f'shard is "torchrun", (number, count) or None, not {shown(argument)}')


def on_this_machine() -> Shard:
    """The number of this process among those that `torchrun` started on the same machine."""
    ranks = _variable("LOCAL_WORLD_SIZE", 1, 1, MOST_RANKS)
    return Shard(_variable("LOCAL_RANK", 0, 0, ranks - 1), ranks)


def begin() -> Shard:
    """Join the other ranks, once; what gathers does so itself. On CPUs ranks talk by gloo, on GPUs by NCCL.

    Raises:
        EnvError: the others cannot be reached.
    """
    here = shard()
    if here.count > 1 and not dist.is_initialized():
        if torch.cuda.is_available():
            torch.cuda.set_device(on_this_machine().number % torch.cuda.device_count())
        try:
            dist.init_process_group("cpu:gloo,cuda:nccl" if torch.cuda.is_available() else "gloo", timeout=PATIENCE)
            atexit.register(_leave)
        except (RuntimeError, ValueError) as error:
            said = str(error).strip().partition("\n")[0]
            raise EnvError(f"rank {here.number} of {here.count} cannot reach the others: {said}") from error
    return here


def gather(part: torch.Tensor, group: Any = None) -> torch.Tensor:
    """The parts of all ranks side by side along the last dimension, in the order of ranks; every rank must call it.

    Args:
        part: [..., n] of the same type on every rank; all dimensions but the last are the same too.
        group: the processes that take part, by default all.

    Returns:
        [..., sum of all n], on the device of `part`: the same bits on every rank, those that one process has.
    """
    here = begin()
    if here.count == 1:
        return part
    # Collectives want parts of one size, and know no bool.
    rows = part.movedim(-1, 0).contiguous()
    plain = rows.view(torch.uint8) if rows.dtype is torch.bool else rows
    sizes = [int(size) for size in _all_gathered(torch.tensor([len(rows)], device=rows.device), here.count, group)]
    padded = plain.new_zeros((max(sizes), *plain.shape[1:]))
    padded[: len(plain)] = plain
    parts = _all_gathered(padded, here.count, group)
    whole_rows = torch.cat([each[:size] for each, size in zip(parts, sizes, strict=True)])
    return whole_rows.view(rows.dtype).movedim(0, -1).contiguous()


def total(part: torch.Tensor, group: Any = None) -> torch.Tensor:
    """The sum of what all ranks have, of an integer type: no order shows in it. Every rank must call it.

    Raises:
        EnvError: it is of a floating-point type, whose sums depend on their order.
    """
    if part.is_floating_point():
        raise EnvError("sums of floats depend on their order: gather them, and add them in one")
    here = begin()
    if here.count == 1:
        return part
    result = part.clone()
    dist.all_reduce(result, group=group)
    return result


def one_after_another(work: Callable[[], Any]) -> Any:
    """Do something on rank 0 first, then on the others: what one writes into a cache, the others find there."""
    here = begin()
    if here.number == 0:
        result = work()
    if here.count > 1:
        dist.barrier()
    return result if here.number == 0 else work()


def _all_gathered(part: torch.Tensor, ranks: int, group: Any) -> list[torch.Tensor]:
    parts = [torch.empty_like(part) for _ in range(ranks)]
    dist.all_gather(parts, part, group=group)
    return parts


def _variable(name: str, default: int, low: int, high: int) -> int:
    """A number that `torchrun` wrote into a variable."""
    text = os.environ.get(name)
    if text is None:
        return default
    if not text.isdecimal() or not low <= int(text) <= high:
        raise EnvError(f"the variable {name} holds {text!r}, and torchrun writes a number in {low} .. {high} there")
    return int(text)


def _leave() -> None:
    """Threads of gloo that are still there when Python ends abort the process, now and then."""
    if dist.is_initialized():
        dist.destroy_process_group()
