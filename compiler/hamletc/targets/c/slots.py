"""State and outcomes as kernels for CPUs hold them: in arrays of a chunk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.universe import Universe
from hamletc.ir.function import BEGIN_PAIRS, CELLS, PAIRS_AT, Function, Program
from hamletc.ir.ops import Input
from hamletc.kernel.body import held_name, identifier
from hamletc.kernel.expressions import Expression, Index, Name, Operand, call, expression
from hamletc.targets.c.arrays import Array, heap, stack, stack_rows
from hamletc.targets.c.lanes import LANES
from hamletc.targets.c.parts import Place


@dataclass(frozen=True, slots=True)
class ChunkMemory:
    """How rows of a field are held.

    Attributes:
        few: the most rows that have an array each, with the author's names, which compiles faster; more share one
            array, so that functions do not take thousands of arrays.
        heap: whether such an array is on the heap.
    """

    few: int
    heap: bool

    def array(self, dtype: str, rows: int) -> Array:
        """An array that rows share."""
        return heap(dtype, rows * LANES) if self.heap else stack_rows(dtype, rows)


STACK = ChunkMemory(256, heap=False)
HEAP = ChunkMemory(8, heap=True)
"""Where functions are cut into parts (`hamletc.targets.c.parts`), which take arrays only, and those are large."""

BYTES = 128
"""So many affordances, or causes of death, have numbers that fit into bytes, with -1 for none."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """An array that holds rows of a field for the lanes of a chunk, one row behind the other.

    Attributes:
        field: whose rows these are.
        variable: its name in kernels. An author's name has its kind before it, so that it meets no other name.
        array, row, rows: where the state of all lanes or worlds has them: the first row, and how many.
        own: the array itself.
        start: at the beginning of an episode, where it is a constant.
    """

    field: schema.Field
    variable: str
    array: str
    row: int
    rows: int
    own: Array
    start: Expression | None

    @property
    def changes(self) -> bool:
        """Whether ticks or resets can change it."""
        return not self.field.written_by_users

    @property
    def direct(self) -> bool:
        """Whether a tick may work on the state of all lanes itself: numbers there are what the chunk has."""
        alike = self.rows == 1 and self.own == stack(self.field.dtype)
        return alike and self.field.per == "lane" and self.changes

    def of_lane(self, row: Operand = 0) -> Index:
        """Its element for `lane` in one of its rows."""
        return self.element("lane", row)

    def element(self, lane: Operand, row: Operand = 0) -> Index:
        """Its element for a lane in one of its rows."""
        return Name(self.variable)[lane if self.rows == 1 else expression(row) * LANES + lane]


@dataclass(frozen=True, slots=True)
class Slot:
    """A value per lane, by its name in the contract of functions: a row of a chunk."""

    name: str
    chunk: Chunk
    row: int

    @property
    def of_lane(self) -> Index:
        """The element of the chunk for `lane`."""
        return self.chunk.of_lane(self.row)

    @property
    def place(self) -> Place:
        """Where that is."""
        return Place(self.chunk.variable, self.row, None if self.chunk.rows == 1 else "LANES")


def state(universe: Universe, starts: frozenset[str], memory: ChunkMemory = STACK) -> tuple[Slot, ...]:
    """The state of a lane and its world, in the order of the state arrays. `starts`: what `reset` computes."""
    fields = schema.state_fields(universe)
    taken = {f"{field.name}_array" for field in fields}
    dtypes = {"layout": "u32"}
    return tuple(
        slot
        for field in fields
        if not field.pitch
        for slot in _slots(field, field.names, dtypes.get(field.name, field.dtype), taken, starts, memory)
    )


def outcomes(universe: Universe, memory: ChunkMemory = STACK) -> tuple[Slot, ...]:
    """What a tick gives beside the state, in the order of the outcome arrays."""
    numbered = {"used": len(universe.affordances), "cause": len(universe.causes) + 1}
    result: list[Slot] = []
    for field in schema.outcome_fields(universe):
        reported = (field.name,) if field.rows is None else tuple(f"report.{row}" for row in field.rows)
        dtype = "i8" if numbered.get(field.name, BYTES + 1) <= BYTES else field.dtype
        result += _slots(field, reported, dtype, set(), frozenset(), memory)
    return tuple(result)


def cell_cache(program: Program, held: Mapping[str, Slot], random: int) -> tuple[Slot, ...]:
    """What a kernel that holds this state has for the functions of `hamletc.lowering.cell_cache`;
    nothing where the program has none of them. Moved positions take the place of the state's, unless a tick needs
    both."""
    if not has_cell_cache(program):
        return ()
    functions = {function.name: function for function in program.functions}
    # Behind the cells of affordances is the one where the lane began.
    positions = [slot for name, slot in held.items() if name.startswith("position.")]
    if any(slot.name in _inputs(functions["tick"]) for slot in positions):
        positions = [Slot(slot.name, _local(f"moved_{slot.chunk.variable}", "i32"), 0) for slot in positions]
    return (
        *(Slot(slot.name.replace("position.", "moved."), slot.chunk, slot.row) for slot in positions),
        Slot("found", _local("found", "i8"), 0),
        Slot("cell", _local("standing", "u8"), 0),
        *(Slot(f"cell.{index}", _local("cells", "u8", random + 1), index) for index in range(random)),
    )


def counted(program: Program) -> tuple[Slot, ...]:
    """The number of each lane's agent in its world, how many there are, and where the cells and pairs of the world
    begin, where functions read them; `reset` is given the first two for a lane at a time."""
    apart = ("reset", CELLS, BEGIN_PAIRS)
    read = {name for each in program.functions if each.name not in apart for name in _inputs(each)}
    named = {"agent": "agent_numbers", "agents": "agent_counts", "cells_at": "cell_starts", PAIRS_AT: "pair_starts"}
    return tuple(Slot(name, _local(variable, "i32"), 0) for name, variable in named.items() if name in read)


def has_cell_cache(program: Program) -> bool:
    """Whether a program is for kernels with a cell cache."""
    return any(function.name == "move" for function in program.functions)


def _inputs(function: Function) -> set[str]:
    return {node.op.name for node in function.nodes if isinstance(node.op, Input)}


def _local(variable: str, dtype: str, rows: int = 1) -> Chunk:
    """A chunk that is not part of the state."""
    own = stack(dtype) if rows == 1 else stack_rows(dtype, rows)
    return Chunk(schema.Field(variable, "i32", "lane"), variable, "", 0, rows, own, None)


def chunks(slots: Iterable[Slot]) -> list[Chunk]:
    """The chunks of these values, each once, in order."""
    return list({slot.chunk.variable: slot.chunk for slot in slots}.values())


def _slots(
    field: schema.Field,
    values: tuple[str, ...],
    dtype: str,
    taken: set[str],
    starts: frozenset[str],
    memory: ChunkMemory,
) -> list[Slot]:
    array, constant = f"{field.name}_array", None if starts.intersection(values) else field.start
    start = None
    if constant is not None:
        start = call("f32", float(constant)) if dtype == "f32" else expression(constant)
    if len(values) > memory.few:
        own = memory.array(dtype, len(values))
        chunk = Chunk(field, held_name(field.name, taken), array, 0, len(values), own, start)
        return [Slot(value, chunk, row) for row, value in enumerate(values)]
    result = []
    for row, value in enumerate(values):
        kind, _, name = value.partition(".")
        variable = held_name(f"{kind}_{identifier(name)}" if name else value, taken)
        result.append(Slot(value, Chunk(field, variable, array, row, 1, stack(dtype), start), 0))
    return result
