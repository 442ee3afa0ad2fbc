"""Random samples for kernels of the trainer, and their loss by torch."""

from __future__ import annotations

import numpy as np
import torch

from hamlet_train.draws import first_parameters, order
from hamlet_train.exact import kernels
from hamlet_train.exact.kernels import LOSSES
from hamlet_train.exact.network import Array, Network, padded
from hamlet_train.exact.store import Memory

NETWORK = Network(inputs=5, hidden=(16, 20), actions=3)
STEERED = Network(inputs=5, hidden=(16, 20), actions=3, controls=2)
CLIP, ENTROPY, VALUE = np.float32(0.2), np.float32(0.05), np.float32(0.5)


class Samples:
    """Random samples of two groups, the second with fewer lanes, and what kernels need for them."""

    def __init__(self, network: Network = NETWORK, ticks: int = 9) -> None:
        random = np.random.default_rng(4)
        lanes = 11
        self.network = network
        self.bounds = np.array([0, 8, lanes], np.int64)
        shape = lanes, ticks
        self.parameters = first_parameters(network, np.ones(network.inputs, np.float32), 5)
        self.parameters *= 3
        self.inputs = np.zeros((*shape, padded(network.reads)), np.float32)
        self.inputs[..., : network.reads] = random.standard_normal((*shape, network.reads))
        self.masks = (random.random((*shape, network.actions)) < 0.7).astype(np.uint8)
        self.masks[..., 1] |= self.masks.sum(axis=-1) == 0
        allowed = self.masks * random.random(self.masks.shape)
        self.actions = allowed.argmax(axis=-1).astype(np.int32)
        self.chances = np.log(random.uniform(0.2, 0.9, shape)).astype(np.float32)
        self.values = random.standard_normal((lanes, ticks + 1)).astype(np.float32)
        self.advantages = random.standard_normal(shape).astype(np.float32)
        self.valid = np.ones(shape, np.uint8)
        self.memory: Memory | None = None
        self.counts = np.array([8 * ticks, 3 * ticks], np.int64)
        valid = np.arange(8 * ticks) < self.counts[:, None]
        self.order = order(1, 2, 0, range(2), valid)
        network.log_deviations(self.parameters)[:] = random.uniform(-1.0, 0.0, network.controls)
        self.raw = random.normal(0.0, 0.5, (*shape, network.controls)).astype(np.float32)
        # What acted had about the densities that these samples have, so ratios lie on both sides of their limits.
        self.chances += (self.densities(slice(None), torch.from_numpy(self.parameters).double())).numpy()

    def learn(self, first: int, end: int) -> tuple[Array, Array]:
        """The gradients of these groups, and the losses."""
        network = self.network
        transposed, gradients = np.zeros(network.parameters, np.float32), np.zeros((2, network.parameters), np.float32)
        network.transpose(self.parameters, transposed)
        sums = np.zeros((2, LOSSES + 1))
        stored = self.inputs, self.masks, self.actions, self.raw, self.chances, self.values, self.advantages
        numbers = np.float32(0.1), np.float32(1.3), CLIP, ENTROPY, VALUE
        scratch = np.zeros(network.scratch, np.float32)
        kernels.learn(first, end, network.table, self.parameters, transposed, self.bounds, self.order, self.counts,
                      0, 1, *stored, *numbers, gradients, sums, scratch, self.valid, self.memory)  # fmt: skip
        return gradients, sums

    def outputs(self, lanes: slice, parameters: torch.Tensor) -> torch.Tensor:
        """[lanes, ticks, outputs] f64: what the network gives, by torch."""
        network = self.network
        x = torch.from_numpy(self.inputs[lanes, :, : network.inputs]).double()
        place = 0
        for layer, (inputs, outputs) in enumerate(zip(network.sizes, network.sizes[1:], strict=False)):
            size = padded(inputs) * padded(outputs)
            weights = parameters[place : place + size].view(padded(inputs), padded(outputs))[:inputs, :outputs]
            x = x @ weights + parameters[place + size : place + size + outputs]
            x = torch.tanh(x) if layer < network.layers - 1 else x
            place += size + padded(outputs)
        return x

    def normals(self, lanes: slice, parameters: torch.Tensor) -> torch.distributions.Normal:
        """The distributions of raw controls [lanes, ticks, controls]."""
        actions, controls = self.network.actions, self.network.controls
        first = self.network.parameters - padded(controls)
        means = self.outputs(lanes, parameters)[..., actions : actions + controls]
        return torch.distributions.Normal(means, parameters[first : first + controls].exp().expand_as(means))

    def densities(self, lanes: slice, parameters: torch.Tensor) -> torch.Tensor:
        """[lanes, ticks] f64: the logarithms of the densities of raw controls."""
        density: torch.Tensor = self.normals(lanes, parameters).log_prob(torch.from_numpy(self.raw[lanes]).double())
        return density.sum(dim=-1)

    def loss(self, group: int, parameters: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The loss of a group by torch, in binary64, and its entropy."""
        lanes = slice(int(self.bounds[group]), int(self.bounds[group + 1]))
        x = self.outputs(lanes, parameters)
        mask = torch.from_numpy(self.masks[lanes]).bool()
        policy = torch.distributions.Categorical(logits=x[..., : mask.shape[-1]].masked_fill(~mask, -1e30))
        actions, chances, advantages = (
            torch.from_numpy(each[lanes]).double() for each in (self.actions, self.chances, self.advantages)
        )
        values = torch.from_numpy(self.values[lanes, :-1]).double()
        likely = policy.log_prob(actions) + self.densities(lanes, parameters)
        ratio, gain = (likely - chances).exp(), (advantages - 0.1) * 1.3
        paid = torch.minimum(ratio * gain, ratio.clamp(1 - float(CLIP), 1 + float(CLIP)) * gain)
        error = x[..., -1] - (advantages + values)
        teaches = torch.from_numpy(self.valid[lanes]).double()
        entropy = (teaches * (policy.entropy() + self.normals(lanes, parameters).entropy().sum(dim=-1))).sum()
        return (teaches * (-paid + float(VALUE) * error**2 / 2)).sum() - float(ENTROPY) * entropy, entropy
