"""`Env.set("position", ...)`: where agents are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from hamlet import schema
from hamlet.backend.buffers import Shape
from hamlet.env.write.places import coordinates, inside
from hamlet.errors import EnvError, shown
from hamlet.universe import Universe
from hamlet.universe.space import graph_of

POSITION = "position"
"""The name of positions."""


def set_positions(
    universe: Universe,
    shape: Shape,
    state: Mapping[str, torch.Tensor],
    values: Any,
    worlds: torch.Tensor,
    agents: torch.Tensor,
) -> None:
    """Put agents of worlds (numbers, i64 [n]) at positions. Who goes elsewhere is no longer engaged, as after a move.

    Raises:
        EnvError: `values` are no positions, or have another shape. Nothing was changed.
    """
    axes, count = schema.axes(universe), len(worlds) * len(agents)
    if not axes:
        raise EnvError(f"{universe.name} has no space, and nobody a position")
    size, (listed, grouped) = len(axes), ((count, len(axes)), (len(worlds), len(agents), len(axes)))
    expected = f"a position is {size} numbers ({', '.join(axes)}), or a tensor {list(listed)} or {list(grouped)}"
    numbers = coordinates(_of_nodes(universe, values), expected)
    if size == 1 and not numbers.dim():
        numbers = numbers.reshape(1)
    if tuple(numbers.shape) not in ((size,), listed, grouped):
        raise EnvError(f"{expected}, not {list(numbers.shape)}")
    there = inside(universe, numbers.expand(grouped if numbers.dim() == 3 else listed).reshape(listed).T, "a position")
    position = state["position"].view(size, shape.worlds, shape.agents)
    device = position.device
    where = worlds.to(device).unsqueeze(1), agents.to(device)
    goes = torch.zeros(len(worlds), len(agents), dtype=torch.bool, device=device)
    for row, x in zip(position, there, strict=True):
        new = x.to(device).view(len(worlds), len(agents))
        goes |= row[where] != new
        row[where] = new
    for name, nobody in (("engaged", schema.NOWHERE), ("progress", 0)):
        if name in state:
            row = state[name].view(shape.worlds, shape.agents)
            row[where] = row[where].masked_fill(goes, nobody)


def _of_nodes(universe: Universe, values: Any) -> Any:
    """The numbers of nodes of a graph that are given by name; whatever else as it is."""
    graph = graph_of(universe.space)
    if isinstance(values, np.ndarray) and values.dtype.kind == "U":
        values = values.tolist()
    if graph is None:
        return values
    names = [node.name for node in graph.nodes]

    def number(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return [number(each) for each in value]
        if isinstance(value, str):
            if value not in names:
                raise EnvError(f"a position is one of {', '.join(names)}, not {shown(value)}")
            return [names.index(value)]
        return value

    return number(values)
