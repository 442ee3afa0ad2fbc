"""A multilayer perceptron with tanh between layers: where its numbers lie, forward and backward in a stated order.

Forward, output j of a layer is `acc = bias[j]`, then `acc = fma(weight[j, k], x[k], acc)` for ascending k. Backward,
the derivative by input k is `acc = 0`, then `acc = fma(dy[j], weight[j, k], acc)` for ascending j, times
`fma(-h, h, 1)` of the tanh behind it; the gradient of weight[j, k] is `acc = fma(x[k], dy[j], acc)` for ascending
samples, and that of bias[j] the sum of dy[j] in the same order.

A network with a *memory* (memory.h) is given its observation, how that has changed and its last action (`reads`). What
its first layer gives goes through a layer of gates and news, (g, n), whose inputs nothing remembers: minimal gated
recurrent units (Feng and others 2024). Number i of the memory is h[i] = fma(z, c - b, b) with z = sigmoid(g[i]), c =
tanh(n[i]) and b = h[i] of the tick before, 0 where an episode begins. The second layer is given what the first one
gives, then h. Backward, with a = dh[i]: the derivative by g[i] is (a * (c - b)) * fma(-z, z, z), that by n[i] is
(a * z) * fma(-c, c, 1), and dh[i] of the tick before becomes fma(a, 1 - z, dh[i]), back to the first tick of an update
(Werbos 1990, truncated). The derivative by input k of the gates begins with that by what the second layer was given.
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

INPUTS, ROWS, OUTPUTS, COLUMNS, WEIGHT, BIAS, BACK, HELD, PITCH = range(9)
"""Columns of `Network.table`, a row of which is a layer: its inputs, those with padding, its outputs, those with
padding; where its weights and biases begin in the parameters, the weights as `Network.transpose` writes them, and the
outputs of the layer for a block in its scratch array; and how far apart the outputs of samples are there.
"""

GATES = 1
"""The row of the table that is the layer of the gates, where there is a memory."""


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
        memory: how many numbers are remembered, whole vectors as the first hidden layer is then; 0 without a memory.
    """

    inputs: int
    hidden: tuple[int, ...]
    actions: int
    controls: int = 0
    memory: int = 0

    @property
    def reads(self) -> int:
        """The inputs of the first layer."""
        return 2 * self.inputs + self.actions if self.memory else self.inputs

    @property
    def sizes(self) -> tuple[int, ...]:
        """The inputs, and the outputs of each layer but the gates."""
        return (self.reads, *self.hidden, self.actions + self.controls + 1)

    @property
    def _shapes(self) -> list[tuple[int, int]]:
        """The inputs and outputs of each layer, in the order in which they lie: behind the first one the gates."""
        shapes = list(pairwise(self.sizes))
        if self.memory:
            (first, seen), (_, outputs), *others = shapes
            shapes = [(first, seen), (seen, 2 * self.memory), (seen + self.memory, outputs), *others]
        return shapes

    @property
    def layers(self) -> int:
        """The number of layers, the heads among them."""
        return len(self.hidden) + 1

    @property
    def table(self) -> Array:
        """[layers, 9] i64, see `INPUTS` and the others."""
        rows, place, back, held = [], 0, 0, 0
        for number, (inputs, outputs) in enumerate(self._shapes):
            shape = padded(inputs), padded(outputs)
            weights = shape[0] * shape[1]
            # What is remembered lies behind what the first layer gives.
            pitch = shape[1] if number else shape[1] + self.memory
            rows.append((inputs, shape[0], outputs, shape[1], place, place + weights, back, held, pitch))
            place, back, held = place + weights + shape[1], back + weights, held + BLOCK * pitch
        return np.array(rows, np.int64)

    @property
    def parameters(self) -> int:
        """Numbers of all layers, and the logarithms of the deviations of controls, padding included."""
        return self.of_layers + padded(self.controls)

    @property
    def of_layers(self) -> int:
        """Numbers of all layers."""
        return sum((padded(inputs) + 1) * padded(outputs) for inputs, outputs in self._shapes)

    @property
    def scratch(self) -> int:
        """Numbers that a block needs: its inputs, what all layers give, the derivatives by that, three for each action,
        four for each control and `NUMBERS` for each sample, and zeros for the widest layer."""
        layers = sum(padded(outputs) for _, outputs in self._shapes) + self.memory
        widest = max(padded(self.reads), *(padded(each) for shape in self._shapes for each in shape))
        each = 3 * self.actions + 4 * self.controls + NUMBERS
        return BLOCK * (padded(self.reads) + 2 * layers + each) + widest

    def views(self, parameters: Array) -> list[tuple[Array, Array]]:
        """Weights [outputs, inputs] and biases [outputs] of each layer but the gates, which are views of the
        parameters."""
        layers = self._views(parameters)
        return [layers[0], *layers[GATES + 1 :]] if self.memory else layers

    def gates(self, parameters: Array) -> tuple[Array, Array]:
        """The weights [2 * memory, inputs] and biases [2 * memory] of a memory, gates first, then what is new."""
        return self._views(parameters)[GATES]

    def _views(self, parameters: Array) -> list[tuple[Array, Array]]:
        layers = []
        for inputs, rows, outputs, columns, weight, bias, *_ in self.table.tolist():
            weights = parameters[weight : weight + rows * columns].reshape(rows, columns)
            layers.append((weights[:inputs, :outputs].T, parameters[bias : bias + outputs]))
        return layers

    def log_deviations(self, parameters: Array) -> Array:
        """The logarithms of the standard deviations of controls [controls], a view of the parameters."""
        return parameters[self.of_layers : self.of_layers + self.controls]

    def transpose(self, parameters: Array, transposed: Array) -> None:
        """Write the weights of each layer, outputs first: derivatives go backward through those."""
        for _, rows, _, columns, weight, _, back, *_ in self.table.tolist():
            size = rows * columns
            there = transposed[back : back + size].reshape(columns, rows)
            np.copyto(there, parameters[weight : weight + size].reshape(rows, columns).T)
