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
    "tick.ir": "f7b0a0d7884ad1c3e61a6d02f1091b78b71268a00d508568f3c2bbeb59350069",
    "triton_kernels.py": "a0144e91ca91413661dbb133fe2adf51d27c64db8c6dcf4db141bec84a6d70d9",
    "numba_kernels.py": "26c36c6574fd305651d387f532646e7f30ee9239f6d5067aaab972a3add2ec9a",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
