"""What is written for something else is written out before anything is checked: behind this, a universe has nothing
that could not have been written by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hamletc.diagnostics import Diagnostic
from hamletc.expansion.lets import ExpansionError, Lets
from hamletc.expansion.places import Places
from hamletc.expansion.templates import Templates
from hamletc.language import syntax


@dataclass(frozen=True, slots=True)
class Expanded:
    """A file that is written out.

    Attributes:
        file: without templates and uses of lets; declarations of lets stay.
        places: where its places are in the sources.
        unused: lets and templates that nobody uses.
        problems: why it could not be written out; `file` is then as it was.
    """

    file: syntax.File
    places: Places
    unused: tuple[syntax.LetDecl | syntax.TemplateDecl, ...] = ()
    problems: tuple[Diagnostic, ...] = ()


def expand(file: syntax.File, sources: int) -> Expanded:
    """Write out a file; `sources` is the number of texts that its spans refer to."""
    places = Places(sources)
    declarations = file.declarations
    try:
        templates = Templates(declarations, places)
        declarations = templates.written_out(declarations)
        if templates.problems:
            return Expanded(file, places, problems=tuple(templates.problems))
        lets = Lets(declarations, places)
        declarations = lets.written_out(declarations)
    except ExpansionError as error:
        return Expanded(file, places, problems=(error.diagnostic,))
    unused = tuple(
        item
        for item in file.declarations
        if item.span.file == 0  # what is included may be made for several universes
        and (
            (isinstance(item, syntax.LetDecl) and item.name.text not in lets.used)
            or (isinstance(item, syntax.TemplateDecl) and item.name.text not in templates.used)
        )
    )
    changed = any(new is not old for new, old in zip(declarations, file.declarations, strict=False))
    same = len(declarations) == len(file.declarations) and not changed
    return Expanded(file if same else replace(file, declarations=declarations), places, unused)
