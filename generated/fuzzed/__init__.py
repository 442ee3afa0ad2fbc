"""Universe fuzzed, compiled by hamletc 0.2.0 from g.hamlet. Do not edit: compile it again.

    from generated import fuzzed

    env = hamlet.make(fuzzed.load(), worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.package.module import Module

SCHEMA = 10
HAMLETC = "0.2.0"
UNIVERSE = "fuzzed"
SOURCE = "g.hamlet"
SHA256 = {
    "universe.json": "d74316d178d4fbf0575609782fd2f7e82106a2e20c8268c2026617c1316e7e1a",
    "tick.ir": "ac92c69c819993678e037551217b43b8ed802130ea1bf3b78be8da3285382451",
    "tick.kernel": "fdf6058dfef118c623d0f4969cd8930999756432e26b1f960394d754c8bd704b",
    "c_kernels.c": "5980aaa287f514b4fd844fc202d8554507a258750d4925aa7934c123d18e0e79",
    "triton_kernels.py": "f4def809d305025cd9f352f3bda5c6d5a65b3c5169d9629e71095ffc53a5220a",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
