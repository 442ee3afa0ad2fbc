"""What makes kernels: targets, found by entry points of `hamletc.targets`.

A target is a folder with an object `TARGET` in its `__init__.py`. Another package adds one by an entry point of its
own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

from hamletc.errors import CompileError
from hamletc.frontend import Stopwatch
from hamletc.plugins import named

if TYPE_CHECKING:
    from hamlet.universe import Universe
    from hamletc.ir.function import Program
    from hamletc.passes.pipeline import Pass
    from hamletc.passes.ranges import Facts

    Chosen: TypeAlias = Callable[[Facts], tuple[Pass, ...]]

GROUP = "hamletc.targets"


@dataclass(frozen=True, slots=True)
class Work:
    """What a target may ask for while it specialises a program.

    Attributes:
        disabled: the names of what is left out.
        stopwatch: takes the seconds of each stage.
        run: a program after passes, which are chosen by its facts.
        optimise: a program that was lowered anew, after the passes of all targets.
    """

    universe: Universe
    disabled: frozenset[str]
    stopwatch: Stopwatch
    run: Callable[[Program, Chosen], Program]
    optimise: Callable[[Program], Program]


class Target(Protocol):
    """What an object that an entry point of `hamletc.targets` names can do; the entry point has its name."""

    def specialise(self, program: Program, work: Work) -> Program:
        """The optimised tick IR after what only this target gains from."""

    def emit(self, program: Program, universe: Universe) -> str:
        """The text of the module of kernels, from a program that was specialised."""


def target_names() -> tuple[str, ...]:
    """All targets."""
    return tuple(named(GROUP))


def target(name: str) -> Target:
    """The target of this name.

    Raises:
        CompileError: there is none.
    """
    try:
        return cast(Target, named(GROUP)[name].load())
    except KeyError:
        raise CompileError(f"no target is called {name}: there are {', '.join(target_names())}") from None
