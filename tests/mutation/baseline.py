"""What the compiler does without a mutant: what it writes, and which of its functions are called for which universe."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar

from behaviour import KERNELS, PROGRAMS, TRITON, Recording, files, recordings, texts
from executed import Functions, tracing

from hamlet.universe import Universe

T = TypeVar("T")
Made: TypeAlias = Mapping[str, str] | Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Scene:
    """A universe in a check: what the interpreter does, what is made of it without a mutant, and by which functions."""

    recordings: tuple[Recording, ...]
    made: Made
    called: Functions


@dataclass(frozen=True, slots=True)
class Baseline:
    """By name: universes whose programs, or kernels, are checked."""

    programs: Mapping[str, Scene]
    triton: Mapping[str, Scene]
    c: Mapping[str, Scene]


class Forked(Protocol):
    """Runs something in a process of its own."""

    def __call__(self, work: Callable[[], T], /) -> T: ...


def baseline(areas: frozenset[str], forked: Forked) -> Baseline:
    """What mutants of these areas need."""
    from samples import sample

    programs = PROGRAMS if areas & {"lowering", "passes"} else ()
    triton = TRITON if areas & {"triton", "both", "kernel"} else ()
    kernels = KERNELS if areas & {"c", "both", "kernel"} else ()

    def scenes(names: Sequence[str], shapes: Sequence[str], rounds: int, target: str | None) -> dict[str, Scene]:
        made = forked(lambda: {name: _made(sample(name), target) for name in names})
        return {name: Scene(recordings(sample(name), shapes, rounds), *made[name]) for name in names}

    return Baseline(
        scenes(programs, ("alone", "together"), 5, None),
        scenes(triton, ("alone", "couples", "together", "bytes"), 3, "triton"),
        scenes(kernels, ("alone", "crowd"), 3, "c"),
    )


def _made(universe: Universe, target: str | None) -> tuple[Made, Functions]:
    """The programs, or the package for a target, and the functions that are called for it."""
    with tracing() as called:
        made: Made = texts(universe) if target is None else files(universe, target)
    return made, frozenset(called)
