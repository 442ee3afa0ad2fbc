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
    "universe.json": "97f321460621786c1d4110f7f4ebce08d6a6e26220010771d6c4e4c3538ccdb7",
    "tick.ir": "a9c27676291ccc4bb105c9f8f8df34c5ed751ad921f9fe68b21184de822c7486",
    "tick.kernel": "67c949d2c50689841e0682718bbf702b5551a6f649cf134a0f8581b2d54e4ebb",
    "c_kernels.c": "bb8e97e4dd5f852c1779a21f7981f72b0c2dac8a85f2580431cf4ad1abc4e11c",
    "triton_kernels.py": "a36c81afe5032eb5270f9ae63af1fc7fdfcca91dcf98a1bbb7085f9b19f77f2b",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
