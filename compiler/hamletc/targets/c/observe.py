"""What lanes observe, and which actions they may choose: rows that are computed vector by vector and written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from hamletc.kernel.code import Assign, Code, Function, assign, do, function, loop, when
from hamletc.kernel.expressions import Constant, Expression, Name, Operand, call, expression, names, no
from hamletc.kernel.schedule import Schedule
from hamletc.kernel.statements import BEGINS, Allow, Observe
from hamletc.targets.c.arrays import stack
from hamletc.targets.c.bindings import Bindings
from hamletc.targets.c.cuts import Cuts, Run
from hamletc.targets.c.functions import computing, in_parts
from hamletc.targets.c.lanes import LANES, lane, selected, start, vectors
from hamletc.targets.c.memory import part
from hamletc.targets.c.rows import Repeated, Rows, Single, Turned, alone, alone_at, rows

row, element, value, line = names("row element value line")
pitch, written, whole, past, streamed, count = names("pitch written whole past streamed count")
block, after = names("block after")

BLOCK = 16
"""Elements that are turned together: a line of the cache of each lane's cells."""


def observe(bindings: Bindings, cuts: Cuts | None, schedule: Schedule) -> list[Function]:
    """The functions that write what a schedule observes, and which actions it allows."""
    launch = [*schedule.statements(schedule.kernel("rollout").body)]
    result: list[Function] = []
    for each in schedule.routine("survey").body:
        match each:
            case Observe():
                seen = rows(bindings, "observe")
                result += _of_lane(bindings, cuts, seen, "What a lane observes in single rows", "Row")
                result.append(_observe(bindings, cuts, seen))
                # Functions in parts are for vectors: what single lanes observe last is taken from one.
                if cuts is None and Observe("final_observation", BEGINS) in launch:
                    result.append(_observe_last(bindings, seen))
            case Allow(wait=wait):
                allowed = rows(bindings, "mask")
                result += _of_lane(bindings, cuts, allowed, "Which actions of a lane are allowed", "Action")
                result.append(_mask(bindings, cuts, allowed, int(wait) if wait else None))
            case _:
                # What stands where is found before.
                pass
    return result


def _of_lane(bindings: Bindings, cuts: Cuts | None, rows: Rows, single: str, repeated: str) -> list[Function]:
    """The functions that compute rows; `single` and `repeated` say of what."""
    result: list[Function] = []
    summary = f"{single}, then what the repeated rows share." if rows.shared else f"{single}."
    if cuts is not None:
        result += in_parts(cuts.cuts[rows.function], rows.function, summary)
    elif rows.of_lane:
        values = [each.value for each in rows.of_lane]
        result.append(computing(bindings, rows.function, summary, values, f"_{rows.function}_lane"))
    for each in rows.repeated:
        last = each.row + each.count - 1
        numbers = f"{repeated}s {each.row} to {last}, one at a time" if each.count > 1 else f"{repeated} {each.row}"
        result.append(function(each.function, each.parameters, f"{numbers}.", each.body))
    return result


def _computed(bindings: Bindings, rows: Rows, singles: Iterable[Operand]) -> Assign:
    """What is computed once for a lane, set: its single rows to these targets, and what repeated ones share."""
    targets = (*singles, *(each.element for each in rows.shared))
    return assign(targets, call(f"_{rows.function}_lane", *bindings.passing(rows.function, {})))


def _made(singles: Iterable[Single]) -> Iterator[Code]:
    """The arrays of single rows, or of what repeated ones share."""
    return (assign(variable, array.make) for variable, array in {each.variable: each.array for each in singles}.items())


def _repeated(each: Repeated, turned: Iterable[Expression] = ()) -> Expression:
    """A row of repeated ones, for a lane."""
    return call(each.function, *each.arguments, *turned)


def _turned(repeated: Iterable[Repeated]) -> Iterable[Turned]:
    """What of cells is turned for repeated rows, each once."""
    return {cells.variable: cells for each in repeated for cells in each.turned}.values()


def _number(first: int, row: Name) -> Expression:
    """The number of a row of several, from the first one on."""
    return first + row if first else row


# --- observations -----------------------------------------------------------------------------------------------------


def _put(rows: Operand, value: Operand, past: Operand, scale: Iterable[Expression]) -> Code:
    """A value of the lanes of a vector, written to a row."""
    return do("put", rows, lane, value, written[lane], whole, past, *scale)


def _observe(bindings: Bindings, cuts: Cuts | None, rows: Rows) -> Function:
    def of_vector() -> Iterator[Code]:
        yield _computed(bindings, rows, [each.variable for each in rows.singles])
        if rows.singles:
            yield assign(past, expression(rows.singles[0].row) >= streamed)
        for each in rows.singles:
            begin = each.row * pitch + start if each.row else start
            yield _put(part("rows", 0, begin), each.variable, past, each.scale)

    def of_vector_in_parts(cuts: Cuts) -> Iterator[Code]:
        yield do("_observe", *cuts.passing("observe", {}))
        for run in cuts.observed:
            to = part("rows", 0, _number(run.first, row) * pitch + start)
            put = _put(to, run.element, expression(run.first) >= streamed, run.scale)
            yield loop(row, run.count, body=[put])

    def of_row(each: Repeated) -> Iterator[Code]:
        number = _number(each.row, element)
        turned = (cells.of_vector(element, block) for cells in each.turned)
        yield assign(row, part("rows", 0, number * pitch + start))
        yield assign(past, number >= streamed)
        yield vectors([assign(value, _repeated(each, turned)), _put(row, value, past, each.scale)], "end", "begin")

    def of_block(together: Sequence[Repeated], count: int) -> Iterator[Code]:
        yield assign(after, call("min", block + BLOCK, count))
        for cells in _turned(together):
            of_lanes = (cells.variable, cells.cells, cells.starts, "begin", "end")
            turn = do("turn_cells", *of_lanes, block, after - block)
            yield when(no(alone), [turn]) if cells.total else turn
        yield loop(element, block, after, body=[code for each in together for code in of_row(each)])

    def body() -> Iterator[Code]:
        yield from _made(rows.shared)
        if cuts is not None:
            yield vectors(of_vector_in_parts(cuts), "end", "begin")
        elif rows.of_lane:
            yield vectors(of_vector(), "end", "begin")
        turned_cells = [*_turned(rows.repeated)]
        yield from (assign(cells.variable, stack("f32", BLOCK * LANES).unset) for cells in turned_cells)
        if any(cells.total for cells in turned_cells):
            yield assign(alone_at, stack("i32").unset)
            stands = call("where", Name("counted_agents")[lane], Name("standing_cells")[lane], -1)
            yield when(alone, [vectors([assign(alone_at[lane], stands)], "end", "begin")])
        for (count, turned), group in groupby(rows.repeated, lambda each: (each.count, bool(each.turned))):
            if turned:
                yield loop(block, 0, count, BLOCK, body=of_block(list(group), count))
            else:
                yield from (loop(element, count, body=of_row(each)) for each in group)

    summary = (
        "Write what the lanes of a chunk from `begin` to `end` observe, those that are `written`; all where `whole`, "
        "and then the rows from `streamed` on past the caches, of rows that are computed together all or none. From "
        "one of the `rows` to the next it is `pitch` lanes; the chunk begins at lane `start`."
    )
    where = ["rows", "pitch", "start", "begin", "end", "written", "whole", "streamed"]
    name = "_observe" if cuts is None else "_observe_rows"
    return function(name, where, summary, body(), "apart")


def _observe_last(bindings: Bindings, rows: Rows) -> Function:
    def written_to(number: Operand, value: Operand, scale: Iterable[Expression]) -> Code:
        return assign(line[number], call("encode", line, value, *scale))

    def of_lane() -> Iterator[Code]:
        yield assign(line, part("array", start + lane, 0))
        if rows.of_lane:
            yield _computed(bindings, rows, [each.variable for each in rows.singles])
        for single in rows.singles:
            yield written_to(single.row, single.variable, single.scale)
        for each in rows.repeated:
            turned = (cells.of_lane(element) for cells in each.turned)
            body = [assign(value, _repeated(each, turned)), written_to(_number(each.row, element), value, each.scale)]
            yield loop(element, each.count, body=body)

    summary = (
        "Write what the first `chosen` of `lanes` observe to their lines of an array [lanes, rows], in which the chunk "
        "begins at line `start`."
    )
    parameters = ["array", "start", "lanes", "chosen"]
    return function("_observe_last", parameters, summary, (*_made(rows.shared), selected(of_lane())), "apart")


# --- masks ------------------------------------------------------------------------------------------------------------


def _stored(chunk: Operand, number: Operand) -> Code:
    """A row of the mask, stored."""
    return do("store_lanes", chunk, part("mask_array", number, start), count)


def _mask(bindings: Bindings, cuts: Cuts | None, rows: Rows, wait: int | None) -> Function:
    values, waits = names("values waits")

    def waiting(element: Expression, waits: Operand) -> Code:
        return assign(element, call("where", Name("alive")[lane], element, waits))

    def of_vector() -> Iterator[Code]:
        yield _computed(bindings, rows, [each.element for each in rows.singles])
        if wait is not None:
            yield from (waiting(each.element, Constant(each.row == wait)) for each in rows.singles)

    def single() -> Iterator[Code]:
        yield from _made(rows.of_lane)
        if rows.of_lane:
            yield vectors(of_vector(), "busy")
        for each in rows.singles:
            yield _stored(each.variable, each.row)

    def of_run(run: Run) -> Iterator[Code]:
        if wait is not None:
            yield vectors([waiting(run.element, row.equals(wait - run.first))], "busy")
        yield _stored(part("allowed", 0, (expression(run.begin) + row) * LANES), expression(run.first) + row)

    def in_runs(cuts: Cuts) -> Iterator[Code]:
        yield from _made(rows.shared)
        yield vectors([do("_mask", *cuts.passing("mask", {}))], "busy")
        for run in cuts.allowed:
            yield loop(row, run.count, body=of_run(run))

    def of_row(each: Repeated) -> Iterator[Code]:
        computed: list[Code] = [assign(values[lane], _repeated(each))]
        if wait is not None:
            among = 0 <= wait - each.row < each.count
            yield assign(waits, element.equals(wait - each.row) if among else Constant(False))
            computed.append(waiting(values[lane], waits))
        yield vectors(computed, "busy")
        yield _stored(values, _number(each.row, element))

    def body() -> Iterator[Code]:
        yield from single() if cuts is None else in_runs(cuts)
        if rows.repeated:
            yield assign(values, stack("bool").make)
        for each in rows.repeated:
            yield loop(element, each.count, body=of_row(each))

    summary = "Write which actions are allowed." + ("" if wait is None else " Who is not alive may only wait.")
    return function("_mask" if cuts is None else "_mask_rows", (), summary, body(), "apart")
