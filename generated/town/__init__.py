"""Universe town, compiled by hamletc 0.1.0 from town.hamlet. Do not edit: compile it again.

    from generated import town

    env = town.load().make(worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.module import Module

SCHEMA = 1
HAMLETC = "0.1.0"
UNIVERSE = "town"
SOURCE = "town.hamlet"
SHA256 = {
    "universe.json": "7257a15555c0192fc4a1ced5f19c2ad7b070b37a54b3f0f3f0b8338bc9bfed40",
    "tick.ir": "1ef40d892d0fa9d00d5d70029613e1946eee6e54558456ae420848f76e7712b6",
    "triton_kernels.py": "67fb9c5aff0317330e8aaae0b7da7e03f6bc946fd2002337a6030007dd7b7a69",
    "numba_kernels.py": "42d654c583c4bd28a0965393133464daae5940cc3f98d03c6d864727ebd0917a",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
