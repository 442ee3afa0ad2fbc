"""What the compiler does without a mutant: what it writes, and which of its functions are called for which universe."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

from areas import area, units
from behaviour import Made, Recording, check_package, files, recordings, texts
from executed import Functions, forget_results, tracing
from more_universes import Universes
from mutant import ROOT
from scene_names import EXECUTED, KERNELS, PROGRAMS, TRITON
from store import COMPILED, TESTED, Store
from units import Test, followed

from hamlet.universe import Universe

T = TypeVar("T")


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
    """By name: universes whose programs, or kernels, are checked; more of them; by file: unit tests; by name: the
    functions that make a committed package, those that are made soonest first."""

    programs: Mapping[str, Scene]
    triton: Mapping[str, Scene]
    c: Mapping[str, Scene]
    wasm: Mapping[str, Scene]
    universes: Universes
    units: Mapping[str, tuple[Test, ...]]
    golden: Mapping[str, Functions]


class Forked(Protocol):
    """Runs something in a process of its own."""

    def __call__(self, work: Callable[[], T], /) -> T: ...


def baseline(paths: Sequence[str], universes: Universes, store: Store, forked: Forked) -> Baseline:
    """What mutants of these files need. Unit tests and committed packages that do not hold here are an error.

    Args:
        universes: what is known of more of them.

    Raises:
        RuntimeError: a unit test fails without a mutant.
        AssertionError: a committed package is another one.
    """
    areas = frozenset(map(area, paths))
    programs = PROGRAMS if areas & {"lowering", "passes"} else EXECUTED if "kernel" in areas else ()
    triton = TRITON if areas & {"triton", "both", "kernel"} else ()
    kernels = KERNELS if areas & {"c", "both", "kernel"} or "native/hamlet.h" in paths else ()
    modules = KERNELS if "wasm" in areas else ()
    # First what may fail.
    tests = sorted({file for path in paths for file in units(path)})
    followed_by = {
        file: store.get(("unit", file), (*TESTED, file), lambda file=file: forked(partial(followed, file)))
        for file in tests
    }
    packages = store.get(("packages",), COMPILED, lambda: forked(_packages)) if areas - {"native", "exact"} else {}
    return Baseline(
        _scenes(programs, ("alone", "together"), 5, None, store, forked),
        _scenes(triton, ("alone", "some", "together", "bytes"), 3, "triton", store, forked),
        _scenes(kernels, ("alone", "crowd"), 3, "c", store, forked),
        _scenes(modules, ("alone", "crowd"), 3, "wasm", store, forked),
        universes,
        followed_by,
        packages,
    )


def _scenes(
    names: Sequence[str], shapes: Sequence[str], rounds: int, target: str | None, store: Store, forked: Forked
) -> dict[str, Scene]:
    """Scenes of universes by name."""
    from samples import sample, text

    of = (*COMPILED, "tests/mutation/behaviour.py")
    recorded = {name: ("recorded", text(name), shapes, rounds) for name in names}
    compiled = {name: ("made", text(name), target) for name in names}
    waiting = [name for name in names if not store.has(compiled[name], of)]
    made = forked(lambda: {name: _made(sample(name), target) for name in waiting}) if waiting else {}
    return {
        name: Scene(
            store.get(recorded[name], of, lambda name=name: recordings(sample(name), shapes, rounds)),
            *store.get(compiled[name], of, lambda name=name: made[name]),
        )
        for name in names
    }


def _packages() -> dict[str, Functions]:
    """The functions that are called for each committed package, those that are made soonest first."""
    found = list[tuple[float, str, Functions]]()
    for name in sorted(path.stem for path in (ROOT / "universes").glob("*.hamlet")):
        forget_results()
        begin = time.process_time()
        with tracing() as called:
            check_package(name)
        found.append((time.process_time() - begin, name, frozenset(called)))
    return {name: called for _, name, called in sorted(found)}


def _made(universe: Universe, target: str | None) -> tuple[Made, Functions]:
    """The programs, or the package for a target, and the functions that are called for it."""
    forget_results()
    with tracing() as called:
        made: Made = texts(universe) if target is None else files(universe, target)
    return made, frozenset(called)
