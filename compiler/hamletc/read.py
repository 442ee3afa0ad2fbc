"""From what a user names to a syntax tree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hamletc.errors import SourceError
from hamletc.frontend import Stopwatch, UniverseText, front_ends
from hamletc.kinds import expect
from hamletc.language.source import Source

if TYPE_CHECKING:
    from hamletc.diagnostics import Diagnostic
    from hamletc.language.syntax import File


def read_universe(path: Path, stopwatch: Stopwatch) -> UniverseText:
    """The universe that a path names, by the front end that owns it; anything else is a text.

    Raises:
        SourceError: it has errors, or cannot be read.
        CompileError: it is something else that users can name: a generated package, a recorded run, ...
    """
    # Most universes are texts: nobody is asked about a file that is called one.
    if path.suffix != ".hamlet" or path.is_dir():
        for front_end in front_ends():
            if front_end.owns(path):
                return front_end.read(path, stopwatch)
    source = stopwatch.lap("read", lambda: read(path))
    return stopwatch.lap("parse", lambda: parsed(source))


def read(path: Path) -> Source:
    """A text.

    Raises:
        SourceError: the file cannot be read or is not text.
        CompileError: it is something else that users can name.
    """
    from hamletc.language.source import read_source

    expect(path, "text", "nothing")
    text = read_source(path)
    if isinstance(text, str):
        return Source(path, text)
    raise _errors(Source(path, ""), [text])


def parse(source: Source) -> File:
    """The syntax tree of a text. Raises `SourceError` with every syntax error found."""
    from hamletc.language.parser import parse

    file, diagnostics = parse(source.text)
    if file is None or diagnostics:
        raise _errors(source, diagnostics)
    return file


def parsed(source: Source) -> UniverseText:
    """A text as `parse` reads it, with those that it includes.

    Raises:
        SourceError: an included file cannot be read, or has syntax errors.
    """
    from hamletc.diagnostics import by_file
    from hamletc.link import link

    file, sources, problems = link(parse(source), source)
    if problems:
        raise SourceError(source.path, by_file(problems, sources))
    return UniverseText(source.path, file, sources)


def _errors(source: Source, diagnostics: Sequence[Diagnostic]) -> SourceError:
    from hamletc.diagnostics import by_file

    return SourceError(source.path, by_file(diagnostics, (source,)))
