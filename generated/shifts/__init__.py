"""Universe shifts, compiled by hamletc 0.1.0 from shifts.hamlet. Do not edit: compile it again.

    from generated import shifts

    env = hamlet.make(shifts.load(), worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.package.module import Module

SCHEMA = 9
HAMLETC = "0.1.0"
UNIVERSE = "shifts"
SOURCE = "shifts.hamlet"
SHA256 = {
    "universe.json": "f898770f048c67d81b0028ce8fbf76004fb7b4e95d04b70dfa494fb26201fc98",
    "tick.ir": "5b0c460785740592323c388b303fe961e13c2bd7bb5dadeda10c59c0b9571fc6",
    "numba_kernels.py": "3d07ffd43fae10b26373280578947fabef858861432faac690d8cd7b7b2951ab",
    "triton_kernels.py": "1e6784ee8bb7091d1ecaea2220f1bde4b1d0460960c4856076e3135d5b3d5471",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
