"""Kernels called from machine code: their arguments lie in memory, as 64 bits each, and may change between calls."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir

from hamlet.launch.cpu.memory import Array
from hamlet.launch.cpu.ops.machinery import compiler_lock, registry, typeof, types

DATA = 4
"""The slot of an array's address among its own: behind two of numba's, its length and the size of an element."""

WORD = ir.IntType(64)


class KernelFrame:
    """The arguments of a call of a kernel.

    Attributes:
        address: what calls the kernel with the arguments in `memory`, whose address it takes: void (i64 *).
        memory: i64, one for each number and address.
        places: for each argument the number of its first slot.
    """

    def __init__(self, kernel: Any, arguments: list[Array | int]) -> None:
        given = tuple(typeof(argument) for argument in arguments)
        kernel.compile(given)
        with compiler_lock:
            self.address = _caller(kernel, given).address
        slots = [_slots(argument) for argument in arguments]
        self.places = np.cumsum([0, *(len(each) for each in slots)]).tolist()
        self.memory = np.array([slot for each in slots for slot in each], np.int64)
        # Addresses alone keep no memory.
        self._arguments = arguments


def _slots(argument: Array | int) -> list[int]:
    """An argument as numba takes it apart: an array is an object, its parent, sizes, an address, shape and strides."""
    if not isinstance(argument, np.ndarray):
        return [int(argument)]
    size = [argument.size, argument.itemsize, argument.ctypes.data]
    return [0, 0, *size, *argument.shape, *argument.strides]


class Caller(NamedTuple):
    """A function that takes the address of a frame and calls its kernel; it lives as long as its library."""

    address: int
    library: Any


@cache
def _caller(kernel: Any, given: tuple[Any, ...]) -> Caller:
    """What calls a kernel of arguments of these types."""
    compiled = kernel.overloads[given]
    target = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    context = registry.cpu_target.target_context
    library = context.codegen().create_library("frame")
    module = library.create_ir_module("frame")
    name = f"frame_{target:x}"
    caller = ir.Function(module, ir.FunctionType(ir.VoidType(), [WORD.as_pointer()]), name)
    builder = ir.IRBuilder(caller.append_basic_block())
    kind = context.call_conv.get_function_type(types.none, given)
    passed = [builder.alloca(pointer.pointee) for pointer in kind.args[:2]]
    for number, type_ in enumerate(kind.args[2:]):
        slot = builder.load(builder.gep(caller.args[0], [WORD(number)]))
        passed.append(_value(builder, slot, type_))
    builder.call(builder.inttoptr(WORD(target), kind.as_pointer()), passed)
    builder.ret_void()
    library.add_ir_module(module)
    library.finalize()
    return Caller(int(library.get_pointer_to_function(name)), library)


def _value(builder: Any, slot: Any, type_: Any) -> Any:
    if isinstance(type_, ir.PointerType):
        return builder.inttoptr(slot, type_)
    return slot if type_ == WORD else builder.trunc(slot, type_)
