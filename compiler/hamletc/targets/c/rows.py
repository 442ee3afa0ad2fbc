"""The rows that `observe` and `mask` write: single ones, and those that one function computes one after the other."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from hamlet import schema
from hamlet.frozen import dataclass
from hamletc.ir.operands import operands
from hamletc.ir.ops import Add, Element, Fetch, Input, Op, Type, Value
from hamletc.kernel.body import Body, Loop, held_name, identifier, remarks, table_name
from hamletc.kernel.code import Code, Compute, Remark, assign, give
from hamletc.kernel.expressions import Either, Expression, Name, Typed, call, names
from hamletc.targets.c.arrays import Array, stack, stack_rows
from hamletc.targets.c.bindings import Bindings, outside, shared
from hamletc.targets.c.lanes import LANES, lane
from hamletc.targets.known_rows import KnownRows

alone, alone_at = names("alone alone_at")
NOBODY = Typed(Type.F32, 0.0)

MANY_WORDS = 9
"""So many words with a bit per row are rows of an array, of which each row fetches its own."""


@dataclass(frozen=True, slots=True)
class Single:
    """What a function gives for a lane: a row of what it writes, or (without a row) what repeated rows share.

    Attributes:
        variable: of a vector, or of the array.
        value: where the function's lines stand.
        scale: how an observed row becomes bytes.
        part: the row of the array.
    """

    variable: str
    array: Array
    value: Expression
    row: int = 0
    scale: tuple[Expression, ...] = ()
    part: int = 0

    @property
    def element(self) -> Expression:
        """The element of its array for `lane`."""
        return Name(self.variable)[self.part * LANES + lane if self.part else lane]


@dataclass(frozen=True, slots=True)
class Repeated:
    """Rows that one function computes: its statements, and how it is called for a lane. `row` is the first, `scale` as
    in `Single`; `turned` is what it takes last."""

    function: str
    row: int
    count: int
    parameters: list[str]
    arguments: list[Expression]
    body: tuple[Code, ...]
    scale: tuple[Expression, ...]
    turned: tuple[Turned, ...] = ()


@dataclass(frozen=True, slots=True)
class Turned:
    """Numbers of the cells of a lane's world, one for each element, in the order of cells. A vector of lanes reads them
    from as many places; so some elements are read together, and turned: lanes side by side.

    Attributes:
        variable: holds them.
        cells: the numbers of all worlds.
        starts: of the lanes of a chunk, where those of their world begin.
        total: of what the agents on each cell add up, what a lane adds; empty of other cells.
    """

    variable: str
    cells: Name
    starts: Name
    total: str

    def of_lane(self, element: Name) -> Expression:
        """The number of an element for a single `lane`."""
        total = self.cells[self.starts[lane] + element]
        if not self.total:
            return total
        there = Name("counted_agents")[lane] & call("equal", Name("standing_cells")[lane], call("i32", element))
        return Either(alone, call("where", there, self._of_only_one, NOBODY), total)

    def of_vector(self, element: Name, begin: Name) -> Expression:
        """The number of an element for the lanes of a vector, of those that were turned from `begin` on. A total over
        a world's only agent follows from where that stands."""
        turned = Name(self.variable)[(element - begin) * LANES + lane]
        if not self.total:
            return turned
        there = call("equal", alone_at[lane], call("i32", element))
        return Either(alone, call("where", there, self._of_only_one, NOBODY), turned)

    @property
    def _of_only_one(self) -> Expression:
        return call("add", NOBODY, Name(self.total)[lane])


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that a function writes: single ones, what repeated ones share, and the repeated ones."""

    function: str
    singles: list[Single]
    shared: list[Single]
    repeated: list[Repeated]

    @property
    def of_lane(self) -> list[Single]:
        """What is computed once for a lane."""
        return [*self.singles, *self.shared]


def rows(functions: Bindings, function: str) -> Rows:
    """The rows that `observe` or `mask` writes."""
    return Rows(function, _singles(functions, function), _shared(functions, function), _repeated(functions, function))


def _singles(functions: Bindings, function: str) -> list[Single]:
    array = stack("bool" if function == "mask" else "f32")
    offsets, scales = functions.offsets, functions.scales
    taken: set[str] = set()
    names = [output.name for output in functions.bodies[function].outputs]
    return [
        Single(_variable(functions, function, name, taken), array, value, offsets[name], scales.get(name, ()))
        for name, value in zip(names, functions.outputs(function), strict=True)
        if name in offsets
    ]


def _variable(functions: Bindings, function: str, output: str, taken: set[str]) -> str:
    """The array of a chunk for a single row: `observed_meter_energy`, `action_UP`."""
    if function == "mask":
        name = f"action.{schema.action_names(functions.universe)[functions.offsets[output]]}"
    else:
        name = f"observed.{output}"
    return held_name(identifier(name), taken)


def _shared(functions: Bindings, function: str) -> list[Single]:
    """What the rows of loops need and no element changes, inputs left out."""
    printed = functions.bodies[function]
    values = [
        Single(f"shared_{printed.names[value]}", stack(printed.type(value).value), functions.value(function, value))
        for value in shared(printed)
    ]
    if function != "observe":
        return values
    outputs = dict(zip((output.name for output in printed.outputs), functions.outputs(function), strict=True))
    for each in functions.known:
        for number, word in enumerate(each.words):
            words = stack_rows("u32", len(each.words))
            values.append(Single(_words(each), words, outputs[word], part=number))
        if each.own is not None:
            values.append(Single(_own(each), stack("i32"), outputs[each.own]))
    return values


def _words(rows: KnownRows) -> str:
    """The array of words with a bit per row."""
    return f"words_of_{identifier(rows.output)}"


def _own(rows: KnownRows) -> str:
    """The array of the own row of each lane."""
    return f"own_of_{identifier(rows.output)}"


def _observing(output: str) -> str:
    """The function of repeated rows. No identifier begins with a digit, so none is called as those are that observe
    single rows, many rows and last observations."""
    return f"_observe_0{output}" if output in ("lane", "last", "rows") else f"_observe_{output}"


def _repeated(functions: Bindings, function: str) -> list[Repeated]:
    """The repeated rows of what it writes."""
    known = functions.known if function == "observe" else ()
    return [
        *(_of_words(functions, each) for each in known),
        *(_of_loop(functions, function, loop) for loop in functions.bodies[function].loops),
    ]


def _of_loop(functions: Bindings, function: str, loop: Loop) -> Repeated:
    """Rows that a loop of the function gives."""
    printed, tables = functions.bodies[function], functions.tables_of(function)
    along = _along(functions, printed, loop) if function == "observe" else {}
    loop = _without(printed, loop, along)
    values = [value for value in outside(printed, loop) if value not in along]
    elements = [
        functions.held[op.name].of_lane
        if isinstance(op := printed.op(value), Input)
        else Name(f"shared_{printed.names[value]}")[lane]
        for value in values
    ]
    taken = [printed.names[value] for value in values]
    output = identifier(loop.output)
    return Repeated(
        function=f"_{output}" if function == "mask" else _observing(output),
        row=functions.offsets[loop.output],
        count=loop.count,
        parameters=[loop.element, *taken, *tables, *(printed.names[value] for value in along)],
        arguments=[call("i32", "element"), *elements, *map(Name, tables)],
        body=(Compute(function, loop.lines), give(functions.value(function, loop.value))),
        scale=functions.scales.get(loop.output, ()),
        turned=tuple(along.values()),
    )


def _along(functions: Bindings, printed: Body, loop: Loop) -> dict[Value, Turned]:
    """What the lines of a loop fetch of cells whose numbers are those of the elements."""
    starts = functions.held.get("cells_at")
    if starts is None or starts.chunk.rows > 1:
        return {}

    def of_element(index: Value) -> bool:
        match printed.op(index):
            case Add(left=left, right=right):
                begun, moved = printed.op(left), printed.op(right)
                return isinstance(begun, Input) and begun.name == "cells_at" and isinstance(moved, Element)
            case _:
                return False

    fetched = {
        line.value: table_name(op.array)
        for line in loop.lines
        if isinstance(op := printed.op(line.value), Fetch) and of_element(op.index)
    }
    totals = {
        table_name(f"cells.{each.meter}"): f"crowd_{number}"
        for number, each in enumerate(functions.universe.counts)
        if each.extreme is None
    }
    return {
        value: Turned(f"turned_{cells}_", Name(cells), Name(starts.chunk.variable), totals.get(cells, ""))
        for value, cells in fetched.items()
    }


def follow_from_one(functions: Bindings) -> bool:
    """Whether all that functions read of totals of agents on cells are the numbers of rows' own cells: those of a world
    of one agent follow from where that stands."""
    totals = {f"cells.{each.meter}" for each in functions.universe.counts}
    fetched = {
        name: {value for value, node in enumerate(printed.function.nodes) if _fetches(node.op, totals)}
        for name, printed in functions.bodies.items()
    }
    observed = functions.bodies["observe"]
    turned = {value for loop in observed.loops for value, of in _along(functions, observed, loop).items() if of.total}
    return bool(turned) and fetched.pop("observe") <= turned and not any(fetched.values())


def _fetches(op: Op, arrays: Collection[str]) -> bool:
    return isinstance(op, Fetch) and op.array in arrays


def _without(printed: Body, loop: Loop, turned: Collection[Value]) -> Loop:
    """A loop without the lines of these values, and without those that only they need."""
    if not turned:
        return loop
    needed: set[Value] = set()
    waiting = [loop.value]
    while waiting:
        value = waiting.pop()
        if value not in needed and value not in turned:
            needed.add(value)
            waiting += operands(printed.op(value))
    return replace(loop, lines=tuple(line for line in loop.lines if line.value in needed))


def _of_words(functions: Bindings, rows: KnownRows) -> Repeated:
    """Rows that are known but for a bit each."""
    element, word, unset = names("element word unset")
    plain, marked, own_plain, own_marked = (
        Typed(Type.F32, value, alone=False) for value in (*rows.values, *rows.own_values)
    )
    bit = call("bit_and", word, call("shift_left", 1, call("bit_and", element, 31)))
    value = call("where", unset, plain, marked)
    parameters = ["element", "word"]
    arguments: list[Expression] = [call("u32", element), Name(_words(rows))[(element >> 5) * LANES + lane]]
    if rows.own is not None:
        own = call("equal", call("to_i32", element), "own")
        value = call("where", own, call("where", unset, own_plain, own_marked), value)
        parameters.append("own")
        arguments.append(Name(_own(rows))[lane])
    return Repeated(
        function=_observing(identifier(rows.output)),
        row=functions.offsets[rows.output],
        count=rows.count,
        parameters=parameters,
        arguments=arguments,
        body=(
            *(Remark(text.removeprefix("# ")) for text in remarks(rows.origin, functions.sources)),
            assign(unset, call("equal", bit, 0)),
            give(value),
        ),
        scale=functions.scales.get(rows.output, ()),
    )
