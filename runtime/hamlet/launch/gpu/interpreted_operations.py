"""Operations of Triton's interpreter on blocks, for which Triton works out types once.

For each operation Triton checks types, promotes, splats and broadcasts, and makes types anew: twenty calls for one of
numpy. Here it does that for the first operands of their types. For all that follow, numpy computes what Triton's
builder would have it compute, and the type is that of the first result. Operands of types that Triton promotes, and
whatever else is unusual, are Triton's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import numpy as np

Operation: TypeAlias = Callable[..., Any]

SIGNED = frozenset({"int32", "int64"})
"""Types of numbers of which any two are computed as numpy does."""
FLOATING = frozenset({"fp32", "fp64"})
NUMBERS = FLOATING | SIGNED | {"uint32", "uint64"}
"""Types of numbers of which two alike are."""
WHOLE = NUMBERS - FLOATING | {"int1"}
"""Types of numbers of which two alike are, bit by bit."""
BYTES = frozenset({"int8", "uint8"})

ARITHMETIC = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
COMPARISONS = {
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal
}  # fmt: skip
BITWISE = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}
MOST_BLOCKS = 1024
"""Blocks of one number each, in memory at once."""


class Made:
    """A tensor that Triton made of operands of some types, and others like it.

    Attributes:
        numbers: numpy's type of what is in it.
    """

    def __init__(self, tensor: Any) -> None:
        """Like a tensor."""
        self.numbers: np.dtype[Any] = tensor.handle.data.dtype
        self._tensor: Any = type(tensor)
        self._handle: Any = type(tensor.handle)
        self._element = tensor.handle.dtype
        self._parts = tensor.type, tensor.dtype, tensor.numel, tensor.shape

    def of(self, data: Any) -> Any:
        """A tensor with these numbers; `None` where they are of another type."""
        if data.dtype is not self.numbers:
            return None
        tensor, handle = self._tensor.__new__(self._tensor), self._handle.__new__(self._handle)
        handle.data, handle.dtype, handle.attr = data, self._element, {}
        tensor.handle = handle
        tensor.type, tensor.dtype, tensor.numel, tensor.shape = self._parts
        return tensor


def make_operations_direct() -> None:
    """Have kernels call these, and what else is built into the language without a detour."""
    from triton.runtime import interpreter

    def patch(place: Any, name: str, member: Any, _: Any, scope: Any) -> None:
        scope.set_attr(place, name, _direct(place, name, member))

    interpreter._patch_attr = patch


@cache
def _direct(place: Any, name: str, member: Any) -> Operation:
    """The function that kernels call in the place of a member of the language."""
    from triton.language import core
    from triton.runtime.interpreter import interpreter_semantic

    # Triton's own wrapper only looks whether it is called from a kernel.
    checks = core.builtin(_direct).__code__
    called = member.__wrapped__ if getattr(member, "__code__", None) is checks else member

    def call(*arguments: Any, **named: Any) -> Any:
        named["_semantic"] = interpreter_semantic
        return called(*arguments, **named)

    if place is core.tensor:
        bare = name.strip("_")
        for operators, types in ((ARITHMETIC, NUMBERS), (COMPARISONS, NUMBERS), (BITWISE, WHOLE)):
            if operator := operators.get(bare):
                return _pairs(call, operator, types, reflected=False)
            if operator := operators.get(bare.removeprefix("r")):
                return _pairs(call, operator, types, reflected=True)
        return {"getitem": _new_axes, "to": _converted}.get(bare, _as_it_is)(call)
    makers = {"fma": _fused, "load": _loading, "where": _chosen, "arange": _counted, "broadcast_to": _broadcast}
    return makers.get(name, _as_it_is)(call)


def _as_it_is(call: Operation) -> Operation:
    return call


@cache
def _plain() -> Callable[[Any], Any]:
    """The value of a constant of Triton's; anything else as it is."""
    from triton.language import core

    def plain(value: Any) -> Any:
        return value.value if type(value) is core.constexpr else value

    return plain


@cache
def _is_tensor() -> Callable[[Any], bool]:
    from triton.language import core

    return lambda value: type(value) is core.tensor


def _fits(tensor: Any, number: int | float) -> bool:
    """Whether a number takes the type of the tensor that it meets."""
    name = tensor.dtype.name
    return name in FLOATING or (name in NUMBERS and type(number) is int)


@cache
def _blocks() -> Callable[[tuple[int, ...], np.dtype[Any], int | float], Any]:
    """Blocks of one number each, which nobody writes to."""
    blocks: dict[tuple[object, ...], Any] = {}

    def block(shape: tuple[int, ...], numbers: np.dtype[Any], number: int | float) -> Any:
        # Zeros of both signs are equal, and so are 1 and 1.0.
        key = shape, numbers, repr(number)
        if key not in blocks:
            if len(blocks) >= MOST_BLOCKS:
                blocks.clear()
            blocks[key] = np.full(shape, number, numbers)
            blocks[key].flags.writeable = False
        return blocks[key]

    return block


def _pairs(call: Operation, operator: np.ufunc, types: frozenset[str], reflected: bool) -> Operation:
    """An operation on a tensor and another, or a number."""
    plain, is_tensor = _plain(), _is_tensor()
    results: dict[tuple[str, str], Made] = {}
    places: dict[tuple[str, str], tuple[Made, int]] = {}
    with_constants: dict[tuple[str, str], tuple[Made, np.ufunc, Any]] = {}
    truths = frozenset({"int1"}) if operator in (np.equal, np.not_equal) else frozenset[str]()

    def width(pointer: Any) -> int:
        # As `InterpreterBuilder.create_addptr` has it.
        return max(1, int(pointer.handle.get_element_ty().primitive_bitwidth) // 8)

    def with_tensor(one: Any, other: Any, **named: Any) -> Any:
        key = one.type.name, other.type.name
        if like := results.get(key):
            made = like.of(operator(one.handle.data, other.handle.data))
            if made is not None:
                return made
        elif place := places.get(key):
            return place[0].of(one.handle.data + place[1] * other.handle.data.astype(np.uint64))
        made, kinds = call(one, other, **named), {one.dtype.name, other.dtype.name}
        if kinds <= types and (len(kinds) == 1 or kinds <= SIGNED):
            results[key] = Made(made)
        elif operator is np.add and one.dtype.is_ptr() and other.dtype.name in NUMBERS:
            places[key] = Made(made), width(one)
        return made

    def operation(one: Any, other: Any, **named: Any) -> Any:
        other = plain(other)
        if is_tensor(other) and not reflected:
            return with_tensor(one, other, **named)
        if type(other) not in (int, float):
            return call(one, other, **named)
        key = one.type.name, repr(other)
        if beside := with_constants.get(key):
            like, compute, number = beside
            data = one.handle.data
            made = like.of(compute(number, data) if reflected else compute(data, number))
            if made is not None:
                return made
        made = call(one, other, **named)
        if one.dtype.name in types and _fits(one, other):
            with_constants[key] = Made(made), operator, one.handle.data.dtype.type(other)
        elif one.dtype.name in truths and type(other) is int:
            with_constants[key] = Made(made), operator, np.int32(other)
        elif operator in (np.add, np.subtract) and not reflected and one.dtype.is_ptr() and type(other) is int:
            step = width(one) * (other if operator is np.add else -other)
            with_constants[key] = Made(made), np.add, np.uint64(step % 2**64)
        return made

    return operation


def _new_axes(call: Operation) -> Operation:
    """A block with further axes, of one number each."""
    results: dict[tuple[str, tuple[bool, ...]], Made] = {}

    def get(block: Any, slices: Any, **named: Any) -> Any:
        if type(slices) is not tuple or not all(each is None or each == slice(None) for each in slices):
            return call(block, slices, **named)
        key = block.type.name, tuple(each is None for each in slices)
        if like := results.get(key):
            return like.of(block.handle.data[slices])
        made = call(block, slices, **named)
        if block.type.is_block():
            results[key] = Made(made)
        return made

    return get


def _converted(call: Operation) -> Operation:
    """Numbers as those of another type."""
    plain = _plain()
    results: dict[tuple[str, str], Made] = {}

    def to(tensor: Any, kind: Any, *rest: Any, **named: Any) -> Any:
        target = plain(kind)
        if rest or named:
            return call(tensor, kind, *rest, **named)
        key = tensor.type.name, target.name
        if like := results.get(key):
            return like.of(tensor.handle.data.astype(like.numbers))
        made = call(tensor, kind)
        names = tensor.dtype.name, target.name
        if names[0] in NUMBERS | {"int1"} and names[1] in NUMBERS and names[0] != names[1]:
            results[key] = Made(made)
        return made

    return to


def _broadcast(call: Operation) -> Operation:
    """A block in another shape."""
    is_tensor = _is_tensor()
    results: dict[tuple[str, tuple[int, ...]], Made] = {}

    def broadcast_to(block: Any, *sizes: Any, **named: Any) -> Any:
        shape = tuple(sizes[0]) if len(sizes) == 1 and type(sizes[0]) in (list, tuple) else sizes
        if not is_tensor(block) or not block.type.is_block() or not all(type(size) is int for size in shape):
            return call(block, *sizes, **named)
        key = block.type.name, shape
        if like := results.get(key):
            return like.of(np.broadcast_to(block.handle.data, shape))
        made = call(block, *sizes, **named)
        results[key] = Made(made)
        return made

    return broadcast_to


def _counted(call: Operation) -> Operation:
    """Numbers in their order."""
    plain = _plain()
    results: dict[tuple[int, int], tuple[Made, Any]] = {}

    def arange(start: Any, end: Any, **named: Any) -> Any:
        key = plain(start), plain(end)
        if have := results.get(key):
            return have[0].of(have[1])
        made = call(start, end, **named)
        made.handle.data.flags.writeable = False
        results[key] = Made(made), made.handle.data
        return made

    return arange


def _fused(call: Operation) -> Operation:
    """A fused multiply-add."""
    from triton._C.libtriton import interpreter as of_triton

    plain, is_tensor, block = _plain(), _is_tensor(), _blocks()
    results: dict[tuple[str, ...], Made] = {}

    def fma(x: Any, y: Any, z: Any, **named: Any) -> Any:
        terms = [plain(each) for each in (x, y, z)]
        tensors = [each for each in terms if is_tensor(each)]
        if not tensors or not all(is_tensor(each) or type(each) is float for each in terms):
            return call(x, y, z, **named)
        key = tuple(each.type.name if is_tensor(each) else "" for each in terms)
        if like := results.get(key):
            shape, numbers = tensors[0].handle.data.shape, like.numbers
            data = [each.handle.data if is_tensor(each) else block(shape, numbers, each) for each in terms]
            if not data[0].shape == data[1].shape == data[2].shape:
                data = list(np.broadcast_arrays(*data))
            return like.of(of_triton.fma_fp32(*data))
        made = call(x, y, z, **named)
        if all(each.dtype.name == "fp32" for each in tensors):
            results[key] = Made(made)
        return made

    return fma


def _chosen(call: Operation) -> Operation:
    """Numbers of one or the other."""
    plain, is_tensor = _plain(), _is_tensor()
    results: dict[tuple[str, ...], Made] = {}

    def where(condition: Any, x: Any, y: Any, **named: Any) -> Any:
        pair = plain(x), plain(y)
        tensors = [each for each in pair if is_tensor(each)]
        others = [each for each in pair if not is_tensor(each)]
        if not tensors or not is_tensor(condition) or any(type(each) not in (int, float) for each in others):
            return call(condition, x, y, **named)
        key = condition.type.name, *(each.type.name if is_tensor(each) else type(each).__name__ for each in pair)
        if like := results.get(key):
            one, other = (each.handle.data if is_tensor(each) else like.numbers.type(each) for each in pair)
            made = like.of(np.where(condition.handle.data, one, other))
            if made is not None:
                return made
        made, names = call(condition, x, y, **named), {each.dtype.name for each in tensors}
        alike = condition.handle.data.dtype == np.bool_ and len(names) == 1 and names <= NUMBERS
        if alike and all(_fits(tensors[0], each) for each in others):
            results[key] = Made(made)
        return made

    return where


def _loading(call: Operation) -> Operation:
    """Numbers from memory."""
    from triton._C.libtriton import interpreter as of_triton

    plain, is_tensor, block = _plain(), _is_tensor(), _blocks()
    results: dict[tuple[str, str], Made] = {}
    truth, byte = np.dtype(np.bool_), np.dtype(np.int8)

    def load(pointer: Any, mask: Any = None, other: Any = None, **named: Any) -> Any:
        mask, other = plain(mask), plain(other)
        masked = is_tensor(mask)
        if not masked and (mask is not None or other is not None):
            return call(pointer, mask, other, **named)
        key, places = (pointer.type.name, mask.type.name if masked else ""), pointer.handle.data
        if (like := results.get(key)) and (other is None or type(other) in (int, float)):
            chosen = mask.handle.data if masked else block(places.shape, truth, True)
            if chosen.dtype == truth:
                if chosen.shape != places.shape:
                    chosen = np.broadcast_to(chosen, places.shape)
                numbers = byte if like.numbers == truth else like.numbers
                loaded = of_triton.load(
                    places, chosen, block(places.shape, numbers, 0 if other is None else other), numbers
                )
                return like.of(loaded != 0 if like.numbers == truth else loaded)
        made = call(pointer, mask, other, **named)
        # A pointer that is broadcast is Triton's.
        if made.dtype.name in NUMBERS | BYTES | {"int1"} and made.handle.data.shape == places.shape:
            results[key] = Made(made)
        return made

    return load
