"""A policy that was learnt, as a value: it acts, runs inside of rollouts, and is a module of torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch

from hamlet.arguments import flag
from hamlet.backend.protocol import Activation, NetworkPolicy
from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet.policies.acting import Acting, Choice, Role, World
from hamlet.policies.described import Described, Features, Layers, Table
from hamlet.policies.mlp import MEMORIES, MLP, MOST_HIDDEN, MOST_WIDTH, WHOLE


class Outputs(NamedTuple):
    """The heads of a network, with gradients.

    Attributes:
        logits: [lanes, actions] f32; -inf where the mask turns an action off.
        means: [lanes, controls] f32, in units of half of each control's range around its middle.
        values: [lanes] f32.
    """

    logits: torch.Tensor
    means: torch.Tensor
    values: torch.Tensor


class Learnt(torch.nn.Module):
    """A policy that was learnt, with its weights as parameters of torch: `hamlet.policy(path)` reads one. As a module
    of torch it gives `Outputs`, with gradients and in torch's order of operations; `act`, and rollouts of an
    environment, are exact to the bit, and take the weights as they are then.

    Attributes:
        path: the file that it was read from.
        universe, digest: the name of its universe, and the SHA-256 of that one's `universe.json`.
        seed: of the training.
        update: after which its checkpoint was written; `None` at the end of a training.
        greedy: whether it takes its likeliest action and the means of its controls rather than draw them.
        features: of the axes of a table, see `Env.tabular`; empty where it is a network.
    """

    def __init__(self, described: Described, greedy: bool = False) -> None:
        super().__init__()
        self.greedy = flag("greedy", greedy)
        self._described = described
        self.path, self.universe, self.digest = described.path, described.universe, described.digest
        self.seed, self.update = described.seed, described.update
        self.features: Features = ()
        match described.acts:
            case Table(probabilities=probabilities, features=features):
                self.features = features
                self.probabilities = torch.nn.Parameter(_tensor(probabilities))
            case Layers(weights=weights, biases=biases, log_deviations=deviations, gates=gates):
                for number, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
                    self.register_parameter(f"weights{number}", torch.nn.Parameter(_tensor(weight)))
                    self.register_parameter(f"biases{number}", torch.nn.Parameter(_tensor(bias)))
                self.log_deviations = torch.nn.Parameter(_tensor(deviations))
                if gates is not None:
                    self.memory_weights, self.memory_biases = (torch.nn.Parameter(_tensor(each)) for each in gates)

    @property
    def is_table(self) -> bool:
        """Whether it is a table by features, which the kernels look up, rather than a network of observations."""
        return isinstance(self._described.acts, Table)

    @property
    def actions(self) -> int:
        """The number of actions."""
        acts = self._described.acts
        return acts.actions if isinstance(acts, Layers) else int(acts.probabilities.shape[-1])

    @property
    def controls(self) -> int:
        """The number of controls that it gives."""
        acts = self._described.acts
        return acts.controls if isinstance(acts, Layers) else 0

    @property
    def inputs(self) -> int:
        """The number of values of an observation that it reads; 0 of a table."""
        acts = self._described.acts
        return acts.values if isinstance(acts, Layers) else 0

    @property
    def remembers(self) -> int:
        """The numbers that an agent remembers; 0 of a policy without a memory."""
        acts = self._described.acts
        return acts.remembers if isinstance(acts, Layers) else 0

    @property
    def rolls(self) -> bool:
        """Whether kernels play it tick by tick in one launch: a table, or a network as `hamlet.MLP` is, without
        controls. Others act by steps, in a rollout too."""
        hidden = [len(bias) for _, bias in self._layers()[:-1]]
        small = len(hidden) <= MOST_HIDDEN and max(hidden, default=0) <= MOST_WIDTH
        if self.remembers:
            whole = len(hidden) == MOST_HIDDEN and hidden[0] % WHOLE == 0 and self.remembers in MEMORIES
            small = small and whole and self.activation == "tanh"
        return self.is_table or (small and not self.controls)

    def check(self, module: Module) -> None:
        """Refuse another universe than its own, and another version of it. Versions that differ in comments alone are
        the same one.

        Raises:
            EnvError: it is for another universe; the message says which parts of it differ.
        """
        self._described.check(module)

    def forward(self, observation: torch.Tensor, mask: torch.Tensor | None = None) -> Outputs:
        """The heads, with gradients; a sum of torch has another order than that of kernels, so bits differ.

        Args:
            observation: [lanes, values] f32, as `env.observation`.
            mask: [lanes, actions] bool, as `env.action_mask`; without it every action is allowed.

        Raises:
            EnvError: it is a table, or has a memory.
        """
        self._no_table("gives no outputs")
        self._no_memory("gives no outputs for one observation")
        *hidden, (weight, bias) = self._layers()
        x = observation
        for weights, biases in hidden:
            x = torch.nn.functional.linear(x, weights, biases)
            x = torch.tanh(x) if self.activation == "tanh" else torch.relu(x)
        heads = torch.nn.functional.linear(x, weight, bias)
        logits, means, values = heads[:, : self.actions], heads[:, self.actions : -1], heads[:, -1]
        if mask is not None:
            logits = logits.masked_fill(~mask, -torch.inf)
        return Outputs(logits, means, values)

    def mlp(self) -> MLP:
        """The network as `hamlet.MLP`, on the same weights.

        Raises:
            EnvError: it is a table, has controls, or is wider than an MLP may be.
        """
        self._no_table("is no MLP")
        if self.controls:
            raise EnvError(f"{self.path} has controls, which no MLP has: take act(env), or a rollout of it")
        weights, biases = zip(*self._layers(), strict=True)
        gates = (self.memory_weights, self.memory_biases) if self.remembers else None
        return MLP(weights, biases, self.activation, sample=not self.greedy, gates=gates)

    def act(self, env: World) -> Choice:
        """The actions of the next tick, [lanes] i32, and its controls, [controls, lanes] f32, or `None` where there are
        none: what `env.step` takes. They are drawn with the words of the environment's seed and tick, so the same state
        gives the same ones; a rollout gives these too. A policy with a memory remembers where it acted in the tick
        before, in whichever way; the environment keeps that.

        Raises:
            EnvError: it is a table, or is for another universe, or the environment observes something else.
        """
        return self.acting(env)()

    def acting(self, env: World) -> Callable[[], Choice]:
        """The same for many ticks of an environment: a function that gives the actions and controls of the next one.
        Weights are taken as they are now.

        Raises:
            EnvError: it is a table, or is for another universe, or the environment observes something else.
        """
        self._no_table("is played by rollouts and by Env.record")
        self.check(env.module)
        return self.playing(env)

    def playing(self, env: World, role: Role | None = None) -> Acting:
        """The policy in an environment, of which nobody looks whether it is the right one: for all agents, or for those
        of a role.

        Raises:
            EnvError: the environment observes something else.
        """
        layers = tuple((w.detach().unsqueeze(0), b.detach().unsqueeze(0)) for w, b in self._layers())
        network = NetworkPolicy(layers, self.activation, True, not self.greedy, controls=self.controls)
        if self.remembers:
            gates = self.memory_weights.detach().unsqueeze(0), self.memory_biases.detach().unsqueeze(0)
            network = replace(network, gates=gates)
        return Acting(env, network, self.log_deviations.detach(), self._layers()[0][0], role)

    def extra_repr(self) -> str:
        """The line that torch shows."""
        whole = "" if self.update is None else f", after update {self.update}"
        what = f"a table by {len(self.features)} features" if self.is_table else " -> ".join(map(str, self.sizes()))
        return f"{self.universe} ({self.digest[:12]}){whole}: {what}"

    def sizes(self) -> list[int]:
        """The number of values of an observation, then the outputs of each layer."""
        return [self.inputs, *(len(bias) for _, bias in self._layers())]

    @property
    def activation(self) -> Activation:
        """The activation of hidden layers."""
        acts = self._described.acts
        return acts.activation if isinstance(acts, Layers) else "tanh"

    def _layers(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        acts = self._described.acts
        count = len(acts.weights) if isinstance(acts, Layers) else 0
        return [(getattr(self, f"weights{number}"), getattr(self, f"biases{number}")) for number in range(count)]

    def _no_memory(self, what: str) -> None:
        if self.remembers:
            raise EnvError(f"{self.path} has a memory, and {what}")

    def _no_table(self, what: str) -> None:
        if self.is_table:
            raise EnvError(f"{self.path} is a table, which {what}")


def _tensor(array: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> torch.Tensor:
    return torch.from_numpy(array.copy())
