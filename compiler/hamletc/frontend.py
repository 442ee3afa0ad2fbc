"""Front ends, which read universes: the text language, and those that other packages bring by entry points of
`hamletc.frontends`.

A front end turns what a path names into a syntax tree of the text language. From there on all universes are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from hamlet.frozen import dataclass
from hamlet.plugins import working
from hamletc.language.source import Source

if TYPE_CHECKING:
    from hamletc.diagnostics import FileDiagnostics
    from hamletc.language.syntax import File

GROUP = "hamletc.frontends"

T = TypeVar("T")


@dataclass(slots=True)
class Stopwatch:
    """The seconds that each stage took, in the order of the stages."""

    laps: list[tuple[str, float]] = field(default_factory=list)

    def lap(self, stage: str, work: Callable[[], T]) -> T:
        """Do the work of a stage and note its time."""
        begin = perf_counter()
        try:
            return work()
        finally:
            self.laps.append((stage, perf_counter() - begin))


@dataclass(frozen=True, slots=True)
class UniverseText:
    """A universe in the text language, whatever it was written in.

    Attributes:
        path: what was read.
        file: the syntax tree. A span is in the source with its number, or `hamletc.language.syntax.NOWHERE`.
        sources: the texts.
        warnings: what was found on the way, file by file.
        attached: further files that a package of it holds, by name; the front end lists their names in `attaches`.
        name: what it is called in the package; `None` for the name of the first source.
    """

    path: Path
    file: File
    sources: Sequence[Source]
    warnings: tuple[FileDiagnostics, ...] = ()
    attached: Mapping[str, str] = field(default_factory=dict)
    name: str | None = None


class FrontEnd(Protocol):
    """A front end: an object that an entry point of `hamletc.frontends` names."""

    @property
    def reads(self) -> str:
        """The kind of sources that it reads, for messages: "a pack (bars.yaml, ...)"."""

    @property
    def attaches(self) -> tuple[str, ...]:
        """The names of files that it may attach to a package."""

    def owns(self, path: Path) -> bool:
        """Whether it reads the universe that this is."""

    def knows(self, path: Path) -> str | None:
        """A phrase about a path of its kind where something else is expected: "is one file of a pack: ..."."""

    def read(self, path: Path, stopwatch: Stopwatch) -> UniverseText:
        """Read what it owns.

        Raises:
            SourceError: it has errors.
            CompileError: it cannot be read.
        """


@cache
def front_ends() -> tuple[FrontEnd, ...]:
    """All front ends beside that of the text language that can be loaded."""
    return cast("tuple[FrontEnd, ...]", tuple(working(GROUP).values()))
