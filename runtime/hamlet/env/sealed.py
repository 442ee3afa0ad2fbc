"""Objects whose attributes cannot be assigned: a mistaken assignment raises an error that says what was meant."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, NoReturn

from hamlet.errors import MissingAttributeError


class Sealed:
    """The base class of such objects. A subclass assigns its attributes in `__init__`, which ends with `_seal()`.

    A subclass keeps values that change later in another object, so that a step assigns no sealed attribute.
    """

    def _seal(self) -> None:
        object.__setattr__(self, "_sealed", True)

    def _instead(self, name: str) -> str | None:
        """A suggestion what to write instead of this attribute, or `None`."""
        close = get_close_matches(name, [member for member in dir(self) if not member.startswith("_")], 1)
        return f"did you mean `{close[0]}`?" if close else None

    def __setattr__(self, name: str, value: object) -> None:
        if "_sealed" in self.__dict__:
            self._refuse(name, "assigned")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        self._refuse(name, "deleted")

    def __getattr__(self, name: str) -> Any:
        # Python calls this for missing attributes only. `copy` and `pickle` look some up before `__init__` has run.
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        raise MissingAttributeError(_line(f"{type(self).__name__} has no attribute {name!r}", self._instead(name)))

    def _refuse(self, name: str, done: str) -> NoReturn:
        exists = name in self.__dict__ or hasattr(type(self), name)
        what = (
            f"{name!r} of {type(self).__name__} cannot be {done}"
            if exists
            else (f"{type(self).__name__} has no attribute {name!r}, and takes no new ones")
        )
        raise MissingAttributeError(_line(what, self._instead(name)))


def _line(what: str, instead: str | None) -> str:
    return what if instead is None else f"{what}: {instead}"
