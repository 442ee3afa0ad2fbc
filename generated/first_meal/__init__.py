"""Universe first_meal, compiled by hamletc 0.1.0 from first_meal.hamlet. Do not edit: compile it again.

    from generated import first_meal

    env = first_meal.load().make(worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.module import Module

SCHEMA = 3
HAMLETC = "0.1.0"
UNIVERSE = "first_meal"
SOURCE = "first_meal.hamlet"
SHA256 = {
    "universe.json": "762e6760a44955d61dd50303d56f805be8b22341a9e651520b28c7d7910f2eff",
    "tick.ir": "84fd26c9c23f58708974ec03cf1894abc32bc0dc8d99d5d67b214216be867177",
    "triton_kernels.py": "5bf9d15759b7251f41e276a9c2f889975b54579eb7c5c84204912c0cfd1683c5",
    "numba_kernels.py": "7db9b015b5034dbbc6d0831b8b6f88f998d8d44c2d4d024572b7b72c72bb1d13",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
