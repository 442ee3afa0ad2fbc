"""Cells that nobody enters while a condition of theirs holds: `wall when stone or door == closed`, which hides what is
behind it, and `solid when boulders > 0`, which hides nothing."""

from __future__ import annotations

from collections.abc import Iterator
from math import exp
from typing import TYPE_CHECKING

from hamlet import universe
from hamlet.universe import Expression, Grid, parts
from hamlet.universe.space import beside, cells, graph_of
from hamletc import messages
from hamletc.checking.draft import Draft
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.report import Findings, all_of
from hamletc.language import syntax

if TYPE_CHECKING:
    from hamletc.messages.walls import Blocks

OF_WALLS = (
    *(universe.Number, universe.Truth, universe.ParamValue, universe.WorldValue, universe.CellValue),
    *(universe.TerrainValue, universe.On, universe.Unary, universe.Binary, universe.Clamp, universe.If),
)
"""What the condition of a wall is made of."""
OF_ONE_CELL = (
    *(universe.CellValue, universe.Coordinate, universe.On, universe.TerrainValue, universe.At, universe.TableValue),
    universe.WorldValue,
)
"""Quantities by which cells differ, beside what each draws by itself."""
OFTEN = 0.1
"""How many cells of a world have no way out, on average, where walls are warned of."""


def resolve_wall(
    file: syntax.File, kind: type[syntax.WallItem | syntax.SolidItem], names: Names, report: Findings
) -> Expression | None:
    """The condition under which a cell is a wall, or solid; `None` where there is none, or something is wrong with
    it."""
    blocks = all_of(file.declarations, syntax.CellsDecl)
    written = [item for block in blocks for item in block.items if isinstance(item, kind)]
    said: Blocks = "wall" if kind is syntax.WallItem else "solid"
    names.says_solid = names.says_solid or (said == "solid" and bool(written))
    for second in written[1:]:
        report.add(messages.everywhere.GivenTwice(second.span, f"`{said} when`", written[0].span, "or"))
    if not written or not isinstance(names.space, Grid):
        return None
    if graph_of(names.space) is not None:
        report.add(messages.walls.WallsOnGraph(written[0].span, names.space.span, said))
        return None
    wall = Expressions(names, report, whose="cell").condition(written[0].condition)
    if wall is None:
        return None
    hidden = frozenset() if names.overall is None else names.overall.names
    for node, _ in parts(wall):
        if not isinstance(node, OF_WALLS) or (isinstance(node, universe.WorldValue) and node.meter in hidden):
            report.add(messages.walls.UnknownToWalls(node.span, node, said))
            return None
    if not any(
        isinstance(node, universe.CellValue | universe.WorldValue | universe.ParamValue) for node, _ in parts(wall)
    ):
        report.add(messages.walls.WallsNeverChange(written[0].condition.span, said))
        return None
    return wall


def check_walls(draft: Draft, names: Names, report: Findings) -> None:
    """Report what does not go together with walls and solid cells of which cells decide."""
    closing = draft.closing()
    if not closing:
        return
    said: Blocks = "solid" if names.wall is None else "wall"
    for tree in draft.expressions():
        for node, _ in parts(tree):
            if isinstance(node, universe.WalkingDistance):
                report.add(messages.walls.WalkAroundChanging(node.span, closing[0].span, said))
                return
    if isinstance(draft.space, Grid):
        for condition in closing:
            _check_ways(condition, draft, draft.space, report)


def _check_ways(wall: Expression, draft: Draft, grid: Grid, report: Findings) -> None:
    """Warn of walls that each cell draws by itself and keeps, where often a cell between them has no way out."""
    written = {assign.meter for _, body in draft.bodies_of_world() for assign in universe.assigns(body)}
    starts = {meter.name: meter.start for meter in draft.cell_meters if meter.name not in written}
    for part in _disjuncts(wall):
        match part:
            case universe.Binary(op=">", left=universe.CellValue(meter=name)) if name in starts:
                start = starts[name]
            case _:
                continue
        asked = [] if isinstance(start, float) else [node for node, _ in parts(start)]
        if any(isinstance(node, OF_ONE_CELL) for node in asked):
            continue
        for draw in asked:
            if isinstance(draw, universe.DrawChance) and isinstance(draw.probability, universe.Number):
                p = draw.probability.value
                without_way_out = cells(grid) * (1 - p) * p ** beside(grid)
                if 0 < p < 1 and without_way_out > OFTEN:
                    report.add(messages.walls.WallsCutOff(draw.span, 1 - exp(-without_way_out)))


def _disjuncts(condition: Expression) -> Iterator[Expression]:
    """Conditions that are joined by `or`."""
    match condition:
        case universe.Binary(op="or", left=left, right=right):
            yield from _disjuncts(left)
            yield from _disjuncts(right)
        case _:
            yield condition
