"""Universe first_meal, compiled by hamletc 0.1.0 from first_meal.hamlet. Do not edit: compile it again.

    from generated import first_meal

    env = hamlet.make(first_meal.load(), worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.package.module import Module

SCHEMA = 9
HAMLETC = "0.1.0"
UNIVERSE = "first_meal"
SOURCE = "first_meal.hamlet"
SHA256 = {
    "universe.json": "762e6760a44955d61dd50303d56f805be8b22341a9e651520b28c7d7910f2eff",
    "tick.ir": "49ff8528488badcc094dfcb22b201edb138cf9f2f9e20e639a475ea4f7de860b",
    "numba_kernels.py": "f3501bd8561711d75bf56366d33075a5e4de38cad4f2ca308fbe4396427a5ebd",
    "triton_kernels.py": "a00d26bad1a07373c60901cba431e022fcbc91c7eea6118521b7dc9bbea4f51d",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
