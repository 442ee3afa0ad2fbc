"""The rules of cells in a tick, world by world, and what all cells of a world come to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hamletc.ir.function import AWAKE, ONLY_CELL
from hamletc.kernel.code import Code, Function, Remark, assign, do, function, loop, when
from hamletc.kernel.expressions import Expression, Name, Operand, call, names
from hamletc.targets.c.grid import CellStep, Over, Row
from hamletc.targets.c.lanes import LANES, WIDE, agents, first, lane, numbers, world
from hamletc.targets.c.memory import part

cell, number, index, place, over_worlds, chunk_lanes = names("cell number index place over_worlds chunk_lanes")
own_cells, ended_cells, over_cells, awake, pushes = names("own_cells ended_cells over_cells awake pushes")
(only,) = names("only")
MEMORY = "cell_meters_array"


def cells(step: CellStep) -> list[Function]:
    """The function that runs the rules of cells."""
    return [_spread_worlds(step)]


def over_world(each: Over, world: Operand) -> Expression:
    """What all cells of a world of the chunk come to."""
    return over_worlds[each.number * LANES + world if each.number else world]


def begun(step: CellStep, world: Expression, place: Operand) -> Iterator[Code]:
    """The cells of a world of the chunk as an episode begins; `place` is its place in memory."""
    elements = [row.element for row in step.meters]
    yield _vectors(step, [assign(elements, call("_begin_cells", *step.passing("begin_cells", world)))])
    yield from _asked(step, world)
    yield from _stored(step.meters, step, place)


def _spread_worlds(step: CellStep) -> Function:
    place, changed = world + index, step.changed

    def of_world() -> Iterator[Code]:
        yield assign(lane, index * agents)
        if ONLY_CELL in step.functions.bodies:
            yield from of_one_cell()
            return
        if AWAKE not in step.functions.bodies:
            if changed or step.over:
                yield from (*loaded(step.meters), *rules(), *_asked(step, index), *_stored(changed, step, place))
            return
        yield Remark("Where no rule can hold, cells stay as they are.")
        if step.pushes is not None:
            term = step.pushes.term
            yield assign(pushes, call("any_on_cells", term, "runs", lane, agents))
        yield assign(awake, call("_awake", *step.passing(AWAKE)))
        if step.over:
            ran = [*loaded(step.meters), *rules(), *_stored(changed, step, place)]
            yield from (when(awake, ran, list(loaded(step.asked))), *_asked(step, index))
        else:
            yield when(awake, [*loaded(step.meters), *rules(), *_stored(changed, step, place)])

    def of_one_cell() -> Iterator[Code]:
        yield Remark("Rules say of which cell they are; all others stay as they are.")
        yield assign(only, call("_only_cell", *step.passing(ONLY_CELL)))
        yield when(only >= 0, rules_of_one())
        if step.over:
            yield from (*loaded(step.asked), *_asked(step, index))

    def rules_of_one() -> Iterator[Code]:
        yield from past()
        elements = []
        for row in step.meters:
            cells = Name(f"cells_{row.number}_")
            yield assign(cells, part(MEMORY, place, row.number * step.count))
            elements.append(cells[only])
        yield assign(elements, call("_spread", *step.passing_one("spread", elements, call("i32", only))))

    def past() -> Iterator[Code]:
        for array, meter in step.past:
            yield assign(array, part(MEMORY, place, meter * step.count))

    def loaded(rows: Iterable[Row]) -> Iterator[Code]:
        for row in rows:
            own = part(own_cells, 0, row.number * step.room)
            yield do("store_lanes", part(MEMORY, place, row.number * step.count), own, step.count)

    def rules() -> Iterator[Code]:
        yield from past()
        for each in step.sums:
            yield do(f"{each.op}_on_cells", each.shared, each.term, "runs", each.cell, lane, agents)
        if step.near:
            added = [element for element, _ in step.near]
            yield _vectors(step, [assign(added, call("_near", *step.passing("near")))])
        yield _vectors(step, spread(), [assign(cell, call("wide", first))])
        for each in step.sums:
            yield do("clear_cells", each.shared, each.cell, lane, agents)

    def spread() -> Iterator[Code]:
        for beside, (_, total) in enumerate(step.near):
            yield assign(f"beside_{beside}", total)
        yield assign([row.element for row in step.meters], call("_spread", *step.passing("spread")))

    body = loop(index, chunk_lanes // agents, body=of_world())
    return function("_spread_worlds", (), "The rules of cells, world by world.", [body], "apart")


def _vectors(step: CellStep, body: Iterable[Code], before: Iterable[Code] = ()) -> Code:
    """Statements for each vector of cells, whose numbers are `number`; beyond the last cell is that once more."""
    last = call("where", call("less", number, step.count), number, step.count - 1)
    numbered = (assign(number, call("to_i32", numbers())), assign(number, last))
    return loop(first, 0, step.count, WIDE, body=(*before, *numbered, *body))


def _asked(step: CellStep, world: Expression) -> Iterator[Code]:
    """What all cells of a world of the chunk come to, where somebody asks."""
    if not step.over:
        return
    yield _vectors(step, [assign(step.over_elements, call("_over", *step.passing("over", world)))])
    for each in step.over:
        row = part(over_cells, 0, each.number * step.room)
        yield assign(over_world(each, world), call(f"{each.op}_over_cells", row, step.count, step.half))


def _stored(rows: Iterable[Row], step: CellStep, place: Operand) -> Iterator[Code]:
    """Meters of the cells of a world copied back to memory."""
    for row in rows:
        own = part(own_cells, 0, row.number * step.room)
        yield do("store_lanes", own, part(MEMORY, place, row.number * step.count), step.count)
