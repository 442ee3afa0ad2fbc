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
    "tick.ir": "32566bff6ab07661a5293fbdd60335b33ee020d49733456d509efcdc0fc85e98",
    "triton_kernels.py": "0a4e99c4bea60ada7bdf8aecf05574801dcdaeb58c4286908ab29898a5c5158b",
    "numba_kernels.py": "0f698fe9a88a1a4372a5f412053e44148386c1ecdad5ee0940073bbc2dec0431",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
