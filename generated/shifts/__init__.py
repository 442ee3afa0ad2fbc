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
    "numba_kernels.py": "af56d0501740988593e233c575ad71992af037070992a3e3c67ba8b955a06c13",
    "triton_kernels.py": "da6af99707a6ed8bbcc98615c5ec03dc352a7ca34c9999c62e0ee6a3caec7f93",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
