"""A multilayer perceptron with tanh between layers: where its numbers lie, forward and backward in a stated order.

Forward, output j of a layer is `acc = bias[j]`, then `acc = fma(weight[j, k], x[k], acc)` for ascending k. Backward,
the derivative by input k is `acc = 0`, then `acc = fma(dy[j], weight[j, k], acc)` for ascending j, times
`fma(-h, h, 1)` of the tanh behind it; the gradient of weight[j, k] is `acc = fma(x[k], dy[j], acc)` for ascending
samples, and that of bias[j] the sum of dy[j] in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]

BLOCK = 64
"""Samples that go through a network together."""

LINE = 16
"""f32 in a line. Rows of matrices have whole lines."""

NUMBERS = 15
"""Numbers of a sample that kernels hold beside those of the network, its actions and controls."""

FIRST_LOG_DEVIATION, LEAST_LOG_DEVIATION, MOST_LOG_DEVIATION = np.float32(-0.5), np.float32(-5.0), np.float32(0.0)
"""Of the logarithms of standard deviations of controls: the first one, and the bounds within which they are learnt.
With a deviation of half the range nearly a third of what is drawn around its middle lies beyond its ends: the weight of
the entropy would pull it further without end, and nothing new would be tried."""

INPUTS, ROWS, OUTPUTS, COLUMNS, WEIGHT, BIAS, BACK, HELD = range(8)
"""Columns of `Network.table`, a row of which is a layer: its inputs, those with padding, its outputs, those with
padding; where its weights and biases begin in the parameters, the weights as `Network.transpose` writes them, and the
outputs of the layer for a block in its scratch array.
"""


def padded(count: int) -> int:
    """The count in whole lines."""
    return -(-count // LINE) * LINE


@dataclass(frozen=True, slots=True)
class Network:
    """A perceptron whose parameters lie behind each other in one array of f32: `hamlet.MLP` with controls and a value.

    Parameters of a layer are weights [inputs, outputs] and biases [outputs], both padded with zeros to whole lines,
    which stay zeros. Behind those of all layers are the logarithms of the deviations of controls, padded
    likewise (controls.h).

    Attributes:
        inputs: the values of an observation.
        hidden: the outputs of each hidden layer.
        actions: the heads have a row for each, its logit;
        controls: then one for each of these, its mean, and one more for the value.
    """

    inputs: int
    hidden: tuple[int, ...]
    actions: int
    controls: int = 0

    @property
    def sizes(self) -> tuple[int, ...]:
        """The inputs, and the outputs of each layer."""
        return (self.inputs, *self.hidden, self.actions + self.controls + 1)

    @property
    def layers(self) -> int:
        """The number of layers, the heads among them."""
        return len(self.hidden) + 1

    @property
    def table(self) -> Array:
        """[layers, 8] i64, see `INPUTS` and the others."""
        rows, place, back, held = [], 0, 0, 0
        for inputs, outputs in pairwise(self.sizes):
            shape = padded(inputs), padded(outputs)
            weights = shape[0] * shape[1]
            rows.append((inputs, shape[0], outputs, shape[1], place, place + weights, back, held))
            place, back, held = place + weights + shape[1], back + weights, held + BLOCK * shape[1]
        return np.array(rows, np.int64)

    @property
    def parameters(self) -> int:
        """Numbers of all layers, and the logarithms of the deviations of controls, padding included."""
        return self._of_layers + padded(self.controls)

    @property
    def _of_layers(self) -> int:
        return sum((padded(inputs) + 1) * padded(outputs) for inputs, outputs in pairwise(self.sizes))

    @property
    def scratch(self) -> int:
        """Numbers that a block needs: its inputs, what all layers give, the derivatives by that, three for each action,
        four for each control and `NUMBERS` for each sample, and zeros for the widest layer."""
        layers = sum(padded(outputs) for outputs in self.sizes[1:])
        widest = padded(max(self.sizes))
        each = 3 * self.actions + 4 * self.controls + NUMBERS
        return BLOCK * (padded(self.inputs) + 2 * layers + each) + widest

    def views(self, parameters: Array) -> list[tuple[Array, Array]]:
        """Weights [outputs, inputs] and biases [outputs] of each layer, which are views of the parameters."""
        layers = []
        for inputs, rows, outputs, columns, weight, bias, _, _ in self.table.tolist():
            weights = parameters[weight : weight + rows * columns].reshape(rows, columns)
            layers.append((weights[:inputs, :outputs].T, parameters[bias : bias + outputs]))
        return layers

    def log_deviations(self, parameters: Array) -> Array:
        """The logarithms of the standard deviations of controls [controls], a view of the parameters."""
        return parameters[self._of_layers : self._of_layers + self.controls]

    def transpose(self, parameters: Array, transposed: Array) -> None:
        """Write the weights of each layer, outputs first: derivatives go backward through those."""
        for _, rows, _, columns, weight, _, back, _ in self.table.tolist():
            size = rows * columns
            there = transposed[back : back + size].reshape(columns, rows)
            np.copyto(there, parameters[weight : weight + size].reshape(rows, columns).T)
