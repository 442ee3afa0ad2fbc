"""Attributes of HAMLET's environment that may be assigned, or changed in place.

The backend keeps its state with lanes last and in 32 bits; HAMLET's code sees [agents, ...] and int64. So what is
handed out is a copy. Torch counts the changes of a tensor: a copy that was changed is written back before the state is
used.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from hamlet import schema
from hamlet.env.write.bounds import check_meters, check_positions, check_within
from hamlet.errors import EnvError
from hamlet.schema.bounds import ANY_COUNT
from hamlet.universe import Continuous, Universe


@dataclass(frozen=True, slots=True)
class Attribute:
    """How an attribute is read from the state, and written to it."""

    read: Callable[[], Tensor]
    write: Callable[[Tensor], None]


@dataclass(slots=True)
class _Copy:
    values: Tensor
    version: int


class Attributes:
    """The assignable attributes of an environment by name."""

    def __init__(self, attributes: Mapping[str, Attribute]) -> None:
        self._attributes = attributes
        self._copies: dict[str, _Copy] = {}

    def get(self, name: str) -> Tensor:
        """The values of an attribute, the same tensor until the state changes."""
        if name not in self._copies:
            # tensors made in inference mode do not count their changes
            with torch.inference_mode(False):
                values = self._attributes[name].read()
            self._copies[name] = _Copy(values, values._version)
        return self._copies[name].values

    def set(self, name: str, values: Tensor) -> None:
        """Write values to the state.

        Raises:
            EnvError: they have the wrong shape, or are not possible. Nothing was changed.
        """
        self.flush()
        expected = self._attributes[name].read()
        tensor = torch.as_tensor(values, device=expected.device)
        if tensor.shape != expected.shape:
            raise EnvError(f"{name} has the shape {list(expected.shape)}, not {list(tensor.shape)}")
        self._attributes[name].write(tensor.to(expected.dtype))
        self._copies.clear()

    def flush(self) -> bool:
        """Write what was changed in place to the state; whether something was.

        Raises:
            EnvError: something was changed to what is not possible. It stays to be corrected.
        """
        changed = [(name, copy) for name, copy in self._copies.items() if copy.values._version != copy.version]
        for name, copy in changed:
            self._attributes[name].write(copy.values)
            copy.version = copy.values._version
        return bool(changed)

    def forget(self) -> None:
        """The state changed: copies that were handed out are of the past."""
        self._copies.clear()


def attributes(universe: Universe, state: Mapping[str, Tensor]) -> Attributes:
    """Attributes that can be assigned in a universe with this state."""
    meters, age, alive = state["meters"], state["age"], state["alive"]

    def write_meters(values: Tensor) -> None:
        check_meters(universe, values.T, "agent")
        meters.copy_(values.T)

    def write_dones(values: Tensor) -> None:
        alive.copy_(~values)

    def write_step_counts(values: Tensor) -> None:
        check_within("step_counts", values, ANY_COUNT, "agent")
        age.copy_(values)

    def write_positions(values: Tensor) -> None:
        check_positions(universe, "{} of a position", values.T, "agent")
        if "position" in state:
            state["position"].copy_(values.T)

    return Attributes(
        {
            "positions": Attribute(lambda: positions_of(universe, state, "position"), write_positions),
            "meters": Attribute(lambda: rows_last(meters), write_meters),
            "dones": Attribute(lambda: ~alive, write_dones),
            "step_counts": Attribute(lambda: age.to(torch.int64, copy=True), write_step_counts),
        }
    )


def rows_last(values: Tensor) -> Tensor:
    """A copy of [rows, agents] as [agents, rows]."""
    return values.T.clone(memory_format=torch.contiguous_format)


def positions_of(universe: Universe, state: Mapping[str, Tensor], field: str) -> Tensor:
    """A copy of a position in the state as [agents, axes]: int64 on a grid, else f32; 0 where it is not state."""
    dtype = torch.float32 if isinstance(universe.space, Continuous) else torch.int64
    if field in state:
        return rows_last(state[field]).to(dtype)
    return torch.zeros((len(state["age"]), len(schema.axes(universe))), dtype=dtype, device=state["age"].device)
