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
    "tick.ir": "320900e60e841f34e522121100bb4952ef256a65456fef6109af993ab882bb27",
    "triton_kernels.py": "b0dabaa3210c773f11ee59763532b48eaa0e589b01d7825538047cf888010856",
    "numba_kernels.py": "84de246eac20befb73645dc2c72f1d77369cec0a3d24aca8e352c91f6e528ae5",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
