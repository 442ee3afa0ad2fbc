"""Cells on which agents start by a condition: `space grid 8 x 8 { starts when position x < 4 }`."""

from __future__ import annotations

from hamlet import universe
from hamlet.universe import Expression, Grid, parts
from hamlet.universe.space import cells, graph_of
from hamletc import messages
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.report import Findings, all_of
from hamletc.checking.walls import OF_WALLS
from hamletc.language import syntax

OF_STARTS = (*OF_WALLS, universe.Coordinate, universe.TableValue)
"""What the condition of a start is made of."""
OF_CELL = (universe.CellValue, universe.Coordinate, universe.On, universe.TerrainValue)
MOST_CELLS = 4096
"""The most cells among which agents look for one to start on: they look at each of them."""


def resolve_starting(file: syntax.File, names: Names, report: Findings) -> Expression | None:
    """The condition of the cells on which agents start; `None` where there is none, or something is wrong with it."""
    spaces = all_of(file.declarations, syntax.SpaceDecl)
    said = all_of(spaces[0].properties, syntax.StartsWhenProperty) if spaces else []
    grid = names.space
    if not said or not isinstance(grid, Grid) or graph_of(grid) is not None:
        return None  # What else is no property of this space has been reported.
    starts = Expressions(names, report, whose="cell").condition(said[0].value)
    others = all_of(spaces[0].properties, syntax.StartsProperty)
    if others:
        report.add(messages.starting.StartsBeside(said[0].span, others[0].span))
    elif grid.map is not None and grid.map.starts is not None:
        report.add(messages.starting.StartsBeside(said[0].span, grid.map.span))
    elif cells(grid) > MOST_CELLS:
        report.add(messages.starting.StartsOnTooManyCells(said[0].span, cells(grid), MOST_CELLS))
    elif starts is not None:
        return starts if _is_known(starts, said[0], names, report) else None
    return None


def _is_known(starts: Expression, said: syntax.StartsWhenProperty, names: Names, report: Findings) -> bool:
    """Whether a condition asks for what cells have when an episode begins, and for nothing else."""
    hidden = frozenset() if names.overall is None else names.overall.names
    asked = [node for node, _ in parts(starts)]
    for node in asked:
        if not isinstance(node, OF_STARTS) or (isinstance(node, universe.WorldValue) and node.meter in hidden):
            report.add(messages.starting.UnknownToStarts(node.span, node))
            return False
    if not any(isinstance(node, OF_CELL) for node in asked):
        report.add(messages.starting.StartsAlike(said.value.span))
        return False
    return True
