"""Launches generated Triton kernels on CUDA tensors; under TRITON_INTERPRET=1 on CPU tensors, for tests."""

from __future__ import annotations

from contextlib import nullcontext
from types import ModuleType

import torch

from hamlet.backend.buffers import Buffers, Shape, Statistics
from hamlet.backend.protocol import Policy, RandomPolicy, RecordedPolicy, Stream, TabularPolicy
from hamlet.errors import EnvError
from hamlet.launch.gpu.cache import make_writable
from hamlet.launch.gpu.call import Launch
from hamlet.launch.gpu.interpreted import make_interpreter_exact
from hamlet.launch.gpu.options import WARPS, interpreted
from hamlet.launch.gpu.tuning import Tuner
from hamlet.schema import abi
from hamlet.universe import Universe

LARGEST_GROUP = 1024
"""Agents of a world, rounded up to a power of two, that fit into a block."""
LARGEST_INTERPRETED_BLOCK = 1 << 16
DTYPES = {"f32": torch.float32, "i32": torch.int32, "u32": torch.uint32}


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
        """`kernels` has the kernels by name, and `TABLES`; `interpreted` says who runs them; `tuner` chooses the lanes
        of a block, which are otherwise always the same; `origin` says in words where the kernels come from."""
        self.name = name
        self.origin = origin
        self._tuner = tuner
        self._universe = universe
        self._kernels = kernels
        self._device = device
        self._interpreted = interpreted
        self._tables = [torch.tensor(values, dtype=DTYPES[dtype], device=device) for _, dtype, values in kernels.TABLES]

    def reset(self, buffers: Buffers, stream: Stream) -> None:
        """Start a new episode in every world; then observations and masks."""
        self._launch("reset", buffers, {}, _seeds(stream))

    def observe(self, buffers: Buffers) -> None:
        """Observations and masks of the state as it is."""
        self._launch("observe", buffers, {}, {})

    def step(self, buffers: Buffers, actions: torch.Tensor, stream: Stream) -> None:
        """One tick with actions [lanes] i32."""
        self._launch("step", buffers, {"actions": actions}, _numbers(stream))

    def step_since(self, buffers: Buffers, actions: torch.Tensor, stream: Stream, elapsed: torch.Tensor) -> None:
        """One tick, `elapsed` [1] i32 ticks after the stream's."""
        self._launch("step", buffers, {"actions": actions}, _numbers(stream), elapsed=elapsed)

    def rollout(
        self,
        buffers: Buffers,
        ticks: int,
        policy: Policy,
        stream: Stream,
        observe_every_tick: bool,
        statistics: Statistics | None,
    ) -> None:
        """So many ticks in one launch; without `observe_every_tick` another one observes the last of them."""
        given: dict[str, torch.Tensor | None] = dict.fromkeys(("actions", *abi.TABULAR), None)
        match policy:
            case RandomPolicy():
                pass
            case RecordedPolicy(actions):
                given["actions"] = actions
            case TabularPolicy():
                given |= {name: getattr(policy, name) for name in abi.TABULAR}
        arrays = given | {name: getattr(statistics, name, None) for name in abi.COUNTS}
        bins = 0 if statistics is None else statistics.lengths.numel()
        scalars = _numbers(stream) | {"ticks": ticks}
        self._launch("rollout", buffers, arrays, scalars, bins, observe_every_tick)
        if not observe_every_tick:
            self.observe(buffers)

    def _launch(
        self,
        kernel: abi.Kernel,
        buffers: Buffers,
        arrays: dict[str, torch.Tensor | None],
        scalars: dict[str, int],
        bins: int = 0,
        every_tick: bool = False,
        elapsed: torch.Tensor | None = None,
    ) -> None:
        shape = buffers.shape
        arrays = arrays | buffers.state | buffers.outcome | {"mask": buffers.mask}
        observations = {"observation": buffers.observation, "final_observation": buffers.final_observation}
        if kernel == "rollout" and not every_tick:
            # One kernel for all types of observations, and for none.
            observations = dict.fromkeys(observations)
        written = {name: self._written(observation) for name, observation in observations.items()}
        arrays |= written
        scalars = scalars | {"worlds": shape.worlds, "agents": shape.agents, "first_world": shape.first_world}
        group, block = self._blocks(shape)
        arguments = (
            *(arrays[name] for name in abi.array_arguments(self._universe, kernel)),
            *self._tables,
            *(scalars[name] for name in abi.scalar_arguments(kernel)),
            *([elapsed] if kernel == "step" else []),
        )
        launch = Launch(kernel, arguments, shape.worlds * group, group, bins, every_tick)
        with torch.cuda.device(self._device) if self._device.type == "cuda" else nullcontext():
            launch.run(self._kernels, block if self._tuner is None else self._tuner.block(launch, block))
        for name, observation in observations.items():
            result = written[name]
            if observation is not None and result is not None and result is not observation:
                observation.copy_(result)

    def _written(self, observation: torch.Tensor | None) -> torch.Tensor | None:
        """What a kernel writes observations into. Triton's interpreter does not round to bf16 as its compiler does: it
        writes f32, and torch rounds."""
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
                'backend "triton" needs a CUDA device: use backend="numba", or set TRITON_INTERPRET=1 before Python '
                "starts to run its kernels, slowly, on the CPU"
            )
        if on_cpu:
            make_interpreter_exact()
        else:
            make_writable()
        super().__init__(
            "triton", universe, kernels, device, on_cpu, tuner, "Triton's interpreter" if on_cpu else origin
        )


def _seeds(stream: Stream) -> dict[str, int]:
    return {"seed_low": stream.low, "seed_high": stream.high}


def _numbers(stream: Stream) -> dict[str, int]:
    return _seeds(stream) | {"tick": stream.tick & 0xFFFFFFFF}
