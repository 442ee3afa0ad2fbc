"""Solid affordances: where they can stand, and what else a universe with them cannot have."""

from __future__ import annotations

from hamlet.universe import Affordance, Grid, assigns
from hamletc import messages
from hamletc.arrangements import cell_of
from hamletc.checking.draft import Draft
from hamletc.checking.names import Names
from hamletc.checking.report import Findings


def check_solid(draft: Draft, names: Names, report: Findings) -> None:
    """Check that solid affordances stay where they are on a grid, that nobody starts on them, and that uses are tracked
    by agent."""
    for affordance in draft.affordances:
        if not affordance.solid or draft.space is None:
            continue
        span, name, grid = names.span("affordance", affordance.name), affordance.name, draft.space
        if not isinstance(grid, Grid) or grid.graph is not None:
            report.add(messages.blocking.SolidWithoutGrid(span, name))
        elif affordance.moving and (not affordance.elsewhere or _goes(affordance, draft)):
            report.add(messages.blocking.SolidThatMoves(span, name))
        elif (cell := _start_on(affordance, grid)) is not None:
            report.add(messages.blocking.SolidStart(span, name, cell))
        if draft.tracking is not None and draft.tracking.by == "world":
            report.add(messages.blocking.SolidTrackedByWorld(draft.tracking.span, name))


def _goes(affordance: Affordance, draft: Draft) -> bool:
    """Whether a rule moves an affordance."""
    written = {assign.meter for _, body in draft.bodies_of_world() for assign in assigns(body)}
    return not written.isdisjoint(affordance.moving)


def _start_on(affordance: Affordance, grid: Grid) -> str | None:
    """Where somebody may start on an affordance; `None` where nobody does."""
    starts = None if grid.map is None else grid.map.starts
    if grid.starts == "anywhere" and starts is None:
        return "`starts anywhere` lets agents begin on it"
    if starts is None:
        spread = affordance.spread is not None
        return "agents may begin where it stands by `in`, `apart` and `near`" if spread else None
    if affordance.place is None or grid.map is None or cell_of(grid, affordance.place) not in grid.map.cells(starts):
        return None
    return "agents begin on its cell"
