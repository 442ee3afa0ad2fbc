"""Universe shifts, compiled by hamletc 0.2.0 from shifts.hamlet. Do not edit: compile it again.

    from generated import shifts

    env = hamlet.make(shifts.load(), worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.package.module import Module

SCHEMA = 10
HAMLETC = "0.2.0"
UNIVERSE = "shifts"
SOURCE = "shifts.hamlet"
SHA256 = {
    "universe.json": "f898770f048c67d81b0028ce8fbf76004fb7b4e95d04b70dfa494fb26201fc98",
    "tick.ir": "5b0c460785740592323c388b303fe961e13c2bd7bb5dadeda10c59c0b9571fc6",
    "tick.kernel": "67c949d2c50689841e0682718bbf702b5551a6f649cf134a0f8581b2d54e4ebb",
    "c_kernels.c": "42954a8b12aeeb03afbf911df5c1779233eb40fe63e3c8e09216173b1ae1055e",
    "triton_kernels.py": "f3239810ef0c3bbe1b01f1a466fb2116b4f4760465cc0d1e6be16b854cf5d340",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
