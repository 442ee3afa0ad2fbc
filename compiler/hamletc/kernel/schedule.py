"""The schedule of a universe's kernels: what runs over which lanes, in which order, on which arrays.

The tick IR says what one lane computes. A schedule says the rest: what is loaded and stored, when the agents of a world
meet, who no longer runs, which worlds begin anew, what is counted and written. It has no vectors, chunks or threads:
those are a target's own. `hamletc.kernel.run` executes a schedule, which is its meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, Literal, TypeVar

from hamlet.frozen import dataclass
from hamletc.kernel.statements import Do, If, Statement, Ticks, Within


class ScheduleError(Exception):
    """A text is no schedule, or a schedule none of its program; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Routine:
    """Statements with a name, which kernels and other routines run."""

    form: ClassVar[str] = "routine {name} {body}"

    name: str
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Kernel:
    """What a launch runs."""

    form: ClassVar[str] = "kernel {name} {body}"

    name: Literal["reset", "observe", "step", "rollout"]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Schedule:
    """The kernels of a universe, and their routines, of which each runs only earlier ones."""

    routines: tuple[Routine, ...]
    kernels: tuple[Kernel, ...]

    def routine(self, name: str) -> Routine:
        """The routine of this name.

        Raises:
            KeyError: there is none.
        """
        return _named(self.routines, name)

    def kernel(self, name: str) -> Kernel:
        """The kernel of this name.

        Raises:
            KeyError: there is none.
        """
        return _named(self.kernels, name)

    def statements(self, body: Iterable[Statement]) -> Iterator[Statement]:
        """Statements in order, each followed by those within it, or those of the routine that it runs."""
        for each in body:
            yield each
            match each:
                case Within(body=inner) | If(body=inner) | Ticks(body=inner):
                    yield from self.statements(inner)
                case Do(routine=name):
                    yield from self.statements(self.routine(name).body)
                case _:
                    pass


_Part = TypeVar("_Part", Routine, Kernel)


def _named(parts: tuple[_Part, ...], name: str) -> _Part:
    for part in parts:
        if part.name == name:
            return part
    raise KeyError(name)
