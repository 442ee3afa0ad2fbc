"""`extends`: a universe over another one. What it declares replaces what the other has of that name."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from hamlet.universe import Span
from hamletc import messages
from hamletc.diagnostics import Diagnostic
from hamletc.expansion.places import Places
from hamletc.language import syntax
from hamletc.language.declared import declared, in_role, names_of

Key: TypeAlias = tuple[str, str, str]
"""What at most one declaration can be: a kind that shares its names, the role that it stands in, and the name; no name
where a universe has one."""

_SINGLE: tuple[tuple[str, type[syntax.RolePart]], ...] = (
    *syntax.SETTINGS.items(),
    ("slots", syntax.SlotsDecl),
    ("stages", syntax.StagesDecl),
    ("observe", syntax.ObserveDecl),
    ("draw", syntax.DrawDecl),
    ("begins", syntax.BeginsItem),
    ("respawns", syntax.RespawnsItem),
)
_LISTED: tuple[tuple[str, type[syntax.Decl]], ...] = (
    ("reward", syntax.RewardDecl),
    ("dies", syntax.DiesDecl),
    ("ends", syntax.EndsDecl),
    ("allow", syntax.AllowDecl),
    ("acts", syntax.ActsDecl),
)
"""What is joined with that of others: it replaces nothing."""
_SHARED = {
    **dict.fromkeys(("meter", "state", "param", "input", "control", "let", "table", "effect", "item"), "value"),
    "cascade": "rule",
    "report": "reward",
}


def key(declaration: syntax.RolePart | syntax.PairItem) -> Key | None:
    """What the declaration is alone; `None` where others of its kind stand beside it."""
    if isinstance(declaration, syntax.WorldDecl | syntax.CellsDecl | syntax.PairsDecl):
        match declaration.items[0]:
            case syntax.WallItem():
                return "wall", "", ""
            case syntax.SolidItem():
                return "solid", "", ""
            case item:
                return key(item)
    if isinstance(declaration, syntax.LinksDecl):
        return "value", "", declaration.name.text
    if isinstance(declaration, syntax.RoleDecl) and not declaration.counted:
        own = key(declaration.items[0])
        return None if own is None else (own[0], declaration.name.text, own[2])
    single = next((kind for kind, each in _SINGLE if isinstance(declaration, each)), None)
    symbol = None if single is not None else next(declared(declaration), None)
    if symbol is None:
        return None if single is None else (single, "", "")
    return ("role" if symbol.kind == "role" else symbol.namespace), "", symbol.name.text


def over(
    base: tuple[syntax.Decl, ...], layer: tuple[syntax.Decl, ...], places: Places, *, extends: bool
) -> tuple[tuple[syntax.Decl, ...], tuple[Diagnostic, ...]]:
    """The declarations of a base with those of a universe over it, and what is wrong. What replaces stands in the place
    of what it replaces, what is new behind all. Without `extends` there is no base."""
    result: list[syntax.Decl] = [part for item in base for part in _parts(item)]
    layer = tuple(part for item in layer for part in _parts(item))
    problems: list[Diagnostic] = []
    for item in layer:
        if isinstance(item, syntax.WithoutDecl):
            left = [each for each in result if not _is_meant(item, each)]
            if len(left) == len(result):
                what = item.kind.text if item.name is None else f"{item.kind.text} `{item.name.text}`"
                problems.append(missing(f"{what} to leave out", item.span, places, extends=extends))
            result = left
    begun = {found: index for index, each in enumerate(result) if (found := key(each)) is not None}
    for item in layer:
        if isinstance(item, syntax.WithoutDecl):
            continue
        made = item.declaration if isinstance(item, syntax.OverrideDecl) else item
        own = key(made)
        index = None if own is None else begun.pop(own, None)
        if index is not None:
            result[index] = made
            continue
        if isinstance(item, syntax.OverrideDecl):
            names = names_of(made)
            what = f"declaration of `{names[0].text}`" if names else "such declaration"
            problems.append(missing(f"{what} to replace", item.span, places, extends=extends))
        result.append(made)
    return tuple(result), tuple(problems)


def missing(what: str, span: Span, places: Places, *, extends: bool) -> Diagnostic:
    """That there is nothing of what a universe that `extends` another one, or none, leaves out or replaces."""
    return places.told(messages.layers.NothingThere(span, what, extends))


def _parts(declaration: syntax.Decl) -> tuple[syntax.Decl, ...]:
    """The declaration; a block of the world or of cells and a role are taken apart, so that parts can be replaced."""
    match declaration:
        case syntax.WorldDecl():
            return tuple(replace(declaration, items=(item,)) for item in declaration.items)
        case syntax.CellsDecl():
            return tuple(replace(declaration, items=(item,)) for item in declaration.items)
        case syntax.PairsDecl():
            return tuple(replace(declaration, items=(item,)) for item in declaration.items)
        case syntax.RoleDecl(items=items):
            head = (replace(declaration, items=()),) if declaration.counted else ()
            return (*head, *(replace(declaration, agents=None, others=None, items=(item,)) for item in items))
        case syntax.OverrideDecl(
            declaration=(syntax.WorldDecl() | syntax.CellsDecl() | syntax.PairsDecl() | syntax.RoleDecl()) as block
        ):
            return tuple(replace(declaration, declaration=part) for part in _parts(block))
        case _:
            return (declaration,)


def _is_meant(without: syntax.WithoutDecl, declaration: syntax.Decl) -> bool:
    """Whether this is left out."""
    kind = without.kind.text
    if isinstance(declaration, syntax.RoleDecl) and kind == "role" and without.name is not None:
        return declaration.name.text == without.name.text
    if isinstance(declaration, syntax.RoleDecl) and without.name is None:
        return False
    if without.name is not None:
        kinds, role, own = key(declaration) or ("", "", "")
        outside = in_role(replace(without.name, text=own), role).text if role else own
        return (kinds, outside) == (_SHARED.get(kind, kind), without.name.text)
    if isinstance(declaration, syntax.PairsDecl):
        return kind == "pairs"
    if isinstance(declaration, syntax.WorldDecl | syntax.CellsDecl):
        return kind == ("world" if isinstance(declaration, syntax.WorldDecl) else "cells")
    listed = any(kind == word and isinstance(declaration, each) for word, each in _LISTED)
    return (listed and not names_of(declaration)) or key(declaration) == (kind, "", "")
