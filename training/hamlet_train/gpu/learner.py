"""The learner on a GPU: an update is a row of launches that nobody waits for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np
import torch

from hamlet.backend.storage import Storage
from hamlet_train.draws import halves
from hamlet_train.exact.kernels import LOSSES, SURVEYED
from hamlet_train.exact.network import BLOCK, LEAST_LOG_DEVIATION, MOST_LOG_DEVIATION
from hamlet_train.gpu import descent, happened, perceptron, sums
from hamlet_train.gpu.launches import THREADS, Argument, Launch, Launcher, run
from hamlet_train.gpu.mind import Mind
from hamlet_train.gpu.passes import Passes
from hamlet_train.gpu.taught import Notes, Taught, power
from hamlet_train.ppo import FIRST_DECAY, LEAST, SECOND_DECAY, Learned
from hamlet_train.settings import Settings

Work: TypeAlias = Callable[[], None]
Record: TypeAlias = Callable[[Work, Sequence[torch.Tensor]], Work]
Across: TypeAlias = Callable[[torch.Tensor], torch.Tensor]
"""The sum [width] of the groups of all processes, of values [groups, width] of this one."""

LANES, GROUPS, NUMBERS = 64, 32, 256
"""Lanes, groups, and parameters of a program."""
NODES = 16
"""Values of which `add_nodes` makes a sum."""
KEYS = 1024
"""Keys of a program."""


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
        notes: Notes | None = None,
        across: Across | None = None,
    ) -> None:
        """`record` makes a function that repeats launches, as `hamlet.env.act.graph.record` does. `notes` are those of
        the lesson before, where settings change. `across` adds up over several processes, for which a host waits."""
        network, device = mind.network, mind.parameters.device
        self._mind, self.settings, self._seed, self._updates, self._taught = mind, settings, seed, updates, taught
        self._launcher, self._record, self._across = launcher, record, across
        groups, parts = taught.groups, settings.minibatches
        self.notes = Notes.empty(network, taught.ticks, taught.lanes, device) if notes is None else notes
        """The numbers that whoever acts notes."""
        self._passes = Passes(mind, taught, parts, self.notes, launcher)

        def many(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
            return torch.zeros(shape, dtype=dtype, device=device)

        f64 = torch.float64
        self._advantages, self._numbers, self._factor = many(taught.ticks, taught.lanes), many(3), many(1)
        self._constants = torch.tensor([settings.discount, settings.norm], dtype=f64, device=device)
        self._lane_counts = many(4, taught.lanes, dtype=f64)
        self._returns, self._discounts = (many(taught.lanes, taught.ticks, dtype=f64) for _ in range(2))
        self._keys = many(groups, taught.most, dtype=torch.int64)
        self._sums = {width: many(groups, width, dtype=f64) for width in (SURVEYED, 3, LOSSES + 1)}
        self._nodes = dict[tuple[int, torch.dtype], list[torch.Tensor]]()
        for values in (self._passes.gradients, *self._sums.values()):
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
        taught = self._taught
        counts, teaching = taught.counts(alive), taught.teaching(alive)
        low, high = halves(self._seed)
        ticks = len(teaching)
        for epoch in range(settings.epochs):
            numbers = (taught.lanes, taught.lanes_each, ticks, taught.most, taught.first, low, high)
            programs = taught.groups * -(-taught.most // KEYS)
            self._launch(descent.draw_keys, programs, (teaching, self._keys, *numbers, self._drawn, epoch), BLOCK=KEYS)
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
        self._passes.inputs[:, :, : mind.network.reads] = store.observations.permute(2, 0, 1)
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

    def _minibatch(self, store: Storage, order: torch.Tensor, counts: torch.Tensor, part: int, index: int) -> None:
        mind, settings, passes = self._mind, self.settings, self._passes
        weights = float(np.float32(settings.clip)), float(np.float32(settings.value))
        passes.teach(store, (self._advantages, self._numbers), order, counts, self._changing, part, index, weights)
        added = self._sums[LOSSES + 1]
        arguments = passes.noted, counts, added, part, settings.minibatches, passes.blocks, passes.positions
        constants = {"LOSSES": LOSSES, "ROWS": power(LOSSES + 1), "TOGETHER": self._taught.together, "BLOCK": BLOCK}
        self._launch(perceptron.add_losses, self._taught.groups, arguments, 32, **constants)
        gradient, losses = self._total(passes.gradients), self._total(added)
        count = mind.network.parameters
        noted = losses, self._constants[1:], self.norms, self.losses, self._factor
        self._launch(sums.limit, 1, (gradient, *noted, count, index))
        one = np.float32(1.0)
        decays = FIRST_DECAY, one - FIRST_DECAY, SECOND_DECAY, one - SECOND_DECAY, LEAST
        held = mind.parameters, gradient, mind.first, mind.second, mind.transposed, mind.places, self._factor
        numbers = count, index, *map(float, decays)
        self._launch(descent.descend, -(-count // NUMBERS), (*held, self._changing, *numbers), BLOCK=NUMBERS)
        if mind.network.controls:
            mind.log_deviations.clamp_(float(LEAST_LOG_DEVIATION), float(MOST_LOG_DEVIATION))

    def _total(self, values: torch.Tensor) -> torch.Tensor:
        """The sum of all groups, [width], of values [groups, width]."""
        if self._across is not None:
            return self._top(values).copy_(self._across(values))
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
