"""Packages that this process has built before: tests build the shipped universes hundreds of times.

What a build gives depends on its arguments and on the compiler. Where a test has put something else into a module of
the compiler, a package is built anew.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import wraps
from hashlib import sha256
from types import MappingProxyType, ModuleType
from typing import Any

MOST = 150
"""So many packages, each of a quarter of a megabyte, are kept; the oldest make room."""
COMPILER = ("hamletc.", "hamlet.schema", "hamlet.universe", "hamlet.numbers")
NOTHING: Mapping[str, str] = MappingProxyType({})
Build = Callable[..., dict[str, bytes]]


@dataclass(frozen=True)
class Built:
    """The files of a package, how long its stages took, and what the modules of the compiler had then."""

    files: Mapping[str, bytes]
    laps: tuple[tuple[str, float], ...]
    modules: tuple[tuple[ModuleType, Mapping[str, Any]], ...]

    @property
    def holds(self) -> bool:
        """Whether the modules have the same now; they may have more."""
        return all(names.items() <= vars(module).items() for module, names in self.modules)


def once(build: Build) -> Build:
    """`hamletc.compile.build`, which gives again what it gave for equal arguments."""
    built: dict[bytes, Built] = {}

    @wraps(build)
    def remembering(
        universe: Any,
        options: Any,
        stopwatch: Any,
        attached: Mapping[str, str] = NOTHING,
        source: str | None = None,
    ) -> dict[str, bytes]:
        if options.observer is not None or options.edit is not None:
            return build(universe, options, stopwatch, attached, source)
        # Numbers that are equal need not be the same, as 0 and -0, and a universe as a whole shows little of itself.
        parts = [getattr(universe, each.name) for each in fields(universe)]
        key = sha256(repr((parts, options, sorted(attached.items()), source)).encode()).digest()
        before = built.pop(key, None)
        if before is None or not before.holds:
            begun = len(stopwatch.laps)
            files = build(universe, options, stopwatch, attached, source)
            before = Built(dict(files), tuple(stopwatch.laps[begun:]), names())
        else:
            stopwatch.laps += before.laps
        built[key] = before
        if len(built) > MOST:
            del built[next(iter(built))]
        return dict(before.files)

    return remembering


def names() -> tuple[tuple[ModuleType, Mapping[str, Any]], ...]:
    """What the modules of the compiler have now."""
    ours = [module for name, module in sys.modules.items() if name.startswith(COMPILER)]
    return tuple((module, dict(vars(module))) for module in ours)
