"""Makes Triton's interpreter exact, where it is not, and faster.

Before 3.9 it rounds a fused multiply-add twice, which Triton's compiler never has. PyPI's torch for CUDA brings such a
version with it. A comparison of two numbers that are not in blocks it takes for a number, where it makes a block of it.
A third of its time goes into sums and products anew in i64, to see whether they overflow: it looks at that only where
it debugs. A fifth goes into replacing all that `triton.language` has, for each function that a kernel calls, where the
kernel had it replaced already. Half of what is left goes into types: each operation makes the types of its blocks anew,
and compares their shapes as tuples of constants of Triton's; and it makes a block of each constant whenever an
operation has one, which operations do not write to.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import torch

from hamlet.interpreter.fma import fma
from hamlet.launch.gpu.interpreted_operations import make_operations_direct

FIRST_EXACT = (3, 9)
NUMBERS = frozenset({"fp32", "int1", "int32", "uint32", "int64", "uint64"})
"""Types of which two operands alike are computed as they are."""
MOST_CONSTANTS = 4096
"""Blocks of constants in memory at once."""


@cache
def make_interpreter_exact() -> None:
    """From now on it rounds f32 once in every kernel of this process, and leaves out what it ignores."""
    import triton
    from triton.runtime import interpreter

    options = interpreter.interpreter_builder.options
    if not options.debug:
        interpreter.interpreter_builder.options = replace(options, sanitize_overflow=False)
    _replace_language_once(interpreter.InterpretedFunction)
    _keep_truth(interpreter)
    if tuple(int(part) for part in triton.__version__.split(".")[:2]) >= FIRST_EXACT:
        _make_types_once()
        make_operations_direct()
        return
    builder: Any = interpreter.InterpreterBuilder
    of_triton = builder.create_fma

    def create_fma(self: Any, x: Any, y: Any, z: Any) -> Any:
        if z.data.dtype != np.float32:
            return of_triton(self, x, y, z)
        parts = (torch.from_numpy(np.ascontiguousarray(handle.data)) for handle in (x, y, z))
        shape = np.broadcast_shapes(x.data.shape, y.data.shape, z.data.shape)
        return interpreter.TensorHandle(fma(*parts).numpy().reshape(shape), z.dtype.scalar)

    builder.create_fma = create_fma


def _keep_truth(interpreter: Any) -> None:
    """Make blocks of truth values out of one, which has the type of what was compared."""
    from triton import language

    builder: Any = interpreter.InterpreterBuilder
    of_triton = builder.create_splat

    def create_splat(self: Any, kind: Any, value: Any) -> Any:
        if value.data.dtype != np.bool_:
            return of_triton(self, kind, value)
        return interpreter.TensorHandle(np.full(kind.shape, value.data), language.int1)

    builder.create_splat = create_splat


def _replace_language_once(function: Any) -> None:
    """Call functions as they are where the language that they see is the interpreter's already."""
    from triton import language

    call_anew = function.__call__

    @cache
    def seen_by(written: Callable[..., Any]) -> tuple[Any, ...]:
        seen = {id(value) for value in written.__globals__.values()}
        return tuple(each for each in (language, language.core) if id(each) in seen)

    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        if any(language.core.is_builtin(each.load) for each in seen_by(self.fn)):
            return call_anew(self, *arguments, **named)
        return self.rewrite()(*arguments, **named)

    function.__call__ = call


@cache
def _make_types_once() -> None:
    """Make the parts of a type of blocks once for each such type; nothing changes a type after it was made."""
    from triton.language import core, semantic
    from triton.runtime import interpreter

    block: Any = core.block_type
    element: Any = core.dtype
    operations: Any = semantic.TritonSemantic
    make_ir, compare_elements = block.to_ir, element.__eq__
    make_broadcast, promote = operations.broadcast_impl_value, operations.computation_type_impl
    promoted: dict[tuple[object, ...], Any] = {}
    constants: dict[tuple[object, ...], Any] = {}
    check_operands = operations.binary_op_type_checking_impl
    numpy_dtypes: dict[str, np.dtype[Any]] = {}
    numpy_dtype = interpreter._get_np_dtype

    def with_element_ty(self: Any, element: Any) -> Any:
        if type(element) is not core.dtype:
            return like(self, element)
        made = vars(self).setdefault("_with_element", {})
        if element.name not in made:
            made[element.name] = like(self, element)
        return made[element.name]

    def like(kind: Any, element: Any) -> Any:
        made = block.__new__(block)
        made.element_ty, made.shape, made.numel = element, kind.shape, kind.numel
        made.name = f"<{_shape(kind)}, {element}>"
        return made

    def to_ir(self: Any, builder: Any) -> Any:
        if builder is not interpreter.interpreter_builder:
            return make_ir(self, builder)
        if "_ir" not in vars(self):
            self._ir = make_ir(self, builder)
        return self._ir

    def equal(self: Any, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, block) and self.element_ty == other.element_ty and _shape(self) == _shape(other)

    def equal_elements(self: Any, other: object) -> bool:
        return self is other or bool(compare_elements(self, other))

    def of_tensor(self: Any, handle: Any, kind: Any) -> None:
        if "_of_tensors" not in vars(kind):
            shape = kind.shape if kind.is_block() else ()
            sizes = core.tuple([core.constexpr(size) for size in shape])
            kind._of_tensors = kind.scalar, core.constexpr(math.prod(shape)), sizes
        self.handle, self.type = handle, kind
        self.dtype, self.numel, self.shape = kind._of_tensors

    def broadcast(self: Any, left: Any, right: Any) -> Any:
        kinds = left.type, right.type
        if all(kind.is_block() for kind in kinds) and _shape(kinds[0]) == _shape(kinds[1]):
            return left, right
        return make_broadcast(self, left, right)

    def computed_as(self: Any, left: Any, is_scalar: bool, right: Any, other_is_scalar: bool, divides: bool) -> Any:
        key = left.name, is_scalar, right.name, other_is_scalar, divides
        if key not in promoted:
            promoted[key] = promote(self, left, is_scalar, right, other_is_scalar, divides)
        return promoted[key]

    def operands(self: Any, left: Any, right: Any, *rest: Any, **named: Any) -> Any:
        tensors = type(left) is core.tensor, type(right) is core.tensor
        if all(tensors) and left.dtype.name in NUMBERS and left.type == right.type:
            return left, right
        if any(tensors) and type(right if tensors[0] else left) in (int, float):
            tensor, number = (left, right) if tensors[0] else (right, left)
            # Zeros of both signs are equal, and so are 1 and 1.0.
            key = tensor.type.name, repr(number), rest, *named.items()
            if key in constants:
                return (tensor, constants[key]) if tensors[0] else (constants[key], tensor)
            left, right = check_operands(self, left, right, *rest, **named)
            same, constant = (left, right) if tensors[0] else (right, left)
            if same is tensor:
                if len(constants) >= MOST_CONSTANTS:
                    constants.clear()
                constant.handle.data.flags.writeable = False
                constants[key] = constant
            return left, right
        return check_operands(self, left, right, *rest, **named)

    def of_numpy(kind: Any) -> np.dtype[Any]:
        name = kind.scalar.name
        if name not in numpy_dtypes:
            numpy_dtypes[name] = numpy_dtype(kind)
        return numpy_dtypes[name]

    block.with_element_ty, block.to_ir, block.__eq__, element.__eq__ = with_element_ty, to_ir, equal, equal_elements
    core.tensor.__init__ = of_tensor
    operations.broadcast_impl_value, operations.computation_type_impl = broadcast, computed_as
    operations.binary_op_type_checking_impl = operands
    interpreter._get_np_dtype = of_numpy


def _shape(kind: Any) -> list[int]:
    sizes: list[int] = kind.shape.values
    return sizes
