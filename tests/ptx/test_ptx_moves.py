"""mov, ld, st, red, cvta and special registers."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_text import kernel, outputs, run

from hamlet_lab.ptx import PtxError, parse

NUMBERS = np.arange(32, dtype=np.uint32)


def test_special_registers() -> None:
    for register, expected in {
        "%tid.x": np.tile(NUMBERS, 3),
        "%ctaid.x": np.repeat([0, 1, 2], 32),
        "%ntid.x": np.full(96, 32),
        "%nctaid.x": np.full(96, 3),
        "%laneid": np.tile(NUMBERS, 3),
        "%tid.y": np.zeros(96),
        "%ntid.z": np.ones(96),
    }.items():
        assert (outputs(f"mov.u32 %r10, {register};", threads=96) == expected).all(), register


def test_many_blocks_run_in_turns() -> None:
    threads = 32 * 700
    assert (outputs("mov.b32 %r10, %r0;", threads=threads) == np.arange(threads)).all()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("mov.b32 %r10, -1;", 0xFFFFFFFF),
        ("mov.b32 %r10, 18446744073709551615;", 0xFFFFFFFF),
        ("mov.b32 %r10, 0f3F800000;", 0x3F800000),
        ("mov.u32 %r10, 0x10U;", 16),
        ("mov.pred %p1, -1; selp.b32 %r10, 7, 9, %p1;", 7),
        ("mov.pred %p1, 0; selp.b32 %r10, 7, 9, %p1;", 9),
        ("mov.b16 %rs1, 0x1234; mov.b16 %rs2, 0x5678; mov.b32 %r10, {%rs1, %rs2};", 0x56781234),
        ("mov.b32 %r1, 0x56781234; mov.b32 {%rs1, %rs2}, %r1; cvt.u32.u16 %r10, %rs2;", 0x5678),
        ("mov.b64 %rd1, 0x123456789; mov.b64 {%r10, %r2}, %rd1;", 0x23456789),
        ("mov.b64 %rd1, 0x123456789; mov.b64 {%r2, %r10}, %rd1;", 1),
        ("mov.b64 %rd1, 0x123456789; mov.b64 {_, %r10}, %rd1;", 1),
        ("mov.b16 %rs1, -1; cvt.u32.u8 %r10, %rs1;", 0xFF),
        ("mov.b64 %rd1, 0x187654321; cvt.s64.s32 %rd2, %rd1; mov.b64 {%r2, %r10}, %rd2;", 0xFFFFFFFF),
        ("mov.b64 %rd1, 0x187654321; cvt.u32.u16 %r10, %rd1;", 0x4321),
        ("mov.b32 %r1, 0x180; cvt.s32.s8 %r10, %r1;", 0xFFFFFF80),
        ("mov.b64 %rd1, 0x55; cvta.to.global.u64 %rd2, %rd1; cvt.u32.u64 %r10, %rd2;", 0x55),
    ],
)
def test_mov(body: str, expected: int) -> None:
    assert (outputs(body) == expected).all()


def test_loads_of_bytes_extend() -> None:
    data = np.arange(240, 272).astype(np.uint8)
    address = "cvt.u64.u32 %rd20, %r0; add.s64 %rd21, %rd1, %rd20;"
    for kind in ("b8", "u8"):
        found = outputs(f"{address} ld.global.{kind} %rs10, [%rd21];", data, dtype="u2")
        assert (found == data).all()
    found = outputs(f"{address} ld.global.s8 %rs10, [%rd21];", data, dtype="u2")
    assert (found == data.view(np.int8).astype(np.int16).view(np.uint16)).all()


def test_a_byte_is_stored_alone() -> None:
    data = np.zeros(64, np.uint8)
    body = "ld.param.b64 %rd1, [p0]; mul.wide.u32 %rd2, %r0, 2; add.s64 %rd3, %rd1, %rd2;"
    run(kernel(f"{body} mov.b16 %rs1, 0x1234; st.global.b8 [%rd3 + 1], {{ %rs1 }};"), [data])
    assert data.tolist() == [0, 0x34] * 32


def test_vectors() -> None:
    data = np.arange(128, dtype=np.uint32)
    address = "mul.wide.u32 %rd20, %r0, 16; add.s64 %rd21, %rd1, %rd20;"
    load = "ld.global.v4.b32 {%r20, %r21, %r22, %r10}, [%rd21];"
    assert (outputs(f"{address} {load}", data) == data[3::4]).all()
    store = "ld.global.v2.b32 {%r20, %r21}, [%rd21+8]; st.global.v2.b32 [%rd21], {%r21, %r20}; mov.b32 %r10, 0;"
    outputs(f"{address} {store}", data)
    assert data[:8].tolist() == [3, 2, 2, 3, 7, 6, 6, 7]


def test_guards() -> None:
    """Threads that a guard keeps out neither compute, nor load, nor store: their addresses may be anything."""
    data = np.arange(16, dtype=np.uint32)
    body = """
    setp.lt.u32 %p1, %r0, 16;
    mov.b32 %r10, 99;
    mul.wide.u32 %rd20, %r0, 4; add.s64 %rd21, %rd1, %rd20;
    @%p1 ld.global.b32 %r10, [%rd21];
    @!%p1 add.s32 %r10, %r10, 1;
    @%p1 st.global.b32 [%rd21], 5;
    """
    assert outputs(body, data).tolist() == [*range(16), *[100] * 16]
    assert (data == 5).all()


def test_red_counts_every_thread() -> None:
    counts = np.zeros(2, np.uint64)
    body = """
    ld.param.b64 %rd1, [p0];
    setp.lt.u32 %p1, %r0, 40;
    @%p1 red.global.gpu.relaxed.add.u64 [%rd1 + 8], 3;
    red.global.gpu.relaxed.add.u64 [%rd1], 1;
    """
    run(kernel(body), [counts], blocks=2)
    assert counts.tolist() == [64, 120]


def test_atom_counts_and_finds_what_nobody_can_know() -> None:
    counts = np.zeros(2, np.uint64)
    body = """
    setp.lt.u32 %p1, %r0, 7;
    mov.b64 %rd10, 5;
    @%p1 atom.global.gpu.relaxed.add.u64 %rd10, [ %rd1 + 8 ], 3;
    """
    assert outputs(body, counts, dtype="u8").tolist() == [0xA5A5A5A5A5A5A5A5] * 7 + [5] * 25
    assert counts.tolist() == [0, 21]


def test_several_arrays_in_one_access() -> None:
    first, second = np.arange(32, dtype=np.uint32), np.arange(100, 132, dtype=np.uint32)
    body = """
    setp.lt.u32 %p1, %r0, 7;
    selp.b64 %rd20, %rd1, %rd2, %p1;
    mul.wide.u32 %rd21, %r0, 4; add.s64 %rd22, %rd20, %rd21;
    ld.global.b32 %r10, [%rd22];
    """
    assert outputs(body, first, second).tolist() == [*range(7), *range(107, 132)]


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("mov.b64 %rd2, 0; ld.global.b32 %r1, [%rd2];", "outside every array"),
        ("ld.global.b32 %r1, [%rd1 + 128];", "4 bytes at 0x80 are outside an array of 128 bytes"),
        ("ld.global.b32 %r1, [%rd1 + 125];", "no multiple of 4"),
        ("ld.global.b32 %r1, [%rd1 + -4];", "outside every array"),
        ("ld.global.v2.b32 {%r1, %r2}, [%rd1 + 4];", "no multiple of 8"),
        ("ld.global.v2.b32 {%r1, %r2}, [%rd1 + 124];", "no multiple of 8"),
        ("st.global.b64 [%rd1 + 128], %rd1;", "outside an array"),
        ("mul.wide.u32 %rd2, %r0, 8; add.s64 %rd3, %rd1, %rd2; st.global.b32 [%rd3], %r0;", "outside an array"),
        ("st.global.b32 [%rd1], %r0;", "different values"),
        ("red.global.gpu.relaxed.add.u64 [%rd1 + 128], 1;", "outside an array"),
        ("mov.b32 %r9, 4; ld.shared.b32 %r1, [%r9];", "outside 0 bytes of shared memory"),
    ],
)
def test_accesses_are_checked(body: str, complaint: str) -> None:
    text = kernel(f"ld.param.b64 %rd1, [p0];\n{body}")
    with pytest.raises(PtxError, match=complaint) as error:
        run(text, [np.zeros(32, np.uint32)])
    assert f"PTX line {next(i for i, line in enumerate(text.splitlines(), 1) if body in line)}:" in str(error.value)


@pytest.mark.parametrize("space", ["shared", "shared::cta"])
def test_shared_memory_belongs_to_a_block(space: str) -> None:
    """Each thread reads what its neighbour in the block wrote."""
    data = np.zeros(64, np.uint32)
    body = """
    mov.b32 %r20, smem;
    shl.b32 %r21, %r2, 2;
    add.s32 %r22, %r20, %r21;
    {store} [%r22], %r0;
    bar.sync 0;
    xor.b32 %r23, %r21, 4;
    .pragma "used_bytes_mask 0xf";
    {load} %r24, [%r23];
    ld.param.b64 %rd1, [p0]; mul.wide.u32 %rd2, %r0, 4; add.s64 %rd3, %rd1, %rd2;
    st.global.b32 [%rd3], %r24;
    """.format(store=f"st.{space}.b32", load=f"ld.{space}.b32")
    text = kernel(body, extra=".extern .shared .align 16 .b8 smem[];")
    run(text, [data], blocks=2, shared_bytes=128)
    assert data.tolist() == [number ^ 1 for number in range(64)]
    with pytest.raises(PtxError, match="outside 124 bytes of shared memory"):
        run(text, [data], blocks=2, shared_bytes=124)


TABLE = ".global .align 4 .b8 numbers[16] = {1, 0, 0, 0, 2, 0, 0, 0, 255, 255};"
OWN = """
    .local .align 16 .b8 __local_depot0[24];
    .reg .b64 %SP; .reg .b64 %SPL;
    .loc 1 2 3
    mov.u64 %SPL, __local_depot0;
    cvta.local.u64 %SP, %SPL;
"""


def test_threads_have_memory_of_their_own() -> None:
    """With its space and without, in parts and as a whole; a wider register gives its lowest bits, and takes some."""
    body = (
        OWN
        + """
    cvt.u64.u32 %rd20, %r0; mad.lo.s64 %rd21, %rd20, 4294967297, 7;
    st.local.u32 [%SPL+4], %rd21;
    st.u32 [%SP+8], %r0;
    ld.local.v2.u32 {%r20, %r21}, [%SPL+8];
    ld.local.s8 %r22, [%SPL+4];
    ld.u8 %rd22, [%SP+4]; cvt.u32.u64 %r23, %rd22;
    add.s32 %r10, %r20, %r22; shl.b32 %r24, %r23, 16; add.s32 %r10, %r10, %r24;
    """
    )
    # Nobody wrote the second word of the pair.
    expected = [2 * number + 7 + (number + 7 << 16) for number in range(64)]
    assert outputs(body, threads=64).tolist() == expected


def test_tables_of_the_text_are_read_and_never_written() -> None:
    body = """
    mov.u64 %rd20, numbers; and.b32 %r20, %r2, 3; mul.wide.u32 %rd21, %r20, 4; add.s64 %rd22, %rd20, %rd21;
    cvta.global.u64 %rd23, %rd20;
    ld.global.nc.u32 %r10, [%rd22]; ld.u8 %r21, [%rd23+4]; add.s32 %r10, %r10, %r21;
    """
    assert outputs(body, extra=TABLE)[:4].tolist() == [3, 4, 65537, 2]
    with pytest.raises(ValueError, match="read-only"):
        outputs("mov.u64 %rd20, numbers; st.global.u32 [%rd20], %r0;", extra=TABLE)


def test_a_text_of_two_kernels_is_asked_for_one() -> None:
    text = kernel("").partition("\t.file")[0]
    twice = text + text.partition(".address_size 64")[2].replace("entry test", "entry other")
    assert parse(twice, "other").name == "other"
    with pytest.raises(PtxError, match="there are 2 kernels"):
        parse(twice)
    with pytest.raises(PtxError, match="there are 0 kernels none"):
        parse(twice, "none")
