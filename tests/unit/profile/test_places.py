"""From lines of generated kernels, and from machine code, to what they are there for."""

from __future__ import annotations

from pathlib import Path

from hamlet.profile.counts import block_frequency
from hamlet.profile.frequency import Frequency, _places
from hamlet.profile.phases import phase_of
from hamlet.profile.places import AROUND, Purpose, purposes
from hamlet.sass import Instruction, basic_blocks

KERNELS = Path(__file__).parents[3] / "generated" / "town" / "triton_kernels.py"

SASS = """
	.section	.text.rollout,"ax",@progbits
.text.rollout:
	//## File "/x/town/triton_kernels.py", line 7 inlined at "/x/town/triton_kernels.py", line 90
	//## File "/x/town/triton_kernels.py", line 90
        /*0000*/                   FADD R2, R2, 0.5 ;
        /*0010*/                   FADD R3, R2, 0.5 ;
	//## File "/lib/standard.py", line 5 inlined at "/x/town/triton_kernels.py", line 8
	//## File "/x/town/triton_kernels.py", line 8
        /*0020*/               @P1 BRA `(.L_x_2) ;
        /*0030*/                   FFMA R3, R3, R2, R1 ;
.L_x_2:
	//## File "/x/town/triton_kernels.py", line 91
        /*0040*/                   EXIT ;
$__internal_0_$__div:
        /*0050*/                   MUFU.RCP R5, R5 ;
"""

PTX = """
	.file	1 "/x/town/triton_kernels.py"
	.file	2 "/lib/standard.py"
	add.rn.f32 %r0, %r0, %r0;
	.loc	1 90 13 // triton_kernels.py:90:13
	add.rn.f32 %r0, %r0, %r0;
	.loc	1 7 28, function_name $L__info_string0, inlined_at 1 90 13 // triton_kernels.py:7:28
	add.rn.f32 %r0, %r0, %r0;
	.loc	2 216 16, function_name $L__info_string0, inlined_at 1 8 12
	add.rn.f32 %r0, %r0, %r0;
"""


def test_lines_of_kernels_know_their_construct() -> None:
    text = KERNELS.read_text()
    lines = text.split("\n")
    found = dict(zip(lines, purposes(text, ("town.hamlet",)), strict=True))
    assert found["    energy_8 = energy_7 - 0.005"] == Purpose("decay", "meter energy decay", "town.hamlet", 9)
    assert found["    age_1 = age_0 + 1"] == Purpose("deaths", "age", "", 0)
    assert found["def _observe("].phase == "observe"
    assert found["def _policy(lane_0, tick_0, seed_low_0, seed_high_0):"].phase == "policy"
    assert found["def rollout("] == AROUND
    assert {purpose.phase for purpose in found.values()} >= {"act", "interact", "rules and cascades", "reward", "mask"}


def test_a_construct_with_a_comma_keeps_its_name() -> None:
    text = "def _tick(x):\n    # rule `a, b`, c, town.hamlet:12\n    y = x\n    # rule z, other.hamlet:3\n    y = x"
    assert [(p.construct, p.line) for p in purposes(text, ("town.hamlet",))][1::2] == [
        ("rule `a, b`, c", 12),
        ("rule z, other.hamlet:3", 0),
    ]


def test_phases() -> None:
    constructs = ("action REST", "meter a move", "meter a interact", "here", "meter a decay", "cascade c", "lifespan",
                  "reward bonus", "mask")  # fmt: skip
    assert [phase_of(construct) for construct in constructs] == [
        "act", "act", "interact", "interact", "decay", "rules and cascades", "deaths", "reward", "around",
    ]  # fmt: skip


def test_places_of_machine_code() -> None:
    first, second, third, subroutine = (block for block in basic_blocks(SASS, "rollout") if block)
    kernels = "/x/town/triton_kernels.py"
    assert [i.places for i in first] == [
        ((kernels, 7), (kernels, 90)),
        ((kernels, 7), (kernels, 90)),
        (("/lib/standard.py", 5), (kernels, 8)),
    ]
    assert second[0].places == first[2].places
    assert third[0].places == ((kernels, 91),)
    assert subroutine[0].places == ()


def test_places_of_ptx() -> None:
    places = _places(PTX)
    assert [places[line] for line in (4, 6, 8, 10)] == [
        (), ((90, 0), (90, None)), ((7, 90), (7, None)), ((8, None),),
    ]  # fmt: skip


def test_a_block_runs_as_often_as_most_of_its_lines() -> None:
    def at(*lines: int) -> Instruction:
        return Instruction("FADD", "FADD", False, None, tuple(("town/triton_kernels.py", line) for line in lines))

    often = Frequency({(7, 90): 0.25, (7, None): 0.6, (8, None): 1.0})
    assert often.of((7, 90)) == 0.25
    assert often.of((7, 1)) == 0.6
    assert often.of((9, 0)) is None
    assert block_frequency([at(7, 90), at(7, 90), at(8), at(9), Instruction("NOP", "NOP", False, None)], often) == 0.25
    assert block_frequency([at(9)], often) == 0.0
