"""Policies of a page, which were learnt: which universe each plays, and its module."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hamlet.errors import EnvError
from hamlet.package import manifest
from hamlet.policies.by_role import read_every_role
from hamlet.policies.described import Described
from hamlet.policies.opened import FILENAME
from hamlet.policies.zoo import PREFIX, ZOO, names
from hamlet.universe import Universe
from hamlet.universe.codec import to_json
from hamletc.errors import CompileError
from hamletc.export.policy_wasm import policy_module

LITTLE = 0.05
"""The part by which a policy returns more than random actions, at least, on a page of the whole gallery."""


@dataclass(frozen=True, slots=True)
class Played:
    """Policies of a page that play one universe: their name for readers, and their modules by role; `None` is the role
    of one that all agents share."""

    name: str
    modules: Mapping[str | None, bytes]


def players(paths: Sequence[Path], universes: Sequence[Universe]) -> dict[int, Played]:
    """The policies that paths name, by the number of the universe that each plays.

    Raises:
        CompileError: one is of no universe here, or of one that has a policy already, or no page can play it.
        EnvError: it cannot be read, or is of another version of its universe.
    """
    result: dict[int, Played] = {}
    for path in paths:
        policies = read_every_role(path)
        number = {_number(path, policy, universes) for policy in policies.values()}.pop()
        if number in result:
            raise CompileError(f"{path} and {result[number].name} play one universe: a page has one policy of each")
        result[number] = Played(str(path), dict(_modules(path, policies, universes[number])))
    return result


def _modules(
    path: Path, policies: Mapping[str | None, Described], universe: Universe
) -> Iterator[tuple[str | None, bytes]]:
    """The modules by role, in the order of roles."""
    if None in policies:
        yield None, policy_module(policies[None], universe)
        return
    roles = universe.roles or ()
    if missing := [role.name for role in roles if role.name not in policies]:
        raise CompileError(f"{path} has no policy for {' and '.join(missing)}, and a page plays all roles")
    for role in roles:
        yield role.name, policy_module(policies[role.name], universe)


def of_the_zoo(universes: Sequence[Universe]) -> list[Path]:
    """The policies of the zoo that agents of these universes share, and from which one sees that something was
    learnt."""
    names_here = {each.name for each in universes}
    return [Path(f"{PREFIX}{name}") for name in names() if name in names_here and _shows(ZOO / name)]


def _shows(folder: Path) -> bool:
    """Whether a policy of the zoo is one that all agents share, and better than random actions."""
    if not (folder / FILENAME).is_file():
        return False
    lines = (folder / "evaluations.jsonl").read_text(encoding="utf-8").splitlines()
    returned = {each["policy"]: each["fared"][0]["returned"]["mean"] for each in map(json.loads, lines)}
    return bool(returned["trained"] > returned["random"] + LITTLE * abs(returned["random"]))


def _number(path: Path, policy: Described, universes: Sequence[Universe]) -> int:
    """The number of the universe that a policy plays: one with its name may be another version."""
    refusals: list[EnvError] = []
    for number, universe in enumerate(universes):
        if universe.name == policy.universe:
            try:
                policy.check_version(universe, manifest.sha256(to_json(universe).encode()))
            except EnvError as error:
                refusals.append(error)
            else:
                return number
    if refusals:
        raise refusals[0]
    raise CompileError(f"{path} was learnt on {policy.universe}, which is not on this page")
