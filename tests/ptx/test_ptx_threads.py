"""Branches, loops, and instructions of warps and blocks."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_text import kernel, outputs, run

from hamlet_lab.ptx import PtxError

LANES = np.arange(32)


def test_branches_divide_and_meet() -> None:
    body = """
    mov.b32 %r10, 0;
    and.b32 %r20, %r0, 1;
    setp.eq.b32 %p1, %r20, 0;
    @%p1 bra $EVEN;
    add.s32 %r10, %r10, 100;
    bra.uni $BOTH;
$EVEN:
    add.s32 %r10, %r10, 200;
$BOTH:
    add.s32 %r10, %r10, %r0;
    """
    assert (outputs(body) == np.where(LANES % 2, 100, 200) + LANES).all()


def test_loops_of_different_lengths() -> None:
    """Thread t adds 0 + 1 + ... + t; all meet behind the loop, where the whole warp takes the maximum."""
    body = """
    mov.b32 %r10, 0;
    mov.b32 %r20, 0;
$LOOP:
    add.s32 %r10, %r10, %r20;
    add.s32 %r20, %r20, 1;
    setp.le.u32 %p1, %r20, %r0;
    @%p1 bra $LOOP;
    redux.sync.max.s32 %r21, %r10, -1;
    @!%p1 add.s32 %r10, %r10, %r21;
    """
    assert (outputs(body) == LANES * (LANES + 1) // 2 + 496).all()


def test_backward_branch_runs_the_last_first() -> None:
    """Threads that jump back go on before those that wait further on."""
    body = """
    mov.b32 %r10, 0;
    bra $SECOND;
$FIRST:
    add.s32 %r10, %r10, 1;
$SECOND:
    add.s32 %r10, %r10, 10;
    setp.lt.u32 %p1, %r10, %r0;
    @%p1 bra $FIRST;
    """

    def count(thread: int) -> int:
        value = 10
        while value < thread:
            value += 11
        return value

    assert outputs(body).tolist() == [count(thread) for thread in range(32)]


def test_guards_within_a_branch() -> None:
    """An instruction is executed by the threads that are there and that its guard lets through."""
    data = np.zeros(32, np.uint32)
    body = """
    mov.b32 %r10, 0;
    mul.wide.u32 %rd20, %r0, 4; add.s64 %rd21, %rd1, %rd20;
    setp.lt.u32 %p1, %r0, 20;
    setp.lt.u32 %p2, %r0, 10;
    @!%p1 bra $REST;
    @!%p2 mov.b32 %r10, 1;
    @!%p2 st.global.b32 [%rd21], 1;
$REST:
    add.s32 %r10, %r10, 5;
    """
    assert outputs(body, data).tolist() == [5] * 10 + [6] * 10 + [5] * 12
    assert data.tolist() == [0] * 10 + [1] * 10 + [0] * 12


def test_return_of_some() -> None:
    data = np.zeros(32, np.uint32)
    body = """
    ld.param.b64 %rd1, [p0]; mul.wide.u32 %rd2, %r0, 4; add.s64 %rd3, %rd1, %rd2;
    setp.lt.u32 %p1, %r0, 5;
    @%p1 ret;
    st.global.b32 [%rd3], 1;
    """
    run(kernel(body), [data])
    assert data.tolist() == [0] * 5 + [1] * 27


def test_registers_that_were_never_written() -> None:
    assert (outputs("mov.b32 %r10, %r33;") == 0xA5A5A5A5).all()


VALUES = np.array([(7 * lane + 3) * 0x9E3779B1 % 2**32 for lane in range(64)], np.uint32)
LOAD = "mul.wide.u32 %rd20, %r0, 4; add.s64 %rd21, %rd1, %rd20; ld.global.b32 %r20, [%rd21];"


@pytest.mark.parametrize("name", ["add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32"])
def test_redux_of_numbers(name: str) -> None:
    function, kind = name.split(".")
    numbers = [int(value) for value in (VALUES.view(np.int32) if kind == "s32" else VALUES)]
    expected = [{"add": sum, "min": min, "max": max}[function](numbers[i : i + 32]) % 2**32 for i in (0, 32)]
    found = outputs(f"{LOAD} redux.sync.{name} %r10, %r20, 0xffffffff;", VALUES, threads=64)
    assert found.tolist() == [value for value in expected for _ in range(32)]


@pytest.mark.parametrize(("name", "start"), [("and", 2**32 - 1), ("or", 0), ("xor", 0)])
def test_redux_of_bits(name: str, start: int) -> None:
    values = VALUES | 0x10000 if name == "and" else VALUES & 0xFFFF
    expected = []
    for first in (0, 32):
        result = start
        for value in map(int, values[first : first + 32]):
            result = {"and": result & value, "or": result | value, "xor": result ^ value}[name]
        expected += [result] * 32
    assert outputs(f"{LOAD} redux.sync.{name}.b32 %r10, %r20, -1;", values, threads=64).tolist() == expected


@pytest.mark.parametrize(
    ("operands", "expected"),
    [
        ("bfly.b32 %r10, %r20, 1, 31", lambda lane: lane ^ 1),
        ("bfly.b32 %r10, %r20, 16, 31", lambda lane: lane ^ 16),
        ("bfly.b32 %r10, %r20, 1, 7", lambda lane: lane ^ 1 if lane <= 7 else lane),
        ("up.b32 %r10, %r20, 3, 0", lambda lane: lane - 3 if lane >= 3 else lane),
        ("down.b32 %r10, %r20, 3, 31", lambda lane: lane + 3 if lane + 3 < 32 else lane),
        ("idx.b32 %r10, %r20, 5, 31", lambda _: 5),
        ("idx.b32 %r10, %r20, 37, 31", lambda _: 5),
        ("idx.b32 %r10, %r20, %r0, 31", lambda lane: lane),
        ("idx.b32 %r10, %r20, 20, 7", lambda lane: lane),
        # Segments of eight lanes.
        ("idx.b32 %r10, %r20, 13, 0x181f", lambda lane: lane // 8 * 8 + 5),
        ("idx.b32 %r10, %r20, 6, 0x1803", lambda lane: lane),
        ("down.b32 %r10, %r20, 3, 0x181f", lambda lane: lane + 3 if lane % 8 + 3 < 8 else lane),
        ("up.b32 %r10, %r20, 3, 0x1800", lambda lane: lane - 3 if lane % 8 >= 3 else lane),
    ],
)
def test_shuffles(operands: str, expected: object) -> None:
    assert callable(expected)
    found = outputs(f"{LOAD} shfl.sync.{operands}, -1;", VALUES, threads=64)
    assert found.tolist() == [VALUES[warp + expected(lane)] for warp in (0, 32) for lane in range(32)]


def test_lanes_take_what_each_wants() -> None:
    """Also of a lane that is not among the first 32 bits of its number."""
    wanted = np.array([(11 * lane + 40) % 96 for lane in range(64)], np.uint32)
    found = outputs(f"{LOAD} shfl.sync.idx.b32 %r10, %r0, %r20, 31, -1;", wanted, threads=64)
    assert found.tolist() == [32 * (lane // 32) + int(wanted[lane]) % 32 for lane in range(64)]


@pytest.mark.parametrize(
    "instruction", ["redux.sync.max.s32 %r10, %r0, -1;", "shfl.sync.bfly.b32 %r10, %r0, 1, 31, -1;", "bar.sync 0;"]
)
def test_warps_must_be_together(instruction: str) -> None:
    whole = f"setp.lt.u32 %p1, %r0, 32; mov.b32 %r10, 1; @%p1 bra $ON; {instruction}\n$ON:"
    outputs(whole, threads=64)
    with pytest.raises(PtxError, match="not all threads of a"):
        outputs(whole.replace("%r0, 32;", "%r0, 31;"), threads=64)


@pytest.mark.parametrize("instruction", ["redux.sync.add.u32 %r10, %r0, -1;", "bar.sync 0; mov.b32 %r10, 2016;"])
def test_threads_wait_for_those_that_take_a_way_further_down(instruction: str) -> None:
    body = f"""
    mov.b32 %r10, 0;
    setp.lt.u32 %p1, %r0, 7;
    @%p1 bra $DOWN;
$TOGETHER:
    {instruction}
    bra $END;
$DOWN:
    add.u32 %r11, %r0, 1;
    bra $TOGETHER;
$END:
"""
    assert outputs(body, threads=64).tolist() == ([496] * 32 + [1520] * 32 if "redux" in instruction else [2016] * 64)


def test_some_members_of_a_warp_are_refused() -> None:
    with pytest.raises(PtxError, match="some threads of a warp"):
        outputs("redux.sync.max.s32 %r10, %r0, 0xffff;")
