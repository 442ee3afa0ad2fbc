"""Passes of a minibatch through the layers of a network, forward and backward, as launches of kernels."""

from __future__ import annotations

from typing import Any

import torch

from hamlet.backend.storage import Storage
from hamlet_train.exact.kernels import LOSSES
from hamlet_train.exact.network import (
    BLOCK,
    COLUMNS,
    GATES,
    HELD,
    ROWS,
    WEIGHT,
    padded,
)
from hamlet_train.gpu import controls, layers, perceptron, remembering
from hamlet_train.gpu.launches import THREADS, Argument, Launch, Launcher
from hamlet_train.gpu.mind import Mind
from hamlet_train.gpu.taught import Notes, Taught, is_small, power

TILE = 64
"""Inputs of a layer whose gradients a program adds up."""
WIDTH = 64
"""Outputs of a layer that a program computes, or whose gradients it adds up."""
FORWARD, BACKWARD, HEADS, GATED, LINEAR, ADDED = range(6)
"""Kinds of a layer, see `hamlet_train.gpu.perceptron.layer`."""


class Passes:
    """The gradients of groups, by layers of a mind. A row of the room has what hidden layers gave a sample, then the
    derivatives by what all layers gave, and those by the logarithms of deviations."""

    def __init__(self, mind: Mind, taught: Taught, parts: int, notes: Notes, launcher: Launcher) -> None:
        """Passes of so many minibatches, with the memory that they need."""
        network, device = mind.network, mind.parameters.device
        self._mind, self._taught, self._parts, self._notes, self._launcher = mind, taught, parts, notes, launcher
        self._table = network.table.tolist()
        self.blocks = taught.blocks(parts)
        self._whole = is_small(network) and not network.memory
        positions = taught.groups * self.blocks * BLOCK
        self._heads, self._hidden = padded(network.sizes[-1]), self._place(len(self._table) - 1)
        self._pitch = 2 * self._hidden + self._heads + padded(network.controls)

        def many(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
            return torch.zeros(shape, dtype=dtype, device=device)

        self.inputs = many(taught.lanes, taught.ticks, padded(network.reads))
        """[lanes, ticks, inputs padded] f32, of the first layer."""
        self._room, self._rows = many(positions, self._pitch), many(positions, dtype=torch.int32)
        self._head_room = many(taught.groups * self.blocks, self._heads, BLOCK)
        self.noted, self.positions = many(LOSSES + 1, positions), positions
        """[LOSSES + 1, positions] f32, of samples: losses, and whether one teaches something."""
        self.gradients = many(taught.groups, network.parameters)
        """[groups, parameters] f32."""

    def teach(
        self,
        store: Storage,
        numbers: tuple[torch.Tensor, torch.Tensor],
        order: torch.Tensor,
        counts: torch.Tensor,
        changing: torch.Tensor,
        part: int,
        index: int,
        weights: tuple[float, float],
    ) -> None:
        """The losses and gradients of minibatch `part` of an epoch, `index` of an update. `numbers` are advantages, and
        by what they and rewards are normalised; `weights` the range of ratios and the weight of the value's loss."""
        mind, taught, network = self._mind, self._taught, self._mind.network
        advantages, normal = numbers
        stored = (store.tensors[name] for name in ("masks", "actions", "log_probs", "values", "alive"))
        masks, actions, chances, values, alive = stored
        # Without controls nothing is read of them, and a kernel takes no address of nothing.
        raw = self._notes.raw if network.controls else advantages
        arrays = self.inputs, masks, actions, raw, chances, values, advantages, normal, order, counts
        mine = mind.parameters, mind.transposed, self._room, self._head_room, self._rows, self.noted, changing, alive
        of_lanes = taught.ticks, taught.lanes, taught.lanes_each
        sizes = taught.most, part, self._parts, index, self.blocks, *of_lanes, self.positions
        if not self._whole:
            self._forward(order, counts, part)
        first = padded(network.hidden[0]) if self._whole else self._hidden
        second = self._hidden - first
        self._launch(
            perceptron.teach,
            taught.groups * self.blocks,
            (*arrays, *mine, *sizes, *weights),
            INPUTS=network.reads,
            ROW=padded(network.reads),
            FIRST=first,
            SECOND=second,
            SECOND_INPUTS=network.hidden[0],
            HEAD_INPUTS=network.hidden[-1],
            HEADS=self._heads,
            FIRST_OUTPUTS=power(first),
            SECOND_OUTPUTS=power(second) if second else 0,
            HEAD_OUTPUTS=power(self._heads),
            PITCH=self._pitch,
            ACTIONS=network.actions,
            CONTROLS=network.controls,
            DEVIATIONS=network.of_layers,
            WHOLE=int(self._whole),
            TOGETHER=taught.together,
            BLOCK=BLOCK,
        )
        if not self._whole:
            self._backward(order, counts, part)
        self._gradients_of_layers(counts, part)
        self._gradients_of_deviations(counts, part)

    def _place(self, layer: int) -> int:
        """Where a row of the room has what a layer gave."""
        return int(self._table[layer][HELD]) // BLOCK

    def _before(self, layer: int) -> int:
        """The layer whose outputs another one is given first: that of the gates gives the next one what is remembered,
        which lies behind the outputs of the first layer."""
        return layer - 2 if self._mind.network.memory and layer == GATES + 1 else layer - 1

    def _forward(self, order: torch.Tensor, counts: torch.Tensor, part: int) -> None:
        """All layers, one after the other."""
        parameters, room, memory = self._mind.parameters, self._room.view(-1), self._mind.network.memory
        for number, (inputs, _, _, columns, weight, bias, *_) in enumerate(self._table):
            last = number + 1 == len(self._table)
            x = room[self._place(self._before(number)) :] if number else self.inputs
            y = self._head_room if last else room[self._place(number) :]
            gated = bool(memory) and number == GATES
            kind = HEADS if last else GATED if gated else FORWARD
            arrays = x, parameters[weight:], parameters[bias:], x, y
            self._pass(arrays, order, counts, part, inputs, columns, kind, number == 0)
            if gated:
                self._recall(remembering.recall, counts, part)

    def _backward(self, order: torch.Tensor, counts: torch.Tensor, part: int) -> None:
        """The derivatives by what hidden layers gave, the last layer first."""
        room, memory = self._room.view(-1), self._mind.network.memory
        for number in range(len(self._table) - 1, 0, -1):
            _, rows, outputs, _, _, _, back, *_ = self._table[number]
            before = self._place(self._before(number))
            weights, slope = self._mind.transposed[back:], room[self._hidden + self._place(number) :]
            arrays = slope, weights, weights, room[before:], room[self._hidden + before :]
            kind = BACKWARD
            if memory and number <= GATES + 1:
                kind = ADDED if number == GATES else LINEAR
            if kind == ADDED:
                self._recall(remembering.recall_back, counts, part, SLOPES=self._hidden)
            self._pass(arrays, order, counts, part, outputs, rows, kind)

    def _pass(
        self, arrays: tuple[torch.Tensor, ...], order: torch.Tensor, counts: torch.Tensor, part: int, inputs: int,
        columns: int, kind: int, seen: bool = False,
    ) -> None:  # fmt: skip
        """A layer of all blocks; `arrays` are those with which `pass_block` begins."""
        taught, outputs = self._taught, min(power(columns), WIDTH)
        sizes = taught.most, part, self._parts, self.blocks, taught.ticks, taught.lanes_each, inputs
        self._launch(
            layers.pass_block,
            taught.groups * self.blocks * -(-columns // outputs),
            (*arrays, order, counts, self._rows, *sizes),
            SEEN=int(seen),
            KIND=kind,
            ROW=self.inputs.shape[2],
            COLUMNS=columns,
            OUTPUTS=outputs,
            PITCH=self._pitch,
            TOGETHER=taught.together,
            BLOCK=BLOCK,
        )

    def _recall(self, kernel: Any, counts: torch.Tensor, part: int, **constants: int) -> None:
        """The memory of samples, or the derivatives through it."""
        taught, size = self._taught, self._mind.network.memory
        sizes = part, self._parts, self.blocks, taught.ticks, taught.lanes
        arrays = self._room, self._rows, self._notes.begins, self._notes.first, counts
        self._launch(
            kernel,
            taught.groups * self.blocks,
            (*arrays, *sizes),
            size,
            NOW=padded(self._mind.network.hidden[0]),
            GATES=self._place(GATES),
            **constants,
            SIZE=size,
            PITCH=self._pitch,
            TOGETHER=taught.together,
            BLOCK=BLOCK,
        )

    def _gradients_of_layers(self, counts: torch.Tensor, part: int) -> None:
        """The gradients of each layer, of each group."""
        room = self._room.view(-1)
        for number, layer in enumerate(self._table):
            rows, columns = layer[ROWS], layer[COLUMNS]
            x = room[self._place(self._before(number)) :] if number else self.inputs
            slope = room[self._hidden + self._place(number) :]
            sizes = part, self._parts, self.blocks, self._mind.network.parameters, layer[WEIGHT]
            outputs = min(power(columns), WIDTH)
            self._launch(
                perceptron.add_gradients,
                self._taught.groups * -(-rows // TILE) * -(-columns // outputs),
                (x, self._rows, slope, counts, self.gradients, *sizes),
                SEEN=int(number == 0),
                ROW=self.inputs.shape[2],
                ROWS=rows,
                COLUMNS=columns,
                OUTPUTS=outputs,
                PITCH=self._pitch,
                TILE=TILE,
                TOGETHER=self._taught.together,
                BLOCK=BLOCK,
            )

    def _gradients_of_deviations(self, counts: torch.Tensor, part: int) -> None:
        """The gradients of the logarithms of deviations of controls, of each group."""
        network = self._mind.network
        if not network.controls:
            return
        # Derivatives by them lie at the end of a row of the room.
        scores = self._room.view(-1)[self._pitch - padded(network.controls) :]
        sizes = part, self._parts, self.blocks, network.parameters, network.of_layers
        self._launch(
            controls.add_deviations,
            self._taught.groups,
            (scores, counts, self.gradients, *sizes),
            32,
            CONTROLS=network.controls,
            ROWS=power(network.controls),
            PITCH=self._pitch,
            TOGETHER=self._taught.together,
            BLOCK=BLOCK,
        )

    def _launch(
        self, kernel: object, programs: int, arguments: tuple[Argument, ...], threads: int = THREADS, **constants: int
    ) -> None:
        self._launcher(Launch(kernel, programs, arguments, constants, threads))
