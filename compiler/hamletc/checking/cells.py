"""What the cells of a grid have: meters, and rules that run once per tick for each cell."""

from __future__ import annotations

from hamlet import schema
from hamlet.universe import CellMeter, Grid
from hamletc import messages
from hamletc.checking.draft import Draft
from hamletc.checking.meters import resolve_state, start_and_bounds_of_cells
from hamletc.checking.names import Names
from hamletc.checking.report import Findings
from hamletc.language import syntax


def resolve_cell_meter(declaration: syntax.MeterDecl, names: Names, report: Findings) -> CellMeter | None:
    """`meter moss = 0.1 when on forest in 0 .. 1`, `state burning = false`."""
    if declaration.state is not None:
        held = resolve_state(declaration, names, report, "cell")
        return None if held is None else CellMeter(declaration.name.text, *held[:3], declaration.span, held[3])
    for item in declaration.properties:
        report.add(messages.world.PropertyOfCellMeter(item.span, item.keyword()))
    values = start_and_bounds_of_cells(declaration, names, report)
    return None if values is None else CellMeter(declaration.name.text, *values, declaration.span)


def fits_grid(draft: Draft, report: Findings) -> bool:
    """Whether there is a grid for the cells of a draft, of which there are not too many."""
    if draft.of_cells is None or draft.space is None:
        return True
    if not isinstance(draft.space, Grid):
        report.add(messages.world.CellsWithoutGrid(draft.of_cells, draft.space.span))
        return False
    cells, meters = schema.cells(draft.space), len(draft.cell_meters)
    if cells * meters > schema.MOST_CELL_NUMBERS:
        about = meters, cells, schema.MOST_CELL_NUMBERS, draft.space.span
        report.add(messages.world.TooManyCellNumbers(draft.of_cells, *about))
        return False
    return True
