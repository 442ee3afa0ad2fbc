"""Steps 3 and 4 of a tick: decay, then rules and cascades in file order. Many cascades are a loop over a table, whose
body is a function of its own."""

from __future__ import annotations

from hamlet.numbers.binary32 import round32
from hamlet.universe import Cascade, Rule
from hamletc.ir.builder import Builder
from hamletc.ir.function import Construct, Function, Output
from hamletc.ir.ops import F32, I32, Fold, Value
from hamletc.lowering.act import disengage
from hamletc.lowering.cascade_table import CascadeTable
from hamletc.lowering.expressions import Measured, lower_expression
from hamletc.lowering.lane import Lane
from hamletc.lowering.plan import Plan, tables_of
from hamletc.lowering.statements import applied, pay, run


def decay(lane: Lane) -> None:
    """Subtract every meter's decay, in file order."""
    for meter in lane.universe.meters:
        if meter.decay is not None:
            pay(lane, Construct("meter", meter.name), meter.span, meter.name, meter.decay, None)


def dynamics(lane: Lane) -> None:
    """Run rules and cascades in file order; each guard is tested once, when its rule is reached."""
    builder, start = lane.builder, lane.position
    loops = {table.begin: table for table in lane.plan.cascades}
    beyond = 0
    for number, item in enumerate(lane.universe.dynamics):
        if number in loops:
            _run_loop(lane, loops[number])
            beyond = loops[number].end
        if number < beyond:
            continue
        match item:
            case Rule():
                run_rule(lane, item)
            case Cascade(name=name, source=source, threshold=threshold):
                construct = Construct("cascade", name)
                with builder.at(construct, item.span):
                    measured = Measured(lane.meters[source], builder.f32(round32(threshold)))
                    tested = builder.less(measured.source, measured.threshold)
                    if item.who is not None:
                        tested = builder.and_(tested, lower_expression(lane, item.who))
                run(lane, construct, item.body, tested, measured)
    disengage(lane, start)


def run_rule(lane: Lane, rule: Rule) -> None:
    """Run a rule where its guard holds."""
    construct = Construct("rule", rule.name)
    with lane.builder.at(construct, rule.span):
        tested = None if rule.guard is None else lower_expression(lane, rule.guard)
    run(lane, construct, rule.body, tested)


def _run_loop(lane: Lane, table: CascadeTable) -> None:
    """Run the cascades of a table."""
    builder = lane.builder
    initial = [lane.meters[meter] for meter in table.meters] + [lane.params[param] for param in table.params]
    if table.first is not None:
        initial.append(lane.meters[table.meters[0]])
    names, tables = _names(table), tuple(each.name for each in tables_of(table))
    with builder.at(table.construct, table.span):
        for meter, name in zip(table.meters, names, strict=False):
            if meter in table.targets:
                fold = Fold(table.name, name, table.steps, names, tables, tuple(initial))
                lane.meters[meter] = builder.node(fold, F32)


def loop_body(plan: Plan, table: CascadeTable) -> Function:
    """The body of the loop. Inputs: `row` (I32), meters and params. Outputs: the same meters and params after the row,
    and what the cascade measured of its source at its first step."""
    builder, universe = Builder("rules"), plan.universe
    with builder.at(table.construct, table.span):
        row = builder.input(I32, "row")
        names = _names(table)
        values = [builder.input(F32, name) for name in names]
        meters = dict(zip(table.meters, values, strict=False))
        params = dict(zip(table.params, values[len(meters) :], strict=False))
        # Nothing but meters and params is asked for.
        lane = Lane(universe, builder, plan, meters, params, age=row, layout=row, columns=table.columns, row=row)
        threshold = builder.lookup(table.threshold, row)
        source = _chosen(lane, table, table.sources, builder.lookup(table.source, row))
        if table.first is not None:
            begins = builder.equal(builder.lookup(table.first, row), builder.i32(1))
            source = builder.select(begins, source, values[-1])
        target = builder.lookup(table.target, row)
        total = _total(lane, table, Measured(source, threshold), _chosen(lane, table, table.targets, target))
        fires = builder.less(source, threshold)
        for meter in universe.meters:
            if meter.name in table.targets:
                low, high = builder.f32(round32(meter.low)), builder.f32(round32(meter.high))
                here = builder.and_(fires, builder.equal(target, builder.i32(table.meters.index(meter.name))))
                meters[meter.name] = builder.select(here, builder.clamp(total, low, high), meters[meter.name])
        results = [*meters.values(), *params.values(), *([] if table.first is None else [source])]
    return builder.finish(table.name, tuple(Output(name, value) for name, value in zip(names, results, strict=True)))


def _names(table: CascadeTable) -> tuple[str, ...]:
    """The names of the meters, params and the measured source in the body."""
    meters = (f"{table.name}.meter.{meter}" for meter in table.meters)
    params = (f"{table.name}.param.{param}" for param in table.params)
    measured = () if table.first is None else (f"{table.name}.measured",)
    return (*meters, *params, *measured)


def _chosen(lane: Lane, table: CascadeTable, among: tuple[str, ...], number: Value) -> Value:
    """The value of the meter of this number (I32), which is one of these."""
    builder = lane.builder
    value = lane.meters[among[0]]
    for meter in among[1:]:
        is_it = builder.equal(number, builder.i32(table.meters.index(meter)))
        value = builder.select(is_it, lane.meters[meter], value)
    return value


def _total(lane: Lane, table: CascadeTable, measured: Measured, current: Value) -> Value:
    """The target after the step, not yet clamped."""
    builder = lane.builder
    kind = builder.lookup(table.kind, lane.row)
    total = current
    for number, (op, expression) in enumerate(table.kinds):
        written = applied(builder, op, current, lower_expression(lane, expression, measured))
        total = builder.select(builder.equal(kind, builder.i32(number)), written, total) if number else written
    return total
