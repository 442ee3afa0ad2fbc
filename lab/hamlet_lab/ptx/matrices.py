"""Matrices of 8 rows of 16 bytes between the registers of a warp and shared memory: stmatrix and ldmatrix.

Thread 8 m + r says where row r of matrix m lies, and thread 4 r + p has the p-th word of that row in its m-th register.
PTX ISA, "Warp-level Matrix Load Instruction: ldmatrix", "Warp-level Matrix Store Instruction: stmatrix".
"""

from __future__ import annotations

import numpy as np

from hamlet_lab.ptx.memory import AccessError
from hamlet_lab.ptx.sources import Site
from hamlet_lab.ptx.syntax import Address, Vector
from hamlet_lab.ptx.threads import WARP, Effect, Mask, Meeting, Threads, chosen
from hamlet_lab.ptx.types import U32, Array

COUNTS = {"x1": 1, "x2": 2, "x4": 4}
ROW = 16
"""Bytes."""


def matrices(site: Site) -> Effect:
    """The effect of a stmatrix or an ldmatrix.

    Raises:
        PtxError: operands do not fit.
    """
    opcode, operands = site.instruction.opcode.split("."), site.instruction.operands
    match operands if opcode[0] == "stmatrix" else operands[::-1]:
        case (Address(base=base, offset=offset), Vector(elements=words)) if len(words) == COUNTS.get(opcode[4]):
            pass
        case _:
            raise site.error(f"{site.instruction.opcode} does not take these operands")
    said = site.source(base, U32)
    registers = [site.register(word, 32) for word in words]

    def places(threads: Threads, matrix: int, executing: Mask | None) -> Array:
        """Where the words of a matrix lie, of the threads that execute, in the shared memory of all blocks."""
        thread = np.arange(threads.count)
        lane = thread % WARP
        rows = np.broadcast_to(said(threads), threads.count).astype(np.uint64) + np.uint64(offset)
        row = chosen(rows[thread - lane + 8 * matrix + lane // 4], executing)
        if (row % ROW).any() or int(row.max()) + ROW > threads.shared_bytes:
            raise AccessError(f"a row is no multiple of {ROW}, or outside of the shared memory of its block")
        blocks = (thread // threads.block).astype(np.uint64) * np.uint64(threads.shared_bytes)
        return np.asarray(row + chosen((lane % 4 * 4).astype(np.uint64) + blocks, executing))

    def effect(threads: Threads, mask: Mask | None) -> None:
        executing = threads.executing(mask)
        if executing is not None and not threads.met(executing, Meeting.WARP):
            raise site.error(f"{site.instruction.opcode}: not all threads of a warp are here")
        if executing is not None and not executing.any():
            return
        try:
            for matrix, register in enumerate(registers):
                at = places(threads, matrix, executing)
                held = np.broadcast_to(threads.registers[register.index], threads.count)
                if opcode[0] == "stmatrix":
                    threads.shared.store(at, chosen(held, executing))
                    continue
                loaded = held.copy()
                loaded[slice(None) if executing is None else executing] = threads.shared.load(at, loaded.itemsize)
                threads.write(register.index, loaded, mask)
        except AccessError as fault:
            raise site.error(f"{site.instruction.opcode}: {fault}") from fault

    return effect
