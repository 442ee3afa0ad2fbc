"""Kernels in PTX text for tests, and running them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hamlet_lab.ptx import Launch, Memory, Program, parse
from hamlet_lab.ptx.types import PRED, Scalar

PREFIXES = {1: "%p", 8: "%rs", 16: "%rs", 32: "%r", 64: "%rd"}


def kernel(body: str, parameters: int = 1, extra: str = "") -> str:
    """A kernel with 64-bit parameters p0, p1, ...; %r0 is the number of the thread."""
    listed = ",\n".join(f"\t.param .u64 .ptr .global .align 1 p{number}" for number in range(parameters))
    return f""".version 8.0
.target sm_90a
.address_size 64
{extra}
.visible .entry test(
{listed}
)
.reqntid 32
{{
	.reg .pred %p<20>; .reg .b16 %rs<20>; .reg .b32 %r<40>; .reg .b64 %rd<40>;
	.loc 1 2 3 // test.py:2:3
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %tid.x;
	mad.lo.s32 %r0, %r1, 32, %r2;
{body}
	ret;
}}
	.file 1 "test.py"
	.section .debug_macinfo {{ }}
"""


def run(text: str, arrays: Sequence[npt.NDArray[Any]], blocks: int = 1, shared_bytes: int = 0) -> None:
    """Launch a kernel whose parameters are these arrays."""
    memory = Memory(1)
    addresses = [memory.place(array) for array in arrays]
    Program(parse(text)).launch(memory, Launch(addresses, blocks, 32, shared_bytes))


def outputs(body: str, *inputs: npt.NDArray[Any], threads: int = 32, dtype: str = "u4", extra: str = "") -> Any:
    """What each thread leaves in %r10 (or %rd10, %rs10). Input k is the array p<k+1>, whose address is in %rd<k+1>."""
    result = np.zeros(threads, dtype)
    size = result.dtype.itemsize
    loads = "".join(f"\tld.param.b64 %rd{number + 1}, [p{number + 1}];\n" for number in range(len(inputs)))
    register = f"{PREFIXES[8 * size]}10"
    text = f"""{loads}
{body}
	ld.param.b64 %rd30, [p0];
	mul.wide.u32 %rd31, %r0, {size};
	add.s64 %rd32, %rd30, %rd31;
	st.global.b{8 * size} [%rd32], {register};
"""
    run(kernel(text, 1 + len(inputs), extra), [result, *inputs], threads // 32)
    return result


def computed(opcode: str, result: Scalar, operands: Sequence[Scalar], columns: Sequence[Sequence[int]]) -> list[int]:
    """What an instruction gives: raw bits, for columns of operands given as raw bits."""
    count = len(columns[0])
    threads = -(-count // 32) * 32
    body, inputs, names = "", [], []
    for number, (scalar, column) in enumerate(zip(operands, columns, strict=True), 1):
        width = max(scalar.bits, 8) // 8
        inputs.append(np.array([*column, *[0] * (threads - count)], f"u{width}"))
        register = PREFIXES[max(scalar.bits, 8)] + str(number)
        if width == 8:
            register = f"%rd2{number}"
        elif width == 4:
            register = f"%r2{number}"
        body += f"\tmul.wide.u32 %rd31, %r0, {width};\n\tadd.s64 %rd32, %rd{number}, %rd31;\n"
        body += f"\tld.global.b{8 * width} {register}, [%rd32];\n"
        if scalar is PRED:
            body += f"\tsetp.ne.b16 %p{number}, {register}, 0;\n"
            register = f"%p{number}"
        names.append(register)
    target = f"{PREFIXES[result.bits]}10"
    body += f"\t{opcode} {target}, {', '.join(names)};\n"
    if result is PRED:
        body += "\tselp.b32 %r10, 1, 0, %p10;\n"
    found = outputs(body, *inputs, threads=threads, dtype=f"u{result.bits // 8}" if result is not PRED else "u4")
    return [int(value) for value in found[:count]]
