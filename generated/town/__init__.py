"""Universe town, compiled by hamletc 0.2.0 from town.hamlet. Do not edit: compile it again.

    from generated import town

    env = hamlet.make(town.load(), worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.package.module import Module

SCHEMA = 10
HAMLETC = "0.2.0"
UNIVERSE = "town"
SOURCE = "town.hamlet"
SHA256 = {
    "universe.json": "3152da6aed37240a2beac18e1251a709a1b5aa3085c107b4fa64a3c27419d26b",
    "tick.ir": "c84fdaf709ede57e0aa772812589822ce703ec125fe135b4d1a6fac34b12de37",
    "tick.kernel": "a96bc9df4cb658082654f0306418bf8be2632e6fc8d6c03cad5acad00bea9226",
    "c_kernels.c": "e3645f935d1b16b8ddbce8dae62bc145769099dc398614fb12b00d30b5293749",
    "numba_kernels.py": "6a06d49990e02c2d606a6046230b895d23981b6dee665601f7a36c19cd4ed475",
    "triton_kernels.py": "045a70f1fd16896f13ff29db39e7d2359bc634859b88e0b320674b05c9adbb82",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
