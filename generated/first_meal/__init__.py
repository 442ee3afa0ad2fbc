"""Universe first_meal, compiled by hamletc 0.2.0 from first_meal.hamlet. Do not edit: compile it again.

    from generated import first_meal

    env = hamlet.make(first_meal.load(), worlds=1024)
"""

from pathlib import Path

import hamlet
from hamlet.package.module import Module

SCHEMA = 10
HAMLETC = "0.2.0"
UNIVERSE = "first_meal"
SOURCE = "first_meal.hamlet"
SHA256 = {
    "universe.json": "6092ae6d3e2ba7b02fcebd92e6a712c155c6c09c5a85ab7b681d05033515454b",
    "tick.ir": "509ada649e05ef0ea3c38763a17c60f3a23fc9a5de7f20c06bd4b89e1095fdf7",
    "tick.kernel": "a96bc9df4cb658082654f0306418bf8be2632e6fc8d6c03cad5acad00bea9226",
    "c_kernels.c": "deeef6fbf74b083eeb861f44692fccc6aa1ee2480d5114d85b9f27036d05e0ea",
    "triton_kernels.py": "b811f484fe4ea596a5b76354c6261c8b639d44b3b94587ae07d39882f69cd228",
}


def load() -> Module:
    """This universe, after checking that the files of this folder are those that were written."""
    return hamlet.load(Path(__file__).parent)
