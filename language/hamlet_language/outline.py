"""The outline of a text: what it declares, and what stands in what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hamlet.universe import Span
from hamlet_language.document import Document
from hamlet_language.positions import Lines, Range
from hamletc.language import syntax
from hamletc.language.declared import Symbol, declared

_BLOCKS = {syntax.WorldDecl: "world", syntax.CellsDecl: "cells", syntax.PairsDecl: "pairs"}
_INSIDE = (*_BLOCKS, syntax.MovesDecl, syntax.MapDecl, syntax.SpaceDecl)


@dataclass(frozen=True, slots=True)
class Outline:
    """A declaration: its name, what it is, all of its text, its name's, and what stands in it."""

    name: str
    kind: str
    range: Range
    name_range: Range
    children: tuple[Outline, ...]


@dataclass(frozen=True, slots=True)
class Declared:
    """A name where it is declared, what as, and the declaration."""

    name: syntax.Name
    kind: str
    declaration: syntax.Node


def symbols(document: Document) -> tuple[Outline, ...]:
    """The outline of a text; of one with errors, of what could be read."""
    file = document.file
    return () if file is None else tuple(_outlined(file.declarations, document.lines))


def every(declarations: tuple[syntax.Decl, ...]) -> Iterator[Declared]:
    """All that declarations declare, in order, also in templates, roles and the braces of others; and what uses of
    templates declare by names that they are given."""
    templates = {each.name.text: each for each in declarations if isinstance(each, syntax.TemplateDecl)}
    for declaration in declarations:
        yield from _of(declaration)
        yield from _made(declaration, templates)


def _made(declaration: object, templates: Mapping[str, syntax.TemplateDecl]) -> Iterator[Declared]:
    """The names that a use gives to declarations of its template, also a use in a role."""
    if isinstance(declaration, syntax.RoleDecl):
        for item in declaration.items:
            yield from _made(item, templates)
    if not isinstance(declaration, syntax.UseDecl):
        return
    template = templates.get(declaration.template.text)
    if template is None:
        return
    kinds = {each.name.text: each.kind for part in template.declarations for each in _of(part)}
    for parameter, argument in zip(template.parameters, declaration.arguments, strict=False):
        listed = argument.series if isinstance(argument, syntax.SeriesList) else ()
        for name in (argument, *(each.first.value for each in listed if each.last is None)):
            if isinstance(name, syntax.Name) and parameter.text in kinds:
                yield Declared(name, kinds[parameter.text], declaration)


def _of(declaration: object) -> Iterator[Declared]:
    """The names that a declaration and the parts of it declare."""
    if isinstance(declaration, syntax.OverrideDecl):
        yield from _of(declaration.declaration)
        return
    for symbol in _named(declaration):
        yield Declared(symbol.name, symbol.called, _whole(declaration, symbol))
    if isinstance(declaration, syntax.TemplateDecl):
        yield Declared(declaration.name, "template", declaration)
        yield from (Declared(each, "parameter", declaration) for each in declaration.parameters)
    if not isinstance(declaration, _INSIDE):
        for part in _parts(declaration):
            yield from _of(part)


def _named(declaration: object) -> Iterator[Symbol]:
    if isinstance(declaration, syntax.Node):
        symbols = declared(declaration)  # type: ignore[arg-type]
        if isinstance(declaration, syntax.AffordanceDecl):
            yield next(symbols)
        else:
            yield from symbols


def _parts(declaration: object) -> tuple[object, ...]:
    """The parts in the braces of a declaration."""
    match declaration:
        case syntax.TemplateDecl(declarations=parts):
            return parts
        case syntax.RoleDecl(items=items) | syntax.AffordanceDecl(items=items):
            return items
        case _:
            return ()


def _whole(declaration: object, symbol: Symbol) -> syntax.Node:
    """The declaration of a symbol: the one, or that part of a block which has the name."""
    parts: tuple[object, ...] = getattr(declaration, "items", ()) if isinstance(declaration, _INSIDE) else ()
    own = next((part for part in parts if getattr(part, "name", None) is symbol.name), declaration)
    return own if isinstance(own, syntax.Node) else symbol.name


def _outlined(declarations: tuple[object, ...], lines: Lines) -> Iterator[Outline]:
    for declaration in declarations:
        inner = declaration.declaration if isinstance(declaration, syntax.OverrideDecl) else declaration
        block = next((word for kind, word in _BLOCKS.items() if isinstance(inner, kind)), None)
        if block is not None:
            whole = _span(inner)
            children = tuple(_entry(each, lines, ()) for each in _of(inner))
            yield Outline(block, block, lines.range(whole), lines.range(whole), children)
            continue
        children = tuple(_outlined(_parts(inner), lines))
        own = _own(inner)
        if isinstance(inner, _INSIDE):
            yield from (_entry(each, lines, ()) for each in own)
        elif own:
            yield _entry(own[0], lines, children)


def _own(declaration: object) -> tuple[Declared, ...]:
    """The names of a declaration itself, without those in its braces."""
    if isinstance(declaration, syntax.TemplateDecl):
        return (Declared(declaration.name, "template", declaration),)
    return tuple(Declared(symbol.name, symbol.called, _whole(declaration, symbol)) for symbol in _named(declaration))


def _entry(each: Declared, lines: Lines, children: tuple[Outline, ...]) -> Outline:
    name = lines.range(each.name.span)
    return Outline(each.name.text, each.kind, lines.range(_span(each.declaration)), name, children)


def _span(node: object) -> Span:
    span = getattr(node, "span", None)
    return span if isinstance(span, Span) else Span(1, 1, 1, 1)
