"""The policies of several roles as one value, which acts for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch

from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet.policies.acting import Choice, World
from hamlet.policies.described import Described
from hamlet.policies.joined import by_role as joined
from hamlet.policies.learnt import Learnt
from hamlet.policies.mlp import MLP
from hamlet.policies.stepping import Stepping


class LearntByRole(Stepping):
    """A policy for each role, as `hamlet.policy(path)` reads them of a run: `by_role["wolf"]` is one of them. Agents of
    a role without a policy act at random. They act by steps where kernels cannot play all of them together.

    Attributes:
        by_role: the policy of each role, a `torch.nn.ModuleDict`.
    """

    def __init__(self, policies: Mapping[str, Described], greedy: bool = False) -> None:
        first = next(iter(policies.values()))
        super().__init__(first, greedy)
        for name in [name for name, _ in self.named_parameters()]:
            delattr(self, name)
        self.path = first.path if len(policies) == 1 else first.path.parent
        self.by_role = torch.nn.ModuleDict({role: Learnt(each, greedy) for role, each in policies.items()})

    @property
    def why(self) -> str:
        """The reason: there are several networks."""
        return f"it has a policy for each role, as by_role[{next(iter(self.by_role))!r}]"

    def check(self, module: Module) -> None:
        """Refuse another universe than that of all roles, see `Learnt.check`.

        Raises:
            EnvError: one of them is for another universe; the message says which parts of it differ.
        """
        for _, policy in self._policies():
            policy.check(module)

    def acting(self, env: World) -> Callable[[], Choice]:
        """A function that gives the actions and controls of the next tick, see `Learnt.acting`.

        Raises:
            EnvError: a policy is for another universe, or for a role that has none, or the environment observes
                something else, or there are controls and a role without a policy.
        """
        self.check(env.module)
        for role, _ in self._policies():
            if role not in env.roles:
                raise EnvError(f"{self.path} has a policy for the role {role}, which {env.module.name} has not")
        missing = [name for name, role in env.roles.items() if name not in self.by_role and len(role.lanes)]
        if missing and env.num_controls:
            raise EnvError(f"{self.path} has no policy for {' and '.join(missing)}, whose controls nobody gives")
        acts = [policy.playing(env, env.roles[role]) for role, policy in self._policies() if len(env.roles[role].lanes)]

        def together() -> Choice:
            actions = (env.policy_words() * env.num_actions >> 32).to(torch.int32)
            controls = torch.zeros((env.num_controls, env.num_lanes), device=env.device) if env.num_controls else None
            for each in acts:
                chosen, steered = each()
                actions[each.lanes] = chosen
                if controls is not None and steered is not None:
                    controls[:, each.lanes] = steered
            return actions, controls

        return together

    def together(self, env: World) -> MLP | None:
        """All networks as one that kernels play; `None` where they cannot: a role has none, or there are controls, or
        the networks differ in their layers.

        Raises:
            EnvError: a policy is for another universe, or for a role that there is not.
        """
        self.acting(env)
        policies = dict(self._policies())
        alike = {(len(each.sizes()), each.activation) for each in policies.values()}
        if any(each.remembers for each in policies.values()):
            return None
        if set(policies) != set(env.roles) or len(alike) > 1 or not all(each.rolls for each in policies.values()):
            return None
        return joined(env, {role: policy.mlp() for role, policy in policies.items()})

    def extra_repr(self) -> str:
        """The line that torch shows."""
        return f"{self.universe} ({self.digest[:12]}): {', '.join(self.by_role)}"

    def _policies(self) -> list[tuple[str, Learnt]]:
        return [(role, policy) for role, policy in self.by_role.items() if isinstance(policy, Learnt)]
