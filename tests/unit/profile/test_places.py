"""From lines of generated kernels, and from machine code, to what they are there for."""

from __future__ import annotations

from pathlib import Path

from hamlet_lab.machine_code.sass import basic_blocks
from hamlet_lab.profile.places import AROUND, Purpose, purposes

KERNELS = Path(__file__).parents[3] / "generated" / "town" / "triton_kernels.py"

SASS = """
	.section	.text.rollout,"ax",@progbits
.text.rollout:
	//## File "/x/town/triton_kernels.py", line 7 inlined at "/x/town/triton_kernels.py", line 90
	//## File "/x/town/triton_kernels.py", line 90
        /*0000*/                   FADD R2, R2, 0.5 ;
        /*0010*/                   FADD R3, R2, 0.5 ;
	//## File ".nv_debug_ptx_txt", line 30
	//## File "/lib/standard.py", line 5 inlined at "/x/town/triton_kernels.py", line 8
	//## File "/x/town/triton_kernels.py", line 8
        /*0020*/               @P1 BRA `(.L_x_2) ;
	//## File ".nv_debug_ptx_txt", line 31
        /*0030*/                   FFMA R3, R3, R2, R1 ;
.L_x_2:
	//## File "/x/town/triton_kernels.py", line 91
        /*0040*/                   EXIT ;
$__internal_0_$__div:
        /*0050*/                   MUFU.RCP R5, R5 ;
"""


def test_lines_of_kernels_know_their_construct() -> None:
    text = KERNELS.read_text()
    lines = text.split("\n")
    found = dict(zip(lines, purposes(text, ("town.hamlet",)), strict=True))
    assert found["    energy_8 = energy_7 - 0.005"] == Purpose("decay", "meter energy", "town.hamlet", 9)
    assert found["    age_1 = age_0 + 1"] == Purpose("deaths", "age", "", 0)
    assert found["def _observe("].phase == "observe"
    assert found["def _policy(lane_0, tick_0, seed_low_0, seed_high_0):"].phase == "policy"
    assert found["def rollout("] == AROUND
    assert {purpose.phase for purpose in found.values()} >= {"act", "interact", "rules", "reward", "mask"}


def test_a_construct_with_a_comma_keeps_its_name() -> None:
    text = "def _tick(x):\n    # rules: rule a, b: c, town.hamlet:12\n    y = x\n    # act: rule z, other.hamlet:3\n"
    text += "    y = x\n    # reward"
    assert [(p.phase, p.construct, p.line) for p in purposes(text, ("town.hamlet",))][1::2] == [
        ("rules", "rule a, b: c", 12),
        ("act", "rule z, other.hamlet:3", 0),
        ("reward", "", 0),
    ]


def test_places_of_machine_code() -> None:
    blocks = [block.instructions for block in basic_blocks(SASS, "rollout") if block.instructions]
    first, second, third, subroutine = blocks
    kernels = "/x/town/triton_kernels.py"
    assert [i.places for i in first] == [
        ((kernels, 7), (kernels, 90)),
        ((kernels, 7), (kernels, 90)),
        (("/lib/standard.py", 5), (kernels, 8)),
    ]
    assert second[0].places == first[2].places
    assert third[0].places == ((kernels, 91),)
    assert subroutine[0].places == ()
    assert [i.ptx for block in blocks for i in block] == [None, None, 30, 31, 31, None]
