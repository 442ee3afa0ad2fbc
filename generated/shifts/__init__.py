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
    "tick.ir": "2fe4a411ba164e0630cee717d92f46d225d6f46b580376202642662ad62c105a",
    "numba_kernels.py": "44ab2dab611d05eddcadb6ee9a8250779d58623e007df91b53e224df7dfd770f",
    "triton_kernels.py": "fe80dab9a0387b5fa6df7bd68a571b2cc4216cfbd1b8e909086b6d57201dadb4",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
