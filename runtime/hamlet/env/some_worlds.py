"""A reset of some worlds, which leaves the others as they are."""

from __future__ import annotations

from typing import Any

import torch

from hamlet import schema
from hamlet.arguments import dense
from hamlet.backend.buffers import Buffers
from hamlet.errors import EnvError
from hamlet.universe import Universe


def chosen_worlds(worlds: Any, count: int, seed: int | None, device: torch.device) -> torch.Tensor:
    """The worlds that a reset with this seed is about, [worlds] bool.

    Raises:
        EnvError: `worlds` are no mask of all worlds, or there is a seed.
    """
    what = f"worlds are a mask [{count}] of True and False"
    mask = dense(worlds, what)
    if mask.dtype is not torch.bool or tuple(mask.shape) != (count,):
        raise EnvError(f"{what}, not {list(mask.shape)} of {mask.dtype}")
    if seed is not None:
        raise EnvError("a seed is one of all worlds: leave out worlds, or the seed")
    return mask.to(device)


class Others:
    """What a reset of some worlds leaves as it is: the state and the outcomes of the others."""

    def __init__(self, buffers: Buffers, chosen: torch.Tensor) -> None:
        """Keep what the worlds have that are not chosen; `chosen` is [worlds] bool."""
        # A reset changes no inputs, and a write would have them checked again.
        state = {name: value for name, value in buffers.state.items() if name != "inputs"}
        self._fields = state | buffers.outcome
        if buffers.final_observation is not None:
            self._fields["final_observation"] = buffers.final_observation
        self._values = {name: value.clone() for name, value in self._fields.items()}
        self._chosen = {"world": chosen, "lane": chosen.repeat_interleave(buffers.shape.agents)}

    def restore(self, universe: Universe) -> None:
        """Give it back to them."""
        of_worlds = {field.name for field in schema.state_fields(universe) if field.per == "world"}
        for name, value in self._fields.items():
            chosen = self._chosen["world" if name in of_worlds else "lane"]
            value.copy_(torch.where(chosen, value, self._values[name]))
