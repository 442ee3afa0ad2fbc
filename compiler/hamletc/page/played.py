"""Policies of a page, which were learnt: which universe each plays, and its module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hamlet.errors import EnvError
from hamlet.package import manifest
from hamlet.policies.by_role import read_by_role
from hamlet.policies.described import Described
from hamlet.universe import Universe
from hamlet.universe.codec import to_json
from hamletc.errors import CompileError
from hamletc.export.policy_wasm import policy_module


@dataclass(frozen=True, slots=True)
class Played:
    """A policy of a page: its name for readers, and its module."""

    name: str
    module: bytes


def players(paths: Sequence[Path], universes: Sequence[Universe]) -> dict[int, Played]:
    """The policies that paths name, by the number of the universe that each plays.

    Raises:
        CompileError: one is of no universe here, or of one that has a policy already, or no page can play it.
        EnvError: it cannot be read, or is of another version of its universe.
    """
    result: dict[int, Played] = {}
    for path in paths:
        policy = _read(path)
        number = _number(path, policy, universes)
        if number in result:
            raise CompileError(f"{path} and {result[number].name} play one universe: a page has one policy of each")
        result[number] = Played(str(path), policy_module(policy, universes[number]))
    return result


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


def _read(path: Path) -> Described:
    policies = read_by_role(path)
    if None not in policies:
        roles = " and ".join(map(str, policies))
        raise CompileError(f"{path} has a policy for {roles}: a page plays one that all agents share (train --shared)")
    return policies[None]
