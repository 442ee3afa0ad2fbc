"""What the compiler does without a mutant: what it writes, and which of its functions are called for which universe."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeAlias, TypeVar

from areas import area, units
from behaviour import EXECUTED, EXECUTOR, KERNELS, PROGRAMS, TRITON, Recording, check_package, files, recordings, texts
from executed import Functions, tracing
from mutant import ROOT
from units import Test, followed

from hamlet.universe import Universe

T = TypeVar("T")
Made: TypeAlias = Mapping[str, str] | Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Scene:
    """A universe in a check: what the interpreter does, what is made of it without a mutant, and by which functions."""

    recordings: tuple[Recording, ...]
    made: Made
    called: Functions

    def reaches(self, altered: Functions | None) -> bool:
        """Whether it calls one of these functions; what is in no function is always reached."""
        return altered is None or bool(altered & self.called)


@dataclass(frozen=True, slots=True)
class Baseline:
    """By name: universes whose programs, or kernels, are checked; by file: unit tests; by name: the functions that make
    a committed package, those that are made soonest first."""

    programs: Mapping[str, Scene]
    triton: Mapping[str, Scene]
    c: Mapping[str, Scene]
    wasm: Mapping[str, Scene]
    units: Mapping[str, tuple[Test, ...]]
    golden: Mapping[str, Functions]


class Forked(Protocol):
    """Runs something in a process of its own."""

    def __call__(self, work: Callable[[], T], /) -> T: ...


def baseline(paths: Sequence[str], forked: Forked) -> Baseline:
    """What mutants of these files need. Unit tests and committed packages that do not hold here are an error.

    Raises:
        RuntimeError: a unit test fails without a mutant.
        AssertionError: a committed package is another one.
    """
    from samples import sample

    areas = frozenset(map(area, paths))
    programs = PROGRAMS if areas & {"lowering", "passes"} else EXECUTED if {*paths} & {*EXECUTOR} else ()
    triton = TRITON if areas & {"triton", "both", "kernel"} else ()
    kernels = KERNELS if areas & {"c", "both", "kernel"} or "native/hamlet.h" in paths else ()

    modules = KERNELS if "wasm" in areas else ()

    def scenes(names: Sequence[str], shapes: Sequence[str], rounds: int, target: str | None) -> dict[str, Scene]:
        made = forked(lambda: {name: _made(sample(name), target) for name in names})
        return {name: Scene(recordings(sample(name), shapes, rounds), *made[name]) for name in names}

    # First what may fail.
    tests = sorted({file for path in paths for file in units(path)})
    followed_by = {file: forked(partial(followed, file)) for file in tests}
    return Baseline(
        scenes(programs, ("alone", "together"), 5, None),
        scenes(triton, ("alone", "couples", "together", "bytes"), 3, "triton"),
        scenes(kernels, ("alone", "crowd"), 3, "c"),
        scenes(modules, ("alone", "crowd"), 3, "wasm"),
        followed_by,
        forked(_packages) if areas - {"native", "exact"} else {},
    )


def _packages() -> dict[str, Functions]:
    """The functions that are called for each committed package, those that are made soonest first."""
    found = list[tuple[float, str, Functions]]()
    for name in sorted(path.stem for path in (ROOT / "universes").glob("*.hamlet")):
        begin = time.process_time()
        with tracing() as called:
            check_package(name)
        found.append((time.process_time() - begin, name, frozenset(called)))
    return {name: called for _, name, called in sorted(found)}


def _made(universe: Universe, target: str | None) -> tuple[Made, Functions]:
    """The programs, or the package for a target, and the functions that are called for it."""
    with tracing() as called:
        made: Made = texts(universe) if target is None else files(universe, target)
    return made, frozenset(called)
