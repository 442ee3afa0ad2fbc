"""Cells that are walls while a condition of theirs holds: `wall when stone or door == closed`."""

from __future__ import annotations

from hamlet import universe
from hamlet.universe import Expression, Grid, parts
from hamlet.universe.space import graph_of
from hamletc import messages
from hamletc.checking.draft import Draft
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.report import Findings, all_of
from hamletc.language import syntax

OF_WALLS = (
    *(universe.Number, universe.Truth, universe.ParamValue, universe.WorldValue, universe.CellValue),
    *(universe.TerrainValue, universe.On, universe.Unary, universe.Binary, universe.Clamp, universe.If),
)
"""What the condition of a wall is made of."""


def resolve_wall(file: syntax.File, names: Names, report: Findings) -> Expression | None:
    """The condition under which a cell is a wall; `None` where there is none, or something is wrong with it."""
    blocks = all_of(file.declarations, syntax.CellsDecl)
    written = [item for block in blocks for item in block.items if isinstance(item, syntax.WallItem)]
    for second in written[1:]:
        report.add(messages.everywhere.GivenTwice(second.span, "`wall when`", written[0].span, "or"))
    if not written or not isinstance(names.space, Grid):
        return None
    if graph_of(names.space) is not None:
        report.add(messages.walls.WallsOnGraph(written[0].span, names.space.span))
        return None
    wall = Expressions(names, report, whose="cell").condition(written[0].condition)
    if wall is None:
        return None
    hidden = frozenset() if names.overall is None else names.overall.names
    for node, _ in parts(wall):
        if not isinstance(node, OF_WALLS) or (isinstance(node, universe.WorldValue) and node.meter in hidden):
            report.add(messages.walls.UnknownToWalls(node.span, node))
            return None
    if not any(
        isinstance(node, universe.CellValue | universe.WorldValue | universe.ParamValue) for node, _ in parts(wall)
    ):
        report.add(messages.walls.WallsNeverChange(written[0].condition.span))
        return None
    return wall


def check_walls(draft: Draft, names: Names, report: Findings) -> None:
    """Report what does not go together with walls of which cells decide."""
    if names.wall is None:
        return
    for tree in draft.expressions():
        for node, _ in parts(tree):
            if isinstance(node, universe.WalkingDistance):
                report.add(messages.walls.WalkAroundChanging(node.span, names.wall.span))
                return
