"""Universe shifts, compiled by hamletc 0.1.0 from shifts.hamlet. Do not edit: compile it again.

    from generated import shifts

    env = shifts.load().make(worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.module import Module

SCHEMA = 3
HAMLETC = "0.1.0"
UNIVERSE = "shifts"
SOURCE = "shifts.hamlet"
SHA256 = {
    "universe.json": "f898770f048c67d81b0028ce8fbf76004fb7b4e95d04b70dfa494fb26201fc98",
    "tick.ir": "1f26d7005bd2b1cd29b1d957e836ae2721bb217477826512b4a3e55ff534f22d",
    "triton_kernels.py": "680c5ab2cb0b8bb8e15730248102fd84ec775c1742d24d43966b58b585981476",
    "numba_kernels.py": "a64ab672d67584436068ba6b1f75bf9031dd56627f4c6e1835b679908df3b59a",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
