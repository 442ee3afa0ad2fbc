"""The loop over a table of cascades: its body, a function of its own, and where it runs in a tick."""

from __future__ import annotations

from hamlet.numbers.binary32 import round32
from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output
from hamletc.ir.ops import F32, I32, Fold, Value
from hamletc.lowering.cascade_table import CascadeTable
from hamletc.lowering.expressions import Measured, lower_expression
from hamletc.lowering.lane import Lane
from hamletc.lowering.plan import Plan

ROW = "row"
MEASURED = "measured"
"""What a cascade measured of its source."""


def run_table(lane: Lane, table: CascadeTable) -> None:
    """Run the cascades of a table."""
    builder = lane.builder
    initial = [lane.meters[meter] for meter in table.meters] + [lane.params[param] for param in table.params]
    if table.first is not None:
        initial.append(lane.meters[table.meters[0]])
    names, tables = _names(table), tuple(each.name for each in table.tables)
    with builder.at(table.construct, table.span):
        for meter, name in zip(table.meters, names, strict=False):
            if meter in table.targets:
                fold = Fold(table.name, name, table.steps, names, tables, tuple(initial))
                lane.meters[meter] = builder.node(fold, F32)


def loop_body(plan: Plan, table: CascadeTable) -> Function:
    """What a row does: `row` (I32), meters and params to the same meters and params, and to what was measured."""
    builder, universe = Builder(), plan.universe
    with builder.at(table.construct, table.span):
        row = builder.input(I32, ROW)
        names = _names(table)
        values = [builder.input(F32, name) for name in names]
        meters = dict(zip(table.meters, values, strict=False))
        params = dict(zip(table.params, values[len(meters) :], strict=False))
        lane = _lane(plan, builder, meters, params, table, row)
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


def _lane(
    plan: Plan,
    builder: Builder,
    meters: dict[str, Value],
    params: dict[str, Value],
    table: CascadeTable,
    row: Value,
) -> Lane:
    """A lane of which nothing but meters and params is known; nothing else is asked for."""
    return Lane(
        plan.universe,
        builder,
        plan,
        meters,
        params,
        inputs={},
        position=(),
        velocity=(),
        age=row,
        engaged=None,
        progress=None,
        used_at=(),
        last=None,
        streaks={},
        seen={},
        hour=None,
        layout=row,
        places=(),
        columns=table.columns,
        row=row,
    )


def _names(table: CascadeTable) -> tuple[str, ...]:
    """What the body calls its meters and params."""
    meters = (f"{table.name}.meter.{meter}" for meter in table.meters)
    params = (f"{table.name}.param.{param}" for param in table.params)
    measured = () if table.first is None else (f"{table.name}.{MEASURED}",)
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
        value = lower_expression(lane, expression, measured)
        match op:
            case "+=":
                written = builder.add(current, value)
            case "-=":
                written = builder.sub(current, value)
            case _:
                written = value
        total = builder.select(builder.equal(kind, builder.i32(number)), written, total) if number else written
    return total
