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
    "tick.ir": "f62fca77a16003702b8f8a49806c23539f7f6e2b4102264342d2e6721115aeeb",
    "triton_kernels.py": "fb229a9689997cf04702199b5cbc85c795636d6abbe60b1b4b238ab6ad9a14db",
    "numba_kernels.py": "2bc389b99854380dcf75405c404901425d614c36d670f2a6f41da7cdc859ed84",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
