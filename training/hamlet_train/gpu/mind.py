"""The state of a learner on a GPU, which comes from the host and goes back."""

from __future__ import annotations

import numpy as np
import torch

from hamlet.backend.recall import Recall
from hamlet_train.exact.network import GATES, Array, Network
from hamlet_train.exact.store import Memory
from hamlet_train.ppo import Learned, Lives


class Mind:
    """A learner's state on a device: the parameters, Adam's moments, and what rewards are scaled by; and the episodes
    that go on, with what its lanes remember of them. `recall` is `None` of a network without a memory."""

    def __init__(self, network: Network, lanes: int, device: torch.device) -> None:
        count = network.parameters
        self.network, self._table = network, network.table.tolist()
        self.parameters, self.first, self.second, self.transposed = (
            torch.zeros(count, device=device) for _ in range(4)
        )
        self.places = torch.from_numpy(transposed_places(network)).to(device)
        self.seen = torch.zeros(3, dtype=torch.float64, device=device)
        self.lengths = torch.zeros(lanes, dtype=torch.int64, device=device)
        self.returned, self.discounted = (torch.zeros(lanes, dtype=torch.float64, device=device) for _ in range(2))
        self.recall = Recall.empty(network.memory, network.inputs, lanes, device) if network.memory else None

    def take(self, learned: Learned, lives: Lives, memory: Memory | None = None) -> None:
        """Go on from there. Without a memory lanes remember what they do."""
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
        if memory is not None:
            self.remember(memory)

    @property
    def tensors(self) -> tuple[torch.Tensor, ...]:
        """The parts that an update changes and the next one reads."""
        moments = self.parameters, self.first, self.second, self.transposed
        return *moments, self.seen, self.lengths, self.returned, self.discounted

    @property
    def layers(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Weights [outputs, inputs] and biases [outputs] of each layer but the gates, which are views of the
        parameters."""
        return [self._layer(row) for row in range(len(self._table)) if not self.network.memory or row != GATES]

    @property
    def gates(self) -> tuple[torch.Tensor, torch.Tensor] | None:
        """Weights and biases of the gates of a memory, see `Network.gates`: views of the parameters."""
        return self._layer(GATES) if self.network.memory else None

    def _layer(self, row: int) -> tuple[torch.Tensor, torch.Tensor]:
        inputs, rows, outputs, columns, weight, bias, *_ = self._table[row]
        weights = self.parameters[weight : weight + rows * columns].view(rows, columns)
        return weights[:inputs, :outputs].T, self.parameters[bias : bias + outputs]

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

    def remember(self, memory: Memory) -> None:
        """Have lanes remember what is in a memory."""
        for tensor, array in self._remembered(memory):
            tensor.copy_(torch.from_numpy(array).t())

    def leave_memory(self, memory: Memory) -> None:
        """Write into a memory what lanes remember. It waits for the device."""
        for tensor, array in self._remembered(memory):
            array[:] = tensor.t().cpu().numpy()

    def _remembered(self, memory: Memory) -> list[tuple[torch.Tensor, Array]]:
        recall = self.recall
        assert recall is not None
        return [(recall.hidden, memory.hidden), (recall.before, memory.before), (recall.acted, memory.acted)]

    def leave(self, learned: Learned, lives: Lives, memory: Memory | None = None) -> None:
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
        if memory is not None:
            self.leave_memory(memory)
        learned.samples, learned.discounted, learned.discounted_squares = self.seen.tolist()


def transposed_places(network: Network) -> Array:
    """[parameters] i32: where `Network.transpose` writes each parameter; -1 of biases and of the first layer, through
    which no derivative goes back."""
    places = np.full(network.parameters, -1, np.int32)
    for _, rows, _, columns, weight, _, back, *_ in network.table.tolist()[1:]:
        lying = np.arange(rows * columns).reshape(columns, rows).T + back
        places[weight : weight + rows * columns] = lying.reshape(-1)
    return places
