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
    "tick.ir": "b0d46ab8164d3332be6dfffa0fd9cd5314014cff36cc31516e6107b819e546db",
    "triton_kernels.py": "48ac67d447a5c54a1a594bfe34e338683ed67a6b57660ec11eb6b31578fa34f5",
    "numba_kernels.py": "999afb116e5179d56e6a8b45abee7556250147d6ff3d8647042468069e2d3748",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
