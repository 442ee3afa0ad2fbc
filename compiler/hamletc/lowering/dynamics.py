"""Step 4 of a tick: rules and cascades."""

from __future__ import annotations

from hamlet.numbers.binary32 import round32
from hamlet.universe import Cascade, Rule
from hamletc.lowering.cascade_loop import run_table
from hamletc.lowering.expressions import Measured, lower_expression
from hamletc.lowering.lane import Lane
from hamletc.lowering.statements import run


def dynamics(lane: Lane) -> None:
    """Run rules and cascades in file order; each guard is tested once, when its rule is reached."""
    builder = lane.builder
    loops = {table.begin: table for table in lane.plan.cascades}
    beyond = 0
    for number, item in enumerate(lane.universe.dynamics):
        if number in loops:
            run_table(lane, loops[number])
            beyond = loops[number].end
        if number < beyond:
            continue
        match item:
            case Rule(name=name, guard=guard):
                construct = f"rule {name}"
                with builder.at(construct, item.span):
                    tested = None if guard is None else lower_expression(lane, guard)
                run(lane, construct, item.body, tested)
            case Cascade(name=name, source=source, threshold=threshold):
                construct = f"cascade {name}"
                with builder.at(construct, item.span):
                    measured = Measured(lane.meters[source], builder.f32(round32(threshold)))
                    tested = builder.less(measured.source, measured.threshold)
                run(lane, construct, item.body, tested, measured)
