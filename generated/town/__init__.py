"""Universe town, compiled by hamletc 0.1.0 from town.hamlet. Do not edit: compile it again.

    from generated import town

    env = town.load().make(worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.module import Module

SCHEMA = 3
HAMLETC = "0.1.0"
UNIVERSE = "town"
SOURCE = "town.hamlet"
SHA256 = {
    "universe.json": "3152da6aed37240a2beac18e1251a709a1b5aa3085c107b4fa64a3c27419d26b",
    "tick.ir": "306e7361bb47426b4abae8bc7236567c9d866ce215f821c18133e595714ad6ec",
    "triton_kernels.py": "d1ac5c1a22a48eecaddfc5543d5c0c20d03db3bcf558fc40f5a19e3c7b8ef719",
    "numba_kernels.py": "bdc04dae85db71cf471c20aa380c8ea466a106f54a39a90b4c53f6eefeb22666",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
