"""Whether a peer does what the interpreter does: state, outcomes, observations, statistics; or how far off it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from hamlet.backend.buffers import Buffers, Shape, Statistics, allocate, allocate_statistics
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.interpreter.interpreter import Interpreter
from hamlet.package.module import Module

LANES, TICKS = 512, 520
STREAM = Stream(7 | 5 << 32, 2)
"""A seed of more than 32 bits, and a first tick that shares its random words with two before it."""

CPU = torch.device("cpu")


@dataclass(frozen=True, slots=True)
class Run:
    """What a rollout leaves."""

    buffers: Buffers
    counts: Statistics | None


def prepared(module: Module, lanes: int = LANES) -> Run:
    """Worlds of one agent at the beginning of their first episode."""
    buffers = allocate(module.universe, Shape(lanes, 1), CPU, torch.float32)
    Interpreter(module.universe, CPU).reset(buffers, STREAM)
    return Run(buffers, allocate_statistics(module.universe, buffers.shape, CPU))


def reference(module: Module) -> Run:
    """The interpreter's rollout, with observations every tick and statistics."""
    run = prepared(module)
    Interpreter(module.universe, CPU).rollout(run.buffers, TICKS, RandomPolicy(), STREAM, True, run.counts)
    return run


def differing(expected: Run, got: Run, observing: bool, counting: bool) -> int:
    """The number of values whose bits differ.

    Raises:
        ValueError: hardly anything happened in the run: it proves nothing.
    """
    counts = expected.counts
    if counts is None or int(counts.causes.sum()) < LANES or not bool((counts.uses > 0).all()):
        raise ValueError("too few episodes ended, or an affordance was never used")
    return sum(
        int((_bits(a) != _bits(b)).sum())
        for a, b in zip(_parts(expected, observing, counting), _parts(got, observing, counting), strict=True)
    )


def _parts(run: Run, observing: bool, counting: bool) -> Iterator[torch.Tensor]:
    yield from run.buffers.state.values()
    yield from run.buffers.outcome.values()
    if observing:
        for array in (run.buffers.observation, run.buffers.final_observation, run.buffers.mask):
            if array is not None:
                yield array
    if counting and run.counts is not None:
        yield from (run.counts.uses, run.counts.causes, run.counts.lengths, run.counts.finished_return)


def _bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.view(torch.int32) if tensor.dtype == torch.float32 else tensor


def ulps(a: torch.Tensor, b: torch.Tensor) -> int:
    """The largest distance, in numbers between, of two tensors of f32 that are not negative."""
    return int((a.contiguous().view(torch.int32).long() - b.contiguous().view(torch.int32).long()).abs().max())
