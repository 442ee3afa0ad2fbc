"""The params of an environment, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import NoReturn

import torch

from hamlet.errors import EnvError
from hamlet.universe import Param


class Params(MutableMapping[str, torch.Tensor]):
    """Maps the name of a param to its values, a view [worlds] f32 to be read only. Assign a number (to all worlds) or a
    float tensor [worlds] to change it; it must lie within the bounds that the universe gives. Params survive resets.
    """

    def __init__(self, params: tuple[Param, ...], values: torch.Tensor | None, changed: Callable[[], None]) -> None:
        self._rows = {param.name: (row, param) for row, param in enumerate(params)}
        self._values = values
        self._changed = changed

    def __getitem__(self, name: str) -> torch.Tensor:
        return self._row(name)

    def __setitem__(self, name: str, value: float | torch.Tensor) -> None:
        row = self._row(name)
        if not isinstance(value, (int, float, torch.Tensor)):
            raise EnvError(f"param {name} takes numbers, not {type(value).__name__}")
        new = torch.as_tensor(value)
        if new.dtype is torch.bool or new.dtype.is_complex:
            raise EnvError(f"param {name} takes numbers, not {new.dtype}")
        if new.shape not in ((), row.shape):
            raise EnvError(f"param {name} takes a number or a tensor [{row.shape[0]}], not {list(new.shape)}")
        new = new.to(dtype=torch.float32, device=row.device)
        check_param(self._rows[name][1], new)
        row.copy_(new)
        self._changed()

    def __delitem__(self, name: str) -> NoReturn:
        raise EnvError(f"param {name} belongs to the universe and cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"Params({', '.join(self._rows)})"

    def _row(self, name: str) -> torch.Tensor:
        if self._values is None or name not in self._rows:
            known = ", ".join(self._rows) or "it has none"
            raise EnvError(f"the universe has no param {name!r}: {known}")
        return self._values[self._rows[name][0]]


def check_param(param: Param, values: torch.Tensor) -> None:
    """Raise `EnvError` unless all values lie within the param's bounds (a NaN does not)."""
    low, high = torch.tensor([param.low, param.high], dtype=torch.float32, device=values.device)
    if not bool(((values >= low) & (values <= high)).all()):
        raise EnvError(f"param {param.name} must lie in {param.low:g} .. {param.high:g}")
