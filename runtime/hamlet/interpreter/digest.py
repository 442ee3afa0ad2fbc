"""The digest of a run by the interpreter, which others are held against."""

from __future__ import annotations

import torch

from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.digest import digest
from hamlet.backend.protocol import RandomPolicy, Stream
from hamlet.interpreter.interpreter import Interpreter
from hamlet.universe import Universe


def digest_of_run(universe: Universe, shape: Shape, seed: int, ticks: int) -> int:
    """The digest after a rollout of random actions from the first episode on."""
    buffers = allocate(universe, shape, torch.device("cpu"), None)
    interpreter = Interpreter(universe, buffers.mask.device)
    interpreter.reset(buffers, Stream(seed, 0))
    interpreter.rollout(buffers, ticks, RandomPolicy(), Stream(seed, 0), False, None)
    return digest(universe, buffers.state, buffers.outcome)
