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
    "universe.json": "1c42702fe82aaf27411de3ecc5860fe45e0562cfe8ac1df3afd23d3e488f4244",
    "tick.ir": "2ba71a1630e3f14f3dd96f43264cd0c7f2dae06591343df4489411ebd3d93616",
    "triton_kernels.py": "0a9ca66a52521280e4a3c2846e5055727baf1e7c44c4747b3cde5ca26ecf90f6",
    "numba_kernels.py": "2b3cd08dbb125e37f869bc758d087ddd95c12e0e893bcf33ddc59fcf93e21213",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
