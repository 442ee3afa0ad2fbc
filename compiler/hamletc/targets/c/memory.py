"""State and outcomes in memory: how a chunk of lanes gets them, and how they get back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hamlet import schema
from hamletc.kernel.code import Code, Function, Remark, assign, do, function, loop, when
from hamletc.kernel.expressions import Either, Expression, Name, Operand, call, expression, names, no
from hamletc.targets.c.bindings import Bindings
from hamletc.targets.c.lanes import LANES, agents, numbers, start, vectors, world
from hamletc.targets.c.slots import Chunk, chunks

row, agent, count = names("row agent count")
FIELDS = {"cell_starts": schema.CELL_METERS, "pair_starts": schema.PAIR_STATES}
"""Fields that lie world by world, by the arrays of where they begin."""


def memory(bindings: Bindings) -> list[Function]:
    """The functions that load and store the state of a chunk."""
    return [_load(bindings), _store(bindings), _store_worlds(bindings)]


def part(array: Operand, row: Operand, begin: Operand) -> Expression:
    """An array from an element of a row on."""
    return call("part", array, row, begin)


# --- rows of chunks ---------------------------------------------------------------------------------------------------


def each_row(chunk: Chunk, body: Code) -> Code:
    """A statement for each row of a chunk."""
    return body if chunk.rows == 1 else loop(row, chunk.rows, body=[body])


def row_of(chunk: Chunk) -> Expression:
    """The row of a chunk in its array, in the loop over rows where it has several."""
    return expression(chunk.row) if chunk.rows == 1 else row


def view(chunk: Chunk) -> Expression:
    """The lanes of a chunk, in the row of a loop where it has several."""
    return Name(chunk.variable) if chunk.rows == 1 else part(chunk.variable, 0, row * LANES)


def loaded(chunk: Chunk, array: Expression | None = None) -> Code:
    """A chunk copied from its array, or of lanes from an array from their first one on."""
    if array is not None:
        return each_row(chunk, do("load_lanes", view(chunk), array, count))
    if chunk.field.per == "lane":
        return each_row(chunk, do("load_lanes", view(chunk), part(chunk.array, row_of(chunk), start), count))
    source = part(chunk.array, row_of(chunk), world)
    return each_row(chunk, do("load_worlds", view(chunk), source, agents, agent, count))


def stored(chunk: Chunk) -> Code:
    """A chunk copied back."""
    if chunk.field.per == "lane":
        return each_row(chunk, do("store_lanes", view(chunk), part(chunk.array, row_of(chunk), start), count))
    return each_row(chunk, do("store_worlds", view(chunk), part(chunk.array, row_of(chunk), world), agents, count))


# --- the state --------------------------------------------------------------------------------------------------------


def direct(bindings: Bindings) -> list[Chunk]:
    """The chunks in whose place a tick may work on the state of all lanes."""
    return [chunk for chunk in chunks(bindings.state) if chunk.direct]


def _unless_direct(bindings: Bindings, copies: Iterable[Code]) -> Iterator[Code]:
    """Copies of what a direct tick works on in its place."""
    if direct(bindings):
        yield when(no("direct"), copies)


def _load(bindings: Bindings) -> Function:
    def body() -> Iterator[Code]:
        if bindings.counted:
            turns = Either(agents <= LANES, 65536 // agents + 1, expression(0))
            yield assign("turns", call("u32", turns))
            yield vectors(_counted(bindings))
        yield from _unless_direct(bindings, map(loaded, direct(bindings)))
        yield from (loaded(chunk) for chunk in chunks(bindings.state) if not chunk.direct)

    summary = (
        "Copy the state of the lanes from `start` on into a chunk; its first lane is agent `agent` of world `world`. "
        "Where a tick is `direct`, it works on what is in the arrays of all lanes, and only the rest is copied."
    )
    return function("_load", (), summary, body(), "apart")


def _counted(bindings: Bindings) -> Iterator[Code]:
    """What functions read of the place of each lane: among the agents of its world, and where the cells and pairs of
    that are."""
    number, others, turns = names("number others turns")
    pitches = {field.name: field.pitch for field in schema.state_fields(bindings.universe)}

    def turn() -> Expression:
        return call("shift_right", call("multiply", number, turns), 16)

    for chunk in chunks(bindings.counted):
        element = chunk.of_lane()
        match chunk.variable:
            case "agent_numbers":
                yield assign(number, numbers())
                yield assign(others, call("multiply", turn(), call("u32", agents)))
                of_agent = call("add", call("subtract", number, others), call("u32", agent))
                yield assign(element, call("to_i32", of_agent))
            case "agent_counts":
                yield assign(element, call("i32", agents))
            case "cell_starts" | "pair_starts" as starts:
                yield Remark("A lane beyond the last world looks into the first one: behind it there may be no memory.")
                there = call("less", numbers(), call("u32", count))
                yield assign(number, call("where", there, numbers(), 0))
                yield assign(element, call("to_i32", call("multiply", turn(), pitches[FIELDS[starts]])))
            case other:
                raise ValueError(f"no count of {other}")


def _store(bindings: Bindings) -> Function:
    def body() -> Iterator[Code]:
        yield from _unless_direct(bindings, map(stored, direct(bindings)))
        for chunk in chunks(bindings.state):
            if chunk.field.per == "lane" and chunk.changes and not chunk.direct:
                yield stored(chunk)

    summary = "Copy the state of the lanes of a chunk back, but for what a `direct` tick has changed in its place."
    return function("_store", (), summary, body(), "apart")


def _store_worlds(bindings: Bindings) -> Function:
    copied = [chunk for chunk in chunks(bindings.state) if chunk.field.per == "world" and chunk.changes]
    summary = "Copy what can change of the worlds of a chunk back."
    return function("_store_worlds", (), summary, map(stored, copied), "apart")


# --- outcomes ---------------------------------------------------------------------------------------------------------


def store_outcome(bindings: Bindings) -> Function:
    """The function that writes what happened in a tick."""
    body = map(stored, chunks(bindings.outcomes))
    return function("_store_outcome", (), "Write what happened in a tick.", body)
