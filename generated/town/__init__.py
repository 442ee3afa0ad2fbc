"""Universe town, compiled by hamletc 0.2.0 from town.hamlet. Do not edit: compile it again.

    from generated import town

    env = hamlet.make(town.load(), worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.package.module import Module

SCHEMA = 10
HAMLETC = "0.2.0"
UNIVERSE = "town"
SOURCE = "town.hamlet"
SHA256 = {
    "universe.json": "72b71680e9ae6004a8b4f6399b0fed239c55a78ed20a4c97502f7f4112e3bfc9",
    "tick.ir": "277587db4f3494811034af3b4ab5321eb16c7161d0fcc5f8c03d3a7fd1bbe560",
    "tick.kernel": "a96bc9df4cb658082654f0306418bf8be2632e6fc8d6c03cad5acad00bea9226",
    "c_kernels.c": "278ce1fe8c9f43ac4a42a3309943fd0252ee5535f1719ea86fb79fad79bd7d15",
    "triton_kernels.py": "63a51089229768c98fde1f26e4671569e8e35e380a3467c73d6dbbab763bf047",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
