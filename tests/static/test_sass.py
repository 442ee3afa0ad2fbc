"""Counting instructions in printed machine code."""

from __future__ import annotations

from hamlet_lab.machine_code.sass import Loop, instructions, largest_loop, waits

CODE = """
	.section	.nv.info.rollout,"",@"SHT_CUDA_INFO"
	.section	.text.rollout,"ax",@progbits
	.sectioninfo	@"SHI_REGISTERS=57"
.text.rollout:
        /*0000*/                   IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;
        /*0010*/              @!P0 BRA `(.L_x_0) ;
.L_x_1:
        /*0020*/                   FADD.SAT R2, R2, 0.5 ;
        /*0030*/               @P1 BRA `(.L_x_2) ;
        /*0040*/                   FFMA R3, R3, R2, R1 ;
        /*0050*/                   CALL.REL.NOINC `($__internal_0_$__div) ;
.L_x_2:
        /*0060*/                   ISETP.NE.AND P0, PT, R4, RZ, PT ;
        /*0070*/                   {end}
        /*0080*/                   BRA `(.L_x_1) ;
.L_x_0:
        /*0090*/                   EXIT ;
        .weak           $__internal_0_$__div
$__internal_0_$__div:
        /*00a0*/                   MUFU.RCP R5, R5 ;
        /*00b0*/                   RET.REL.NODEC R8 `(rollout) ;
.L_x_3:
        /*00c0*/                   BRA `(.L_x_3);
	.section	.text.other,"ax",@progbits
.text.other:
        /*0000*/                   NOP ;
"""


def test_every_way_to_leave_a_loop() -> None:
    loop = Loop(5, 2, {"BRA": 2, "FADD": 1, "ISETP": 1, "CALL": 1})
    assert largest_loop(CODE.replace("{end}", "@P0 CALL.REL.NOINC `(.L_x_0) ;"), "rollout") == loop
    loop = Loop(5, 2, {"BRA": 3, "FADD": 1, "ISETP": 1})
    for end in ("@P0 BRA `(.L_x_0) ;", "BRA.U UP0, `(.L_x_0) ;", "BRA.U !UP0, `(.L_x_0) ;"):
        assert largest_loop(CODE.replace("{end}", end), "rollout") == loop


def test_no_loop() -> None:
    assert largest_loop(CODE.replace("{end}", "BRA `(.L_x_0) ;"), "rollout") is None
    assert largest_loop(CODE, "other") is None


def test_instructions_with_subroutines() -> None:
    code = instructions(CODE.replace("{end}", "NOP ;"), "rollout")
    assert len(code) == 13
    assert [instruction.full for instruction in code][:3] == ["IMAD.MOV.U32", "BRA", "FADD.SAT"]
    assert code[1].conditional
    assert not code[0].conditional


LOADS = """
	.section	.text.step,"ax",@progbits
.text.step:
        /*0000*/               @P0 LDG.E R2, desc[UR4][R8.64] ;
        /*0010*/               @P0 LDG.E.64 R4, desc[UR4][R8.64+0x8] ;
        /*0020*/                   {first}
        /*0030*/               @P1 BRA `(.L_x_0) ;
.L_x_1:
        /*0040*/                   LDG.E R6, desc[UR4][R10.64] ;
        /*0050*/                   IADD3 R7, R6, 0x1, RZ ;
        /*0060*/               @P2 BRA `(.L_x_1) ;
.L_x_0:
        /*0070*/                   {last}
        /*0080*/                   EXIT ;
"""


def test_waits_for_loads() -> None:
    def found(first: str, last: str) -> int:
        return waits(LOADS.replace("{first}", first).replace("{last}", last), "step")

    # The load in the loop is issued with the others, or after they have come; the second turn is not counted.
    assert found("NOP ;", "NOP ;") == 1
    assert found("FADD R3, R2, 1 ;", "NOP ;") == 2
    assert found("IADD3 R3, R5, 0x1, RZ ;", "STG.E desc[UR4][R8.64], R4 ;") == 2
    # Another load into the same register waits, and so does an address.
    assert found("LDG.E R4, desc[UR4][R12.64] ;", "FADD R4, R4, 1 ;") == 2
    assert found("LDG.E R10, desc[UR4][R4.64] ;", "NOP ;") == 3
    # Nobody waits for what is not used.
    assert found("NOP ;", "FADD R3, R9, 1 ;") == 1


def test_loads_that_are_not_counted() -> None:
    text = LOADS.replace("{first}", "FADD R3, R2, 1 ;").replace("{last}", "NOP ;")
    assert waits(text, "step", lambda load: load.full == "LDG.E.64") == 0
    assert waits(text, "step", lambda load: 2 not in load.loaded) == 1
