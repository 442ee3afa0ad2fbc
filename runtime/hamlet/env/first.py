"""A world as it begins, without an environment."""

from __future__ import annotations

import torch

from hamlet import schema
from hamlet.backend.buffers import Shape, allocate
from hamlet.backend.protocol import Stream
from hamlet.env.view import View, view_of
from hamlet.interpreter.interpreter import Interpreter
from hamlet.universe import Universe


def first_view(universe: Universe, agents: int) -> View:
    """The view of a world of so many agents before its first tick, with the seed 0."""
    buffers = allocate(universe, Shape(1, agents), torch.device("cpu"), None)
    Interpreter(universe, buffers.mask.device).reset(buffers, Stream(0, 0))
    buffers.outcome["used"].fill_(schema.NOWHERE)
    return view_of(universe, buffers, 0, 0)
