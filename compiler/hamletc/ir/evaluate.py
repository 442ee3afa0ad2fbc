"""Executes functions with numpy: what each operation means, as plainly as possible.

A plain operation is the function of numpy that its row in `PLAIN` names, or one of `_OWN`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from hamletc.ir import ops
from hamletc.ir.function import Function, Node, Table
from hamletc.ir.operands import operands
from hamletc.ir.ops import PLAIN, Const, Element, Fetch, Fold, Input, Lookup, Op, Plain, Select, Type

Array: TypeAlias = np.ndarray[Any, Any]
Plainly: TypeAlias = Callable[[Sequence[Array]], Array]
Step: TypeAlias = tuple[Node, Plainly | None, np.dtype[Any]]
"""A node; what it gives of the values before it, if it only computes; the type of that."""
T = TypeVar("T")
RECENT = 256
"""So many functions and tables are prepared at a time: the ticks of a run evaluate the same ones again and again."""
TOGETHER = 1 << 16
"""So many numbers of rows of a fold are computed at a time."""

DTYPES: dict[Type, type[np.generic]] = {
    Type.F32: np.float32,
    Type.I32: np.int32,
    Type.U32: np.uint32,
    Type.BOOL: np.bool_,
}


def evaluate(
    function: Function, inputs: Mapping[str, Array], tables: tuple[Table, ...], folded: tuple[Function, ...] = ()
) -> dict[str, Array]:
    """The outputs of a function for many lanes.

    Args:
        folded: the functions that `Fold` runs, and others.
        inputs: by name, arrays [lanes] of the inputs' types; those that the function does not read are ignored. What
            `Fetch` reads has its name and two dimensions, [worlds, cells].

    Returns:
        By name: [lanes], or [count, lanes] for an output with elements.
    """
    lanes = _lanes(inputs)
    values = node_values(function, inputs, tables, folded)
    results = {}
    for output in function.outputs:
        value = values[output.value]
        result = np.empty((lanes,) if output.count is None else (output.count, lanes), value.dtype)
        result[...] = value
        results[output.name] = result
    return results


def node_values(
    function: Function, inputs: Mapping[str, Array], tables: tuple[Table, ...], folded: tuple[Function, ...] = ()
) -> list[Array]:
    """The value of every node, as arrays that broadcast to [lanes], or to [count, lanes] where a node depends on an
    element; arguments as `evaluate` takes them."""
    lanes = _lanes(inputs)
    contents, steps = _Contents(tables), _steps(_Same(function))
    counts = {output.name: output.count for output in function.outputs if output.count is not None}
    values: list[Array] = []
    folds: dict[tuple[str, tuple[int, ...]], dict[str, Array]] = {}
    with np.errstate(all="ignore"):
        for step in steps:
            if not isinstance(op := step[0].op, Fold):
                values.append(_value(function, step, values, inputs, contents, counts))
                continue
            key = op.function, op.initial
            if key not in folds:
                folds[key] = _fold(op, [values[operand] for operand in op.initial], tables, folded, lanes)
            values.append(folds[key][op.output])
    return values


class _Same(Generic[T]):
    """An object as a key that is found by what it is, and not by all that stands in it."""

    __slots__ = ("of",)

    def __init__(self, of: T) -> None:
        self.of = of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.of is self.of

    def __hash__(self) -> int:
        return id(self.of)


class _Contents(dict[str, Array]):
    """The arrays of tables by name, made when they are read."""

    def __init__(self, tables: Iterable[Table]) -> None:
        super().__init__()
        self._tables = tables

    def __missing__(self, name: str) -> Array:
        array = _contents(_Same(next(table for table in self._tables if table.name == name)))
        self[name] = array
        return array


@lru_cache(RECENT)
def _contents(table: _Same[Table]) -> Array:
    return _fixed(table.of.values, table.of.type)


@lru_cache(RECENT)
def _steps(function: _Same[Function]) -> tuple[Step, ...]:
    return tuple(_step(node) for node in function.of.nodes)


def _step(node: Node) -> Step:
    dtype = np.dtype(DTYPES[node.type])
    if isinstance(node.op, Const):
        constant = _fixed([node.op.value], node.op.type)
        return node, lambda _: constant, dtype
    meaning = np.where if isinstance(node.op, Select) else _MEANINGS.get(type(node.op))
    return node, None if meaning is None else _plainly(meaning, operands(node.op)), dtype


def _plainly(meaning: Callable[..., Array], numbers: tuple[int, ...]) -> Plainly:
    """An operation on the values of these numbers; programs compute millions of them."""
    match numbers:
        case (one,):
            return lambda values: meaning(values[one])
        case (left, right):
            return lambda values: meaning(values[left], values[right])
        case _:
            several = itemgetter(*numbers)
            return lambda values: meaning(*several(values))


def _fixed(values: Sequence[float], kind: Type) -> Array:
    """An array that nobody writes, since many evaluations share it."""
    array = np.array(values, DTYPES[kind])
    array.setflags(write=False)
    return array


def _lanes(inputs: Mapping[str, Array]) -> int:
    return max((len(array) for array in inputs.values() if array.ndim == 1), default=1)


def _fold(
    op: Fold, initial: list[Array], tables: tuple[Table, ...], folded: tuple[Function, ...], lanes: int
) -> dict[str, Array]:
    """The outputs of a fold behind its last row. Nodes that depend on nothing a row hands to the next one are computed
    for many rows at once, as arrays [rows, lanes]."""
    body = next(function for function in folded if function.name == op.function)
    state = dict(zip(op.names, initial, strict=True))
    contents, steps, (handed, alone, read) = _Contents(tables), _steps(_Same(body)), _handed(_Same(body))
    values: list[Any] = [None] * len(steps)
    together = max(1, TOGETHER // lanes)
    with np.errstate(all="ignore"):
        for first in range(0, op.count, together):
            rows = np.arange(first, min(first + together, op.count), dtype=np.int32)
            inputs = {**state, "row": rows[:, np.newaxis]}
            for number in alone:
                values[number] = _value(body, steps[number], values, inputs, contents, {})
            of_rows = [(number, values[number]) for number in read if values[number].ndim == 2]
            for row in range(len(rows)):
                for number, value in of_rows:
                    values[number] = value[row]
                for number in handed:
                    values[number] = _value(body, steps[number], values, state, contents, {})
                state = {output.name: values[output.value] for output in body.outputs}
    return {name: np.broadcast_to(value, lanes) for name, value in state.items()}


def _value(
    function: Function,
    step: Step,
    values: Sequence[Array],
    inputs: Mapping[str, Array],
    contents: Mapping[str, Array],
    counts: Mapping[str, int],
) -> Array:
    """The value of a node other than `Fold`; arguments as `apply` takes them."""
    node, plainly, dtype = step
    value = apply(node.op, values, inputs, contents, counts) if plainly is None else plainly(values)
    if value.dtype is not dtype and value.dtype != dtype:
        raise TypeError(f"{function.name}: {node.op} gives {value.dtype}, not {node.type.value}")
    return value


@lru_cache(RECENT)
def _handed(body: _Same[Function]) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """The nodes of the body of a fold that depend on what the row before hands over; all others, and those of them
    that the former, or outputs, read."""
    nodes = body.of.nodes
    same = {o.name for o in body.of.outputs if isinstance(op := nodes[o.value].op, Input) and op.name == o.name}
    handed: set[int] = set()
    for number, node in enumerate(nodes):
        is_given = isinstance(node.op, Input) and node.op.name != "row" and node.op.name not in same
        if is_given or not handed.isdisjoint(operands(node.op)):
            handed.add(number)
    alone = [number for number in range(len(nodes)) if number not in handed]
    read = {operand for number in handed for operand in operands(nodes[number].op)} - handed
    read |= {output.value for output in body.of.outputs} - handed
    return tuple(sorted(handed)), tuple(alone), tuple(sorted(read))


def apply(
    op: Op,
    values: Sequence[Array] | Mapping[int, Array],
    inputs: Mapping[str, Array],
    tables: Mapping[str, Array],
    counts: Mapping[str, int],
) -> Array:
    """The value of one operation other than `Fold`.

    Args:
        values: of the operands, by number.
        inputs, tables: by name.
        counts: of elements, by repeated output.
    """
    # Most operations are plain: they are found without a look at the others.
    if (meaning := _MEANINGS.get(type(op))) is not None:
        result: Array = meaning(*[values[operand] for operand in operands(op)])
        return result
    match op:
        case Const(type=type_, value=value):
            return np.array([value], DTYPES[type_])
        case Input(type=type_, name=name):
            if inputs[name].dtype != DTYPES[type_]:
                raise TypeError(f"input {name} is {inputs[name].dtype}, not {type_.value}")
            return inputs[name]
        case Element(output=output):
            return np.arange(counts[output], dtype=np.int32)[:, np.newaxis]
        case Lookup(table=table, index=index):
            return _taken(tables[table], values[index], f"table {table} has no row")
        case Fetch(array=array, index=index):
            return _taken(inputs[array].reshape(-1), values[index], f"{array} has no cell")
        case Select(condition=condition, then=then, otherwise=otherwise):
            return np.where(values[condition], values[then], values[otherwise])
        case _:
            raise TypeError(f"not an operation on values: {op}")


def _taken(array: Array, index: Array, missing: str) -> Array:
    """The numbers at an index. Where there is none, a kernel would read what is not the array's."""
    try:
        # numpy would count negative ones from the end; taken for words they are large.
        return array.take(index.view(np.uint32))
    except IndexError as error:
        wrong = index[(index < 0) | (index >= len(array))]
        raise IndexError(f"{missing} {wrong.flat[0]}") from error


def _fma(left: Array, right: Array, addend: Array) -> Array:
    """left * right + addend, rounded once.

    The product of two binary32 numbers is exact in binary64. The sum is rounded to odd: that something is lost (Knuth's
    two-sum tells) is kept in the last bit, so that rounding to binary32 sees it (Boldo and Melquiond, 2008).
    """
    product, exact = np.broadcast_arrays(left.astype(np.float64) * right.astype(np.float64), addend.astype(np.float64))
    total = product + exact
    of_product = total - exact
    lost = (product - of_product) + (exact - (total - of_product))
    even = total.view(np.int64) & 1 == 0
    inexact = np.isfinite(total) & (lost != 0)
    odd: Array = np.where(inexact & even, np.nextafter(total, np.copysign(np.inf, lost)), total)
    return odd.astype(np.float32)


def _divide(left: Array, right: Array) -> Array:
    return left / right if left.dtype == np.float32 else left // right


def _high(left: Array, right: Array) -> Array:
    return (np.multiply(left, right, dtype=np.uint64) >> np.uint64(32)).astype(np.uint32)


_OWN: dict[type[Plain], Callable[..., Array]] = {
    ops.Div: _divide,
    ops.MulHigh: _high,
    ops.Fma: _fma,
    ops.ToF32: lambda operand: operand.astype(np.float32),
    ops.ToU32: lambda operand: operand.view(np.uint32),
    ops.ToI32: lambda operand: operand.view(np.int32),
    ops.ToBits: lambda operand: operand.view(np.uint32),
    ops.FromBits: lambda operand: operand.view(np.float32),
}
_MEANINGS: dict[type[Op], Callable[..., Array]] = {
    op: getattr(np, traits.numpy) if traits.numpy else _OWN[op] for op, traits in PLAIN.items()
}
