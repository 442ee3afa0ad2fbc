"""Where machine code waits for global memory."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hamlet_lab.machine_code.sass import Block, Instruction, reached

REGISTER = re.compile(r"\bR(\d+)(\.64)?")
WIDTH = {"64": 2, "128": 4}
"""Registers that a load fills, by its modifier; others fill one."""


def load_waits(blocks: Sequence[Block]) -> list[int]:
    """The waits for loads from global memory, one after the other, of a kernel that goes through its text once: the
    number of the block with the load that is waited for.

    Loads that are on their way at the same time are answered together, about a memory latency later. So it is one wait
    from a load to the first use of its register, for all loads before that use.
    """
    waits: list[int] = []
    coming: dict[int, int] = {}
    there = reached(blocks)
    for number, block in enumerate(blocks):
        for instruction in block.instructions if there[number] else ():
            named = _named(instruction)
            if waited := [coming[register] for register in named if register in coming]:
                waits.append(waited[0])
                coming.clear()
            if instruction.opcode == "LDG" and named:
                wide = next((WIDTH[part] for part in instruction.full.split(".") if part in WIDTH), 1)
                coming |= dict.fromkeys(range(named[0], named[0] + wide), number)
    return waits


def _named(instruction: Instruction) -> list[int]:
    """The registers of an instruction, in the order of its text; an address has two."""
    found = REGISTER.finditer(instruction.operands)
    return [int(each[1]) + offset for each in found for offset in range(2 if each[2] else 1)]
