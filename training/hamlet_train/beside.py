"""Who plays beside those who learn, as a user says it: opponents from other runs, and past selves."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from hamlet.package.module import Module
from hamlet_train.errors import TrainError
from hamlet_train.evaluate import Networks
from hamlet_train.policy import Policy, kind_of, read_all, write_again
from hamlet_train.run import Run

PAST = "past:"
MOST = 100
"""Past selves that play, at most."""


def past_of(text: str | None) -> int:
    """How many past selves play, of `past:10`; 0 of nothing.

    Raises:
        TrainError: it says something else.
    """
    if text is None:
        return 0
    number = text.removeprefix(PAST)
    if not text.startswith(PAST) or not number.isdecimal() or not 1 <= int(number) <= MOST:
        raise TrainError(f"--against {text}: write {PAST}N for the N latest past selves, of 1 .. {MOST}")
    return int(number)


def opponents_of(texts: Sequence[str], module: Module) -> dict[str | None, Policy]:
    """The policies that `RUN` or `ROLE=RUN` say, by the role that each plays.

    Raises:
        TrainError: a policy is for another universe, or it is not said, or said twice, which role it plays; or no role
            is left to learn.
        CompileError: a policy cannot be read.
    """
    roles = [role.name for role in module.universe.roles or ()]
    policies = dict[str | None, Policy]()
    for text in texts:
        if len(roles) < 2:
            raise TrainError(f"--opponent {text}: {module.name} has no two roles, so all its agents are who learns")
        before, sign, after = text.partition("=")
        named = before if sign and before in roles else None
        role, policy = _opponent(text, Path(after if named else text), named, roles, module)
        if role in policies:
            raise TrainError(f"--opponent {text}: the role {role} has an opponent's policy already")
        policies[role] = policy
    if len(policies) == len(roles) and roles:
        raise TrainError("every role has an opponent's policy: leave one out, which learns")
    return policies


def _opponent(text: str, path: Path, named: str | None, roles: Sequence[str], module: Module) -> tuple[str, Policy]:
    policies = read_all(path, module)
    if named is None:
        if len(policies) > 1 or None in policies:
            written = " or ".join(f"{role}={path}" for role in roles)
            raise TrainError(f"--opponent {text}: say which role it plays, {written}")
        named = str(next(iter(policies)))
    policy = policies.get(named, policies.get(None))
    if policy is None:
        has = " and ".join(map(str, policies))
        raise TrainError(f"--opponent {text}: {path} has a policy for {has}, and none for {named}")
    if not isinstance(policy, Policy):
        raise TrainError(f"--opponent {text}: {path} has {kind_of(policy)}, and opponents are networks of trainings")
    return named, policy


def write_opponents(run: Run, opponents: Networks) -> dict[str, str]:
    """Keep opponents in the folder of a run; the SHA-256 of the parameters of each, by role.

    Raises:
        TrainError: a file cannot be written there.
    """
    shutil.rmtree(run.opponent("").parent, ignore_errors=True)
    for role, policy in opponents.items():
        write_again(run.opponent(str(role)), policy)
    return {str(role): policy.digest() for role, policy in opponents.items()}
