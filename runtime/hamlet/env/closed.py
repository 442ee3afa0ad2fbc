"""The stand-in for the worlds of a closed environment."""

from __future__ import annotations

from typing import Any, NoReturn

from hamlet.errors import EnvError


class Closed:
    """Every attribute and call of a closed environment is an error that says what happened."""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse()

    def __getitem__(self, _key: Any) -> NoReturn:
        self._refuse()

    def __setitem__(self, _key: Any, _value: Any) -> NoReturn:
        self._refuse()

    def __iter__(self) -> NoReturn:
        self._refuse()

    def __len__(self) -> NoReturn:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise EnvError("this environment is closed: hamlet.make makes another")
