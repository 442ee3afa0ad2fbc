"""How many agents worlds have, and the run whose digest an export knows."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from hamlet import schema
from hamlet.schema.roles import fewest_agents
from hamlet.schema.room import MOST_COUNTED, counts_agents, room
from hamlet.universe import Universe, meet

LANE_LIMIT = 2**31 - 1
TEST_WORLDS, TEST_TICKS, TEST_SEED = 4, 300, 7
"""Of the run whose digest an export knows."""
DIGESTS = "digests"
"""Their kind in the user's cache."""


def agents_of(universe: Universe) -> tuple[int, int]:
    """The fewest and the most agents of a world."""
    only = universe.agents
    if only is not None:
        return only, only
    limits = [LANE_LIMIT]
    if meet(universe) or universe.roles:
        limits.append(schema.MOST_AGENTS)
    if counts_agents(universe):
        limits.append(MOST_COUNTED)
    places = room(universe)
    if places is not None:
        limits.append(places)
    return fewest_agents(universe), min(limits)


def agents_tested(universe: Universe) -> int:
    """The agents of a world in the run whose digest an export knows: where they meet, some."""
    least, most = agents_of(universe)
    return min(max(least, 3), most) if meet(universe) else least


def digest_tested(universe: Universe) -> int:
    """The digest of the run that an export knows, by the interpreter. It takes seconds, and the user's cache remembers
    it for the same universe and the same interpreter."""
    from hamlet.backend.buffers import Shape
    from hamlet.interpreter.digest import digest_of_run
    from hamlet.package.cache import load, save
    from hamlet.policies.parts import WHOLE, parts_of

    agents = agents_tested(universe)
    key: dict[str, str | int] = {
        "universe": parts_of(universe)[WHOLE],
        "interpreter": _interpreter(),
        "worlds": TEST_WORLDS,
        "agents": agents,
        "seed": TEST_SEED,
        "ticks": TEST_TICKS,
    }
    before = load(DIGESTS, key)
    if before is not None and isinstance(before.get("digest"), str):
        return int(before["digest"], 16)
    digest = digest_of_run(universe, Shape(TEST_WORLDS, agents), TEST_SEED, TEST_TICKS)
    save(DIGESTS, key, {"digest": f"{digest:016x}"})
    return digest


@cache
def _interpreter() -> str:
    """A digest of all on which the interpreter depends."""
    return _digest_of(files("hamlet"))


def _digest_of(folder: Traversable) -> str:
    """A digest of the modules in a folder."""
    digest = hashlib.sha256()
    for each in sorted(folder.iterdir(), key=lambda each: each.name):
        if each.is_dir():
            digest.update(f"{each.name} {_digest_of(each)}".encode())
        elif each.name.endswith(".py"):
            digest.update(f"{each.name} ".encode() + each.read_bytes())
    return digest.hexdigest()
