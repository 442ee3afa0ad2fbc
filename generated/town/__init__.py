"""Universe town, compiled by hamletc 0.1.0 from town.hamlet. Do not edit: compile it again.

    from generated import town

    env = hamlet.make(town.load(), worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.package.module import Module

SCHEMA = 8
HAMLETC = "0.1.0"
UNIVERSE = "town"
SOURCE = "town.hamlet"
SHA256 = {
    "universe.json": "3152da6aed37240a2beac18e1251a709a1b5aa3085c107b4fa64a3c27419d26b",
    "tick.ir": "c84fdaf709ede57e0aa772812589822ce703ec125fe135b4d1a6fac34b12de37",
    "numba_kernels.py": "66477612096f8548fe8fc7db65fc6e8ea4abaf404f157455bfab453394b0c911",
    "triton_kernels.py": "44e1eba92cf4e1eafcb0a671372237aad3ca4d7d1571d2000ac35ac86adf2f8f",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
