"""Machine instructions of a GPU per agent-tick, by phase and by line of the universe: counted without a GPU.

Every instruction in the machine code comes from a line of the kernels file, which names a construct, and from a line
of the PTX, whose executor tells how often it runs (`hamlet_lab.profile.frequency`), from which follows how often each
block of machine code does (`hamlet_lab.profile.flow`). What several constructs share counts for the first of them, and
the assembler moves instructions about: a single line is right to a few instructions.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from hamlet.errors import EnvError
from hamlet.launch.gpu.forms import Form, kernel_of
from hamlet.package.module import Module
from hamlet_lab.machine_code.kernels import MachineKernel, compile_kernels
from hamlet_lab.machine_code.pipes import Pipe, pipe
from hamlet_lab.machine_code.sass import Instruction, basic_blocks
from hamlet_lab.profile.flow import STORES, executions
from hamlet_lab.profile.frequency import Frequency, frequency
from hamlet_lab.profile.places import AROUND, CALLED, Purpose, purposes
from hamlet_lab.ptx.threads import WARP

MOVED = re.compile(r"\b(ld|st|red|atom)\.global(?:\.[a-z_]+)*?(?:\.v(\d))?\.[a-z]+(\d+)\s")
"""An instruction that moves data from or to global memory: how, how many values, and the bits of each."""


@dataclass(frozen=True, slots=True)
class Item:
    """The cost of a purpose.

    Attributes:
        instructions: in the text.
        executed: per agent-tick.
        alu: how many of those the ALU pipe executes.
    """

    purpose: Purpose
    instructions: int
    executed: float
    alu: float


@dataclass(frozen=True, slots=True)
class Counted:
    """A kernel for one GPU architecture.

    Attributes:
        registers: per thread.
        spilled: bytes per thread of local memory, 0 without spills.
        instructions: in the text, with subroutines.
        executed: per agent-tick.
        pipes: how many of those each pipe executes.
        stores: how many of those write to global memory; as many as the PTX executes.
        read, written: bytes of global memory per agent-tick that loads and stores ask for. An atomic does both; tables
            that all warps read are left out, as caches have them.
        waits: for loads from global memory, one after the other, per tick of a warp.
        ticks: of a launch that was counted.
        items: by purpose, in the order of the kernels file.
    """

    kernel: Form
    capability: int
    registers: int
    spilled: int
    instructions: int
    executed: float
    pipes: Mapping[Pipe, float]
    stores: float
    read: float
    written: float
    waits: float
    ticks: int
    items: tuple[Item, ...]


def count(module: Module, capability: int, forms: Sequence[Form]) -> list[Counted]:
    """Compile and count kernels for compute capability `capability` (90: sm_90), for worlds of one agent.

    Raises:
        EnvError: Triton or NVIDIA's tools in it cannot compile it, or do not say what machine code comes from.
        ModuleError: the package has no Triton kernels.
        PtxError: there is an instruction that the executor does not know.
    """
    kernels = module.kernels("triton")
    compiled = compile_kernels(kernels, module.universe, capability, forms)
    lines = purposes(module.sources["triton_kernels.py"].decode(), module.universe.sources)
    often = frequency(module, capability, forms)
    return [_counted(compiled[form], often[form], lines) for form in forms]


def _counted(compiled: MachineKernel, often: Frequency, lines: Sequence[Purpose]) -> Counted:
    if _code(often.ptx) != _code(compiled.ptx):
        raise EnvError(f"the kernel {compiled.kernel} that was executed is not the one that was compiled")
    blocks = basic_blocks(compiled.sass, kernel_of(compiled.kernel))
    texts: Counter[Purpose] = Counter()
    executed: dict[Purpose, float] = defaultdict(float)
    alu: dict[Purpose, float] = defaultdict(float)
    pipes: dict[Pipe, float] = defaultdict(float)
    stores = Fraction(0)
    for block, warps in zip(blocks, executions(blocks, often), strict=True):
        exactly = warps / often.ticks
        runs = float(exactly)
        for instruction in block.instructions:
            purpose, by = _purpose(instruction, lines), pipe(instruction.opcode)
            texts[purpose] += 1
            executed[purpose] += runs
            alu[purpose] += runs if by == "alu" else 0.0
            pipes[by] += runs
            stores += exactly if instruction.opcode in STORES else 0
    order = {purpose: index for index, purpose in reversed(list(enumerate(lines)))}
    read, written = _moved(often)
    return Counted(
        compiled.kernel,
        compiled.capability,
        compiled.registers,
        compiled.stack + compiled.local,
        compiled.instructions,
        sum(executed.values()),
        {name: value for name, value in sorted(pipes.items()) if value},
        float(stores),
        read,
        written,
        compiled.waits * often.launches / often.ticks,
        often.ticks // often.launches,
        tuple(
            Item(purpose, texts[purpose], executed[purpose], alu[purpose])
            for purpose in sorted(texts, key=lambda purpose: order.get(purpose, -1))
        ),
    )


def _code(ptx: str) -> str:
    """PTX without what it says to debuggers: what Triton's cache has names the folders of whoever compiled it."""
    return ptx.partition("\n\t.file")[0]


def _moved(often: Frequency) -> tuple[float, float]:
    """Bytes of global memory per agent-tick that threads read and write."""
    read = written = 0.0
    for number, text in enumerate(often.ptx.split("\n"), 1):
        if (access := MOVED.search(text)) is None or number not in often.executed:
            continue
        passing = often.passing.get(number)
        if passing is None and access[1] == "ld":
            continue  # State is guarded by whether there is such a lane: this is a table that all warps share.
        threads = often.executed[number] * WARP if passing is None else passing.threads
        size = int(access[2] or 1) * int(access[3]) / 8 * threads / (often.ticks * WARP)
        read += size if access[1] != "st" else 0.0
        written += size if access[1] != "ld" else 0.0
    return read, written


def _purpose(instruction: Instruction, lines: Sequence[Purpose]) -> Purpose:
    """That of the innermost line in the kernels file that does not do its caller's work."""
    purposes = (lines[line - 1] for file, line in instruction.places if file.endswith("_kernels.py"))
    return next((purpose for purpose in purposes if purpose != CALLED), AROUND)
