"""How many examples hypothesis makes of a property.

The default run tries a quarter, the same in every run, so that what fails there fails for everybody. With
HAMLET_LONG_TESTS=1 there are all of them, others in every run.
"""

from __future__ import annotations

import os

LONG = os.environ.get("HAMLET_LONG_TESTS") == "1"
SHARE = 4
"""Of so many examples the default run tries one."""


def examples(count: int) -> int:
    """The examples of this run, of a property that has so many."""
    return count if LONG else count // SHARE
