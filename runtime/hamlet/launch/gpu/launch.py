"""Launches generated Triton kernels on CUDA tensors; under TRITON_INTERPRET=1 on CPU tensors, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import torch

from hamlet.backend.buffers import Buffers, Shape, Statistics
from hamlet.backend.playing import play
from hamlet.backend.protocol import (
    NOTHING_BY_TICK,
    ByTick,
    NetworkPolicy,
    Policy,
    RandomPolicy,
    RecordedPolicy,
    Stream,
    TabularPolicy,
)
from hamlet.errors import EnvError
from hamlet.launch.gpu.cache import make_writable
from hamlet.launch.gpu.call import Argument, Launch, Prepared
from hamlet.launch.gpu.compile import ALIGNMENT
from hamlet.launch.gpu.counters import Counters
from hamlet.launch.gpu.deciding import decider, kernel_of
from hamlet.launch.gpu.interpreted import make_interpreter_exact
from hamlet.launch.gpu.options import WARPS, interpreted, limit
from hamlet.launch.gpu.tuning import Tuner
from hamlet.schema import abi
from hamlet.universe import Universe

LARGEST_GROUP = 1024
"""Agents of a world, rounded up to a power of two, that fit into a block."""
LARGEST_INTERPRETED_BLOCK = 1 << 16
PLACES = 64
"""Launches that are kept prepared, for buffers in other places than the last ones."""
DTYPES = {"f32": torch.float32, "i32": torch.int32, "u32": torch.uint32}
NO_TABLE = (None,) * len(abi.TABULAR)
NOTHING_COUNTED: tuple[torch.Tensor | None, ...] = (None,) * len((*abi.COUNTS, *abi.LANE_COUNTS, abi.ENDED_METERS))

ANEW: Mapping[abi.Kernel, tuple[str, ...]] = {
    "reset": ("begins",),
    "observe": (),
    "step": ("actions", "elapsed"),
    "rollout": ("actions", *abi.TABULAR, *abi.COUNTS, *abi.LANE_COUNTS, abi.ENDED_METERS),
}
"""The arrays of a kernel that every launch is given anew; a rollout also has those of `abi.given_arguments`."""
OF_SHAPE = ("worlds", "agents", "first_world", "waits")
NUMBERS = {
    kernel: tuple(name for name in abi.scalar_arguments(kernel) if name not in OF_SHAPE) for kernel in abi.KERNELS
}
"""The integers of a kernel that every launch is given anew."""


class KernelBackend:
    """A backend whose kernels are launched like Triton's; see `hamlet.backend.protocol.Backend`."""

    def __init__(
        self,
        name: str,
        universe: Universe,
        kernels: ModuleType,
        device: torch.device,
        interpreted: bool,
        tuner: Tuner | None = None,
        origin: str = "",
    ) -> None:
        """
        Args:
            kernels: has the kernels by name, and what `hamlet.launch.gpu.options.declared` says.
            interpreted: whether Triton's interpreter runs them.
            tuner: chooses the lanes of a block, which are otherwise always the same.
            origin: says in words where the kernels come from.
        """
        self.name = name
        self.origin = origin
        self._tuner = tuner
        self._by_hand = universe.by_hand
        self._names = {kernel: abi.array_arguments(universe, kernel) for kernel in abi.KERNELS}
        self._by_tick = abi.given_arguments(universe)
        self._anew = {**ANEW, "rollout": (*ANEW["rollout"], *self._by_tick)}
        self._kernels = kernels
        self._registers = {kernel: limit(kernels, universe, kernel) for kernel in abi.KERNELS}
        self._index = (device.index or 0) if device.type == "cuda" else None
        # Asking for the current device takes a tenth of a launch.
        self._several = self._index is not None and torch.cuda.device_count() > 1
        self._interpreted = interpreted
        self._tables = [torch.tensor(values, dtype=DTYPES[dtype], device=device) for _, dtype, values in kernels.TABLES]
        self._counters = Counters(universe, device)
        self._scenes: dict[int, torch.Tensor] = {}
        self._every: dict[int, torch.Tensor] = {}
        self._device = device
        self._prepared: dict[tuple[object, ...], Prepared] = {}
        self._elsewhere: dict[tuple[object, ...], Prepared] = {}
        self._buffers: Buffers | None = None
        self._tensors: tuple[torch.Tensor, ...] = ()

    def reset(self, buffers: Buffers, stream: Stream, worlds: torch.Tensor | None = None) -> None:
        """Start a new episode in every world, or in some; then observations and masks."""
        count = buffers.shape.worlds
        if worlds is None and count not in self._every:
            self._every[count] = torch.ones(count, dtype=torch.bool, device=self._device)
        begins = self._every[count] if worlds is None else worlds.contiguous()
        self._launch("reset", buffers, (begins,), (stream.low, stream.high))

    def observe(self, buffers: Buffers) -> None:
        """Observations and masks of the state as it is."""
        self._launch("observe", buffers, (), ())

    def step(
        self, buffers: Buffers, actions: torch.Tensor, stream: Stream, statistics: Statistics | None = None
    ) -> None:
        """One tick with actions [lanes] i32; a rollout of one tick counts it."""
        if statistics is None:
            self._launch("step", buffers, (actions, None), _numbers(stream))
        else:
            self.rollout(buffers, 1, RecordedPolicy(actions.view(1, -1)), stream, True, statistics)

    def step_since(self, buffers: Buffers, actions: torch.Tensor, stream: Stream, elapsed: torch.Tensor) -> None:
        """One tick, `elapsed` [1] i32 ticks after the stream's."""
        self._launch("step", buffers, (actions, elapsed), _numbers(stream))

    def rollout_since(
        self,
        buffers: Buffers,
        ticks: int,
        policy: NetworkPolicy,
        stream: Stream,
        observe_every_tick: bool,
        elapsed: torch.Tensor,
    ) -> None:
        """Ticks of a network, `elapsed` [1] i32 ticks after the stream's."""
        deciding = decider(policy, buffers.shape, stream, self.network_kernel(policy), elapsed)

        def tick(playing: Buffers, actions: torch.Tensor, now: Stream) -> None:
            self.step_since(playing, actions, now, elapsed)

        last = policy.store, self._by_hand, None, tick
        play(self, buffers, ticks, deciding, stream, observe_every_tick, None, NOTHING_BY_TICK, *last)

    def rollout(
        self,
        buffers: Buffers,
        ticks: int,
        policy: Policy,
        stream: Stream,
        observe_every_tick: bool,
        statistics: Statistics | None,
        by_tick: ByTick = NOTHING_BY_TICK,
    ) -> None:
        """So many ticks in one launch; without `observe_every_tick` another one observes the last of them."""
        if isinstance(policy, NetworkPolicy):
            deciding, by_hand = decider(policy, buffers.shape, stream, self.network_kernel(policy)), self._by_hand
            last = policy.store, by_hand, policy.recall
            play(self, buffers, ticks, deciding, stream, observe_every_tick, statistics, by_tick, *last)
            return
        actions, table = None, NO_TABLE
        match policy:
            case RandomPolicy():
                pass
            case RecordedPolicy(recorded):
                actions = recorded
            case TabularPolicy():
                table = tuple(getattr(policy, name) for name in abi.TABULAR)
        counts, bins, per_lane = NOTHING_COUNTED, 0, 0
        if statistics is not None:
            by_lane = statistics.lanes
            *counters, ended_meters = self._counters.arrays.values()
            counts = (*counters, statistics.finished_return)
            counts += (None,) * len(abi.LANE_COUNTS) if by_lane is None else by_lane.arrays
            counts += (None if statistics.ended_meters is None else ended_meters,)
            per_lane = 0 if by_lane is None else by_lane.kept
            bins = self._counters.arrays["lengths"].shape[1]
        changing = (by_tick.get(name.removeprefix("given_")) for name in self._by_tick)
        anew = (actions, *table, *counts, *(None if each is None else each.contiguous() for each in changing))
        self._launch("rollout", buffers, anew, (*_numbers(stream), per_lane, ticks), bins, observe_every_tick)
        if statistics is not None:
            self._counters.add_to(statistics)
        if not observe_every_tick:
            self.observe(buffers)

    def network_kernel(self, policy: NetworkPolicy) -> Any:
        """The kernel that says what a network decides."""
        return kernel_of(policy)

    def _launch(
        self,
        kernel: abi.Kernel,
        buffers: Buffers,
        changing: tuple[torch.Tensor | None, ...],
        numbers: tuple[int, ...],
        bins: int = 0,
        every_tick: bool = False,
    ) -> None:
        """Launch a kernel: as it was prepared, if it is for the same buffers where they were.

        Args:
            kernel: its name.
            buffers: of the environment.
            given: the arrays of `ANEW` for this kernel.
            numbers: the values of `NUMBERS` for this kernel.
            bins: of the histogram of episode lengths.
            every_tick: whether a rollout observes every tick.
        """
        if self._index is not None and torch.cuda._is_in_bad_fork():
            raise EnvError("CUDA cannot be used in a process that was forked after its use: start it by spawn")
        if self._several and torch.cuda.current_device() != self._index:
            with torch.cuda.device(self._index):
                self._launch(kernel, buffers, changing, numbers, bins, every_tick)
            return
        addresses = [None if each is None else each.data_ptr() for each in changing]
        # Triton compiles for whether an address is a multiple of 16.
        form = (kernel, bins, every_tick, *[each if each is None else each % ALIGNMENT for each in addresses])
        place = self._place(buffers)
        prepared = self._prepared.get(form)
        if prepared is None or prepared.place != place:
            prepared = self._elsewhere.get((form, place))
        if prepared is not None:
            self._prepared[form] = prepared
            prepared.again((*addresses, *numbers))
            return
        launched = self._first(kernel, buffers, changing, numbers, bins, every_tick, place)
        if launched is not None:
            self._keep(form, launched)

    def _keep(self, form: tuple[object, ...], prepared: Prepared) -> None:
        """Have a launch ready. Who takes turns among some outputs, as adapters do, comes back to each of them."""
        if len(self._elsewhere) == PLACES:
            del self._elsewhere[next(iter(self._elsewhere))]
        self._prepared[form] = self._elsewhere[form, prepared.place] = prepared

    def _first(
        self,
        kernel: abi.Kernel,
        buffers: Buffers,
        changing: tuple[torch.Tensor | None, ...],
        numbers: tuple[int, ...],
        bins: int,
        every_tick: bool,
        place: tuple[object, ...],
    ) -> Prepared | None:
        """Launch a kernel, and prepare the same launch; `None` where none can be prepared."""
        shape = buffers.shape
        arrays: dict[str, Argument] = {**buffers.state, **buffers.outcome, "mask": buffers.mask}
        observations = {"observation": buffers.observation, "final_observation": buffers.final_observation}
        if kernel == "rollout" and not every_tick:
            # One kernel for all types of observations, and for none.
            observations = dict.fromkeys(observations)
        written = {name: self._written(observation) for name, observation in observations.items()}
        scalars = dict(zip(OF_SHAPE, (shape.worlds, shape.agents, shape.first_world, int(shape.waits)), strict=True))
        by_name = dict(zip((*self._anew[kernel], *NUMBERS[kernel]), (*changing, *numbers), strict=True))
        scenes = self._scenes_of(shape.worlds) if buffers.observation is not None else None
        values = arrays | written | scalars | by_name | {"kept": scenes}
        tables = {f"table {number}": table for number, table in enumerate(self._tables)}
        last = ("kept", "elapsed") if kernel == "step" else ()
        names = (*self._names[kernel], *tables, *abi.scalar_arguments(kernel), *last)
        arguments = tuple((values | tables)[name] for name in names)
        group, block = self._blocks(shape)
        launch = Launch(kernel, arguments, shape.worlds * group, group, bins, every_tick, self._registers[kernel])
        tuned = block if self._tuner is None else self._tuner.block(launch, block)
        compiled = launch.run(self._kernels, tuned or block)
        for name, observation in observations.items():
            result = written[name]
            if observation is not None and result is not None and result is not observation:
                observation.copy_(result)
        if compiled is None or tuned is None:
            return None
        return launch.prepared(compiled, tuned, tuple(names.index(name) for name in by_name), place)

    def _place(self, buffers: Buffers) -> tuple[object, ...]:
        """The part of buffers that a prepared launch holds: shape, type of observations, where tensors are."""
        if buffers is not self._buffers:
            self._buffers, self._tensors = buffers, buffers.tensors
        observed = buffers.observation
        dtype = None if observed is None else observed.dtype
        return (buffers.shape, dtype, *map(torch.Tensor.data_ptr, self._tensors))

    def _scenes_of(self, worlds: int) -> torch.Tensor | None:
        """The scenes that steps of so many worlds keep; `None` where kernels keep none.

        Each is kept beside the layout that it follows from, which a step compares: scenes of other buffers do no harm.
        """
        rows = self._kernels.KEPT
        if not rows:
            return None
        if worlds not in self._scenes:
            self._scenes[worlds] = torch.zeros((rows, worlds), dtype=torch.int32, device=self._device)
        return self._scenes[worlds]

    def _written(self, observation: torch.Tensor | None) -> torch.Tensor | None:
        """The tensor that a kernel writes observations into. Triton's interpreter does not round to bf16 as its
        compiler does: it writes f32, and torch rounds.
        """
        if observation is None or not self._interpreted or observation.dtype is not torch.bfloat16:
            return observation
        return observation.float()

    def _blocks(self, shape: Shape) -> tuple[int, int]:
        """The lanes that a world takes in a block, and the lanes of a block."""
        group = 1 << (shape.agents - 1).bit_length()
        if group > LARGEST_GROUP:
            raise EnvError(f'backend "triton" runs at most {LARGEST_GROUP} agents per world, not {shape.agents}')
        if shape.worlds * group >= 1 << 31:
            raise EnvError(f'{shape.worlds} worlds of {shape.agents} agents are too many for backend "triton"')
        if not self._interpreted:
            return group, max(32 * WARPS, group)
        lanes = 1 << (shape.worlds * group - 1).bit_length()
        return group, max(min(lanes, LARGEST_INTERPRETED_BLOCK), group)


class TritonBackend(KernelBackend):
    """The backend of a kernels module: on a GPU, or in Triton's interpreter."""

    def __init__(
        self,
        universe: Universe,
        kernels: ModuleType,
        device: torch.device,
        tuner: Tuner | None = None,
        origin: str = "just in time",
    ) -> None:
        """Raises `EnvError` where the device is the CPU and Triton was not imported under TRITON_INTERPRET=1."""
        on_cpu = interpreted(kernels)
        if device.type != "cuda" and not on_cpu:
            raise EnvError(
                'backend "triton" needs a CUDA device: use backend="c", or set TRITON_INTERPRET=1 before Python '
                "starts to run its kernels, slowly, on the CPU"
            )
        if on_cpu:
            make_interpreter_exact()
        else:
            make_writable()
        super().__init__(
            "triton", universe, kernels, device, on_cpu, tuner, "Triton's interpreter" if on_cpu else origin
        )


def _numbers(stream: Stream) -> tuple[int, int, int]:
    return stream.low, stream.high, stream.tick & 0xFFFFFFFF
