"""Plug-ins of installed packages: objects that they name in groups of entry points.

| group | object | found |
|---|---|---|
| `hamlet.backends` | a `hamlet.backend.registry.BackendKind` | when worlds are made |
| `hamletc.frontends` | a `hamletc.frontend.FrontEnd` | when a universe is read that is no text |
| `hamletc.targets` | a `hamletc.targets.target.Target` | when kernels are emitted |
| `hamletc.trainers` | an object with `retrain`, see `hamlet_train.retrain.Trainer` | when a design trains anew |
| `hamletc.datasets` | an object with `write`, see `hamlet_minari.writing.Datasets` | when episodes become a data set |
| `hamletc.commands` | a command of click | when `hamletc` is given a verb that it has not itself |

The packages of this distribution are found in the same way. An object that cannot be loaded is an error for whoever
asks for it by its name, and a line on stderr for whoever takes all that there are: one broken package stops no other.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from hamlet.errors import PluginError
from hamlet.terminal import say_once

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

MEMBERS = {
    "hamlet.backends": ("span", "device", "missing", "launches", "start"),
    "hamletc.frontends": ("reads", "attaches", "owns", "knows", "read"),
    "hamletc.targets": ("form", "suffix", "specialise", "emit"),
    "hamletc.trainers": ("retrain",),
    "hamletc.datasets": ("write",),
    "hamletc.commands": ("name", "params", "make_context", "invoke"),
}
"""Members that objects of each group have."""


@cache
def named(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group, by name in alphabetical order; of several with one name the first installed."""
    first: dict[str, EntryPoint] = {}
    for point in _points(group):
        first.setdefault(point.name, point)
    return dict(sorted(first.items()))


def _points(group: str) -> list[EntryPoint]:
    """The entry points of a group. A package whose list of them cannot be read is left out, with a line on stderr."""
    from importlib.metadata import distributions, entry_points

    try:
        return list(entry_points(group=group))
    except Exception:
        # A damaged list of one package raises whatever the parser meets there, for all packages together.
        points: list[EntryPoint] = []
    for package in distributions():
        try:
            points += package.entry_points.select(group=group)
        except Exception as error:
            say_once(f"the entry points of the package {package.name} cannot be read ({error}); they are left out")
    return points


@cache
def load(group: str, name: str) -> object:
    """The object of a group that has this name, loaded once.

    Raises:
        KeyError: there is no entry point of this name.
        PluginError: it cannot be loaded, or is no object of this group.
    """
    point = named(group)[name]
    try:
        plugin: object = point.load()
    except (Exception, SystemExit) as error:
        # The module of somebody else's package may raise anything while it is imported.
        said = str(error).strip()
        problem = f"{type(error).__name__}: {said}" if said else type(error).__name__
        raise PluginError(f"{_described(point)} cannot be loaded: {problem}") from error
    missing = [member for member in MEMBERS[group] if not hasattr(plugin, member)]
    if missing:
        raise PluginError(f"{_described(point)} cannot be used: it has no {', '.join(missing)}")
    return plugin


def working(group: str) -> dict[str, object]:
    """The objects of a group by name, in alphabetical order, without those that cannot be loaded: one line for each of
    these is said on stderr, once in a process."""
    plugins = {}
    for name in named(group):
        try:
            plugins[name] = load(group, name)
        except PluginError as error:
            say_once(f"{error}; it is left out")
    return plugins


def _described(point: EntryPoint) -> str:
    """An entry point, and the package that has it."""
    package = "a package" if point.dist is None else f"the package {point.dist.name} {point.dist.version}"
    return f"{point.name!r} of {point.group}, which {package} adds as {point.value!r},"
