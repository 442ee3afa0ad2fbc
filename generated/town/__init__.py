"""Universe town, compiled by hamletc 0.1.0 from town.hamlet. Do not edit: compile it again.

    from generated import town

    env = town.load().make(worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.module import Module

SCHEMA = 1
HAMLETC = "0.1.0"
UNIVERSE = "town"
SOURCE = "town.hamlet"
SHA256 = {
    "universe.json": "7257a15555c0192fc4a1ced5f19c2ad7b070b37a54b3f0f3f0b8338bc9bfed40",
    "tick.ir": "1ef40d892d0fa9d00d5d70029613e1946eee6e54558456ae420848f76e7712b6",
    "triton_kernels.py": "84372afbca90a1f837cc5f98b47f0f89f3e6450afdaa686b74e93553b9423761",
    "numba_kernels.py": "b5f8dc8b5427d47907470f3cb3aa60de10d4f8c683cf67178868b9b2e6574f6e",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
