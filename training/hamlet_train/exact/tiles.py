"""Products of matrices in one stated order of operations.

Each number of a product is one chain: it begins with a start value, and takes `fma(a, b, chain)` for one term after the
other, in ascending order. Which chains run side by side in registers, and how many, changes no result.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from hamlet.launch.cpu.ops import helper, part
from hamlet.launch.cpu.ops.chunks import Chunk
from hamlet.launch.cpu.ops.machinery import cgutils, intrinsic, types
from hamlet.launch.cpu.ops.vectors import supports

VECTOR = 16
"""f32 in a vector. Rows of matrices have whole vectors."""

ROWS, VECTORS = (8, 2) if supports("avx512f") else (4, 1)
"""The chains of a tile: so many rows of so many vectors stay in registers."""

WIDTH = VECTOR * VECTORS


@intrinsic
def _tile(
    _context: Any,
    product: Any,
    _row: Any,
    start: Any,
    _start_row: Any,
    left: Any,
    _left_row: Any,
    _left_step: Any,
    right: Any,
    _right_step: Any,
    _steps: Any,
    rows: Any,
    vectors: Any,
) -> Any:
    """See `_columns`; the numbers of rows and vectors are literals."""
    chunk, count = Chunk(types.float32), types.intp
    pairs = (product, start, left, right)
    if any(each != chunk for each in pairs) or not isinstance(rows, types.IntegerLiteral):
        return None
    numbers = (chunk, count, chunk, count, chunk, count, count, chunk, count, count, rows, vectors)

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        _emit(builder, arguments, rows.literal_value, vectors.literal_value)
        return None

    return types.void(*numbers), codegen


def _emit(builder: Any, arguments: Any, rows: int, vectors: int) -> None:
    product, row, start, start_row, left, left_row, left_step, right, right_step, steps, *_ = arguments
    vector, word = ir.VectorType(ir.FloatType(), VECTOR), row.type
    fma = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(vector, [vector] * 3), f"llvm.fma.v{VECTOR}f32"
    )

    def address(first: Any, number: int, pitch: Any, column: int) -> Any:
        offset = builder.add(builder.mul(word(number), pitch), word(column * VECTOR))
        return builder.bitcast(builder.gep(first, [offset]), vector.as_pointer())

    chains = [(r, v) for r in range(rows) for v in range(vectors)]
    memory = []
    for r, v in chains:
        kept = cgutils.alloca_once(builder, vector)
        builder.store(builder.load(address(start, r, start_row, v), align=4), kept)
        memory.append(kept)
    with cgutils.for_range(builder, steps) as loop:
        behind = builder.gep(right, [builder.mul(loop.index, right_step)])
        terms = [builder.load(address(behind, 0, word(0), v), align=4) for v in range(vectors)]
        factors = builder.gep(left, [builder.mul(loop.index, left_step)])
        for r in range(rows):
            number = builder.load(builder.gep(factors, [builder.mul(word(r), left_row)]))
            first = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.IntType(32)(0))
            lanes = ir.Constant(ir.VectorType(ir.IntType(32), VECTOR), [0] * VECTOR)
            factor = builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), lanes)
            for v in range(vectors):
                kept = memory[r * vectors + v]
                builder.store(builder.call(fma, [factor, terms[v], builder.load(kept)]), kept)
    for (r, v), kept in zip(chains, memory, strict=True):
        builder.store(builder.load(kept), address(product, r, row, v), align=4)


@helper
def _columns(
    product: Any,
    row: Any,
    start: Any,
    start_row: Any,
    left: Any,
    left_row: Any,
    left_step: Any,
    right: Any,
    right_step: Any,
    steps: Any,
    rows: Any,
) -> None:
    """`WIDTH` columns of `multiply`."""
    done = 0
    while done + ROWS <= rows:
        a, b, c = part(product, 0, done * row), part(start, 0, done * start_row), part(left, 0, done * left_row)
        _tile(a, row, b, start_row, c, left_row, left_step, right, right_step, steps, ROWS, VECTORS)
        done += ROWS
    while done < rows:
        a, b, c = part(product, 0, done * row), part(start, 0, done * start_row), part(left, 0, done * left_row)
        _tile(a, row, b, start_row, c, left_row, left_step, right, right_step, steps, 1, VECTORS)
        done += 1


@helper
def _last_columns(
    product: Any,
    row: Any,
    start: Any,
    start_row: Any,
    left: Any,
    left_row: Any,
    left_step: Any,
    right: Any,
    right_step: Any,
    steps: Any,
    rows: Any,
) -> None:
    """`VECTOR` columns of `multiply`."""
    done = 0
    while done + ROWS <= rows:
        a, b, c = part(product, 0, done * row), part(start, 0, done * start_row), part(left, 0, done * left_row)
        _tile(a, row, b, start_row, c, left_row, left_step, right, right_step, steps, ROWS, 1)
        done += ROWS
    while done < rows:
        a, b, c = part(product, 0, done * row), part(start, 0, done * start_row), part(left, 0, done * left_row)
        _tile(a, row, b, start_row, c, left_row, left_step, right, right_step, steps, 1, 1)
        done += 1


@helper
def multiply(
    product: Any,
    row: Any,
    start: Any,
    start_row: Any,
    left: Any,
    left_row: Any,
    left_step: Any,
    right: Any,
    right_step: Any,
    steps: Any,
    rows: Any,
    columns: Any,
) -> None:
    """product[r, c] = start[r, c], then fma(left[r, i], right[i, c], ...) for i = 0 .. steps - 1.

    Element [r, c] of `product` lies at r * row + c, of `start` at r * start_row + c, [r, i] of `left` at
    r * left_row + i * left_step, [i, c] of `right` at i * right_step + c. `columns` is a multiple of `VECTOR`.
    """
    done = 0
    while done + WIDTH <= columns:
        a, b, c = part(product, 0, done), part(start, 0, done), part(right, 0, done)
        _columns(a, row, b, start_row, left, left_row, left_step, c, right_step, steps, rows)
        done += WIDTH
    while done < columns:
        a, b, c = part(product, 0, done), part(start, 0, done), part(right, 0, done)
        _last_columns(a, row, b, start_row, left, left_row, left_step, c, right_step, steps, rows)
        done += VECTOR
