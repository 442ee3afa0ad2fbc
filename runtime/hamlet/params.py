"""The params and the inputs of an environment, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import NoReturn

import torch

from hamlet.errors import EnvError
from hamlet.universe import Input, Param
from hamlet.within import Per, check_within


class Numbers(MutableMapping[str, torch.Tensor]):
    """Maps the name of a param to its values, a view [worlds] f32 to be read only, or that of an input to its values
    [lanes]. Assign a number (to all of them) or a float tensor of that shape to change it; it must lie within the
    bounds that the universe gives. Params and inputs survive resets.
    """

    def __init__(
        self,
        kind: str,
        declared: tuple[Param | Input, ...],
        values: torch.Tensor | None,
        checked: bool,
        changed: Callable[[], None],
    ) -> None:
        self._kind = kind
        self._rows = {item.name: (row, item) for row, item in enumerate(declared)}
        self._values = values
        self._checked = checked
        self._changed = changed

    def __getitem__(self, name: str) -> torch.Tensor:
        return self._row(name)

    def __setitem__(self, name: str, value: float | torch.Tensor) -> None:
        row = self._row(name)
        if not isinstance(value, (int, float, torch.Tensor)):
            raise EnvError(f"{self._kind} {name} takes numbers, not {type(value).__name__}")
        new = torch.as_tensor(value)
        if new.dtype is torch.bool or new.dtype.is_complex:
            raise EnvError(f"{self._kind} {name} takes numbers, not {new.dtype}")
        if new.shape not in ((), row.shape):
            raise EnvError(f"{self._kind} {name} takes a number or a tensor [{row.shape[0]}], not {list(new.shape)}")
        new = new.to(dtype=torch.float32, device=row.device)
        if self._checked:
            check_numbers(self._kind, self._rows[name][1], new)
        row.copy_(new)
        self._changed()

    def __delitem__(self, name: str) -> NoReturn:
        raise EnvError(f"{self._kind} {name} belongs to the universe and cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"{self._kind}s({', '.join(self._rows)})"

    def _row(self, name: str) -> torch.Tensor:
        if self._values is None or name not in self._rows:
            known = ", ".join(self._rows) or "it has none"
            raise EnvError(f"the universe has no {self._kind} {name!r}: {known}")
        return self._values[self._rows[name][0]]


def check_numbers(kind: str, declared: Param | Input, values: torch.Tensor) -> None:
    """Raise `EnvError` unless all values lie within the bounds of a param or an input (a NaN does not)."""
    per: Per = "world" if isinstance(declared, Param) else "lane"
    check_within(f"{kind} {declared.name}", values, declared.low, declared.high, per)
