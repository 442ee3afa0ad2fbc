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
    "universe.json": "0a64bb5a51457fe3212ee2482a32ef7b6695b1eb3b0961dac11f8ea6b6c1730b",
    "tick.ir": "259c6baa7d2ecb77665f93cb01d11a840b646e34aa7a2e19390741e4f339485f",
    "triton_kernels.py": "d4c17a13a63f26fbac1e88149c81555d4cc2ff9957ffe8bd023f31eaf9be1b52",
    "numba_kernels.py": "8e561e553af69325bef05c1ffb71eb7df632db4c46a3310540153acb7e956448",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
