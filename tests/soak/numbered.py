"""The command line of soaks over numbered cases."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable


def run(description: str | None, fault: Callable[[int], str | None], cases: str) -> None:
    """Look at the cases that the command line says; `fault` says what is wrong with one, and `cases` is their name."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0] if description else None)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    given = parser.parse_args()
    faults: Counter[str] = Counter()
    for number in range(given.first, given.first + given.count):
        if (found := fault(number)) is not None:
            faults[found] += 1
            print(number, found, flush=True)
    print(f"{given.count} {cases}, {faults.total()} faults")
    sys.exit(bool(faults))
