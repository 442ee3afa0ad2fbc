"""The state of a learner on a GPU, which comes from the host and goes back."""

from __future__ import annotations

import numpy as np
import torch

from hamlet_train.exact.network import Array, Network
from hamlet_train.ppo import Learned, Lives


class Mind:
    """A learner's state on a device: the parameters, Adam's moments, and what rewards are scaled by; and the episodes
    that go on."""

    def __init__(self, network: Network, lanes: int, device: torch.device) -> None:
        count = network.parameters
        self.network = network
        self.parameters, self.first, self.second, self.transposed = (
            torch.zeros(count, device=device) for _ in range(4)
        )
        self.places = torch.from_numpy(transposed_places(network)).to(device)
        self.seen = torch.zeros(3, dtype=torch.float64, device=device)
        self.lengths = torch.zeros(lanes, dtype=torch.int64, device=device)
        self.returned, self.discounted = (torch.zeros(lanes, dtype=torch.float64, device=device) for _ in range(2))

    def take(self, learned: Learned, lives: Lives) -> None:
        """Go on from there."""
        transposed = np.zeros_like(learned.parameters)
        self.network.transpose(learned.parameters, transposed)
        seen = np.array([learned.samples, learned.discounted, learned.discounted_squares])
        for tensor, array in (
            (self.parameters, learned.parameters),
            (self.first, learned.first_moment),
            (self.second, learned.second_moment),
            (self.transposed, transposed),
            (self.seen, seen),
            (self.lengths, lives.lengths),
            (self.returned, lives.returns),
            (self.discounted, lives.discounted),
        ):
            tensor.copy_(torch.from_numpy(array))

    @property
    def tensors(self) -> tuple[torch.Tensor, ...]:
        """The parts that an update changes and the next one reads."""
        moments = self.parameters, self.first, self.second, self.transposed
        return *moments, self.seen, self.lengths, self.returned, self.discounted

    @property
    def layers(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Weights [outputs, inputs] and biases [outputs] of each layer, which are views of the parameters."""
        layers = []
        for inputs, rows, outputs, columns, weight, bias, *_ in self.network.table.tolist():
            weights = self.parameters[weight : weight + rows * columns].view(rows, columns)
            layers.append((weights[:inputs, :outputs].T, self.parameters[bias : bias + outputs]))
        return layers

    @property
    def log_deviations(self) -> torch.Tensor:
        """[controls], see `Network.log_deviations`: a view of the parameters."""
        begin = self.network.of_layers
        return self.parameters[begin : begin + self.network.controls]

    def forget(self, lanes: Array) -> None:
        """Count nothing of the episodes of these lanes [lanes] bool, which have others now."""
        number = torch.from_numpy(lanes.nonzero()[0]).to(self.lengths.device)
        for sums_of in (self.lengths, self.returned, self.discounted):
            sums_of.index_fill_(0, number, 0)

    def leave(self, learned: Learned, lives: Lives) -> None:
        """Write down where it is. It waits for the device."""
        for tensor, array in (
            (self.parameters, learned.parameters),
            (self.first, learned.first_moment),
            (self.second, learned.second_moment),
            (self.lengths, lives.lengths),
            (self.returned, lives.returns),
            (self.discounted, lives.discounted),
        ):
            array[:] = tensor.cpu().numpy()
        learned.samples, learned.discounted, learned.discounted_squares = self.seen.tolist()


def transposed_places(network: Network) -> Array:
    """[parameters] i32: where `Network.transpose` writes each parameter; -1 of biases and of the first layer, through
    which no derivative goes back."""
    places = np.full(network.parameters, -1, np.int32)
    for _, rows, _, columns, weight, _, back, *_ in network.table.tolist()[1:]:
        lying = np.arange(rows * columns).reshape(columns, rows).T + back
        places[weight : weight + rows * columns] = lying.reshape(-1)
    return places
