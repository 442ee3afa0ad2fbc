"""Universe town, compiled by hamletc 0.1.0 from town.hamlet. Do not edit: compile it again.

    from generated import town

    env = town.load().make(worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.module import Module

SCHEMA = 2
HAMLETC = "0.1.0"
UNIVERSE = "town"
SOURCE = "town.hamlet"
SHA256 = {
    "universe.json": "3152da6aed37240a2beac18e1251a709a1b5aa3085c107b4fa64a3c27419d26b",
    "tick.ir": "a61a4fa11c7af2abf41e22b19e32d9aa77145248db2107118b31a37b9f958c38",
    "triton_kernels.py": "7592c9f50f589550fe9644bab4b8b2f9f5595ad7bb7828c95591c22704bc069c",
    "numba_kernels.py": "871e906e023fb053b40e7df9469ac54799e8689448f6f38a0cc667a6dfbdf67c",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
