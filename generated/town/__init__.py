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
    "tick.ir": "306e7361bb47426b4abae8bc7236567c9d866ce215f821c18133e595714ad6ec",
    "triton_kernels.py": "ea15d812d26c0a50585743ac7e17b64b464a1b057d83aa85364d6212ddab53b8",
    "numba_kernels.py": "507da23ad6821b9f8f85e37539d2cc8ff70d3aa7ef51b6b57e78002cb264a52e",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
