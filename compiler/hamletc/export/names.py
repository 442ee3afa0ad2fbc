"""Names of a universe as identifiers of C."""

from __future__ import annotations

import re
from collections.abc import Iterable

RESERVED = frozenset(
    re.findall(
        r"\w+",
        """
        auto break case char const continue default do double else enum extern float for goto if inline int long
        register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
        bool true false class delete new private public template this throw try virtual
        """,
    )
)
"""Words of C and C++ that a universe may well be called."""


def identifier(name: str) -> str:
    """A name in the small letters of ASCII: what is no letter, digit or `_` becomes `_`."""
    made = re.sub(r"\W", "_", name, flags=re.ASCII).lower()
    return f"u_{made}" if not made or made[0].isdigit() or made in RESERVED else made


def constants(prefix: str, names: Iterable[str]) -> tuple[str, ...]:
    """A constant for each name, all of them different."""
    made: list[str] = []
    for name in names:
        first = f"{prefix}_{re.sub(r'[^A-Za-z0-9]+', '_', name).strip('_')}".upper()
        word, number = first, 2
        while word in made:
            word, number = f"{first}_{number}", number + 1
        made.append(word)
    return tuple(made)
