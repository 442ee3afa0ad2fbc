"""Explanations of a wrong value: a fused multiply-add, an approximate quotient, a stale operand, ..."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch

from hamlet_lab.divergence.values import Evaluation, Spot, at, words
from hamletc.ir import ops
from hamletc.ir.evaluate import Array, apply
from hamletc.ir.operands import operands
from hamletc.ir.ops import Const, Type, Value
from hamletc.kernel.body import reachable

LARGEST_BOUND = 1 << 30
SMALLEST_NORMAL = np.float32(2.0**-126)


@dataclass(frozen=True, slots=True)
class Supposition:
    """Something done differently in a value, in words."""

    value: Value
    text: str


def explanations(evaluation: Evaluation, value: Value, spot: Spot, actual: int) -> list[str]:
    """Computations that would give these bits in place of a value, each as a sentence. Only the operations of its own
    line are doubted.
    """
    values = [np.array([at(array, spot)]) for array in evaluation.values]
    line = _Doubted(evaluation, value, values, _line(evaluation, value))
    fits = dict.fromkeys(each.text for each, bits in line.suppositions() if int(bits[0]) == actual)
    return [f"the value found is that of {text}" for text in fits]


def suppositions(evaluation: Evaluation, value: Value, element: int, actual: Array, lanes: Array) -> list[Supposition]:
    """Changed operations, anywhere on the way to a value, that would give these bits [lanes] in these lanes; the last
    on the way first.
    """
    rows = [array[element if len(array) > 1 else 0] if array.ndim == 2 else array for array in evaluation.values]
    values = [np.broadcast_to(row, actual.shape) for row in rows]
    way = _Doubted(evaluation, value, values, list(reachable(evaluation.function.nodes, [value])))
    fits = [each for each, bits in way.suppositions() if (bits == actual)[lanes].all()]
    return sorted(dict.fromkeys(fits), key=lambda each: -each.value)


def _line(evaluation: Evaluation, value: Value) -> list[Value]:
    """The operations of the line of a value."""
    result = [value]
    for operand in operands(evaluation.node(value).op):
        if operand not in evaluation.printed.names and not isinstance(evaluation.node(operand).op, Const):
            result += _line(evaluation, operand)
    return result


class _Doubted:
    """Operations any of which may have been done differently, and what follows for the last of them."""

    def __init__(self, evaluation: Evaluation, root: Value, values: list[Array], doubted: list[Value]) -> None:
        self._evaluation, self._root, self._at = evaluation, root, values
        self._doubted = sorted(doubted)

    def suppositions(self) -> Iterator[tuple[Supposition, Array]]:
        """One thing done differently, and the bits of the value then."""
        with np.errstate(all="ignore"):
            for value in reversed(self._doubted):
                for text, other in self._instead(value):
                    if other.dtype == self._at[value].dtype:
                        yield Supposition(value, text), self._with(value, other)
            for leaf in self._evaluation.leaves(self._root):
                for version in self._other_versions(leaf):
                    ours, theirs = self._evaluation.name(leaf), self._evaluation.name(version)
                    yield Supposition(leaf, f"{theirs} in place of {ours}"), self._with(leaf, self._at[version])

    def _with(self, value: Value, other: Array) -> Array:
        """The bits of the root when `value` has the values `other`."""
        changed = {value}
        values = list(self._at)
        values[value] = other
        for each in self._doubted:
            op = self._evaluation.node(each).op
            if each not in changed and not isinstance(op, ops.Fold) and not changed.isdisjoint(operands(op)):
                changed.add(each)
                try:
                    values[each] = apply(op, values, self._evaluation.call.inputs, self._evaluation.tables, {})
                except IndexError:
                    # Nobody reads what is in no table and in no cell.
                    return words(self._at[self._root])
        return words(values[self._root])

    def _instead(self, value: Value) -> Iterator[tuple[str, Array]]:
        """Other computations that a kernel might have in the place of an operation."""
        node = self._evaluation.node(value)
        name = self._evaluation.expression(value)
        match node.op:
            case ops.Add(left=left, right=right) if node.type is Type.F32:
                for product, addend in ((left, right), (right, left)):
                    yield from self._fused(name, product, self._at[addend], False)
            case ops.Sub(left=left, right=right) if node.type is Type.F32:
                yield from self._fused(name, left, -self._at[right], False)
                yield from self._fused(name, right, self._at[left], True)
                yield f"the operands of {name} swapped", self._at[right] - self._at[left]
            case ops.Div(left=left, right=right) if node.type is Type.F32:
                reciprocal = np.float32(1) / self._at[right]
                yield f"{name} as a product with the reciprocal", self._at[left] * reciprocal
                yield f"the operands of {name} swapped", self._at[right] / self._at[left]
            case ops.Less(left=left, right=right):
                yield from self._one_off(name, left, right, np.less)
                yield f"the operands of {name} swapped", self._at[right] < self._at[left]
                yield f"less or equal in place of {name}", self._at[left] <= self._at[right]
            case ops.LessEqual(left=left, right=right):
                yield from self._one_off(name, left, right, np.less_equal)
                yield f"the operands of {name} swapped", self._at[right] <= self._at[left]
                yield f"less in place of {name}", self._at[left] < self._at[right]
            case ops.Select(then=then, otherwise=otherwise):
                yield f"{name} without its condition", self._at[then]
                yield f"{name} without its condition", self._at[otherwise]
            case _:
                pass
        if node.type is Type.F32:
            yield f"{name} rounded to bfloat16", to_bf16(self._at[value])
            small = np.abs(self._at[value]) < SMALLEST_NORMAL
            yield f"{name} with subnormals flushed to zero", np.where(small, np.float32(0), self._at[value])
        if node.type in (Type.F32, Type.I32):
            for operand in operands(node.op):
                if self._evaluation.node(operand).type is node.type:
                    yield f"{self._evaluation.operand(operand)} in place of {name}", self._at[operand]

    def _one_off(
        self, name: str, left: Value, right: Value, compare: Callable[..., Array]
    ) -> Iterator[tuple[str, Array]]:
        """Comparisons of whole numbers with a bound that is one more or less."""
        for place, bound in enumerate((left, right)):
            op = self._evaluation.node(bound).op
            if isinstance(op, Const) and op.type is Type.I32 and abs(int(op.value)) < LARGEST_BOUND:
                for step in (-1, 1):
                    pair = [self._at[left], self._at[right]]
                    pair[place] = np.full_like(self._at[bound], int(op.value) + step)
                    yield f"{name} with {int(op.value) + step} in place of {op.value}", compare(*pair)

    def _fused(self, name: str, product: Value, addend: Array, negated: bool) -> Iterator[tuple[str, Array]]:
        """A product, negated or not, and an addend in one operation."""
        op = self._evaluation.node(product).op
        if isinstance(op, ops.Mul):
            left, right = self._at[op.left], self._at[op.right]
            fused = apply(ops.Fma(0, 1, 2), [-left if negated else left, right, addend], {}, {}, {})
            yield f"{name} as a fused multiply-add, rounded once instead of twice", fused

    def _other_versions(self, leaf: Value) -> list[Value]:
        """The other versions of the state that a value is a version of."""
        evaluation = self._evaluation
        entering = {evaluation.entering(output.name): output.name for output in evaluation.function.outputs}
        states = evaluation.states | {value: name for value, name in entering.items() if value is not None}
        state = states.get(leaf)
        return [value for value, name in states.items() if name == state and value != leaf and state is not None]


def to_bf16(values: Array) -> Array:
    """Numbers rounded to bfloat16, to nearest even, as f32."""
    return torch.tensor(values).bfloat16().float().numpy()
