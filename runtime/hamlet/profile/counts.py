"""Machine instructions of a GPU per agent-tick, by phase and by line of the universe: counted without a GPU.

Every instruction in the machine code comes from a line of the kernels file, which names a construct. It counts as often
as its basic block runs, which the executor of PTX tells (`hamlet.profile.frequency`). What several constructs share
counts for the first of them, and the assembler moves instructions about: a single line is right to a few instructions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from hamlet.aot import compile_kernels
from hamlet.module import Module
from hamlet.profile.frequency import Frequency, Kernel, Place, frequency
from hamlet.profile.places import AROUND, Purpose, purposes
from hamlet.sass import Instruction, basic_blocks


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
        EnvError: Triton or NVIDIA's tools in it cannot compile it.
        ModuleError: the package has no Triton kernels.
        PtxError: there is an instruction that the executor does not know.
    """
    kernels = module.kernels("triton")
    compiled = compile_kernels(kernels, module.universe, capability, (kernel,))[kernel]
    text = module.sources["triton_kernels.py"].decode()
    lines = purposes(text, module.universe.sources)
    often = frequency(module, capability, kernel)
    totals: dict[Purpose, list[float]] = defaultdict(lambda: [0, 0.0])
    for block in basic_blocks(compiled.sass, kernel):
        weight = block_frequency(block, often)
        for instruction in block:
            own = _place(instruction)
            total = totals[AROUND if own is None else lines[own[0] - 1]]
            total[0] += 1
            total[1] += weight
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


def block_frequency(block: Sequence[Instruction], often: Frequency) -> float:
    """How often a block runs per tick of a warp: as often as most of its lines do. 0 where nothing is known."""
    known = [found for i in block if (place := _place(i)) is not None and (found := often.of(place)) is not None]
    return median(known) if known else 0.0


def _place(instruction: Instruction) -> Place | None:
    """The innermost place in the kernels file."""
    lines = [line for file, line in instruction.places if file.endswith("_kernels.py")]
    if not lines:
        return None
    return lines[0], lines[1] if len(lines) > 1 else 0
