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
    "c_kernels.c": "46b06f5953e8e4304a9cd4c11f785277a579e7400c9f0e8b5e70a9a52092e5cd",
    "triton_kernels.py": "045a70f1fd16896f13ff29db39e7d2359bc634859b88e0b320674b05c9adbb82",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
