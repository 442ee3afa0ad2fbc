"""The cell cache of GPUs: what is on a lane's cell is found once in a tick, for the tick, observations and the mask.

A step searches, by eight serial rounds of the inverse permutation. A rollout can have the cells of affordances at
random in words, four to a word, and compare its own with four at a time.

Words are made when a rollout begins, and anew where an episode does: there the lanes of a warp compute a cell each, for
one lane of it after the other. The index of an affordance is `words * byte + word`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from hamlet import schema
from hamlet.frozen import dataclass
from hamletc.compilation import Compilation
from hamletc.ir.function import Program
from hamletc.kernel.code import Code, Fix, Function, Remark, assign, function, give, loop
from hamletc.kernel.expressions import Constant, Either, Expression, Name, Operand, call, names, shape
from hamletc.lowering.places import grid_of
from hamletc.lowering.plan import Plan
from hamletc.passes.pipeline import CELL_CACHE
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.blocks import cast, numbers, reshape, same_bits, where
from hamletc.targets.triton.columns import LANES, operations
from hamletc.targets.triton.functions import computed
from hamletc.targets.triton.memory import unpack, unpacked

NO_CELL = 127
"""A byte that is no cell: what is compared leaves the highest bit of each byte free."""
MOST = 32
"""The most affordances at random: a lane of a warp computes the cell of each."""
SEEKING = ("stand", "search")
"""The functions that find what is on a lane's cell."""
TAKEN = ("move", *SEEKING)
"""What a tick is given by these functions."""
CELL = "cell"
"""The function `place` of the cell cache, for words; kernels have another one of that name."""
TICKS_OF_AN_EPISODE = 9
"""Of a warp, until one of its lanes begins another: with random actions in the town."""
TICKS_OF_A_LAUNCH = 64


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a lane.

    Attributes:
        count: how many; four bytes each.
        cells: how many of those are cells: the affordances at random.
    """

    count: int
    cells: int


def words(program: Program, at_random: int) -> Words | None:
    """The words of a program for kernels; `None` where it has none."""
    if not any(function.name == CELL for function in program.functions):
        return None
    return Words(-(-at_random // 4), at_random)


def with_cells(compilation: Compilation) -> Compilation:
    """The program that is given what is on the agent's cell; with words where they make a tick of a rollout shorter,
    and a note on what was chosen and why."""
    planned = compilation.plan.with_search()
    if not planned.searched:
        return compilation
    found = compilation.after(CELL_CACHE, lambda known: _found(known, planned), verified=True)
    if found is compilation:
        return compilation
    at_random = len(planned.places.random)
    functions = {function.name: function for function in found.program.functions}
    search, cell = operations(functions["search"]), operations(functions[CELL])
    count = -(-at_random // 4)
    compare, again = 4 * count + 8, cell + 10 * count + 20
    spent = compare + again // TICKS_OF_AN_EPISODE + at_random * cell // TICKS_OF_A_LAUNCH
    fit = at_random <= MOST and schema.cells(grid_of(compilation.universe)) <= NO_CELL
    if fit and spent < search:
        why = f"cells: {count} words of a lane; about {spent} operations instead of {search} find what is on a cell"
        return replace(found, notes=(*compilation.notes, why))
    del functions[CELL]
    others = f"words would take about {spent}" if fit else "there are too many for words"
    why = f"cells: found by search, {search} operations; {others}"
    program = replace(found.program, functions=tuple(functions.values()))
    return replace(found, program=program, notes=(*compilation.notes, why))


def _found(known: Compilation, planned: Plan) -> Program:
    """The program that is given what is on the agent's cell, with what gives it that."""
    other = known.replanned(planned)
    of_cells = {*TAKEN, "place", "shuffle"}
    others = (function for function in other.functions if function.name not in of_cells)
    finding = (other.function(name) for name in TAKEN)
    return replace(other, functions=(*others, *finding, replace(other.function("place"), name=CELL)))


# --- the functions of kernels -----------------------------------------------------------------------------------------

index, cell, byte, hits, bit = names("index cell byte hits bit")
FLAGS = 0x80808080
"""The highest bit of each byte of a word."""
EACH = 0x01010101
"""What repeats a byte in each byte of a word."""


def words_of(bindings: Bindings) -> Words | None:
    """The words of kernels; `None` where they have none."""
    return words(bindings.program, sum(affordance.place is None for affordance in bindings.universe.affordances))


def places(bindings: Bindings) -> list[Function]:
    """The functions that find what is on the cells of lanes; none where universes are not given that."""
    if not bindings.finds:
        return []
    found = [*computed(bindings, *TAKEN), _seek(bindings)]
    held = words_of(bindings)
    if held is None:
        return found
    return [*found, *computed(bindings, CELL), _pack(bindings, held), _repack(bindings, held), _find(held)]


def _seek(bindings: Bindings) -> Function:
    def body() -> Iterator[Code]:
        yield from unpacked(bindings, "state")
        yield assign(cell, call("_stand", *bindings.arguments("stand")))
        yield give(call("_search", *bindings.arguments("search")))

    summary = "The index of the affordance at random on the cell of each lane, or -1."
    return function("_seek", (), summary, body())


def _cells(held: Words) -> list[Name]:
    """The variables of the words."""
    return [Name(f"word_{number}_cells") for number in range(held.count)]


def _cell(bindings: Bindings, held: Words, layout: Operand, number: Expression) -> Code:
    """The cell of an affordance at random, or none."""
    of_affordance = call("_cell", layout, number, *bindings.tables_of(CELL))
    return assign(cell, where(number < held.cells, of_affordance, NO_CELL))


def _pack(bindings: Bindings, held: Words) -> Function:
    zero = Name("zero")

    def cells() -> Iterator[Code]:
        for number, word in enumerate(_cells(held)):
            first = byte * held.count
            yield assign(index, zero + (first + number if number else first))
            yield _cell(bindings, held, "layout", index)
            yield assign(word, word | (cell << (zero + byte * 8)))

    def body() -> Iterator[Code]:
        yield assign(zero, call("tl.zeros_like", "layout"))
        for word in _cells(held):
            yield assign(word, zero)
        yield loop(byte, 4, body=cells())
        yield give(*_cells(held))

    summary = "The cells of affordances at random of each lane, four to a word."
    return function("_pack", (), summary, body())


def _repack(bindings: Bindings, held: Words) -> Function:
    begins, lanes, wide, high, lane = names("begins LANES WIDE HIGH lane")
    left, layouts, turns, own, key, wanted, made = names("left layouts turns own key wanted made")

    def along(value: Expression) -> Expression:
        """The sums over the lanes of each warp, beside it."""
        return call("tl.expand_dims", call("tl.sum", value, axis=1), 1)

    def turn() -> Iterator[Code]:
        yield assign("first", call("tl.max", where(left > 0, lane, -1), axis=1))
        yield assign(own, lane.equals(call("tl.expand_dims", "first", 1)))
        yield assign(key, same_bits(along(where(own, layouts, 0)), "uint32"))
        yield assign(wanted, same_bits(call("tl.broadcast_to", index, shape(high, LANES)), "uint32"))
        yield _cell(bindings, held, key, wanted)
        place = (wanted // held.count & 3) * 8
        yield assign(byte, same_bits(cell << place, "int32"))
        yield assign(byte, where(index < 4 * held.count, byte, 0))
        for number, word in enumerate(_cells(held)):
            yield assign(made, along(where((index % held.count).equals(number), byte, 0)))
            yield assign(word, where(own, made, word))
        yield assign(left, where(own, 0, left))

    def body() -> Iterator[Code]:
        yield Fix("LANES", Name("begins.shape")[0])
        yield Fix("WIDE", Either(lanes < LANES, lanes, Constant(LANES)))
        yield Fix("HIGH", lanes // wide)
        yield unpack(_cells(held), "cells")
        yield assign(lane, call("tl.expand_dims", numbers(wide), 0))
        yield assign(index, call("tl.expand_dims", numbers(LANES), 0))
        yield assign(left, reshape(cast(begins, "int32"), high, wide))
        yield assign(layouts, reshape(same_bits("layout", "int32"), high, wide))
        for word in _cells(held):
            yield assign(word, reshape(same_bits(word, "int32"), high, wide))
        yield assign(turns, call("tl.max", call("tl.sum", left, axis=1), axis=0))
        yield loop("_", turns, body=turn())
        for word in _cells(held):
            yield assign(word, same_bits(reshape(word, lanes), "uint32"))
        yield give(*_cells(held))

    summary = (
        "The cells anew where an episode begins: lanes compute a cell each, for one lane of their warp after the other."
    )
    return function("_repack", (), summary, body())


def _find(held: Words) -> Function:
    same = Name("same")

    def body() -> Iterator[Code]:
        yield unpack(_cells(held), "cells")
        yield assign(same, cell * Constant(EACH, hexadecimal=True))
        for number, word in enumerate(_cells(held)):
            differs = Constant(FLAGS, hexadecimal=True) - (word ^ same)
            hit = (differs >> (7 - number)) & Constant(EACH << number, hexadecimal=True)
            yield assign(hits, hits | hit if number else hit)
        yield Remark("Bit 8 * byte + word: the exponent of a number that is a power of two.")
        yield assign(bit, (same_bits(cast(hits, "float32"), "int32") >> 23) - 127)
        less = 8 - held.count
        yield assign(index, bit - (bit >> 3) * less if less else bit)
        yield give(where(hits.equals(0), -1, index))

    summary = (
        "The index of the affordance at random on a cell, or -1: cells are below 128 and differ, so that one bit is "
        "set."
    )
    return function("_find", ["cell", "cells"], summary, body())
