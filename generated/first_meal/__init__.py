"""Universe first_meal, compiled by hamletc 0.1.0 from first_meal.hamlet. Do not edit: compile it again.

    from generated import first_meal

    env = hamlet.make(first_meal.load(), worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.package.module import Module

SCHEMA = 6
HAMLETC = "0.1.0"
UNIVERSE = "first_meal"
SOURCE = "first_meal.hamlet"
SHA256 = {
    "universe.json": "762e6760a44955d61dd50303d56f805be8b22341a9e651520b28c7d7910f2eff",
    "tick.ir": "68da4a6416fc35b64c579d85b969ebe1bd6fb1b313e78f03d970392410dad638",
    "numba_kernels.py": "5b5a6ecdd903542511ff99cce6d2a9bfb45ed2a8d190a804d22bceafc1ccb3e0",
    "triton_kernels.py": "13efeba02912cc308a89e3513dae85d374b9aff40845e312502de09215c3af08",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
