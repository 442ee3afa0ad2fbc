"""Universe shifts, compiled by hamletc 0.1.0 from shifts.hamlet. Do not edit: compile it again.

    from generated import shifts

    env = hamlet.make(shifts.load(), worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.package.module import Module

SCHEMA = 7
HAMLETC = "0.1.0"
UNIVERSE = "shifts"
SOURCE = "shifts.hamlet"
SHA256 = {
    "universe.json": "f898770f048c67d81b0028ce8fbf76004fb7b4e95d04b70dfa494fb26201fc98",
    "tick.ir": "5b0c460785740592323c388b303fe961e13c2bd7bb5dadeda10c59c0b9571fc6",
    "numba_kernels.py": "e89d53d6d60ed4dd7266b9e31adb1c7efc1a83084a6a604b24399a43cf0a7b84",
    "triton_kernels.py": "f5f170c8cb6dcdc8cd108200588949dc70c814c4eab8756d1123e82959e8ddee",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
