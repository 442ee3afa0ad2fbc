"""The learner on a GPU: an update is a row of launches that nobody waits for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
import torch

from hamlet.backend.storage import Storage
from hamlet.policies.mlp import MOST_HIDDEN, MOST_WIDTH
from hamlet_train.draws import halves
from hamlet_train.exact.kernels import LOSSES, SURVEYED
from hamlet_train.exact.network import (
    BLOCK,
    COLUMNS,
    LEAST_LOG_DEVIATION,
    MOST_LOG_DEVIATION,
    ROWS,
    WEIGHT,
    Network,
    padded,
)
from hamlet_train.gpu import controls, descent, happened, layers, perceptron, sums
from hamlet_train.gpu.launches import THREADS, Argument, Launch, Launcher, run
from hamlet_train.gpu.mind import Mind
from hamlet_train.ppo import FIRST_DECAY, LEAST, SECOND_DECAY, Learned
from hamlet_train.settings import Settings

Work: TypeAlias = Callable[[], None]
Record: TypeAlias = Callable[[Work, Sequence[torch.Tensor]], Work]

LANES, GROUPS, NUMBERS = 64, 32, 256
"""Lanes, groups, and parameters of a program."""
TILE = 64
"""Inputs of a layer whose gradients a program adds up."""
WIDTH = 64
"""Outputs of a layer that a program computes, or whose gradients it adds up."""
FORWARD, BACKWARD, HEADS = range(3)
"""Kinds of a layer, see `hamlet_train.gpu.perceptron.layer`."""
NODES = 16
"""Values of which `add_nodes` makes a sum."""
KEYS = 1024
"""Keys of a program."""


def power(number: int) -> int:
    """The next power of two."""
    return 1 << (number - 1).bit_length()


def is_small(network: Network) -> bool:
    """Whether one program takes samples through all layers."""
    return len(network.hidden) <= MOST_HIDDEN and max(network.hidden) <= MOST_WIDTH


@dataclass(frozen=True, slots=True)
class Taught:
    """The lanes that teach: those of whole groups, and the ticks of a store."""

    lanes: int
    lanes_each: int
    ticks: int

    @property
    def groups(self) -> int:
        return -(-self.lanes // self.lanes_each)

    @property
    def most(self) -> int:
        """Samples of a group at most."""
        return self.lanes_each * self.ticks


class Lesson:
    """The launches of updates, with the memory that they need."""

    def __init__(
        self,
        mind: Mind,
        settings: Settings,
        seed: int,
        updates: int,
        taught: Taught,
        launcher: Launcher = run,
        record: Record | None = None,
        raw: torch.Tensor | None = None,
    ) -> None:
        """`record` makes a function that repeats launches, as `hamlet.env.act.graph.record` does. `raw` is that of the
        lesson before, where settings change."""
        network, device = mind.network, mind.parameters.device
        self._mind, self.settings, self._seed, self._updates, self._taught = mind, settings, seed, updates, taught
        self._launcher, self._record = launcher, record
        groups, parts = taught.groups, settings.minibatches
        share = -(-taught.most // parts)
        self._blocks = -(-share // BLOCK)
        positions = groups * self._blocks * BLOCK
        hidden = [padded(each) for each in network.hidden]
        self._whole = is_small(network)
        self._first = hidden[0] if self._whole else sum(hidden)
        self._second = sum(hidden) - self._first
        self._heads = padded(network.sizes[-1])
        self._pitch = 2 * sum(hidden) + self._heads + padded(network.controls)

        def many(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
            return torch.zeros(shape, dtype=dtype, device=device)

        f64 = torch.float64
        self._inputs = many(taught.lanes, taught.ticks, padded(network.inputs))
        self._advantages, self._numbers, self._factor = many(taught.ticks, taught.lanes), many(3), many(1)
        self.raw = many(taught.ticks, network.controls, taught.lanes) if raw is None else raw
        """[ticks, controls, lanes], what controls were drawn: whoever acts writes them here."""
        self._constants = torch.tensor([settings.discount, settings.norm], dtype=f64, device=device)
        self._lane_counts = many(4, taught.lanes, dtype=f64)
        self._returns, self._discounts = (many(taught.lanes, taught.ticks, dtype=f64) for _ in range(2))
        self._keys = many(groups, taught.most, dtype=torch.int64)
        self._room, self._rows = many(positions, self._pitch), many(positions, dtype=torch.int32)
        self._head_room = many(groups * self._blocks, self._heads, BLOCK)
        self._noted, self._positions = many(LOSSES, positions), positions
        self._gradients = many(groups, network.parameters)
        self._sums = {width: many(groups, width, dtype=f64) for width in (SURVEYED, 3, LOSSES + 1)}
        self._nodes = dict[tuple[int, torch.dtype], list[torch.Tensor]]()
        for values in (self._gradients, *self._sums.values()):
            count, width = groups, values.shape[1]
            levels = self._nodes[width, values.dtype] = list[torch.Tensor]()
            while count > 1:
                count = -(-count // NODES)
                levels.append(many(count, width, dtype=values.dtype))
        self._drawn = many(settings.epochs, dtype=torch.int32)
        self._changing = many(settings.epochs * parts, 4)
        self._replay: Work | None = None
        self.happened = self._top(self._sums[SURVEYED])
        """[SURVEYED] f64, of the last update."""
        self.losses, self.norms = many(LOSSES, dtype=f64), many(settings.epochs * parts, dtype=f64)
        """[LOSSES] f64, of the last epoch; and the norms of the gradients of all minibatches, f64."""

    def teach(self, store: Storage, learned: Learned) -> None:
        """An update: nothing in it waits for the device. Where a graph repeats it, it is always from the same store."""
        self._tell(learned)
        if self._record is None:
            self._update(store)
            return
        if self._replay is None:
            self._replay = self._record(partial(self._update, store), self._mind.tensors)
        self._replay()

    def _update(self, store: Storage) -> None:
        """The launches of an update."""
        settings = self.settings
        self._look_back(store)
        alive = store.alive
        assert alive is not None
        counts = self._counts(alive)
        low, high = halves(self._seed)
        taught = self._taught
        for epoch in range(settings.epochs):
            numbers = (taught.lanes, taught.lanes_each, taught.ticks, taught.most, 0, low, high)
            programs = taught.groups * -(-taught.most // KEYS)
            self._launch(descent.draw_keys, programs, (alive, self._keys, *numbers, self._drawn, epoch), BLOCK=KEYS)
            order = (self._keys.sort(dim=1).values & 0xFFFFFF).to(torch.int32)
            self.losses.zero_()
            for part in range(settings.minibatches):
                self._minibatch(store, order, counts, part, epoch * settings.minibatches + part)

    def _tell(self, learned: Learned) -> None:
        """Write what changes from update to update where kernels read it. Of what was learnt so far the number of the
        update and the powers of Adam's decays go on."""
        settings = self.settings
        left = 1.0 - learned.update / self._updates
        drawn = [(learned.update << 8) + epoch & 0xFFFFFFFF for epoch in range(settings.epochs)]
        changing = np.empty(self._changing.shape, np.float32)
        for row in changing:
            learned.first_power *= float(FIRST_DECAY)
            learned.second_power *= float(SECOND_DECAY)
            divisors = 1.0 - learned.first_power, 1.0 - learned.second_power
            row[:] = settings.entropy * left, settings.rate * left, *divisors
        learned.update += 1
        for tensor, array in ((self._drawn, np.array(drawn, np.uint32).view(np.int32)), (self._changing, changing)):
            told = torch.from_numpy(array)
            # From pinned memory nothing waits.
            tensor.copy_(told.pin_memory() if tensor.is_cuda else told, non_blocking=True)

    def told(self) -> torch.Tensor:
        """The results of an update, in bytes behind each other: what happened, losses, norms, f64; parameters, f32."""
        parts = self.happened, self.losses, self.norms, self._mind.parameters
        return torch.cat([each.view(torch.uint8) for each in parts])

    def _look_back(self, store: Storage) -> None:
        """Advantages, and by what they are normalised; and the inputs of the network side by side."""
        mind, taught, settings = self._mind, self._taught, self.settings
        assert store.observations is not None
        self._inputs[:, :, : mind.network.inputs] = store.observations.permute(2, 0, 1)
        lanes, groups, sizes = -(-taught.lanes // LANES), -(-taught.groups // GROUPS), (taught.lanes, taught.ticks)
        of_groups = taught.groups, taught.lanes, taught.lanes_each, taught.ticks
        outcome = _there(store, "rewards", "alive", "terminated", "truncated")
        lives = mind.lengths, mind.returned, mind.discounted
        left = self._lane_counts, self._returns, self._discounts
        surveyed, estimated = self._sums[SURVEYED], self._sums[3]
        arguments: tuple[Argument, ...] = (*outcome, *lives, self._constants, *left, *sizes)
        self._launch(happened.survey_lanes, lanes, arguments, LANES, BLOCK=LANES)
        self._launch(happened.survey_groups, groups, (*left, surveyed, *of_groups), GROUPS, BLOCK=GROUPS)
        self._launch(sums.scale, 1, (self._total(surveyed), mind.seen, self._numbers), 32)
        values = _there(store, "values", "final_values")
        decays = float(np.float32(settings.discount)), float(np.float32(settings.discount * settings.trace))
        arguments = (*outcome, *values, self._numbers, self._advantages, *sizes, *decays)
        self._launch(happened.estimate_lanes, lanes, arguments, LANES, BLOCK=LANES)
        arguments = (self._advantages, outcome[1], estimated, *of_groups)
        self._launch(happened.estimate_groups, groups, arguments, GROUPS, BLOCK=GROUPS)
        self._launch(sums.normalise, 1, (self._total(estimated), self._numbers), 32)

    def _counts(self, alive: torch.Tensor) -> torch.Tensor:
        """[groups] i64, the samples of each group."""
        taught = self._taught
        by_lane = alive.sum(dim=0, dtype=torch.int64)
        by_lane = torch.nn.functional.pad(by_lane, (0, taught.groups * taught.lanes_each - taught.lanes))
        return by_lane.view(taught.groups, -1).sum(dim=1)

    def _minibatch(self, store: Storage, order: torch.Tensor, counts: torch.Tensor, part: int, index: int) -> None:
        mind, taught, settings, network = self._mind, self._taught, self.settings, self._mind.network
        parts, groups = settings.minibatches, taught.groups
        weights = (float(np.float32(each)) for each in (settings.clip, settings.value))
        stored = _there(store, "masks", "actions", "log_probs", "values")
        masks, actions, *others = stored
        # Without controls nothing is read of them, and a kernel takes no address of nothing.
        raw = self.raw if network.controls else self._advantages
        arrays = self._inputs, masks, actions, raw, *others, self._advantages, self._numbers, order, counts
        mine = mind.parameters, mind.transposed, self._room, self._head_room, self._rows, self._noted, self._changing
        of_lanes = taught.ticks, taught.lanes, taught.lanes_each
        sizes = taught.most, part, parts, index, self._blocks, *of_lanes, self._positions
        if not self._whole:
            self._forward(order, counts, part)
        self._launch(
            perceptron.teach,
            groups * self._blocks,
            (*arrays, *mine, *sizes, *weights),
            INPUTS=network.inputs,
            ROW=padded(network.inputs),
            FIRST=self._first,
            SECOND=self._second,
            SECOND_INPUTS=network.hidden[0],
            HEAD_INPUTS=network.hidden[-1],
            HEADS=self._heads,
            FIRST_OUTPUTS=power(self._first),
            SECOND_OUTPUTS=power(self._second) if self._second else 0,
            HEAD_OUTPUTS=power(self._heads),
            PITCH=self._pitch,
            ACTIONS=network.actions,
            CONTROLS=network.controls,
            DEVIATIONS=network.of_layers,
            WHOLE=int(self._whole),
            BLOCK=BLOCK,
        )
        if not self._whole:
            self._backward(order, counts, part)
        self._gradients_of_layers(counts, part)
        self._gradients_of_deviations(counts, part)
        added = self._sums[LOSSES + 1]
        arguments = self._noted, counts, added, part, parts, self._blocks, self._positions
        self._launch(perceptron.add_losses, groups, arguments, 32, LOSSES=LOSSES, ROWS=power(LOSSES + 1), BLOCK=BLOCK)
        gradient, losses = self._total(self._gradients), self._total(added)
        count = network.parameters
        noted = losses, self._constants[1:], self.norms, self.losses, self._factor
        self._launch(sums.limit, 1, (gradient, *noted, count, index))
        one = np.float32(1.0)
        decays = FIRST_DECAY, one - FIRST_DECAY, SECOND_DECAY, one - SECOND_DECAY, LEAST
        held = mind.parameters, gradient, mind.first, mind.second, mind.transposed, mind.places, self._factor
        numbers = count, index, *map(float, decays)
        self._launch(descent.descend, -(-count // NUMBERS), (*held, self._changing, *numbers), BLOCK=NUMBERS)
        if network.controls:
            mind.log_deviations.clamp_(float(LEAST_LOG_DEVIATION), float(MOST_LOG_DEVIATION))

    def _forward(self, order: torch.Tensor, counts: torch.Tensor, part: int) -> None:
        """All layers, one after the other."""
        parameters, room, begin = self._mind.parameters, self._room.view(-1), 0
        x = self._inputs
        table = self._mind.network.table.tolist()
        for number, (inputs, _, _, columns, weight, bias, *_) in enumerate(table):
            last = number + 1 == len(table)
            y = self._head_room if last else room[begin:]
            arrays = x, parameters[weight:], parameters[bias:], x, y
            self._pass(arrays, order, counts, part, inputs, columns, HEADS if last else FORWARD, number == 0)
            x, begin = room[begin:], begin + columns

    def _backward(self, order: torch.Tensor, counts: torch.Tensor, part: int) -> None:
        """The derivatives by what hidden layers gave, the last layer first."""
        room, begin = self._room.view(-1), 2 * self._first
        for _, rows, outputs, _, _, _, back, *_ in reversed(self._mind.network.table.tolist()[1:]):
            weights, slope = self._mind.transposed[back:], room[begin:]
            begin -= rows
            arrays = slope, weights, weights, room[begin - self._first :], room[begin:]
            self._pass(arrays, order, counts, part, outputs, rows, BACKWARD)

    def _pass(
        self, arrays: tuple[torch.Tensor, ...], order: torch.Tensor, counts: torch.Tensor, part: int, inputs: int,
        columns: int, kind: int, seen: bool = False,
    ) -> None:  # fmt: skip
        """A layer of all blocks; `arrays` are those with which `pass_block` begins."""
        taught, outputs = self._taught, min(power(columns), WIDTH)
        sizes = taught.most, part, self.settings.minibatches, self._blocks, taught.ticks, taught.lanes_each, inputs
        self._launch(
            layers.pass_block,
            taught.groups * self._blocks * -(-columns // outputs),
            (*arrays, order, counts, self._rows, *sizes),
            SEEN=int(seen),
            KIND=kind,
            ROW=self._inputs.shape[2],
            COLUMNS=columns,
            OUTPUTS=outputs,
            PITCH=self._pitch,
            BLOCK=BLOCK,
        )

    def _gradients_of_layers(self, counts: torch.Tensor, part: int) -> None:
        """The gradients of each layer, of each group."""
        parts, pitch = self.settings.minibatches, self._pitch
        # In a row of the room lie what hidden layers gave, then the derivatives by what all layers gave.
        room = self._room.view(-1)
        held, slope = 0, self._first + self._second
        for number, layer in enumerate(self._mind.network.table.tolist()):
            rows, columns = layer[ROWS], layer[COLUMNS]
            if number:
                x, held = room[held:], held + rows
            else:
                x = self._inputs
            sizes = part, parts, self._blocks, self._mind.network.parameters, layer[WEIGHT]
            outputs = min(power(columns), WIDTH)
            self._launch(
                perceptron.add_gradients,
                self._taught.groups * -(-rows // TILE) * -(-columns // outputs),
                (x, self._rows, room[slope:], counts, self._gradients, *sizes),
                SEEN=int(number == 0),
                ROW=self._inputs.shape[2],
                ROWS=rows,
                COLUMNS=columns,
                OUTPUTS=outputs,
                PITCH=pitch,
                TILE=TILE,
                BLOCK=BLOCK,
            )
            slope += columns

    def _gradients_of_deviations(self, counts: torch.Tensor, part: int) -> None:
        """The gradients of the logarithms of deviations of controls, of each group."""
        network = self._mind.network
        if not network.controls:
            return
        # Derivatives by them lie at the end of a row of the room.
        scores = self._room.view(-1)[self._pitch - padded(network.controls) :]
        sizes = part, self.settings.minibatches, self._blocks, network.parameters, network.of_layers
        self._launch(
            controls.add_deviations,
            self._taught.groups,
            (scores, counts, self._gradients, *sizes),
            32,
            CONTROLS=network.controls,
            ROWS=power(network.controls),
            PITCH=self._pitch,
            BLOCK=BLOCK,
        )

    def _total(self, values: torch.Tensor) -> torch.Tensor:
        """The sum of all groups, [width], of values [groups, width]."""
        for sums_of in self._nodes[values.shape[1], values.dtype]:
            count, width = values.shape
            block = min(NUMBERS, power(width))
            programs = sums_of.shape[0] * -(-width // block)
            self._launch(sums.add_nodes, programs, (values, sums_of, count, width), min(block, 128), BLOCK=block)
            values = sums_of
        return values[0]

    def _top(self, values: torch.Tensor) -> torch.Tensor:
        """Where `_total` leaves its sum."""
        levels = self._nodes[values.shape[1], values.dtype]
        return (levels[-1] if levels else values)[0]

    def _launch(
        self,
        kernel: object,
        programs: int,
        arguments: tuple[Argument, ...],
        threads: int = THREADS,
        **constants: int,
    ) -> None:
        self._launcher(Launch(kernel, programs, arguments, constants, threads))


def _there(store: Storage, *names: str) -> tuple[torch.Tensor, ...]:
    """Tensors of a store by name."""
    tensors = store.tensors
    return tuple(tensors[name] for name in names)
