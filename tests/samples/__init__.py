"""The universes that tests share. `sample(name)` is one of them, checked; `universe_of(text)` is any other.

Those that people wrote lie in `universes/`, a folder for each group; `written` has those that a program writes,
`by_hand` those of one or two constructs that need no text, `packs` those of HAMLET.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hamlet.universe import Universe
from hamletc.compile import check
from hamletc.language.source import Source
from hamletc.read import parsed
from samples.written import many_affordances, many_cascades, many_meters

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "universes"
"""The universes of the project."""

SHIPPED_NAMES = ("town", "shifts", "first_meal")
ODD = ("wrap", "bounce", "sticky")
"""Grids with edges of each kind, and what the shipped universes lack."""

CONSTRUCTS = (
    "line", "plane", "volume", "hyper", "fourfold", "nowhere", "handled", "lasting", "vast", "many_moves", "some_moves",
    "adrift", "drawn",
)  # fmt: skip
"""Small ones, one or more for each construct beyond cells of a small grid."""

CORNERS = (
    *("swift", "launched", "curves", "zeros", "field", "steppe", "uneven", "swing", "plots", "huddle"),
    *(
        "yard",
        "court",
        "alley",
        "serpent",
        "horizon",
        "panes",
        "stroll",
        "orchard",
        "gate",
        "brood",
        "depot",
        "feast",
        "heath",
        "hive",
        "moor",
        "raft",
    ),
)
"""For corners of the compiler that the others do not reach: found by altering it (tests/mutation)."""

LARGE = ("meadow", "galaxy")
MEETING = ("queue", "epidemic")
"""Worlds whose agents meet: claims of each order, numbers together, rules and draws of the world."""
WAYS = ("maze", "lines")
"""Ways around walls, sight, arrangements; a graph."""
ROLES = "herd"
"""Kinds of agents, goals and potentials."""
LOCALS = "brawl"
"""Locals, wherever statements stand."""
ENVIRONMENTS = ("valley", "luck", "drift")
"""For tests of environments: everything that they have to deal with, chance, and roles with controls."""

MANY = {
    "crowded": many_affordances(70, 12, fixed=True),
    "tangled": many_cascades(20, 6),
    "ledger": many_meters(98),
}
"""Just enough affordances for tables; cascades, for tables where `TABLES` is the limit; enough meters for functions in
parts."""

NAMES = (*SHIPPED_NAMES, *ODD)
EVERY = (*NAMES, *CONSTRUCTS, *LARGE)


@cache
def text(name: str) -> str:
    """The source of a sample."""
    return MANY[name] if name in MANY else _path(name).read_text(encoding="utf-8")


@cache
def sample(name: str) -> Universe:
    """A sample, or `gallery/NAME`, `ports/NAME`, `regressions/NAME`, checked."""
    return universe_of(text(name), SHIPPED / f"{name}.hamlet")


def universe_of(text: str, path: Path = Path("test.hamlet")) -> Universe:
    """The universe that a text describes."""
    return check(parsed(Source(path, text))).universe


def _path(name: str) -> Path:
    if name in SHIPPED_NAMES or name.startswith(("gallery/", "ports/")):
        return SHIPPED / f"{name}.hamlet"
    if name.startswith("regressions/"):
        return Path(__file__).parents[1] / "equivalence" / f"{name}.hamlet"
    (path,) = (Path(__file__).parent / "universes").glob(f"*/{name}.hamlet")
    return path
