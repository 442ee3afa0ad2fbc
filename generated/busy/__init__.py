"""Universe busy, compiled by hamletc 0.1.0 from busy.hamlet. Do not edit: compile it again.

    from generated import busy

    env = busy.load().make(worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.module import Module

SCHEMA = 3
HAMLETC = "0.1.0"
UNIVERSE = "busy"
SOURCE = "busy.hamlet"
SHA256 = {
    "universe.json": "6b2f100396c873b1b3473ca6a6049088cb0bd8202199b51efc4f49745bffddd2",
    "tick.ir": "d0e63c91bc8e9a39f6d55579359baae3216afa1574a53e4cb5119929eb664ca2",
    "triton_kernels.py": "f37e764fb127374716660657c66c7224b281f4e4d4fd80d15f651391a3c53cd9",
    "numba_kernels.py": "2728a09b8295aa7a14952b9c378ea55d8592e2df29cefaeeabb575f4c5a6d9c8",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
