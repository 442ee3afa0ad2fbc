"""Universe first_meal, compiled by hamletc 0.1.0 from first_meal.hamlet. Do not edit: compile it again.

    from generated import first_meal

    env = hamlet.make(first_meal.load(), worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.package.module import Module

SCHEMA = 7
HAMLETC = "0.1.0"
UNIVERSE = "first_meal"
SOURCE = "first_meal.hamlet"
SHA256 = {
    "universe.json": "762e6760a44955d61dd50303d56f805be8b22341a9e651520b28c7d7910f2eff",
    "tick.ir": "49ff8528488badcc094dfcb22b201edb138cf9f2f9e20e639a475ea4f7de860b",
    "numba_kernels.py": "7a234d7f67985b33ce26f4db38b012b4a2fc6f6e16cd7eb00967e0404a5249ae",
    "triton_kernels.py": "f511aaa4fe6152c8d5c264b8967884b7af80a4f062c36c68599e6b1895fff703",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
