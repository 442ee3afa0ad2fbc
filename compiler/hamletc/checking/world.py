"""What a world has beside its agents: meters of its own, and rules that run once per world."""

from __future__ import annotations

from hamlet.universe import WorldMeter
from hamletc import messages
from hamletc.checking.meters import resolve_state, resolve_world_numbers
from hamletc.checking.names import Names
from hamletc.checking.report import Findings
from hamletc.language import syntax


def check_blocks(declarations: tuple[syntax.Decl, ...], report: Findings) -> None:
    """Report a second `world { }` or `cells { }` in one text, or one template, as they are written; what others
    include, extend or use is joined."""
    first: dict[tuple[int, str], syntax.WorldDecl | syntax.CellsDecl] = {}
    for item in declarations:
        match item:
            case syntax.WorldDecl(span=span) | syntax.CellsDecl(span=span):
                word = "world" if isinstance(item, syntax.WorldDecl) else "cells"
                other = first.setdefault((span.file, word), item)
                if other is not item:
                    report.add(messages.everywhere.GivenTwice(span, f"`{word}`", other.span, "block"))
            case syntax.TemplateDecl(declarations=parts):
                check_blocks(parts, report)
            case _:
                pass


def resolve_world_meter(declaration: syntax.MeterDecl, names: Names, report: Findings) -> WorldMeter | None:
    """`meter stock = 20 in 0 .. 100`."""
    if declaration.state is not None:
        held = resolve_state(declaration, names, report, "world")
        if held is None:
            return None
        return WorldMeter(declaration.name.text, *held[:3], declaration.span, held[3], kept=declaration.kept)
    for item in declaration.properties:
        report.add(messages.world.PropertyOfWorldMeter(item.span, declaration.name, item))
    values = resolve_world_numbers(declaration, names, report)
    if values is None:
        return None
    return WorldMeter(declaration.name.text, *values, declaration.span, kept=declaration.kept)
