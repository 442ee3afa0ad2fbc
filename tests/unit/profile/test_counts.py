"""How often machine code runs, by the PTX that it comes from: what the assembler unrolls, keeps, moves and repeats."""

from __future__ import annotations

import re

import pytest

from hamlet.errors import EnvError
from hamlet_lab.machine_code.sass import Block, basic_blocks
from hamlet_lab.profile.counts import executions
from hamlet_lab.profile.frequency import Frequency, Stretch

# Of 8 rows, PTX has a loop (20 .. 23); before it stands 10, behind it 30, and rarely 40. Line 22 is of 64 bits.
COPY = """
	//## File ".nv_debug_ptx_txt", line 20
  /**/ FSETP.GT.AND P0, PT, R2, R3, PT ;
	//## File ".nv_debug_ptx_txt", line 21
  /**/ @P0 STG.E [R4.64], R2 ;
	//## File ".nv_debug_ptx_txt", line 22
  /**/ IADD3 R4, P1, R4, R6, RZ ;
  /**/ IMAD.X R5, R5, 0x1, R7, P1 ;
"""
BEGIN = """
	.section	.text.step,"ax",@progbits
.text.step:
	//## File ".nv_debug_ptx_txt", line 10
  /**/ LDC R1, c[0x0][0x28] ;
  /**/ ISETP.GT.AND P2, PT, R1, RZ, PT ;
	//## File ".nv_debug_ptx_txt", line 20
  /**/ MOV R3, 0x3f000000 ;
"""
BACK = """
	//## File ".nv_debug_ptx_txt", line 23
  /**/ ISETP.NE.AND P3, PT, R8, RZ, PT ;
  /**/ @P3 BRA `(.L_x_0) ;
"""
END = """
	//## File ".nv_debug_ptx_txt", line 30
  /**/ FADD R9, R9, R2 ;
  /**/ @P2 BRA `(.L_x_1) ;
	//## File ".nv_debug_ptx_txt", line 40
  /**/ FMUL R9, R9, R9 ;
  /**/ CALL.REL.NOINC `($__internal_0_$__div) ;
.L_x_1:
	//## File ".nv_debug_ptx_txt", line 50
  /**/ EXIT ;
.L_x_2:
  /**/ BRA `(.L_x_2) ;
  /**/ NOP ;
$__internal_0_$__div:
  /**/ MUFU.RCP R5, R5 ;
"""
STRETCHES = (
    Stretch((10,), 1),
    Stretch((20, 21, 22, 23), 8),
    Stretch((30,), 1),
    Stretch((40,), 0.25),
    Stretch((50,), 1),
)


def blocks(*parts: str) -> list[Block]:
    text, numbers = "".join(parts), iter(range(1000))
    return basic_blocks(re.sub(r"/\*\*/", lambda _: f"/*{16 * next(numbers):04x}*/", text), "step")


def counted(*parts: str) -> list[tuple[int, float]]:
    """The size of each block that is there, and how often it runs."""
    found = blocks(*parts)
    runs = executions(found, Frequency("", STRETCHES, 1))
    return [(len(block.instructions), each) for block, each in zip(found, runs, strict=True) if block.instructions]


REST = [(2, 0.25), (1, 1), (1, 0), (1, 0), (1, 0)]
"""The branch, the end, and what is never come to."""


def test_copies_of_an_unrolled_loop_run_once() -> None:
    assert counted(BEGIN, COPY * 8, END) == [(3 + 8 * 4 + 2, 1), *REST]


def test_copies_in_a_loop_share_its_turns() -> None:
    assert counted(BEGIN, ".L_x_0:\n", COPY * 4, BACK, END) == [(3, 1), (4 * 4 + 2, 2), (2, 1), *REST]


def test_a_loop_that_is_kept_runs_as_often_as_in_ptx() -> None:
    assert counted(BEGIN, ".L_x_0:\n", COPY, BACK, END) == [(3, 1), (4 + 2, 8), (2, 1), *REST]


def test_nothing_outside_of_loops_runs_more_than_once_in_a_launch() -> None:
    """What is left of a loop here, its first instruction, stands before it."""
    alone = BEGIN.replace("line 10", "line 20")
    assert counted(alone, ".L_x_0:\n", COPY, BACK, END)[0] == (3, 1)


def test_machine_code_without_lines_of_ptx_is_refused() -> None:
    found = blocks(re.sub(r"\t//##.*\n", "", BEGIN + END))
    with pytest.raises(EnvError, match="does not say which PTX it comes from"):
        executions(found, Frequency("", STRETCHES, 1))
