"""What is written for something else is written out before anything is checked: behind this, a universe has nothing
that could not have been written by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hamletc.diagnostics import Diagnostic
from hamletc.expansion.affordances import affordances_written_out
from hamletc.expansion.copies import copies_written_out
from hamletc.expansion.inventory import items_written_out
from hamletc.expansion.layers import missing, over
from hamletc.expansion.lets import ExpansionError, Lets
from hamletc.expansion.moving import moving_written_out
from hamletc.expansion.places import Places
from hamletc.expansion.roles import Roles
from hamletc.expansion.stages import stages_written_out
from hamletc.expansion.templates import Templates
from hamletc.language import syntax
from hamletc.language.heights import DEEPEST_WRITTEN, complaint, too_high


@dataclass(frozen=True, slots=True)
class Expanded:
    """A file that is written out.

    Attributes:
        file: without templates, parts of roles and uses of lets; declarations of lets and roles stay.
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
    layers = _layers(file)
    try:
        known, layered = _templates(layers, places)
        templates = Templates(known, tuple(item for layer in layers for item in layer), places)
        declarations: tuple[syntax.Decl, ...] = ()
        for number, layer in enumerate(layers):
            declarations, found = over(declarations, templates.written_out(layer), places, extends=number > 0)
            layered += found
        if templates.problems or layered:
            return Expanded(file, places, problems=(*templates.problems, *layered))
        _check_heights(declarations, file, places)
        declarations, problems = stages_written_out(declarations, places)
        if problems:
            return Expanded(file, places, problems=problems)
        roles = Roles(declarations, places)
        declarations = roles.written_out()
        if roles.problems:
            return Expanded(file, places, problems=tuple(roles.problems))
        lets = Lets(declarations, places)
        declarations, found = items_written_out(lets.written_out(declarations), places)
        if found:
            return Expanded(file, places, problems=found)
        _check_heights(declarations, file, places)
        declarations, found = copies_written_out(declarations, places)
        if found:
            return Expanded(file, places, problems=found)
        declarations, found = moving_written_out(declarations, places)
        if found:
            return Expanded(file, places, problems=found)
        declarations, found = affordances_written_out(declarations, places)
        if found:
            return Expanded(file, places, problems=found)
    except ExpansionError as error:
        return Expanded(file, places, problems=(error.diagnostic,))
    own = (item.declaration if isinstance(item, syntax.OverrideDecl) else item for item in file.declarations)
    unused = tuple(
        item
        for item in (*own, *roles.lets)
        if item.span.file == 0  # what is included may be made for several universes
        and (
            (isinstance(item, syntax.LetDecl) and item.name.text not in lets.used)
            or (isinstance(item, syntax.TemplateDecl) and item.name.text not in templates.used)
        )
    )
    changed = any(new is not old for new, old in zip(declarations, file.declarations, strict=False))
    same = len(declarations) == len(file.declarations) and not changed
    return Expanded(file if same else replace(file, declarations=declarations), places, unused)


def _check_heights(declarations: tuple[syntax.Decl, ...], file: syntax.File, places: Places) -> None:
    """Whether what was written out can be walked over by recursion.

    Raises:
        ExpansionError: it has too many levels.
    """
    as_read = set(map(id, file.declarations))
    for item in declarations:
        if id(item) not in as_read and (high := too_high(item, DEEPEST_WRITTEN)) is not None:
            raise ExpansionError(complaint(places.shown(high.span)))


def _layers(file: syntax.File) -> list[tuple[syntax.Decl, ...]]:
    """The declarations of what a file extends, first those of what extends nothing, and its own."""
    layers = [file.declarations]
    while file.base is not None and file.base.file is not None:
        file = file.base.file
        layers.insert(0, file.declarations)
    return layers


def _templates(
    layers: list[tuple[syntax.Decl, ...]], places: Places
) -> tuple[tuple[syntax.TemplateDecl, ...], list[Diagnostic]]:
    """The templates of all layers, where those of one that is extended are replaced by later ones of the same name; and
    what `override` finds nothing to replace for."""
    found: tuple[syntax.TemplateDecl, ...] = ()
    problems: list[Diagnostic] = []
    for number, layer in enumerate(layers):
        known, own = {template.name.text for template in found}, []
        for item in layer:
            match item:
                case syntax.TemplateDecl():
                    own.append(item)
                case syntax.OverrideDecl(declaration=syntax.TemplateDecl() as template):
                    own.append(template)
                    if template.name.text not in known:
                        what = f"template `{template.name.text}` to replace"
                        problems.append(missing(what, item.span, places, extends=number > 0))
                case _:
                    pass
        names = {template.name.text for template in own}
        found = (*(template for template in found if template.name.text not in names), *own)
    return found, problems
