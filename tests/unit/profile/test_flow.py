"""How often machine code runs, by the PTX that it comes from: what the assembler unrolls, keeps, moves and repeats."""

from __future__ import annotations

import re

import pytest

from hamlet.errors import EnvError
from hamlet_lab.machine_code.sass import Block, basic_blocks
from hamlet_lab.profile.flow import executions
from hamlet_lab.profile.frequency import Frequency, Passing

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
RUNS = {(10,): 4, (20, 21, 22, 23): 32, (30,): 4, (40,): 1, (50,): 4}
"""How many of 4 warps ran these lines in one launch."""


def frequency(passing: dict[int, Passing] | None = None, runs: dict[tuple[int, ...], int] = RUNS) -> Frequency:
    executed = {line: warps for lines, warps in runs.items() for line in lines}
    return Frequency("", tuple(runs), executed, passing or {}, launches=4, ticks=4)


def blocks(*parts: str) -> list[Block]:
    text, numbers = "".join(parts), iter(range(1000))
    return basic_blocks(re.sub(r"/\*\*/", lambda _: f"/*{16 * next(numbers):04x}*/", text), "step")


def counted(*parts: str, often: Frequency | None = None) -> list[tuple[int, float]]:
    """The size of each block that is there, and how often a warp runs it."""
    found = blocks(*parts)
    runs = executions(found, often or frequency())
    return [(len(b.instructions), float(each / 4)) for b, each in zip(found, runs, strict=True) if b.instructions]


REST = [(2, 0), (1, 1), (1, 0), (1, 0), (1, 0)]
"""The branch that calls, the end, and what is never come to."""


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


REMAINDER = """
	//## File ".nv_debug_ptx_txt", line 23
  /**/ ISETP.NE.AND P3, PT, R8, RZ, PT ;
  /**/ @!P3 BRA `(.L_x_9) ;
"""


def test_copies_in_a_loop_and_behind_it_add_up() -> None:
    """Four copies in a loop, one behind it: the line runs 8 times, once of them behind the loop."""
    found = counted(BEGIN, ".L_x_0:\n", COPY * 4, BACK, COPY, END)
    assert found[1:3] == [(4 * 4 + 2, 1.75), (4 + 2, 1)]
    assert sum(size // 4 * runs for size, runs in found[1:3]) == 8


def test_a_guard_that_became_a_branch_lets_some_warps_through() -> None:
    """Atomics of a rollout: few warps have a thread that counts something."""
    atomic = """
	//## File ".nv_debug_ptx_txt", line 30
  /**/ @!P4 BRA `(.L_x_9) ;
  /**/ IADD3 R4, R4, 0x1, RZ ;
  /**/ REDG.E.ADD.64.STRONG.GPU desc[UR10][R36.64], R38 ;
.L_x_9:
"""
    often = frequency({30: Passing(3, 5)})
    assert counted(BEGIN, COPY * 8, atomic, END, often=often)[:3] == [(36, 1), (2, 0.75), (2, 1)]


def test_the_way_back_of_a_loop_runs_once_less() -> None:
    back = BACK.replace("@P3 BRA `(.L_x_0)", "@P3 BRA `(.L_x_1)") + "  /**/ BRA `(.L_x_0) ;\n"
    assert counted(BEGIN, ".L_x_0:\n", COPY, back, END)[:3] == [(3, 1), (6, 8), (1, 7)]


def test_threads_of_a_warp_that_are_apart_are_not_counted() -> None:
    apart = """
	//## File ".nv_debug_ptx_txt", line 30
  /**/ BRA.DIV UR4, `(.L_x_9) ;
  /**/ SHFL.IDX PT, R9, R9, R2, 0x1f ;
.L_x_8:
"""
    alone = """
.L_x_9:
	//## File ".nv_debug_ptx_txt", line 30
  /**/ WARPSYNC.COLLECTIVE R4, `(.L_x_8) ;
  /**/ SHFL.IDX PT, R9, R9, R2, 0x1f ;
  /**/ BRA `(.L_x_8) ;
"""
    found = counted(BEGIN, COPY * 8, apart, END.replace(".L_x_2:", alone + ".L_x_2:"))
    assert found[:3] == [(36, 1), (1, 1), (2, 1)]
    assert (3, 0) in found


def test_machine_code_that_stores_other_things_is_refused() -> None:
    with pytest.raises(EnvError, match="machine code and line 21 of its PTX do not store equally often"):
        counted(BEGIN, COPY * 7, END)


def test_machine_code_without_lines_of_ptx_is_refused() -> None:
    found = blocks(re.sub(r"\t//##.*\n", "", BEGIN + END))
    with pytest.raises(EnvError, match="does not say which PTX it comes from"):
        executions(found, frequency())
