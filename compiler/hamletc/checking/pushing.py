"""What agents push: a state of cells."""

from __future__ import annotations

from hamlet import universe
from hamlet.universe import Grid, Pushing, parts
from hamletc import messages
from hamletc.checking.blocking import displaces, highest_of
from hamletc.checking.draft import Draft
from hamletc.checking.expressions import Expressions
from hamletc.checking.names import Names
from hamletc.checking.report import Findings, all_of
from hamletc.language import syntax
from hamletc.language.declared import Kind

LONGEST_LINE = 8
"""The most cells that are pushed in a row."""


def resolve_pushing(file: syntax.File, draft: Draft, names: Names, report: Findings) -> Pushing | None:
    """`space grid 8 x 8 { agents push box up to 3 to highest energy }`; a second one has been reported."""
    space = next((item for item in file.declarations if isinstance(item, syntax.SpaceDecl)), None)
    said = () if space is None else all_of(space.properties, syntax.PushProperty)
    if not said:
        return None
    item, most = said[0], 1
    if item.most is not None:
        number = Expressions(names, report, scope="claim").constant(item.most, "how many are pushed")
        if number is None:
            return None
        if number != int(number) or not 1 <= number <= LONGEST_LINE:
            report.add(messages.pushing.LineOfOtherLength(item.most.span, LONGEST_LINE))
            return None
        most = int(number)
    state, priority = _state_of(item.state, names, report), None
    if item.highest is not None:
        if draft.blocking is not None and draft.blocking.priority is not None:
            report.add(messages.pushing.TwoOrders(item.highest.span, draft.blocking.span))
        priority = highest_of(item.highest, names, report)
        if priority is None:
            return None
    return None if state is None else Pushing(state, most, priority, item.span)


def _state_of(name: syntax.Name, names: Names, report: Findings) -> str | None:
    """The name of a state of cells."""
    kinds: tuple[Kind, ...] = ("meter", "world meter")
    for kind in kinds:
        if names.means(name, kind):
            report.add(messages.pushing.PushedFromNowhere(name.span, name.text, names.span(kind, name.text)))
            return None
    return names.target_of_cells(name)


def check_pushing(draft: Draft, names: Names, report: Findings) -> None:
    """Check that there is something to push, somebody who does, and somewhere that it goes."""
    pushing, grid = draft.pushing, draft.space
    if pushing is None or not isinstance(grid, Grid):
        return
    if not any(any(move.by) for move in draft.moves_taken()) and not any(map(displaces, draft.actions)):
        report.add(messages.pushing.NobodyPushes(pushing.span))
    declared = names.span("cell meter", pushing.state)
    for meter in draft.cell_meters:
        if meter.name == pushing.state:
            if meter.type is None or not meter.type.whole:
                report.add(messages.pushing.MeterPushed(pushing.span, meter.name, declared))
            elif not meter.low <= 0 <= meter.high or meter.low == meter.high:
                report.add(messages.pushing.NeverNothing(pushing.span, meter.name, declared))
    if grid.edges == "wrap" and pushing.most > (most := min(grid.sizes) - 2):
        report.add(messages.pushing.PushedAround(pushing.span, pushing.most, most, min(grid.sizes)))
    if draft.wall is not None and any(_asks(each, pushing.state) for each in _alternatives(draft.wall)):
        report.add(messages.pushing.PushedWall(draft.wall.span, pushing.state, pushing.span))
    if draft.solid is not None and any(_is_lying(each, pushing.state) for each in _alternatives(draft.solid)):
        report.add(messages.pushing.PushedWall(draft.solid.span, pushing.state, pushing.span, "solid"))


def _alternatives(condition: universe.Expression) -> list[universe.Expression]:
    """What `or` joins."""
    if isinstance(condition, universe.Binary) and condition.op == "or":
        return [*_alternatives(condition.left), *_alternatives(condition.right)]
    return [condition]


def _is_lying(condition: universe.Expression, state: str) -> bool:
    """Whether a condition is that something lies there, whatever it is; some of it may be too heavy to be pushed."""
    match condition:
        case universe.Binary(op=">" | "!=", left=universe.CellValue(meter=name), right=universe.Number(value=0.0)):
            return name == state
        case _:
            return False


def _asks(condition: universe.Expression, state: str) -> bool:
    """Whether a condition asks for a state of a cell, and for nothing else."""
    read = (universe.CellValue, universe.WorldValue, universe.ParamValue, universe.TerrainValue, universe.On)
    asked = [node for node, _ in parts(condition) if isinstance(node, read)]
    return bool(asked) and all(isinstance(node, universe.CellValue) and node.meter == state for node in asked)
