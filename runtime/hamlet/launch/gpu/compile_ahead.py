"""Compiles the kernels of a package ahead of time into its folder `aot`: those that environments launch, found by
making one that launches nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import TYPE_CHECKING

import torch

from hamlet.backend.buffers import OBS_DTYPES, Shape, allocate, allocate_statistics
from hamlet.backend.protocol import NOTHING_BY_TICK, RandomPolicy, RecordedPolicy, Stream
from hamlet.errors import EnvError
from hamlet.launch.gpu.call import Launch, Signature
from hamlet.launch.gpu.compile import compile_kernel, signature
from hamlet.launch.gpu.cubins import Cubin, Cubins, folder, to_json
from hamlet.launch.gpu.launch import KernelBackend
from hamlet.launch.gpu.options import declared, interpreted
from hamlet.launch.gpu.tuning import Tuner, candidates
from hamlet.package.ahead import INDEX
from hamlet.package.module import Module
from hamlet.schema import abi, encodes
from hamlet.system import cpus

if TYPE_CHECKING:
    from triton.compiler import CompiledKernel

CPU = torch.device("cpu")
WORLDS = 64
"""Of the environment that launches nothing; kernels do not depend on it."""
ENTRY = re.compile(r"\.visible \.entry [^(]*\(([^)]*)\)")
PARAMETER = re.compile(r"\.param \.[a-z]+(\d+)")
CODES = {"64": "Q", "32": "I"}
NONE_OF_THESE = ("global_scratch_size", "profile_scratch_size", "launch_cooperative_grid", "launch_pdl")
"""Properties of compiled kernels that a launch by the driver alone does not prepare."""
MOST_SHARED = 48 << 10
"""Bytes of shared memory that a block has without asking."""


class _Recorder(Tuner):
    """Has the place of a tuner, and sees every launch."""

    def __init__(self) -> None:
        self.seen: dict[Signature, tuple[Launch, int]] = {}

    def block(self, launch: Launch, default: int) -> int:
        self.seen.setdefault(launch.signature(default), (launch, default))
        return default


class _Nothing:
    """A kernel that does nothing."""

    def __getitem__(self, grid: tuple[int]) -> Callable[..., None]:
        return lambda *_arguments, **_constants: None


def launches(module: Module, kernels: ModuleType) -> list[tuple[Launch, int]]:
    """The launches of environments of one agent per world, and the lanes of a block: `reset`, `observe` and `step` for
    every type of observations, `step` in a graph too, and rollouts of random or recorded actions that do not observe
    every tick. `kernels` is the module of the kernels.
    """
    universe, shape, recorder = module.universe, Shape(WORLDS, 1), _Recorder()
    nothing = ModuleType("nothing")
    nothing.__dict__.update(dict.fromkeys(abi.KERNELS, _Nothing()), **declared(kernels))
    backend = KernelBackend("recorded", universe, nothing, CPU, False, recorder)
    actions, stream = torch.zeros(WORLDS, dtype=torch.int32), Stream(0, 0)
    bytes_fit = encodes(universe)
    for dtype in (*OBS_DTYPES.values(), None):
        if dtype is torch.uint8 and not bytes_fit:
            continue
        buffers = allocate(universe, shape, CPU, dtype)
        backend.reset(buffers, stream)
        backend.observe(buffers)
        backend.step(buffers, actions, stream)
        backend.step_since(buffers, actions, stream, torch.zeros(1, dtype=torch.int32))
        controls = {name: buffers.state[name].unsqueeze(0) for name in ("controls",) if name in buffers.state}
        for policy, by_tick in ((RandomPolicy(), NOTHING_BY_TICK), (RecordedPolicy(actions.reshape(1, -1)), controls)):
            for counts in (allocate_statistics(universe, shape, CPU), None):
                backend.rollout(buffers, 1, policy, stream, False, counts, by_tick)
    return list(recorder.seen.values())


def compile_ahead(
    module: Module,
    capability: int,
    every_block: bool = False,
    done: Callable[[], None] = lambda: None,
    names: Collection[abi.Kernel] = abi.KERNELS,
) -> dict[str, bytes]:
    """The files for devices of a compute capability (90: sm_90), by name in the package.

    Args:
        module: a package with Triton kernels.
        capability: of the devices.
        every_block: also compile for the other sizes of blocks that tuning tries.
        done: called after each kernel, in any thread.
        names: of the kernels to compile.

    Raises:
        EnvError: Triton cannot compile for it, or was imported under TRITON_INTERPRET=1, or is not installed.
        ModuleError: the package has no Triton kernels.
    """
    try:
        import triton
    except ImportError as error:
        raise EnvError("compiling ahead of time needs Triton: pip install 'hamletc[gpu]'") from error
    kernels = module.kernels("triton")
    if interpreted(kernels):
        raise EnvError("kernels cannot be compiled under TRITON_INTERPRET=1: start Python without it")
    chosen = [
        (launch, block)
        for launch, default in launches(module, kernels)
        if launch.kernel in names
        for block in (candidates(launch, default) if every_block else [default])
    ]

    def build(launch: Launch, block: int) -> CompiledKernel:
        function = getattr(kernels, launch.kernel)
        arguments = dict(zip(function.arg_names, launch.arguments, strict=False))
        settings = launch.settings(block)
        constants = {name: value for name, value in settings.items() if name in function.arg_names}
        options = {name: value for name, value in settings.items() if name not in constants}
        fitting = signature(function, arguments, constants, options)
        result = compile_kernel(
            function, dict(fitting.types), dict(fitting.constants), fitting.aligned, dict(fitting.options), capability
        )
        done()
        return result

    # Triton compiles without holding Python's lock, most of the time.
    with ThreadPoolExecutor(cpus()) as pool:
        compiled = list(pool.map(build, *zip(*chosen, strict=True)))
    entries = list(_entries(chosen, compiled))
    tables = tuple(kernels.TABLES)
    index = Cubins(capability, triton.__version__, tables, kernels.KEPT, kernels.REGISTERS, tuple(entries))
    place = folder(capability)
    files = {f"{place}/{INDEX}": to_json(index).encode()}
    return files | {f"{place}/{e.file}": c.asm["cubin"] for e, c in zip(entries, compiled, strict=True)}


def _entries(chosen: list[tuple[Launch, int]], compiled: list[CompiledKernel]) -> Iterator[Cubin]:
    for number, ((launch, block), result) in enumerate(zip(chosen, compiled, strict=True)):
        metadata = result.metadata
        unfit = [name for name in NONE_OF_THESE if getattr(metadata, name, 0)]
        if unfit or metadata.shared > MOST_SHARED or metadata.num_ctas != 1:
            raise EnvError(
                f"kernel {launch.kernel} cannot be launched by the driver alone: {', '.join(unfit) or 'shared'}"
            )
        types = tuple(_type(value) for value in launch.arguments)
        present = sum(type_ is not None for type_ in types)
        entry = ENTRY.search(result.asm["ptx"])
        sizes = PARAMETER.findall(entry[1]) if entry else []
        yield Cubin(
            launch.kernel,
            types,
            launch.settings(block),
            "@" + "".join(CODES[size] for size in sizes),
            len(sizes) - present,
            32 * metadata.num_warps,
            metadata.shared,
            f"{launch.kernel}_{number}.cubin",
        )


def _type(value: torch.Tensor | int | None) -> str | None:
    match value:
        case None:
            return None
        case torch.Tensor():
            return str(value.dtype).removeprefix("torch.")
        case _:
            return "int"
