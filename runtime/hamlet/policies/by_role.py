"""Policies of roles: a file for each in the folder of a run, or all of them in a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hamlet.errors import EnvError, shown
from hamlet.policies.described import Described, described
from hamlet.policies.files import Array, read_tensors
from hamlet.policies.opened import FILENAME, weights_in
from hamlet.policies.zoo import located

OPPONENTS = "opponents"
"""The folder of a run that has the policies of roles which play as they are."""


def read_by_role(path: Path) -> dict[str | None, Described]:
    """The policies of a run, or in a file, by role; `None` is the role of one that all agents share. Of a run that has
    not ended they are those of its latest checkpoint.

    Raises:
        EnvError: there are none, or a file is damaged, or has no policy that is played here.
    """
    path = located(path)
    files = sorted(path.glob(f"{Path(FILENAME).stem}-*{Path(FILENAME).suffix}")) if path.is_dir() else []
    if not files or (path / FILENAME).exists():
        files = [weights_in(path)]
    policies: dict[str | None, Described] = {}
    for file in files:
        for role, (tensors, about) in parted(file, *read_tensors(file)).items():
            policies[role] = described(file, tensors, about)
    return policies


def read_every_role(path: Path) -> dict[str | None, Described]:
    """The same, and those of opponents against which roles have learnt.

    Raises:
        EnvError: see `read_by_role`.
    """
    policies = read_by_role(path)
    if None not in policies:
        for file in sorted((path / OPPONENTS).glob("*.safetensors")):
            for role, opponent in read_by_role(file).items():
                policies.setdefault(role, opponent)
    return policies


def parted(
    path: Path, tensors: Mapping[str, Array], about: Mapping[str, Any]
) -> dict[str | None, tuple[dict[str, Array], dict[str, Any]]]:
    """The content of a file by role: its arrays, whose names begin with that role where there are several, and what is
    said about them.

    Raises:
        EnvError: it names roles in another way.
    """
    roles = about.get("roles")
    if roles is None:
        role = about.get("role")
        if not isinstance(role, str | None) or (role is not None and not role.isidentifier()):
            raise EnvError(f"{path} is for the role {shown(role)}, which is no name of one")
        return {role: (dict(tensors), dict(about))}
    if not isinstance(roles, dict) or not all(isinstance(each, dict) for each in roles.values()):
        raise EnvError(f"{path} does not say of which roles it has policies")
    whole = {name: value for name, value in about.items() if name != "roles"}
    return {
        role: (
            {name.removeprefix(f"{role}/"): array for name, array in tensors.items() if name.startswith(f"{role}/")},
            {**whole, **said, "role": role},
        )
        for role, said in roles.items()
    }
