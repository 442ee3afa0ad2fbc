"""Universe first_meal, compiled by hamletc 0.1.0 from first_meal.hamlet. Do not edit: compile it again.

    from generated import first_meal

    env = first_meal.load().make(worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.module import Module

SCHEMA = 1
HAMLETC = "0.1.0"
UNIVERSE = "first_meal"
SOURCE = "first_meal.hamlet"
SHA256 = {
    "universe.json": "a949223c75def0a572c42d398aa0fccbc046971a9f79cbfb23faf6c85bae647e",
    "tick.ir": "58d5e57d3a985373d2a6054ebef9e9cad5b8d769cd96a03955082013b31da0bf",
    "triton_kernels.py": "a3efe88221f10913ebfeb217ad73e612849389c2a91159a5672ec03fa7e63433",
    "numba_kernels.py": "40a4c9429a3d5e84cb03f1dbb7a04aba79699e73d908fea6a33ddf9c2821bbfd",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
