"""Making an environment: every argument is checked before memory is allocated."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from hamlet import schema
from hamlet.arguments import flag, whole, word
from hamlet.backend.buffers import DTYPES, OBS_DTYPES, Buffers, Shape, allocate
from hamlet.backend.choose import Choice, candidates, choose, start
from hamlet.backend.crossover import SIZES, settle, timed
from hamlet.backend.registry import TUNES, Tune, backend_kind
from hamlet.distributed import Shard, on_this_machine, shard_of
from hamlet.env.attributes import AUTORESETS
from hamlet.env.environment import Env, begun
from hamlet.env.keep.state import checked_seed
from hamlet.errors import EnvError, shown
from hamlet.native.drafts import without_drafts
from hamlet.package import cache
from hamlet.package.module import Module
from hamlet.schema.observed import BFLOAT16_LIMIT
from hamlet.schema.roles import fewest_agents
from hamlet.schema.room import MOST_COUNTED, counts_agents, room, scattered, starting_cells
from hamlet.system import exceeds_memory
from hamlet.universe import Universe, meet
from hamlet.waiting import told

LANE_LIMIT = 1 << 31
MOST = sys.maxsize
PLAIN = ("none", "just in time, C")
"""Where kernels come from, when nobody needs to be told."""
MEASURED_BYTES = 1 << 30
"""Environments with larger buffers are not made just to time backends."""


# Tensors made in inference mode have no version counter, by which params and inputs notice writes in place.
@torch.inference_mode(mode=False)
def make(
    module: Module,
    *,
    worlds: int = 1,
    agents: int | None = None,
    device: str | torch.device | None = None,
    backend: str = "auto",
    seed: int = 0,
    params: Mapping[str, Any] | None = None,
    obs_dtype: torch.dtype | str | None = "float32",
    first_world: int = 0,
    shard: str | tuple[int, int] | Shard | None = None,
    validate: bool | None = None,
    quiet: bool = False,
    tune: Tune = "default",
    launch: str = "auto",
    autoreset: str = "same_step",
) -> Env:
    """Make an environment: worlds of a universe at the beginning of episode 0.

    Args:
        module: the result of `hamlet.compile` or `hamlet.load`.
        worlds, agents: the number of worlds, and of agents in each; at least 1, their product below 2**31. At most
            1,024 agents are in a world where they meet (docs/semantics.md). Without `agents` a world has as many as the
            roles of the universe say, one of a role that is all others; and 1 where there are no roles.
        device: "cpu", "cuda", "cuda:1", ...; by default the device that the backend runs on.
        backend: "triton", "c", "interpreter", "wasm" (kernels in WebAssembly, for comparing; of packages that were
            compiled with `--target wasm`) or "auto". "auto" takes triton where `device` is a CUDA device,
            and "c" where `device` is the CPU or the machine has no CUDA; otherwise it takes the one that was measured
            to be faster for this number of agents. It prints its choice on stderr, unless `quiet`. A backend that was
            named is never replaced: if it cannot run here, that is an error.
        seed: of all random numbers, 0 .. 2**64 - 1. Environments that are given none have seed 0, and are alike; those
            of adapters draw a fresh one.
        params: values by name, which take the place of the defaults: a number for all worlds, numbers [worlds], or a
            distribution (`hamlet.Uniform`, `LogUniform`, `Choice`, `Normal`), of which each world draws a number. They
            stay until you give others, see `hamlet.env.write.params.Numbers`.
        obs_dtype: torch.float32, torch.bfloat16 or torch.uint8, or the name of one, or `None` for no observations.
            `Env.observation_low` says which numbers bytes stand for. A universe is refused if its bounds are too far
            apart or too close for uint8, or too large for bfloat16.
        first_world: the global number of the first world, for worlds that are split over several environments.
        shard: make a part of these worlds only: (number, count) for part `number` of `count`, or "torchrun" for the
            part of this process among those that `torchrun` started, on the GPU that it has among them. `worlds`,
            `first_world` and params [worlds] are then of all parts together; the environment has the worlds of its
            part, with the same bits as in one environment of all (docs/scale.md).
        validate: whether the range of actions is checked in every call, and that of inputs after every write; by
            default on the CPU only, see `Env.step`. Without these checks the effect of a number out of range is
            undefined, and meters may become NaN. Params are always checked.
        quiet: print nothing. Otherwise, where no machine code is kept for kernels, a line says that they are compiled.
        tune: how many sizes of a block triton may time: "default", "max" or "off", see
            `hamlet.launch.gpu.tuning`. Every size gives the same bits.
        launch: "step" (each step launches a kernel), "graph" (`Env.step` replays a CUDA graph, see `Env.graphed`, and
            so do rollouts of a network that are repeated) or "auto", which takes the one that was measured to be faster
            for this number of agents, and prints its choice on stderr, unless `quiet` or only one is possible.
        autoreset: when a world in which nobody is alive any more begins the next episode. "same_step": at the end of
            that tick; `Env.step` shows the first state of the new episode, and `final_observation` the last one of the
            old. "next_step": a tick later, in which nothing else happens to it, whatever its actions; `Env.step` shows
            the last state of the old episode, and writes no `final_observation`. The names are Gymnasium's. With
            `episodes by hand` only a reset begins episodes.

    Raises:
        EnvError: an argument has a wrong type or is out of range, the universe has no such param, or the backend cannot
            run here.
        ModuleError: the package has no kernels for the backend.

    Example:
        env = hamlet.make(universe, worlds=256, agents=1, backend="c", seed=1)
    """
    if not isinstance(module, Module):
        raise EnvError(f"module is what `hamlet.compile` or `hamlet.load` gives, not {shown(module)}")
    checks = None if validate is None else flag("validate", validate)
    quiet = flag("quiet", quiet)
    tuned: Tune = TUNES[TUNES.index(word("tune", tune, TUNES))]
    part = shard_of(shard)
    choice = choose(backend, _device_of(shard, backend, device))
    options = candidates(choice, launch, anywhere=backend == "auto" and device is None)
    every = checked_shape(module.universe, worlds, agents, first_world)
    first, end = part.bounds(every.worlds)
    waits = word("autoreset", autoreset, AUTORESETS) == "next_step"
    if waits and module.universe.by_hand:
        raise EnvError(f'{module.universe.name} has `episodes by hand`, which only a reset begins: take "same_step"')
    shape = Shape(end - first, every.agents, every.first_world + first, waits)
    dtype = _checked_obs_dtype(module.universe, obs_dtype)
    first_seed = checked_seed(seed)
    own = _of_part(params, first, end, every.worlds)
    with told(module.name, quiet):
        choice = _settle(module, shape, dtype, options, quiet)
        executor = start(module, choice, tuned)
        if executor.origin not in PLAIN:
            choice = replace(choice, reason=f"{choice.reason}; kernels: {executor.origin}")
        buffers = _allocate(module.universe, shape, choice.device, dtype)
        if checks is None:
            checks = choice.device.type == "cpu"
        env = begun(module, executor, buffers, choice, checks, tuned, first_seed, own)
    if (backend == "auto" or len(options) > 1) and not quiet:
        print(f"hamlet: {choice}", file=sys.stderr)
    return env


def _device_of(shard: Any, backend: str, device: str | torch.device | None) -> str | torch.device | None:
    """Under `torchrun` every process on a machine has a GPU of its own."""
    asked = isinstance(shard, str) and isinstance(backend, str)
    takes = asked and (device is None or (isinstance(device, str) and device == "cuda"))
    if takes and backend in ("auto", "triton") and torch.cuda.is_available():
        return f"cuda:{on_this_machine().number % torch.cuda.device_count()}"
    return device


def _of_part(params: Any, first: int, end: int, worlds: int) -> Any:
    """Params of all worlds as those of the worlds from `first` to before `end`."""
    if (first, end) == (0, worlds) or not isinstance(params, Mapping):
        return params

    def part(value: Any) -> Any:
        many = isinstance(value, (list, tuple, np.ndarray, torch.Tensor)) and len(np.shape(value)) == 1
        return value[first:end] if many and len(value) == worlds else value

    return {name: part(value) for name, value in params.items()}


def _settle(module: Module, shape: Shape, dtype: torch.dtype | None, options: Sequence[Choice], quiet: bool) -> Choice:
    """The option that is the fastest for this number of agents."""
    if len(options) == 1:
        # To know which sizes could be timed takes a sixth of the time that an environment takes.
        return options[0]

    @without_drafts()
    def measure(choice: Choice, lanes: int) -> float:
        worlds, device, launch = lanes // shape.agents, choice.device, choice.launch
        env = make(
            module,
            worlds=worlds,
            agents=shape.agents,
            device=device,
            backend=choice.backend,
            obs_dtype=dtype,
            validate=False,
            quiet=True,
            tune="off",
            launch=launch,
        )
        actions = torch.zeros(lanes, dtype=torch.int32, device=device)
        controls = env.control_low.unsqueeze(1).repeat(1, lanes) if env.num_controls else None
        return timed(lambda: env.step(actions, controls), env.synchronize)

    def missing(choice: Choice) -> str:
        return backend_kind(choice.backend).missing(module)

    sizes = sorted({max(size // shape.agents, 1) * shape.agents for size in SIZES})
    shapes = (Shape(size // shape.agents, shape.agents) for size in sizes)
    small = [each.lanes for each in shapes if buffer_bytes(module.universe, each, dtype) <= MEASURED_BYTES]
    identity: cache.Key = {"universe": module.digest, "agents": shape.agents, "observations": str(dtype)}
    return settle(options, shape.lanes, small, identity, measure, missing, quiet)


def checked_shape(universe: Universe, worlds: Any, agents: Any, first_world: Any) -> Shape:
    """The shape of an environment, or `EnvError`."""
    worlds = whole(worlds, 1, MOST, "worlds is a whole number, at least 1")
    agents = fewest_agents(universe) if agents is None else agents
    agents = whole(agents, 1, MOST, "agents is a whole number, at least 1")
    first_world = whole(first_world, 0, MOST, "first_world is a whole number, at least 0")
    if worlds * agents >= LANE_LIMIT:
        raise EnvError(f"{worlds} worlds of {agents} agents are too many: fewer than 2**31 agents fit")
    if first_world + worlds > LANE_LIMIT or (first_world + worlds) * agents > 1 << 32:
        raise EnvError(
            f"{worlds} worlds of {agents} agents from first_world {first_world} on are numbered too high: worlds have "
            "numbers below 2**31, and agents of all worlds numbers below 2**32"
        )
    if agents > schema.MOST_AGENTS and meet(universe):
        raise EnvError(
            f"agents of {universe.name} meet, so at most {schema.MOST_AGENTS} of them fit in a world, not {agents}"
        )
    _check_roles(universe, agents)
    most = room(universe)
    if most is not None and agents > most and starting_cells(universe):
        raise EnvError(f"{universe.name} starts agents on {most} cells of its map: take at most {most} agents")
    if most is not None and agents > most:
        raise EnvError(
            f"{agents} agents and {scattered(universe)} affordances at random places need as many free cells, and "
            f"{universe.name} has {most + scattered(universe)}: take at most {most} agents"
        )
    if agents > MOST_COUNTED and counts_agents(universe):
        raise EnvError(f"{universe.name} counts agents: take at most {MOST_COUNTED} in a world, not {agents}")
    return Shape(worlds, agents, first_world)


def _check_roles(universe: Universe, agents: int) -> None:
    roles = universe.roles or ()
    said = ", ".join(f"{role.agents or 'the other'} {role.name}" for role in roles)
    only, fewest = universe.agents, fewest_agents(universe)
    if only is not None and agents != only:
        raise EnvError(f"a world of {universe.name} has {only} agents ({said}), not {agents}: leave agents out")
    if roles and agents < fewest:
        raise EnvError(f"a world of {universe.name} has at least {fewest} agents ({said}), not {agents}")
    if roles and agents > schema.MOST_AGENTS:
        raise EnvError(f"a world with roles has at most {schema.MOST_AGENTS} agents, not {agents}")


def _checked_obs_dtype(universe: Universe, obs_dtype: torch.dtype | str | None) -> torch.dtype | None:
    if obs_dtype is None:
        return None
    for name, dtype in OBS_DTYPES.items():
        if isinstance(obs_dtype, (str, torch.dtype)) and obs_dtype in (name, dtype):
            if dtype is torch.uint8:
                _check_scales(universe)
            elif dtype is torch.bfloat16:
                _check_rounded(universe)
            return dtype
    raise EnvError(
        f"obs_dtype {shown(obs_dtype)} is not supported: take {', '.join(OBS_DTYPES)}, or None for no observations"
    )


def _check_scales(universe: Universe) -> None:
    for segment in schema.observation_segments(universe):
        scale = segment.scale
        if not scale.encodes:
            raise EnvError(
                f'obs_dtype "uint8" cannot hold {segment.name}, which lies in {scale.low} .. {scale.high}: '
                'take "float32", or other bounds'
            )


def _check_rounded(universe: Universe) -> None:
    for segment in schema.observation_segments(universe):
        scale = segment.scale
        if not scale.fits_bfloat16:
            raise EnvError(
                f'obs_dtype "bfloat16" cannot hold {segment.name}, which lies in {scale.low:.9g} .. {scale.high:.9g}: '
                f'from {BFLOAT16_LIMIT:.8g} on it would be infinite; take "float32", or other bounds'
            )


def buffer_bytes(universe: Universe, shape: Shape, obs_dtype: torch.dtype | None) -> int:
    """The size of all buffers of an environment in bytes."""
    total = len(schema.action_names(universe)) * shape.lanes
    if obs_dtype is not None:
        total += 2 * schema.observation_rows(universe) * shape.lanes * obs_dtype.itemsize
    for field in (*schema.state_fields(universe), *schema.outcome_fields(universe)):
        count = shape.lanes if field.per == "lane" else shape.worlds
        total += (1 if field.rows is None else len(field.rows)) * count * DTYPES[field.dtype].itemsize
    return total


def _allocate(universe: Universe, shape: Shape, device: torch.device, obs_dtype: torch.dtype | None) -> Buffers:
    needed = buffer_bytes(universe, shape, obs_dtype)
    problem = f"{shape.worlds} worlds of {shape.agents} agents need {math.ceil(needed / 2**20)} MiB on {device}"
    if device.type == "cpu" and exceeds_memory(needed):
        raise EnvError(f"{problem}, more memory than this machine has")
    try:
        return allocate(universe, shape, device, obs_dtype)
    except (RuntimeError, MemoryError) as error:
        raise EnvError(f"{problem}, more than is free: take fewer worlds") from error
