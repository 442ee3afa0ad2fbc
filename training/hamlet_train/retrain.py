"""A policy for a universe with given params, trained anew: what `hamletc design --retrain` asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hamlet.package.module import Module
from hamlet.policies.described import Described, described
from hamlet.policies.learnt import Learnt
from hamlet.policies.roles import LearntByRole
from hamlet_train.cli.options import threads_of
from hamlet_train.policy import Policy, about, about_network, tensors_of
from hamlet_train.ranks import Ranks
from hamlet_train.run import Manifest
from hamlet_train.settings import usual_of
from hamlet_train.training import begun

WORLDS = 256
"""Worlds of such a training: it is short, and many updates are worth more than large ones."""


@dataclass(frozen=True, slots=True)
class Trainer:
    """PPO as `hamletc train` has it, with its default settings."""

    def retrain(self, module: Module, agents: int, params: Mapping[str, float], ticks: int, seed: int) -> Learnt:
        """A policy that learnt for so many agent-ticks in worlds with these params; nothing is written. The same
        arguments give the same weights.

        Raises:
            TrainError: the universe cannot be trained on.
            EnvError: a param is out of bounds.
        """
        manifest = Manifest(
            universe=module.name,
            digest=module.digest,
            source="",
            command=(),
            versions={},
            worlds=WORLDS,
            agents=agents,
            seed=seed,
            ticks=ticks,
            settings=usual_of(module.universe),
            shared=not module.universe.roles,
        )
        training = begun(module, manifest, Ranks(), threads_of(None))
        for name, value in params.items():
            training.env.params[name] = value
        training.env.reset(seed=seed)
        while training.update < manifest.updates:
            training.advance()
        policies = {role: _described(module, policy, seed) for role, policy in training.policies().items()}
        if None in policies:
            return Learnt(policies[None])
        return LearntByRole({role: each for role, each in policies.items() if role is not None})


def _described(module: Module, policy: Policy, seed: int) -> Described:
    tensors = {name: array.copy() for name, array in tensors_of(policy.network, policy.parameters).items()}
    return described(Path(f"a policy of {module.name}"), tensors, about(module, seed) | about_network(policy.network))


TRAINER = Trainer()
