"""Universe shifts, compiled by hamletc 0.1.0 from shifts.hamlet. Do not edit: compile it again.

    from generated import shifts

    env = shifts.load().make(worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.module import Module

SCHEMA = 1
HAMLETC = "0.1.0"
UNIVERSE = "shifts"
SOURCE = "shifts.hamlet"
SHA256 = {
    "universe.json": "a13697a686cc02b7372bd21492df8589ee2430d2a41d83f7b919287d32fb1f2f",
    "tick.ir": "1d8659477871e332a60db813167d84d8c63903261eac285714a3844f86f4702d",
    "triton_kernels.py": "0a9657c3242a2098f00d01e0a7d34468bdbd93cda102b8249369b27de4c166c9",
    "numba_kernels.py": "1619463757a3f8e5fa8674c1ef9700c8dab51af5d79df6eb0f7e722ac2ead483",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
