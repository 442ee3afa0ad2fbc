"""Universe first_meal, compiled by hamletc 0.1.0 from first_meal.hamlet. Do not edit: compile it again.

    from generated import first_meal

    env = first_meal.load().make(worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.module import Module

SCHEMA = 2
HAMLETC = "0.1.0"
UNIVERSE = "first_meal"
SOURCE = "first_meal.hamlet"
SHA256 = {
    "universe.json": "762e6760a44955d61dd50303d56f805be8b22341a9e651520b28c7d7910f2eff",
    "tick.ir": "84fd26c9c23f58708974ec03cf1894abc32bc0dc8d99d5d67b214216be867177",
    "triton_kernels.py": "ff87acbc23a835e9db7ffc520063b94446cff9d82b16d2af55d64a8a18e0523e",
    "numba_kernels.py": "1d3b8f0093933a43ae9e65df7201d7fb10dc9479d9f07fc01f16b20cbdba7f8f",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
