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
    "tick.ir": "32566bff6ab07661a5293fbdd60335b33ee020d49733456d509efcdc0fc85e98",
    "triton_kernels.py": "404d6d53142c09da482793e95ec6a612bcbf7a163a46c4165b482b537de0c039",
    "numba_kernels.py": "4117fa8537e3cef4b7ca9b8da0efc260d2d9508f6c98951c3361f6e2cc7c1c3c",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
