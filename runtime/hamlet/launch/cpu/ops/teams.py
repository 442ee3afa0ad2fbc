"""Threads that wait in machine code for the next launch: waking a thread of Python takes longer than a small step.

A member waits at a semaphore, at first without sleeping, takes what is posted, runs it and says so at another one. The
leader runs its own part and takes back what nobody has begun: a member that sleeps, that gets no processor, or that a
fork left behind delays nobody. Python's lock is held by none of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from llvmlite import ir

from hamlet.launch.cpu.entry import (
    ARGUMENT,
    BLOCK,
    CALLED,
    CLAIMED,
    COUNTS,
    DONE,
    ENDED,
    IDLE,
    PAIRS,
    POSTED,
    START,
    STATE,
    TEAM,
)
from hamlet.launch.cpu.ops.caching import kept_library
from hamlet.launch.cpu.ops.machinery import cgutils, compiler_lock, registry
from hamlet.launch.cpu.team import LEAD, NAMES, SERVE, Functions, functions_at

WORD, I32, BYTE, NOTHING = ir.IntType(64), ir.IntType(32), ir.IntType(8), ir.VoidType()

YIELDS = 100
"""How often a thread looks at a semaphore and yields the processor before it sleeps: some 40 microseconds."""


@cache
def functions() -> Functions:
    """Compile them where nobody has."""
    context = registry.cpu_target.target_context
    with compiler_lock:
        library = kept_library(TEAM, context.codegen(), write_team)
        serve, lead = (library.get_pointer_to_function(name) for name in NAMES)
    return functions_at(serve, lead, library)


def write_team(library: Any) -> None:
    """Write both into a library."""
    module = library.create_ir_module(TEAM)
    wait = _write_wait(module)
    _write_serve(module, wait)
    _write_lead(module, wait)
    library.add_ir_module(module)


def _write_wait(module: Any) -> Any:
    """Wait at a semaphore: look, yield, look again, in the end sleep."""
    function = ir.Function(module, ir.FunctionType(NOTHING, [BYTE.as_pointer()]), f"{TEAM}_wait")
    function.linkage = "internal"
    builder = ir.IRBuilder(function.append_basic_block())
    semaphore = function.args[0]
    with cgutils.for_range(builder, WORD(YIELDS)):
        missed = builder.call(_c(module, "sem_trywait", [BYTE.as_pointer()]), [semaphore])
        with builder.if_then(builder.icmp_unsigned("==", missed, I32(0))):
            builder.ret_void()
        builder.call(_c(module, "sched_yield", []), [])
    sleep = builder.append_basic_block("sleep")
    builder.branch(sleep)
    builder.position_at_end(sleep)
    # A signal interrupts it.
    interrupted = builder.icmp_unsigned(
        "!=", builder.call(_c(module, "sem_wait", [BYTE.as_pointer()]), [semaphore]), I32(0)
    )
    end = builder.append_basic_block("end")
    builder.cbranch(interrupted, sleep, end)
    builder.position_at_end(end)
    builder.ret_void()
    return function


def _write_serve(module: Any, wait: Any) -> None:
    function = ir.Function(module, ir.FunctionType(NOTHING, [WORD]), SERVE)
    builder = ir.IRBuilder(function.append_basic_block())
    block = function.args[0]
    again = builder.append_basic_block("again")
    builder.branch(again)
    builder.position_at_end(again)
    builder.call(wait, [_semaphore(builder, block, START)])
    before, claimed = _change(builder, block, POSTED, CLAIMED)
    with builder.if_then(claimed):
        _call(builder, block)
        builder.store_atomic(WORD(IDLE), _word(builder, block, STATE), "release", 8)
        builder.call(_c(module, "sem_post", [BYTE.as_pointer()]), [_semaphore(builder, block, DONE)])
    end = builder.append_basic_block("end")
    builder.cbranch(builder.icmp_unsigned("==", before, WORD(ENDED)), end, again)
    builder.position_at_end(end)
    builder.ret_void()


def _write_lead(module: Any, wait: Any) -> None:
    function = ir.Function(module, ir.FunctionType(NOTHING, [WORD, WORD]), LEAD)
    builder = ir.IRBuilder(function.append_basic_block())
    leader, count = function.args
    with _members(builder, leader, count) as block:
        builder.store_atomic(WORD(POSTED), _word(builder, block, STATE), "release", 8)
        builder.call(_c(module, "sem_post", [BYTE.as_pointer()]), [_semaphore(builder, block, START)])
    _call(builder, leader)
    with _members(builder, leader, count) as block:
        _, taken_back = _change(builder, block, POSTED, IDLE)
        with builder.if_then(builder.not_(taken_back)):
            builder.call(wait, [_semaphore(builder, block, DONE)])
            _add_counts(builder, block)
    builder.ret_void()


def _add_counts(builder: Any, block: Any) -> None:
    pairs, count = (builder.load(_word(builder, block, word)) for word in (COUNTS, PAIRS))
    with cgutils.for_range(builder, count) as loop:
        pair = builder.add(pairs, builder.mul(loop.index, WORD(24)))
        to, of, length = (builder.load(_word(builder, pair, word)) for word in range(3))
        with cgutils.for_range(builder, length) as inner:
            total, part = (builder.gep(builder.inttoptr(array, WORD.as_pointer()), [inner.index]) for array in (to, of))
            builder.store(builder.add(builder.load(total), builder.load(part)), total)
            builder.store(WORD(0), part)


@contextmanager
def _members(builder: Any, leader: Any, count: Any) -> Iterator[Any]:
    """A loop over the blocks behind the leader's."""
    with cgutils.for_range(builder, count, start=WORD(1)) as loop:
        yield builder.add(leader, builder.mul(loop.index, WORD(8 * BLOCK)))


def _call(builder: Any, block: Any) -> None:
    called = ir.FunctionType(WORD, [BYTE.as_pointer()]).as_pointer()
    function, argument = (builder.load(_word(builder, block, word)) for word in (CALLED, ARGUMENT))
    builder.call(builder.inttoptr(function, called), [builder.inttoptr(argument, BYTE.as_pointer())])


def _change(builder: Any, block: Any, old: int, new: int) -> tuple[Any, Any]:
    """The state of a block before it is changed from one to another, and whether it was."""
    changed = builder.cmpxchg(_word(builder, block, STATE), WORD(old), WORD(new), "acq_rel", "acquire")
    return builder.extract_value(changed, 0), builder.extract_value(changed, 1)


def _word(builder: Any, block: Any, word: int) -> Any:
    return builder.inttoptr(builder.add(block, WORD(8 * word)), WORD.as_pointer())


def _semaphore(builder: Any, block: Any, word: int) -> Any:
    return builder.inttoptr(builder.add(block, WORD(8 * word)), BYTE.as_pointer())


def _c(module: Any, name: str, parameters: list[Any]) -> Any:
    """A function of the C library that gives an int."""
    return cgutils.get_or_insert_function(module, ir.FunctionType(I32, parameters), name)
