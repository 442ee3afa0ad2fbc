"""What the cells of a grid have: meters, and rules that run once per tick for each cell."""

from __future__ import annotations

from hamlet import schema
from hamlet.universe import CellMeter, Grid
from hamletc.checking.draft import Draft
from hamletc.checking.meters import resolve_state, start_and_bounds_of_cells
from hamletc.checking.names import Names
from hamletc.checking.report import Findings
from hamletc.diagnostics import Label
from hamletc.language import syntax


def resolve_cell_meter(declaration: syntax.MeterDecl, names: Names, report: Findings) -> CellMeter | None:
    """`meter moss = 0.1 when on forest in 0 .. 1`, `state burning = false`."""
    if declaration.state is not None:
        held = resolve_state(declaration, names, report, "cell")
        return None if held is None else CellMeter(declaration.name.text, *held[:3], declaration.span, held[3])
    for item in declaration.properties:
        hint = "Leave it out; a rule of cells can change the meter."
        message = f"a meter of cells has no `{item.key.text}`"
        report.add("H187", message, item.span, "what agents' meters have", hint=hint)
    values = start_and_bounds_of_cells(declaration, names, report)
    return None if values is None else CellMeter(declaration.name.text, *values, declaration.span)


def fits_grid(draft: Draft, report: Findings) -> bool:
    """Whether there is a grid for the cells of a draft, of which there are not too many."""
    if draft.of_cells is None or draft.space is None:
        return True
    if not isinstance(draft.space, Grid):
        hint = "Declare one, as in `space grid 16 x 16`, or give the meters to `world { }` or to agents."
        space = (Label(draft.space.span, "the space"),)
        report.add("H180", "`cells` needs a grid", draft.of_cells, "this universe has none", secondary=space, hint=hint)
        return False
    cells, meters = schema.cells(draft.space), len(draft.cell_meters)
    if cells * meters > schema.MOST_CELL_NUMBERS:
        count = f"{cells:,}" if cells < 10**30 else "far too many"
        hint = f"Make the grid smaller: a world holds at most {schema.MOST_CELL_NUMBERS:,} numbers of cells."
        message = f"{meters} meter{'s' if meters > 1 else ''} of {count} cells would not fit in a world"
        report.add("H181", message, draft.of_cells, secondary=(Label(draft.space.span, "the grid"),), hint=hint)
        return False
    return True
