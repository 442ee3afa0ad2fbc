"""The zoo: policies of the shipped universes, trained, which come with hamletc. `zoo:town` names that of the town."""

from __future__ import annotations

from pathlib import Path

from hamlet.errors import EnvError

SHIPPED = Path(__file__).parents[1] / "shipped"
"""The shipped universes."""
ZOO = SHIPPED / "zoo"
"""A folder for each, with the manifest, the evaluations and the policies of its training (`benchmarks/zoo.py`)."""
PREFIX = "zoo:"


def in_zoo(path: str | Path) -> bool:
    """Whether a path is that of a policy in the zoo, `zoo:NAME`."""
    return str(path).startswith(PREFIX)


def located(path: Path) -> Path:
    """The folder of a policy in the zoo that `zoo:NAME` names; any other path as it is.

    Raises:
        EnvError: the zoo has none of that name.
    """
    if not in_zoo(path):
        return path
    name = str(path).removeprefix(PREFIX)
    if name not in names():
        raise EnvError(f"{path} is not there: the zoo has {', '.join(names()) or 'nothing'}")
    return ZOO / name


def names() -> list[str]:
    """The universes of which the zoo has a policy."""
    return sorted(path.parent.name for path in ZOO.glob("*/manifest.json"))
