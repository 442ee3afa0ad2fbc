"""stmatrix and ldmatrix: rows of matrices between a warp and the shared memory of its block."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_text import kernel, run

from hamlet_lab.ptx import Launch, Memory, Program, PtxError, parse

SHARED = ".extern .shared .align 16 .b8 smem[];"
STORE = """
    ld.param.b64 %rd1, [p0];
    {addresses}
    mul.lo.s32 %r20, %r0, 10; add.s32 %r21, %r20, 1; add.s32 %r22, %r20, 2; add.s32 %r23, %r20, 3;
    stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r5], {{%r20, %r21, %r22, %r23}};
    bar.warp.sync -1;
"""
LEFT = """
    shl.b32 %r6, %r2, 4;
    ld.shared.v4.b32 {%r10, %r11, %r12, %r13}, [%r6];
    mul.wide.u32 %rd2, %r0, 16;
    add.s64 %rd3, %rd1, %rd2;
    st.global.v4.b32 [%rd3], {%r10, %r11, %r12, %r13};
"""


def test_a_row_of_a_matrix_is_the_words_of_four_threads() -> None:
    """The row whose address thread n has lies last row first: word p of row r of matrix m is register m of thread
    4 r + p."""
    body = STORE.format(addresses="sub.s32 %r5, 31, %r2; shl.b32 %r5, %r5, 4;") + LEFT
    found = np.zeros((2, 32, 4), np.uint32)
    run(kernel(body, extra=SHARED), [found], blocks=2, shared_bytes=512)
    for block in range(2):
        for place, row in enumerate(found[block]):
            matrix, of = divmod(31 - place, 8)
            assert row.tolist() == [10 * (32 * block + 4 * of + word) + matrix for word in range(4)]


def test_what_was_stored_is_loaded() -> None:
    body = STORE.format(addresses="shl.b32 %r5, %r2, 4;")
    body += "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r5];\n"
    body += "mul.wide.u32 %rd2, %r0, 4; add.s64 %rd3, %rd1, %rd2; st.global.b32 [%rd3], %r12;"
    found = np.zeros(64, np.uint32)
    run(kernel(body, extra=SHARED), [found], blocks=2, shared_bytes=512)
    assert found.tolist() == [10 * thread + 2 for thread in range(64)]


@pytest.mark.parametrize(
    ("addresses", "size"), [("shl.b32 %r5, %r2, 4;", 511), ("shl.b32 %r5, %r2, 4; add.s32 %r5, %r5, 8;", 1024)]
)
def test_rows_lie_in_shared_memory_side_by_side(addresses: str, size: int) -> None:
    with pytest.raises(PtxError, match="a row is no multiple of 16, or outside"):
        run(kernel(STORE.format(addresses=addresses), extra=SHARED), [np.zeros(32, np.uint32)], shared_bytes=size)


def test_other_counts_of_matrices_need_as_many_registers() -> None:
    text = "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r5], {%r20, %r21, %r22, %r23};"
    with pytest.raises(PtxError, match="does not take these operands"):
        run(kernel(text, extra=SHARED), [np.zeros(32, np.uint32)], shared_bytes=512)


def test_a_parameter_with_a_sign_fills_a_wider_register_with_its_sign() -> None:
    body = "ld.param.s32 %rd5, [less]; ld.param.b64 %rd6, [p0]; mul.wide.u32 %rd7, %r0, 8;"
    body += "add.s64 %rd8, %rd6, %rd7; st.global.b64 [%rd8], %rd5;"
    text = kernel(body).replace("align 1 p0\n", "align 1 p0,\n\t.param .u32 less\n")
    memory, found = Memory(1), np.zeros(32, np.int64)
    Program(parse(text)).launch(memory, Launch([memory.place(found), 0xFFFFFFFD], 1, 32))
    assert found.tolist() == [-3] * 32
