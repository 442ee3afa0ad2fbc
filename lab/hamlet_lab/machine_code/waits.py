"""How often machine code waits for global memory."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hamlet_lab.machine_code.sass import Block, reached

REGISTER = re.compile(r"\bR(\d+)(\.64)?")
WIDTH = {"64": 2, "128": 4}
"""Registers that a load fills, by its modifier; others fill one."""


def load_waits(blocks: Sequence[Block]) -> int:
    """How many times in a row a kernel waits for loads from global memory, if it goes through its text once.

    Loads are answered about a memory latency later, and those that are on their way at the same time together: it is one
    wait from a load to the first use of its register, for all loads before that use.
    """
    waits, coming = 0, set[int]()
    there = reached(blocks)
    for instruction in (each for number, block in enumerate(blocks) if there[number] for each in block.instructions):
        named = [
            int(found[1]) + offset
            for found in REGISTER.finditer(instruction.operands)
            for offset in range(2 if found[2] else 1)
        ]
        if coming & set(named):
            waits += 1
            coming.clear()
        if instruction.opcode == "LDG":
            wide = next((WIDTH[part] for part in instruction.full.split(".") if part in WIDTH), 1)
            coming |= set(range(named[0], named[0] + wide)) if named else set()
    return waits
