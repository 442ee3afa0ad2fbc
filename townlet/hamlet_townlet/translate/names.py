"""Names that a pack does not give: of the universe, of params, of rules that share theirs."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection
from itertools import count
from pathlib import Path

from hamlet_townlet.reader.limits import LONGEST_NAME


def universe_name(directory: Path) -> str:
    """The name of the folder of a pack, changed as little as it takes to import a package of that name."""
    name = re.sub(r"\W", "_", directory.resolve().name, flags=re.ASCII)[:LONGEST_NAME]
    if not name or name[0].isdigit():
        name = f"pack_{name}"[:LONGEST_NAME]
    return f"{name[: LONGEST_NAME - 1]}_" if keyword.iskeyword(name) or name in ("then", "when") else name


def fresh_name(wanted: str, taken: Collection[str]) -> str:
    """The wanted name, or the first of `wanted_2`, `wanted_3`, ... that is not taken."""
    if wanted not in taken:
        return wanted
    tries = (f"{wanted[: LONGEST_NAME - len(str(n)) - 1]}_{n}" for n in count(2))
    return next(name for name in tries if name not in taken)
