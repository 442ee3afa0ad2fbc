"""What is written for something else is written out before anything is checked: behind this, a universe has nothing
that could not have been written by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hamletc.diagnostics import Diagnostic
from hamletc.expansion.lets import ExpansionError, Lets
from hamletc.expansion.places import Places
from hamletc.language import syntax


@dataclass(frozen=True, slots=True)
class Expanded:
    """A file that is written out.

    Attributes:
        file: without uses of lets; their declarations stay.
        places: where its places are in the sources.
        unused: lets that nobody uses.
        problem: why it could not be written out; `file` is then as it was.
    """

    file: syntax.File
    places: Places
    unused: tuple[syntax.LetDecl, ...] = ()
    problem: Diagnostic | None = None


def expand(file: syntax.File, sources: int) -> Expanded:
    """Write out a file; `sources` is the number of texts that its spans refer to."""
    places = Places(sources)
    lets = Lets(file.declarations, places)
    try:
        declarations = lets.written_out(file.declarations)
    except ExpansionError as error:
        return Expanded(file, places, problem=error.diagnostic)
    own = (item for item in file.declarations if isinstance(item, syntax.LetDecl))
    unused = tuple(let for let in own if let.name.text not in lets.used)
    return Expanded(replace(file, declarations=declarations), places, unused)
