"""The function of C by which a kernel is called, see `hamlet.launch.cpu.entry`, and its compilation with the kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from llvmlite import ir

from hamlet.launch.cpu.entry import (
    ACTIONS,
    ARRAY,
    COUNT,
    HEAD,
    KERNEL,
    LANES,
    NARROWED,
    WIDE,
    WRONG,
    Entry,
    Value,
    entry,
)
from hamlet.launch.cpu.ops.caching import kept_library
from hamlet.launch.cpu.ops.compiling import compiled
from hamlet.launch.cpu.ops.machinery import cgutils, compiler_lock, registry, types

WORD, I32, BIT, BYTE = ir.IntType(64), ir.IntType(32), ir.IntType(1), ir.IntType(8)


def entry_of(kernel: Any, values: Sequence[Value]) -> Entry:
    """A kernel of a module that was loaded from its contents, or of this folder, for arguments of the types of these.
    Compiles it where nobody has."""
    address, library = _compiled(kernel, types_of(kernel, values))
    return entry(address, values, library)


def types_of(kernel: Any, values: Sequence[Value]) -> tuple[Any, ...]:
    """The types of arguments, as numba has them."""
    return tuple(kernel.typeof_pyval(value) for value in values)


@cache
def _compiled(kernel: Any, given: tuple[Any, ...]) -> tuple[int, Any]:
    """The address of the function, and the library that it is in."""

    def generate(library: Any) -> None:
        write(library, name, kernel, given)

    with compiler_lock:
        name = kernel._cache.entry_name(given)
        library = kept_library(name, registry.cpu_target.target_context.codegen(), generate, kernel._cache.announce)
        return library.get_pointer_to_function(name), library


def write(library: Any, name: str, kernel: Any, given: tuple[Any, ...]) -> None:
    """Write a kernel for arguments of these types, and the function of this name that calls it, into a library."""
    context = registry.cpu_target.target_context
    called = compiled(kernel.py_func, given, inlined=False, library=library).fndesc
    module = library.create_ir_module(name)
    function = ir.Function(module, ir.FunctionType(WORD, [BYTE.as_pointer()]), name)
    builder = ir.IRBuilder(function.append_basic_block())
    table = builder.bitcast(function.args[0], WORD.as_pointer())
    head = [builder.load(builder.gep(table, [WORD(word)])) for word in HEAD]
    with builder.if_then(_wrong(builder, head), likely=False):
        builder.ret(WORD(WRONG))
    with builder.if_then(builder.icmp_unsigned("==", head[KERNEL], WORD(0)), likely=False):
        builder.ret(WORD(0))
    values, following = [], len(HEAD)
    for type_ in given:
        values.append(_value(builder, context, type_, builder.gep(table, [WORD(following)])))
        following += ARRAY + 2 * type_.ndim if isinstance(type_, types.Array) else 1
    status, _ = context.call_internal_no_propagate(builder, called, types.none(*given), values)
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
