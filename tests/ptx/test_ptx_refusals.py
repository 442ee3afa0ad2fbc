"""What is not known to the bit is refused, with its line."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_text import kernel, run

from hamlet_lab.ptx import Launch, Memory, Program, PtxError, parse

UNKNOWN = """
    add.f32 %r1, %r2, %r3;
    add.ftz.f32 %r1, %r2, %r3;
    add.rn.ftz.f32 %r1, %r2, %r3;
    add.rz.f32 %r1, %r2, %r3;
    add.sat.f32 %r1, %r2, %r3;
    add.rz.f64 %rd1, %rd2, %rd3;
    add.rn.f16 %rs1, %rs2, %rs3;
    add.cc.s32 %r1, %r2, %r3;
    mul.f32 %r1, %r2, %r3;
    div.approx.f32 %r1, %r2, %r3;
    div.full.f32 %r1, %r2, %r3;
    sqrt.approx.f32 %r1, %r2;
    rcp.rn.f32 %r1, %r2;
    rsqrt.approx.f32 %r1, %r2;
    ex2.approx.f32 %r1, %r2;
    sin.approx.f32 %r1, %r2;
    fma.rn.ftz.f32 %r1, %r2, %r3, %r4;
    mad.f32 %r1, %r2, %r3, %r4;
    min.NaN.f32 %r1, %r2, %r3;
    min.ftz.f32 %r1, %r2, %r3;
    setp.lt.ftz.f32 %p1, %r1, %r2;
    setp.lt.b32 %p1, %r1, %r2;
    setp.lt.and.s32 %p1, %r1, %r2, %p2;
    cvt.rz.f32.s32 %r1, %r2;
    cvt.rzi.ftz.s32.f32 %r1, %r2;
    cvt.sat.s32.f32 %r1, %r2;
    cvt.rn.satfinite.bf16.f32 %rs1, %r2;
    prmt.b32.f4e %r1, %r2, %r3, %r4;
    shf.l.clamp.b32 %r1, %r2, %r3, %r4;
    mov.u32 %r1, %clock;
    mov.b32 %r1, %smid;
    ld.volatile.global.b32 %r1, [%rd1];
    ld.global.L1::evict_last.b32 %r1, [%rd1];
    ld.param.b32 %r1, [p0];
    ld.param.b64 %rd1, [p9];
    ld.param.b64 %rd1, [p0 + 4];
    ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];
    ld.global.v2.b32 {%r1, %r2, %r3, %r4}, [%rd1];
    atom.global.add.u32 %r1, [%rd1], 1;
    red.global.gpu.relaxed.add.f32 [%rd1], %r1;
    red.global.add.u64 [%rd1], 1;
    shfl.bfly.b32 %r1, %r2, 1, 31;
    shfl.sync.idx.b64 %r1, %r2, 1, 31, -1;
    shfl.sync.idx.b32 %r1|%p1, %r2, 1, 31, -1;
    bar.sync 1;
    bar.sync 0, 32;
    barrier.sync 0;
    vote.sync.any.pred %p1, %p2, -1;
    bra $NOWHERE;
    call foo;
    exit;
    trap;
"""
MISFITS = """
    add.s32 %r1, %r2;
    add.s32 %r1, %r2, %r3, %r4;
    add.s32 %rd1, %r2, %r3;
    add.s32 %r1, %rd2, %r3;
    add.s32 %r1, %r2, %r99;
    add.s32 7, %r2, %r3;
    add.s32 %r1, %r2, 0x100000000;
    add.s16 %rs1, %rs2, 65536;
    add.rn.f32 %r1, %r2, 1;
    add.s64 %rd1, %rd2, 0f3F800000;
    selp.b32 %r1, %r2, %r3, %r4;
    mul.wide.s32 %r1, %r2, %r3;
    @%r1 add.s32 %r1, %r2, %r3;
    mov.b32 %r1, %rd1;
    mov.b32 {%rs1, %r2}, %r3;
    st.global.b32 [%r1], %r2;
    st.global.pred [%rd1], %p1;
    shl.b64 %rd1, %rd2, %rd3;
"""


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


@pytest.mark.parametrize("instruction", lines(UNKNOWN) + lines(MISFITS))
def test_instruction(instruction: str) -> None:
    text = kernel(f"\tmov.b32 %r5, 0;\n\t{instruction}")
    line = next(number for number, line in enumerate(text.splitlines(), 1) if instruction in line)
    with pytest.raises(PtxError, match=f"^PTX line {line}: "):
        Program(parse(text))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (".reqntid 32", ".reqntid 32, 2"),
        (".reqntid 32", ".pragma 1"),
        (".visible .entry", ".visible .func"),
        (".reg .b32 %r<40>", ".reg .f16 %fd<40>; .reg .b32 %r<40>"),
        (".param .u64", ".param .f64"),
        ("ret;", "{ .reg .pred q; } ret;"),
        ("ret;", "ret; ~"),
        ("ret;", "ret"),
        (".section .debug_macinfo { }", ".visible .entry other() { ret; }"),
        ("}", ""),
    ],
)
def test_text(old: str, new: str) -> None:
    text = kernel("")
    assert old in text
    Program(parse(text))
    with pytest.raises(PtxError, match=r"^PTX line"):
        Program(parse(text.replace(old, new)))


def test_variables_of_a_thread_are_its_own() -> None:
    depot = ".local .align 8 .b8 __local_depot0[8]; .reg .b64 %SP; .reg .b32 %r<40>"
    text = kernel("mov.b64 %SP, __local_depot0;").replace(".reg .b32 %r<40>", depot)
    assert "depot" in text

    def loads(place: str) -> None:
        body = f"ld.param.b64 %rd1, [p0]; ld.local.b32 %r1, [{place}]; ret;"
        run(text.replace("ret;", body), [np.zeros(32, np.uint32)])

    loads("%SP+4")
    for place in ("%SP+8", "%rd1"):
        with pytest.raises(PtxError, match="outside the variables of its thread"):
            loads(place)
    with pytest.raises(PtxError, match="needs a register"):
        Program(parse(kernel("mov.b64 %rd1, __local_depot0;")))


def test_lines_are_counted_in_comments() -> None:
    with pytest.raises(PtxError, match=r"^PTX line 3: "):
        parse("/* one\ntwo */\n~")


def test_launches_must_fit() -> None:
    program = Program(parse(kernel("")))
    program.launch(Memory(1), Launch([0], 1, 32))
    with pytest.raises(PtxError, match="blocks of 64 threads"):
        program.launch(Memory(1), Launch([0], 1, 64))
    with pytest.raises(PtxError, match="has 1 parameters, not 2"):
        program.launch(Memory(1), Launch([0, 0], 1, 32))
