"""What makes kernels: targets, found by entry points of `hamletc.targets`.

A target is a folder with an object `TARGET` in its `__init__.py`. Another package adds one by an entry point of its
own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol, cast

from hamlet.backend.registry import ON_REQUEST
from hamlet.plugins import load, named, working
from hamletc.errors import CompileError

if TYPE_CHECKING:
    from hamletc.compilation import Compilation

GROUP = "hamletc.targets"


class Target(Protocol):
    """What an object that an entry point of `hamletc.targets` names can do; the entry point has its name.

    Attributes:
        form: names what `specialise` makes: targets of the same form share it.
        suffix: of the file with its kernels, `NAME_kernels.SUFFIX`: "py" for a module of Python.
    """

    form: str
    suffix: str

    def specialise(self, compilation: Compilation) -> Compilation:
        """The optimised tick IR after what only this target gains from."""

    def emit(self, compilation: Compilation) -> str | bytes:
        """The text of kernels, or their bytes, from what `specialise` made."""


def target_names() -> tuple[str, ...]:
    """All targets."""
    return tuple(named(GROUP))


def usual_targets() -> tuple[str, ...]:
    """Those whose kernels packages have unless somebody names others."""
    return tuple(name for name in target_names() if name not in ON_REQUEST)


def working_targets() -> tuple[str, ...]:
    """The usual targets that can be loaded."""
    return tuple(name for name in working(GROUP) if name not in ON_REQUEST)


def targets_for(runners: Iterable[str]) -> tuple[str, ...]:
    """The usual targets that can be loaded, and those on request that are among these names."""
    asked = ON_REQUEST.intersection(runners)
    return tuple(name for name in target_names() if name in asked or name in working_targets())


def written_by(name: str) -> str:
    """The name of the file in a package with the kernels of a target. One that cannot be loaded writes nothing, and is
    taken for one that writes Python."""
    from hamlet.package.module import kernels_file

    kind = working(GROUP).get(name)
    return kernels_file(name) if kind is None else kernels_file(name, cast(Target, kind).suffix)


def target(name: str) -> Target:
    """The target of this name.

    Raises:
        CompileError: there is none.
        PluginError: it cannot be loaded.
    """
    try:
        return cast(Target, load(GROUP, name))
    except KeyError:
        raise CompileError(f"no target is called {name}: there are {', '.join(target_names())}") from None
