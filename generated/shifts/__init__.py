"""Universe shifts, compiled by hamletc 0.1.0 from shifts.hamlet. Do not edit: compile it again.

    from generated import shifts

    env = hamlet.make(shifts.load(), worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.package.module import Module

SCHEMA = 6
HAMLETC = "0.1.0"
UNIVERSE = "shifts"
SOURCE = "shifts.hamlet"
SHA256 = {
    "universe.json": "f898770f048c67d81b0028ce8fbf76004fb7b4e95d04b70dfa494fb26201fc98",
    "tick.ir": "2fe4a411ba164e0630cee717d92f46d225d6f46b580376202642662ad62c105a",
    "numba_kernels.py": "e8b1f2f084b4aacb0211fe80232ec5f14bcbcc3e5dafff423880fdb23002062b",
    "triton_kernels.py": "dcb4c61ac274df0b1c2fe4468ad413d5badfda565812bcc4f7912b5ed31543bc",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
