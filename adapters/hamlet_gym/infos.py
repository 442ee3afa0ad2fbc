"""Infos of vector environments, whose dear entries are made when somebody looks.

`final_obs` is an array of Python's objects, one for each world: making it takes longer than copying all observations.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, KeysView, ValuesView
from typing import Any


class Infos(dict[str, Any]):
    """A dictionary. Entries that nobody looks at are not made; whatever else is asked of it makes them first."""

    _later: Callable[[], dict[str, Any]] | None = None

    def later(self, make: Callable[[], dict[str, Any]]) -> Infos:
        """Have these entries too, which `make` gives when it is called."""
        self._later = make
        return self

    def _made(self) -> Infos:
        make, self._later = self._later, None
        if make is not None:
            for name, value in make().items():
                super().setdefault(name, value)
        return self

    def __missing__(self, name: str) -> Any:
        if self._later is None:
            raise KeyError(name)
        return self._made()[name]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (self._later is not None and dict.__contains__(self._made(), name))

    def __iter__(self) -> Iterator[str]:
        return super(Infos, self._made()).__iter__()

    def __len__(self) -> int:
        return super(Infos, self._made()).__len__()

    def __eq__(self, other: object) -> bool:
        return dict(self) == (dict(other) if isinstance(other, Infos) else other)

    __hash__ = None

    def __or__(self, other: Any) -> Any:
        return dict(self) | other

    def __ror__(self, other: Any) -> Any:
        return other | dict(self)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)

    def __delitem__(self, name: str) -> None:
        super(Infos, self._made()).__delitem__(name)

    def keys(self) -> KeysView[str]:  # type: ignore[override]
        """As those of any dictionary."""
        return super(Infos, self._made()).keys()

    def values(self) -> ValuesView[Any]:  # type: ignore[override]
        """As those of any dictionary."""
        return super(Infos, self._made()).values()

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]
        """As those of any dictionary."""
        return super(Infos, self._made()).items()

    def get(self, name: str, default: Any = None) -> Any:
        """As that of any dictionary."""
        return self[name] if name in self else default  # noqa: SIM401

    def copy(self) -> dict[str, Any]:
        """A plain dictionary."""
        return dict(self)

    def pop(self, name: str, *default: Any) -> Any:
        """As that of any dictionary."""
        return super(Infos, self._made()).pop(name, *default)

    def popitem(self) -> tuple[str, Any]:
        """As that of any dictionary."""
        return super(Infos, self._made()).popitem()

    def setdefault(self, name: str, default: Any = None) -> Any:
        """As that of any dictionary."""
        return super(Infos, self._made()).setdefault(name, default)
