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
    "tick.ir": "b0d46ab8164d3332be6dfffa0fd9cd5314014cff36cc31516e6107b819e546db",
    "triton_kernels.py": "23ee1feb37cf7e3136326fbe9281fbc06e862aa396a5444cde3aeca48227c419",
    "numba_kernels.py": "1d477fba3498184ee014665e39039cf7b8512afec5160cf2bf6ecb2f548e736f",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
