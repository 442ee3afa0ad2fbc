"""Universe shifts, compiled by hamletc 0.1.0 from shifts.hamlet. Do not edit: compile it again.

    from generated import shifts

    env = shifts.load().make(worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.module import Module

SCHEMA = 2
HAMLETC = "0.1.0"
UNIVERSE = "shifts"
SOURCE = "shifts.hamlet"
SHA256 = {
    "universe.json": "f898770f048c67d81b0028ce8fbf76004fb7b4e95d04b70dfa494fb26201fc98",
    "tick.ir": "1f26d7005bd2b1cd29b1d957e836ae2721bb217477826512b4a3e55ff534f22d",
    "triton_kernels.py": "d91a15887fbe062c12057a8c0f74f4360b3e05a3c18d1f03fe7917cbd63f1a23",
    "numba_kernels.py": "bdc0f062cba4a290953ff70ef6402f39f696dea26e3734710828ef9fbb634990",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
