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
    "numba_kernels.py": "bb79a4791bd1baa2472a2cfd312bd6d424e51236bca046fe9a441ca04b4bd809",
    "triton_kernels.py": "2382bb4a2d2da5e31211b322aa4d1d649182f14921b0fae7a1e8b72d1d72009d",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
