"""Universe shifts, compiled by hamletc 0.1.0 from shifts.hamlet. Do not edit: compile it again.

    from generated import shifts

    env = hamlet.make(shifts.load(), worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.package.module import Module

SCHEMA = 8
HAMLETC = "0.1.0"
UNIVERSE = "shifts"
SOURCE = "shifts.hamlet"
SHA256 = {
    "universe.json": "f898770f048c67d81b0028ce8fbf76004fb7b4e95d04b70dfa494fb26201fc98",
    "tick.ir": "5b0c460785740592323c388b303fe961e13c2bd7bb5dadeda10c59c0b9571fc6",
    "numba_kernels.py": "e864826bd8f70d656633a69c7a6e20ded41b2298973ea4afb4f6bde403af8217",
    "triton_kernels.py": "b8e1b8a835ead2bd27cc6073ceae906f3f4cb789b32aea1e50ec147cd7661be1",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
