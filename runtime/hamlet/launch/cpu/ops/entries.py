"""A kernel as a function of C that takes the address of one table of words.

Numba unpacks each array of a call anew, which takes as long as a small step, and calls are made one argument at a time.
A table is written once; a launch fills in the words that changed. The same function looks at the range of actions, so
that no other call has to.

The first words of a table are those of `HEAD`; then come the arguments of the kernel in their order, each as `words_of`
has it.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np
from llvmlite import ir

from hamlet.launch.cpu.ops.caching import kept_library
from hamlet.launch.cpu.ops.machinery import cgutils, compiler_lock, registry, types

WORD, I32, BIT, BYTE = ir.IntType(64), ir.IntType(32), ir.IntType(1), ir.IntType(8)
C_FUNCTION: Any = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
WRONG = -1
"""What a call gives where an action is out of range: nothing was done."""


HEAD = KERNEL, ACTIONS, LANES, COUNT, WIDE, NARROWED = range(6)
"""The first words: the address of the kernel, 0 to launch nothing; the address of actions and their number, 0 to look
at none; how many actions there are; whether they are i64, and the address to which they are then written as i32."""

ARRAY = 5
"""Words of an array before its shape and strides; the last of them is its address."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A kernel for arguments of certain types.

    Attributes:
        kernel: the address of the kernel.
        address: of the function of C, i64 (i8 *).
        call: the same for Python: takes the address of a table, and gives `WRONG` or 0.
        places: the word of each argument; of an array that of its address.
    """

    kernel: int
    address: int
    call: Callable[[int], int]
    places: tuple[int, ...]

    def table(self, values: Iterable[np.ndarray[Any, Any] | int]) -> list[int]:
        """The words of a table with these arguments, which looks at no actions."""
        words = [0] * len(HEAD)
        words[KERNEL] = self.kernel
        return words + [word for value in values for word in words_of(value)]


def words_of(value: np.ndarray[Any, Any] | int) -> list[int]:
    """An argument in a table."""
    if isinstance(value, np.ndarray):
        return [0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides]
    return [int(value)]


def entry_of(kernel: Any, values: Sequence[np.ndarray[Any, Any] | int]) -> Entry:
    """A kernel for arguments of the types of these. Compiles it where nobody has."""
    return _entry(kernel, tuple(kernel.typeof_pyval(value) for value in values))


@cache
def _entry(kernel: Any, given: tuple[Any, ...]) -> Entry:
    kernel.compile(given)
    compiled = kernel.overloads[given]
    context = registry.cpu_target.target_context
    name = "hamlet_entry_" + sha256(json.dumps([str(type_) for type_ in given]).encode()).hexdigest()[:24]
    with compiler_lock:
        library = kept_library(name, context.codegen(), lambda library: _write(library, name, context, given))
        address = library.get_pointer_to_function(name)
        launched = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    places, next_word = [], len(HEAD)
    for type_ in given:
        array = isinstance(type_, types.Array)
        places.append(next_word + ARRAY - 1 if array else next_word)
        next_word += _words(type_)
    function = C_FUNCTION(address)
    # The machine code lives as long as the libraries.
    function.libraries = (library, compiled.library)
    return Entry(launched, address, function, tuple(places))


def _words(type_: Any) -> int:
    return ARRAY + 2 * int(type_.ndim) if isinstance(type_, types.Array) else 1


def _write(library: Any, name: str, context: Any, given: tuple[Any, ...]) -> None:
    """Write the function for a kernel with arguments of these types."""
    module = library.create_ir_module(name)
    function = ir.Function(module, ir.FunctionType(WORD, [BYTE.as_pointer()]), name)
    builder = ir.IRBuilder(function.append_basic_block())
    table = builder.bitcast(function.args[0], WORD.as_pointer())
    head = [builder.load(builder.gep(table, [WORD(word)])) for word in HEAD]
    with builder.if_then(_wrong(builder, head), likely=False):
        builder.ret(WORD(WRONG))
    with builder.if_then(builder.icmp_unsigned("==", head[KERNEL], WORD(0)), likely=False):
        builder.ret(WORD(0))
    called = context.call_conv.get_function_type(types.none, given).as_pointer()
    values, next_word = [], len(HEAD)
    for type_ in given:
        values.append(_value(builder, context, type_, builder.gep(table, [WORD(next_word)])))
        next_word += _words(type_)
    kernel = builder.inttoptr(head[KERNEL], called)
    status, _ = context.call_conv.call_function(builder, kernel, types.none, given, values)
    builder.ret(builder.zext(status.code, WORD))
    library.add_ir_module(module)


def _value(builder: Any, context: Any, type_: Any, place: Any) -> Any:
    """An argument of the kernel, of the words at a place."""
    if isinstance(type_, types.Array):
        return builder.load(builder.bitcast(place, context.get_value_type(type_).as_pointer()))
    word = builder.load(place)
    return builder.icmp_unsigned("!=", word, WORD(0)) if isinstance(type_, types.Boolean) else word


def _wrong(builder: Any, head: list[Any]) -> Any:
    """Whether an action is out of range; actions in i64 are written as i32 beside it."""
    found = cgutils.alloca_once_value(builder, BIT(0))
    wide = builder.icmp_unsigned("!=", head[WIDE], WORD(0))
    with builder.if_else(wide) as (if_wide, otherwise):
        with if_wide:
            narrowed = builder.inttoptr(head[NARROWED], I32.as_pointer())
            with _each(builder, head, WORD, found) as (index, action):
                builder.store(builder.trunc(action, I32), builder.gep(narrowed, [index]))
        with otherwise, _each(builder, head, I32, found):
            pass
    return builder.load(found)


@contextmanager
def _each(builder: Any, head: list[Any], type_: Any, found: Any) -> Iterator[tuple[Any, Any]]:
    """A loop over actions of this type, which notes in `found` whether one is out of range."""
    actions = builder.inttoptr(head[ACTIONS], type_.as_pointer())
    count = builder.trunc(head[COUNT], type_) if type_ is not WORD else head[COUNT]
    with cgutils.for_range(builder, head[LANES]) as loop:
        action = builder.load(builder.gep(actions, [loop.index]))
        out = builder.icmp_unsigned(">=", action, count)
        builder.store(builder.or_(builder.load(found), out), found)
        yield loop.index, action
