"""Machine instructions of a GPU per agent-tick, by phase and by line of the universe: counted without a GPU.

Every instruction in the machine code comes from a line of the kernels file, which names a construct, and from a line of
the PTX, whose executor tells how often it runs (`hamlet_lab.profile.frequency`). The assembler unrolls loops and
repeats ends of branches, so an instruction of PTX can be there many times: then each of them takes its share of the
executions. What several constructs share counts for the first of them, and the assembler moves instructions about: a
single line is right to a few instructions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet_lab.machine_code.kernels import compile_kernels
from hamlet_lab.machine_code.sass import Block, Instruction, basic_blocks
from hamlet_lab.profile.frequency import Frequency, Kernel, frequency
from hamlet_lab.profile.places import AROUND, CALLED, Purpose, purposes


@dataclass(frozen=True, slots=True)
class Item:
    """What a purpose costs: instructions in the text, and executed per agent-tick."""

    purpose: Purpose
    instructions: int
    executed: float


@dataclass(frozen=True, slots=True)
class Counted:
    """A kernel for one GPU architecture.

    Attributes:
        registers: per thread.
        spilled: bytes per thread of local memory, 0 without spills.
        instructions: in the text, with subroutines.
        executed: per agent-tick.
        items: by purpose, in the order of the kernels file.
    """

    kernel: Kernel
    capability: int
    registers: int
    spilled: int
    instructions: int
    executed: float
    items: tuple[Item, ...]


def count(module: Module, capability: int, kernel: Kernel) -> Counted:
    """Compile and count a kernel for compute capability `capability` (90: sm_90), for worlds of one agent.

    Raises:
        EnvError: Triton or NVIDIA's tools in it cannot compile it, or do not say what machine code comes from.
        ModuleError: the package has no Triton kernels.
        PtxError: there is an instruction that the executor does not know.
    """
    kernels = module.kernels("triton")
    compiled = compile_kernels(kernels, module.universe, capability, (kernel,))[kernel]
    text = module.sources["triton_kernels.py"].decode()
    lines = purposes(text, module.universe.sources)
    often = frequency(module, capability, kernel)
    if _code(often.ptx) != _code(compiled.ptx):
        raise EnvError(f"the kernel {kernel} that was executed is not the one that was compiled")
    blocks = basic_blocks(compiled.sass, kernel)
    totals: dict[Purpose, list[float]] = defaultdict(lambda: [0, 0.0])
    for block, runs in zip(blocks, executions(blocks, often), strict=True):
        for instruction in block.instructions:
            total = totals[_purpose(instruction, lines)]
            total[0] += 1
            total[1] += runs
    order = {purpose: index for index, purpose in reversed(list(enumerate(lines)))}
    items = tuple(
        Item(purpose, int(totals[purpose][0]), totals[purpose][1])
        for purpose in sorted(totals, key=lambda purpose: order.get(purpose, -1))
    )
    return Counted(
        kernel,
        capability,
        compiled.registers,
        compiled.stack + compiled.local,
        compiled.instructions,
        sum(item.executed for item in items),
        items,
    )


def _code(ptx: str) -> str:
    """PTX without what it says to debuggers: what Triton's cache has names the folders of whoever compiled it."""
    return ptx.partition("\n\t.file")[0]


def executions(blocks: Sequence[Block], often: Frequency) -> list[float]:
    """How often each block of machine code runs per tick of a warp.

    Its instructions run equally often: as the median of them says, and outside of loops once in a launch at most. 0
    where the kernel does not come, and in subroutines (the slow path of a division), which are hardly ever called.

    Raises:
        EnvError: the machine code does not say which PTX it comes from.
    """
    kinds: dict[int, Counter[str]] = defaultdict(Counter)
    for block in blocks:
        for instruction in block.instructions:
            if block.reached and instruction.ptx is not None:
                kinds[instruction.ptx][instruction.full] += 1
    if not kinds:
        raise EnvError("the machine code does not say which PTX it comes from")
    shares: dict[int, float] = {}
    for stretch in often.stretches:
        copies = _copies([count for line in stretch.lines if line in kinds for count in kinds[line].values()])
        shares |= dict.fromkeys(stretch.lines, stretch.executed / copies)
    result = []
    for block in blocks:
        known = [shares[i.ptx] for i in block.instructions if i.ptx in shares] if block.reached else []
        runs = median(known) if known else 0.0
        result.append(runs if block.looped else min(runs, often.launches))
    return result


def _copies(counts: Sequence[int]) -> int:
    """How many copies of a stretch of PTX there are in machine code.

    Args:
        counts: how often each of its instructions is there as each kind of machine instruction. One of 64 bits becomes
            several kinds, each once to a copy.

    Some were moved out of the loop, or are constant in a few copies, or are computed twice to save registers. So the
    machine instructions vote: it is the count that the middle one of them has.
    """
    votes = [count for count in sorted(counts) for _ in range(count)]
    return votes[len(votes) // 2] if votes else 1


def _purpose(instruction: Instruction, lines: Sequence[Purpose]) -> Purpose:
    """That of the innermost line in the kernels file that does not do its caller's work."""
    found = (lines[line - 1] for file, line in instruction.places if file.endswith("_kernels.py"))
    return next((purpose for purpose in found if purpose != CALLED), AROUND)
