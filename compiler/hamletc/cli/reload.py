"""The files of a universe that is watched: read again when one of them changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from hamlet.errors import HamletError
from hamletc.cli.carry_over import carry_over
from hamletc.compile import Options, build, check
from hamletc.errors import SourceError
from hamletc.frontend import Stopwatch
from hamletc.kinds import kind_of
from hamletc.read import read_universe

if TYPE_CHECKING:
    from hamlet.env.environment import Env
    from hamlet.package.module import Module

Stamp: TypeAlias = tuple[tuple[Path, int, int], ...]
MOST_LINES = 16
"""Lines of diagnostics that are shown."""


@dataclass(frozen=True, slots=True)
class News:
    """The result of a change of the text.

    Attributes:
        env: what is watched from now on: another one, or the same where the change has errors.
        text: in words, with the colours of a terminal.
        broken: whether the change has errors.
    """

    env: Env
    text: str
    broken: bool


class Watched:
    """The files of a universe, and what to do when they change."""

    def __init__(self, path: Path, make: Callable[[Module], Env], targets: tuple[str, ...]) -> None:
        """`make` makes an environment of one version; kernels are compiled for `targets`."""
        self.path = path
        self._make = make
        self._targets = targets
        self._files: tuple[Path, ...] = (path,)
        self._stamp: Stamp = ()

    def first(self) -> Env:
        """An environment of the files as they are.

        Raises:
            SourceError: they have errors.
            HamletError: they cannot be read, or an environment cannot be made.
        """
        env = self._make(self._read())
        self._stamp = self._now()
        return env

    def news(self, env: Env) -> News | None:
        """The result of a change since the last call; `None` where nothing changed. It takes as long as compiling."""
        now = self._now()
        # While an editor saves, a file may be away for a moment.
        if now == self._stamp or len(now) < len(self._stamp):
            return None
        self._stamp = now
        try:
            new = self._make(self._read())
        except SourceError as error:
            self._stamp = self._now()
            return News(env, _shown(error), True)
        except HamletError as error:
            return News(env, f"\x1b[1;31merror\x1b[0m: {error}", True)
        self._stamp = self._now()
        return News(new, carry_over(env, new), False)

    def _read(self) -> Module:
        """The module of the files as they are.

        Raises:
            SourceError: they have errors.
            HamletError: they cannot be read.
        """
        from hamlet.package.module import in_memory, load

        if kind_of(self.path) == "package":
            self._files = tuple(sorted(self.path.iterdir()))
            return load(self.path)
        reading = read_universe(self.path, Stopwatch())
        self._files = tuple(dict.fromkeys((self.path, *(source.path for source in reading.sources))))
        checked = check(reading)
        files = build(checked.universe, Options(targets=self._targets), Stopwatch(), checked.attached, checked.source)
        return in_memory(Path(checked.universe.name), files)

    def _now(self) -> Stamp:
        return tuple(_stamps(self._files))


def _stamps(files: Iterable[Path]) -> Iterable[tuple[Path, int, int]]:
    for file in files:
        try:
            status = file.stat()
        except OSError:
            continue
        yield file, status.st_mtime_ns, status.st_size


def _shown(error: SourceError) -> str:
    from hamletc.diagnostics import render_files

    lines = render_files(error.found, colour=True).rstrip().split("\n")
    more = len(lines) - MOST_LINES
    return "\n".join(
        [*lines[:MOST_LINES], *([f"... and {more} lines more: hamletc check {error.path}"] if more > 0 else [])]
    )
