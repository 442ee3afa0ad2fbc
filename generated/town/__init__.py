"""Universe town, compiled by hamletc 0.1.0 from town.hamlet. Do not edit: compile it again.

    from generated import town

    env = hamlet.make(town.load(), worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.package.module import Module

SCHEMA = 9
HAMLETC = "0.1.0"
UNIVERSE = "town"
SOURCE = "town.hamlet"
SHA256 = {
    "universe.json": "3152da6aed37240a2beac18e1251a709a1b5aa3085c107b4fa64a3c27419d26b",
    "tick.ir": "c84fdaf709ede57e0aa772812589822ce703ec125fe135b4d1a6fac34b12de37",
    "numba_kernels.py": "c1efa98e1a8033663c27e534fa315b324044a044a104459914086990e6fbd458",
    "triton_kernels.py": "8b391e72ba7e797f25e93df6f65904e54e6d6fb24ef8c292ff6fce9a7650af5b",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
