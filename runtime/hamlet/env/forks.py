"""A process that has worlds can be forked: torch's threads are no trap for the child.

OpenMP's threads stay behind at a fork, but GNU's libgomp, which torch's wheels use, does not notice it: the next large
operation of the child, or its next `hamlet.make`, would wait for them for ever. So whoever forks gives its threads back
first, as OpenMP 5.0 provides for; both processes begin new ones when they need them. LLVM's and Intel's libraries
notice a fork themselves.
"""

from __future__ import annotations

import os
from functools import cache, partial
from typing import Any

import torch

from hamlet.system import process

PAUSE = "omp_pause_resource_all"
SOFT = 1
"""`omp_pause_soft`: the settings of threads stay."""


@cache
def forkable() -> None:
    """Let this process be forked, from now on; on Windows none is."""
    # Torch brings its OpenMP library in front of all others, so its function is the one that is found.
    if not hasattr(os, "register_at_fork"):
        return
    pause: Any = getattr(process(), PAUSE, None)
    if pause is None:
        os.register_at_fork(after_in_child=_one_thread)
    else:
        os.register_at_fork(before=partial(pause, SOFT))


def _one_thread() -> None:
    """Without that function, the child's operations of torch need no other threads."""
    torch.set_num_threads(1)
