"""Objects whose attributes nobody assigns: an assignment that would do nothing is an error that says what was meant."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, NoReturn

from hamlet.errors import MissingAttributeError


class Sealed:
    """The base of such objects. They assign their own attributes in `__init__`, which ends in `_seal`.

    What changes later is kept in an object of its own, so that nothing is looked up on the way to a tick.
    """

    def _seal(self) -> None:
        object.__setattr__(self, "_sealed", True)

    def _instead(self, name: str) -> str | None:
        """What to write instead of using an attribute of this name; `None` where nothing comes to mind."""
        close = get_close_matches(name, [known for known in dir(self) if not known.startswith("_")], 1)
        return f"did you mean `{close[0]}`?" if close else None

    def __setattr__(self, name: str, value: object) -> None:
        if "_sealed" in self.__dict__:
            self._refuse(name, "assigned")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        self._refuse(name, "deleted")

    def __getattr__(self, name: str) -> Any:
        # Python asks here only for what is not there. Who copies or pickles asks too, before `__init__` has run.
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        raise MissingAttributeError(_line(f"{type(self).__name__} has no attribute {name!r}", self._instead(name)))

    def _refuse(self, name: str, done: str) -> NoReturn:
        known = name in self.__dict__ or hasattr(type(self), name)
        what = (
            f"{name!r} of {type(self).__name__} cannot be {done}"
            if known
            else (f"{type(self).__name__} has no attribute {name!r}, and takes no new ones")
        )
        raise MissingAttributeError(_line(what, self._instead(name)))


def _line(what: str, instead: str | None) -> str:
    return what if instead is None else f"{what}: {instead}"
