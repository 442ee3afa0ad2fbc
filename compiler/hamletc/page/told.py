"""The facts that a page must know of a universe beside its module, as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

from hamlet import schema
from hamlet.env.drawn import Drawn
from hamlet.env.view import is_shown
from hamlet.schema.roles import actions_of
from hamlet.universe import AnyMeter, Universe, meet
from hamletc.export.tested import agents_of
from hamletc.page.picture import picture_of
from hamletc.page.shown import Shown

MOST_AGENTS = 1024
"""Agents of a world, at most, where they meet."""
ALONE = 64
"""Agents of a world, at most, where they do not."""
FEW = 12
"""Agents of a world at first, where they meet."""
DIGITS = 16
"""Hexadecimal digits of the digest of what agents observe and do."""
UNSHOWN = "This page does not show the walls that a condition of cells makes: there are too many cells, or axes."
FIELD = re.compile(r"[A-Z]\w*( of)?: ")
"""How lines begin that say one thing of a universe each: where it is from, whose it is."""
UNLINKED = "This page does not show all links between agents: it cannot compute their conditions to the bit."


@dataclass(frozen=True, slots=True)
class Named:
    """A universe of a page.

    Attributes:
        id: its place among the universes of the page, which is in links.
        shelf: where it stands in the list: the name of its folder.
        source: its text; empty where it has none.
        files: the texts of files that it reads, by the names that it has for them.
    """

    id: str
    shelf: str
    path: Path
    source: str
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Learnt:
    """Policies of a page that play one universe: their name for readers, and their roles; `None` is the role of one
    that all agents share."""

    name: str
    roles: tuple[str | None, ...]


def interface(universe: Universe) -> str:
    """A digest of all on which it hangs whether a policy can play a universe: what agents observe and do."""
    roles = universe.roles or ()
    whole = (
        schema.observation_names(universe),
        schema.action_names(universe),
        [(each.name, each.low, each.high) for each in universe.controls],
        [(role.name, schema.role_names(universe, role), actions_of(role, universe)) for role in roles],
    )
    return sha256(json.dumps(whole).encode()).hexdigest()[:DIGITS]


def told(named: Named, universe: Universe, shown: Shown, policy: Learnt | None) -> dict[str, Any]:
    """All that a page must know of a universe, which a policy plays, if one does."""
    least, limit = agents_of(universe)
    together = meet(universe) or bool(universe.roles)
    most = min(limit, max(least, MOST_AGENTS if together else ALONE))
    unshown = [UNSHOWN] if universe.closed is not None and shown.walls is None else []
    unshown += [UNLINKED] * (not all(each.shown for each in shown.links))
    return {
        "id": named.id,
        "name": universe.name,
        "says": " ".join([remarks(named.source), *unshown]).strip(),
        "source": named.source,
        "files": dict(named.files),
        "agents": {"least": least, "most": most, "first": min(max(least, FEW if meet(universe) else 1), most)},
        "gauges": [
            *(_gauge("meters", row, meter) for row, meter in enumerate(universe.meters) if is_shown(meter)),
            *(
                _gauge("world_meters", row, meter)
                for row, meter in enumerate(() if universe.world is None else universe.world.meters)
                if is_shown(meter)
            ),
        ],
        "of": _of_agents(universe, most),
        "params": [
            {"name": each.name, "default": each.default, "low": _finite(each.low), "high": _finite(each.high)}
            for each in universe.params
        ],
        "controls": [
            {"name": each.name, "low": each.low, "high": each.high, "whole": each.whole} for each in universe.controls
        ],
        "affordances": [each.copy_of or each.name for each in universe.affordances],
        "ends": [*(each.name for each in universe.causes), "lifespan"],
        "policy": None if policy is None else _played(policy, universe, shown),
        "picture": picture_of(universe, shown, most),
    }


def _played(policy: Learnt, universe: Universe, shown: Shown) -> dict[str, Any]:
    """The part of that which is about the policies that play it."""
    roles = [each for each in universe.roles or () if each.name in policy.roles]
    return {
        "name": policy.name,
        "from": shown.rows,
        "roles": [{"name": each.name, "first": each.first, "agents": each.agents} for each in roles] or None,
        "fits": interface(universe),
    }


def remarks(source: str) -> str:
    """The remarks at the beginning of a text, as one paragraph: what is said of a port line by line, as sentences."""
    lines = list[str]()
    for line in source.splitlines():
        if not line.startswith("#"):
            break
        said = line.lstrip("# ").rstrip()
        if lines and FIELD.match(said) and not lines[-1].endswith((".", "!", "?")):
            lines[-1] += "."
        lines.append(said)
    return " ".join(lines).strip()


def _gauge(array: str, row: int, meter: AnyMeter) -> dict[str, Any]:
    options = () if meter.type is None else meter.type.options
    return {
        "name": meter.name,
        "array": array,
        "row": row,
        "low": _finite(meter.low),
        "high": _finite(meter.high),
        "options": list(options),
    }


def _finite(bound: float) -> float | None:
    """A bound, which JSON can only say where there is one."""
    return bound if isfinite(bound) else None


def _of_agents(universe: Universe, agents: int) -> dict[str, Any]:
    """The names of agents by number, and of each those of the gauges that stand beside the board, in order."""
    drawn = Drawn(universe)
    of_world = [each.name for each in (() if universe.world is None else universe.world.meters) if is_shown(each)]
    own = [each.name for each in universe.meters if is_shown(each)]
    lists: list[list[str]] = []
    names, numbers = [], []
    for number in range(agents):
        names.append(drawn.agent(number)[0])
        others = drawn.of_others(number)
        bars = [*(name for name in own if name not in others), *of_world]
        listed = list(drawn.gauges(bars, bars))
        if listed not in lists:
            lists.append(listed)
        numbers.append(lists.index(listed))
    return {"names": names, "gauges": lists, "numbers": numbers}
