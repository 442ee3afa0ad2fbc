"""Policies that act by steps alone, for they are no single network that kernels play."""

from __future__ import annotations

from typing import NoReturn

import torch

from hamlet.errors import EnvError
from hamlet.policies.learnt import Learnt, Outputs
from hamlet.policies.mlp import MLP


class Stepping(Learnt):
    """A policy that acts by steps, in rollouts too, and gives no outputs by itself."""

    @property
    def why(self) -> str:
        """The reason, as messages say it."""
        raise NotImplementedError

    @property
    def is_table(self) -> bool:
        """Never: a network acts."""
        return False

    @property
    def rolls(self) -> bool:
        """Never: kernels play one network, for all agents."""
        return False

    def forward(self, observation: torch.Tensor, mask: torch.Tensor | None = None) -> Outputs:  # noqa: ARG002
        """Nothing.

        Raises:
            EnvError: always.
        """
        self._refuse()

    def mlp(self) -> MLP:
        """Nothing.

        Raises:
            EnvError: always.
        """
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise EnvError(f"{self.path} acts, and is no MLP: {self.why}")
