"""Which part of a multiprocessor executes an instruction, and for how many clocks it is busy with a warp's.

A multiprocessor has four quarters. Each issues one instruction of a warp per clock, and has pipes of its own, some of
which take longer: a pipe of 16 lanes is busy for two clocks with the 32 threads of a warp. LSU and ADU are shared by
the four. Sources:

- clocks: NVIDIA, "CUDA C++ Programming Guide", "Arithmetic Instructions", table "Throughput of Native Arithmetic
  Instructions" (results per clock and multiprocessor; 128 by it are the clocks of a quarter);
- pipes: NVIDIA, "Nsight Compute, Kernel Profiling Guide", "Metrics Decoder", "Pipelines";
- what shares the FMA pipes: G. Smith of NVIDIA, https://forums.developer.nvidia.com/t/302018/7.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

Pipe: TypeAlias = Literal["alu", "fma", "fmaheavy", "xu", "lsu", "adu", "cbu", "uniform", "none", "unknown"]
"""As `ncu` calls them. `fma`: what both FMA pipes can do; `fmaheavy`: what only one of them can. `none`: no pipe;
`unknown`: an opcode that is not in the table."""
PIPES: tuple[Pipe, ...] = get_args(Pipe)

OPCODES: dict[Pipe, str] = {
    "alu": """
        BMSK FCHK FMNMX FSEL FSET FSETP I2FP IABS IADD IADD3 IMNMX ISETP LEA LOP LOP3 MOV P2R PLOP3 PRMT PSETP R2P SEL
        SGXT SHF SHL SHR VABSDIFF VIADD VIADDMNMX VIMNMX VIMNMX3 VOTE
    """,
    "fma": "FADD FADD2 FFMA FFMA2 FMUL FMUL2 HADD2 HFMA2 HMUL2",
    "fmaheavy": "IDP IMAD IMUL",
    "xu": "BREV F2F F2I FLO FRND I2F MUFU POPC",
    "lsu": "ATOM ATOMG ATOMS LD LDG LDL LDS MATCH RED REDG SHFL ST STG STL STS",
    "adu": "BAR LDC R2UR S2R S2UR",
    "cbu": "BMOV BRA BREAK BRX BSSY BSYNC CALL EXIT JMP RET WARPSYNC YIELD",
    "uniform": """
        LDCU REDUX CREDUX UBMSK UBREV UFLO UIADD3 UIMAD UISETP ULDC ULEA ULOP3 UMOV UP2UR UPLOP3 UPOPC UPRMT
        UR2UP USEL USGXT USHF UVIADD UVIMNMX VOTEU
    """,
    "none": "CS2R DEPBAR ERRBAR FENCE LEPC MEMBAR NOP",
}
"""Opcodes without modifiers, by pipe."""

CLOCKS: dict[int, dict[Pipe, float]] = {
    8: {"alu": 2, "fma": 2, "fmaheavy": 2, "xu": 8, "lsu": 4, "adu": 4, "cbu": 2, "uniform": 2},
    9: {"alu": 2, "fma": 1, "fmaheavy": 2, "xu": 8, "lsu": 4, "adu": 4, "cbu": 2, "uniform": 2},
    10: {"alu": 2, "fma": 1, "fmaheavy": 2, "xu": 8, "lsu": 4, "adu": 4, "cbu": 2, "uniform": 2},
}
"""Clocks that an instruction of a warp takes of a pipe of a quarter, by major compute capability: 8.0, 9.0, 10.0.

From the guide: 64 integer additions, comparisons, shifts, logic operations (alu) and multiplications (fmaheavy) per
clock and multiprocessor; 64 float additions on 8.0 and 128 later; 16 conversions and special functions (xu); 32
shuffles (lsu).
Assumed: what the guide does not say (adu, cbu, uniform), and that the ALU of 10.0 is as wide as that of 9.0.
"""

_PIPES: Mapping[str, Pipe] = {opcode: pipe for pipe, opcodes in OPCODES.items() for opcode in opcodes.split()}


def pipe(opcode: str) -> Pipe:
    """The pipe of an opcode without modifiers."""
    return _PIPES.get(opcode, "unknown")


def clocks(counts: Mapping[Pipe, float], capability: int) -> dict[Pipe, float]:
    """How many clocks the pipes of a quarter are busy with instructions of warps.

    Args:
        counts: the instructions by pipe.
        capability: 90 for sm_90.

    From 9.0 on `fma` is both FMA pipes together, where instructions that only the heavy one knows take their share.
    """
    each = CLOCKS[capability // 10]
    result: dict[Pipe, float] = {name: count * each.get(name, 0.0) for name, count in counts.items()}
    heavy = counts.get("fmaheavy", 0.0)
    result["fma"] = result.get("fma", 0.0) + heavy * each["fma"]
    return result
