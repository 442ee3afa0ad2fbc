"""Universe first_meal, compiled by hamletc 0.1.0 from first_meal.hamlet. Do not edit: compile it again.

    from generated import first_meal

    env = hamlet.make(first_meal.load(), worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.package.module import Module

SCHEMA = 8
HAMLETC = "0.1.0"
UNIVERSE = "first_meal"
SOURCE = "first_meal.hamlet"
SHA256 = {
    "universe.json": "762e6760a44955d61dd50303d56f805be8b22341a9e651520b28c7d7910f2eff",
    "tick.ir": "49ff8528488badcc094dfcb22b201edb138cf9f2f9e20e639a475ea4f7de860b",
    "numba_kernels.py": "7a234d7f67985b33ce26f4db38b012b4a2fc6f6e16cd7eb00967e0404a5249ae",
    "triton_kernels.py": "a4a911cf7733be38467987c3001579e98d515982d33d8239c35e9fe7e07d2ab7",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
