"""What is written for something else is written out before anything is checked: behind this, a universe has nothing
that could not have been written by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from hamlet.frozen import dataclass
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.affordances import affordances_written_out
from hamletc.expansion.binding import names_bound
from hamletc.expansion.births import births_written_out
from hamletc.expansion.copies import copies_written_out
from hamletc.expansion.headings import headings_written_out
from hamletc.expansion.inventory import items_written_out
from hamletc.expansion.layers import missing, over
from hamletc.expansion.layouts import layouts_written_out
from hamletc.expansion.lets import ExpansionError, Lets
from hamletc.expansion.level_ways import StepsOf
from hamletc.expansion.levels import levels_written_out
from hamletc.expansion.locals import Locals
from hamletc.expansion.moving import SpaceOf, moving_written_out
from hamletc.expansion.once import once_written_out
from hamletc.expansion.pairs import pairs_written_out
from hamletc.expansion.places import Places
from hamletc.expansion.posts import posts_written_out
from hamletc.expansion.repeats import repeats_written_out
from hamletc.expansion.roles import roles_written_out
from hamletc.expansion.series import series_written_out
from hamletc.expansion.stages import stages_written_out
from hamletc.expansion.templates import Templates
from hamletc.language import syntax
from hamletc.language.heights import DEEPEST_WRITTEN, complaint, too_high

Written: TypeAlias = tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]
Step: TypeAlias = Callable[[tuple[syntax.Decl, ...], Places], Written]
"""Writes something out: the declarations without it, and what is wrong with it. What follows sees only the former."""


@dataclass(frozen=True, slots=True)
class Expanded:
    """A file that is written out.

    Attributes:
        file: without templates, parts of roles and uses of lets; declarations of lets and roles stay.
        places: where its places are in the sources.
        unused: lets, locals and templates that nobody uses.
        problems: why it could not be written out; `file` is then as it was.
        warnings: of what could.
    """

    file: syntax.File
    places: Places
    unused: tuple[syntax.LetDecl | syntax.LetStmt | syntax.TemplateDecl, ...] = ()
    problems: tuple[Diagnostic, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()


def expand(file: syntax.File, sources: int, space_of: SpaceOf, steps_of: StepsOf, constants: Step) -> Expanded:
    """Write out a file; `sources` is the number of texts that its spans refer to. `space_of` resolves its space, where
    something moves, `steps_of` its moves, beside levels; `constants` writes the numbers that decide how much is written
    out."""
    places = Places(sources)
    layers, warnings = _layers(file), tuple[Diagnostic, ...]()
    try:
        known, layered = _templates(layers, places)
        templates = Templates(known, tuple(item for layer in layers for item in layer), places)
        declarations: tuple[syntax.Decl, ...] = ()
        for number, layer in enumerate(layers):
            declarations, found = over(declarations, templates.written_out(layer), places, extends=number > 0)
            layered += found
        if templates.problems or layered:
            return Expanded(file, places, problems=(*templates.problems, *layered))
        lets, low_enough, local = Lets(), _heights_checked(file), Locals()
        moving = partial(moving_written_out, space_of=space_of)
        layouts = partial(layouts_written_out, space_of=space_of)
        steps: tuple[Step, ...]
        series = partial(series_written_out, used=lets.used)
        levels = partial(levels_written_out, steps_of=steps_of)
        steps = (local.bound, series, low_enough, stages_written_out, levels, layouts, once_written_out)
        steps += (headings_written_out, names_bound)
        steps += (roles_written_out, lets.written_out, constants, repeats_written_out, pairs_written_out)
        steps += (births_written_out, items_written_out, low_enough, copies_written_out)
        steps += (moving, affordances_written_out, posts_written_out)
        for step in steps:
            declarations, problems = step(declarations, places)
            if any(problem.severity == "error" for problem in problems):
                return Expanded(file, places, problems=problems)
            warnings += problems
    except ExpansionError as error:
        return Expanded(file, places, problems=(error.diagnostic,))
    unused: tuple[syntax.LetDecl | syntax.LetStmt | syntax.TemplateDecl, ...] = tuple(
        item
        for item in (*declarations, *_templates_of(file))
        if item.span.file == 0  # what is included may be made for several universes
        and (
            (isinstance(item, syntax.LetDecl) and item.name.text not in lets.used)
            or (isinstance(item, syntax.TemplateDecl) and item.name.text not in templates.used)
        )
    )
    unused += tuple(let for let in local.unused if places.shown(let.span).file == 0)
    changed = any(new is not old for new, old in zip(declarations, file.declarations, strict=False))
    same = len(declarations) == len(file.declarations) and not changed
    return Expanded(file if same else replace(file, declarations=declarations), places, unused, warnings=warnings)


def _heights_checked(file: syntax.File) -> Step:
    """A step that changes nothing, and refuses what cannot be walked over by recursion: too many levels. Those of the
    file as it was read were counted."""
    as_read = set(map(id, file.declarations))

    def checked(declarations: tuple[syntax.Decl, ...], places: Places) -> Written:
        for item in declarations:
            if id(item) not in as_read and (high := too_high(item, DEEPEST_WRITTEN)) is not None:
                return declarations, (complaint(places.shown(high.span)),)
        return declarations, ()

    return checked


def _templates_of(file: syntax.File) -> Iterator[syntax.Decl]:
    """The templates that a file declares, or overrides."""
    for item in file.declarations:
        own = item.declaration if isinstance(item, syntax.OverrideDecl) else item
        if isinstance(own, syntax.TemplateDecl):
            yield own


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
