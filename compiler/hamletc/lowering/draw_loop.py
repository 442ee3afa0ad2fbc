"""The loop over the axes that are drawn: its body, a function of its own, and the place that it gives."""

from __future__ import annotations

from hamletc.ir.builder import Builder
from hamletc.ir.function import Function, Output
from hamletc.ir.ops import I32, U32, Fold, Value
from hamletc.lowering.draw_table import DrawTable
from hamletc.lowering.permutation import mix32

DRAWS = "draws"
MIXED = f"{DRAWS}.mixed"
ROW = "row"


def drawn_words(builder: Builder, table: DrawTable, mixed: Value, cell: Value) -> tuple[Value, ...]:
    """The words (I32) of the place of an index.

    Args:
        mixed: of the layout and the index (U32).
        cell: among the axes that are permuted (U32); they are part of the first word.
    """
    # Words begin at a value that is no constant, and it is taken away again: loops need a type from the beginning.
    names, tables = _names(table), tuple(each.name for each in table.tables)
    initial = (mixed,) * len(names)
    words = []
    for number, name in enumerate(names[1:]):
        fold = Fold(DRAWS, name, len(table.salt.values), names, tables, initial)
        word = builder.sub(builder.node(fold, U32), mixed)
        words.append(builder.to_i32(word if number else builder.add(word, cell)))
    return tuple(words)


def draw_body(table: DrawTable) -> Function:
    """What a row does: the coordinate on its axis is drawn and added to its word, as many strides."""
    builder = Builder()
    with builder.at("layout", None):
        row, names = builder.input(I32, ROW), _names(table)
        mixed, *words = [builder.input(U32, name) for name in names]
        salt, size, stride = (
            builder.to_u32(builder.lookup(each, row)) for each in (table.salt, table.size, table.stride)
        )
        coordinate = builder.mul_high(mix32(builder, builder.add(mixed, salt)), size)
        more, target = builder.mul(coordinate, stride), builder.lookup(table.word, row)
        results = [
            builder.select(builder.equal(target, builder.i32(number)), builder.add(word, more), word)
            for number, word in enumerate(words)
        ]
    outputs = zip(names, [mixed, *results], strict=True)
    return builder.finish(DRAWS, tuple(Output(name, value) for name, value in outputs))


def _names(table: DrawTable) -> tuple[str, ...]:
    """What the body calls its values."""
    return (MIXED, *(f"{DRAWS}.word{number}" for number in range(table.words)))
