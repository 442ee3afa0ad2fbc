"""Universe town, compiled by hamletc 0.1.0 from town.hamlet. Do not edit: compile it again.

    from generated import town

    env = hamlet.make(town.load(), worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.package.module import Module

SCHEMA = 6
HAMLETC = "0.1.0"
UNIVERSE = "town"
SOURCE = "town.hamlet"
SHA256 = {
    "universe.json": "3152da6aed37240a2beac18e1251a709a1b5aa3085c107b4fa64a3c27419d26b",
    "tick.ir": "539e1d24f0b00a5b1e32da3c9d4f2d0c2e469979a79fbc2875967d258b6e253b",
    "numba_kernels.py": "7111d67600c28d7f1affecb5fc32f5f0a8dc8487624d1fb02f137205b6102483",
    "triton_kernels.py": "7280dc645411c6b461d72e945322e7195dc6f315f1941e8a7402eaf20bc7e25a",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
