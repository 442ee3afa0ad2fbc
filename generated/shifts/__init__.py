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
    "tick.ir": "a86cee83030f4f0d9fc516377b635ee31a78e23281fc2f74cde0a35a9012a1f5",
    "numba_kernels.py": "e4a71bd7a6363d16e5f19baedbeed206f81d75ca65980d14dceb53229d6e9cd0",
    "triton_kernels.py": "55c97db1e87e27200a0c62dcf37cf423d0fa15da0cb943c9e03219acb7d38e1b",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
