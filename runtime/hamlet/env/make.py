"""Making an environment: every argument is checked before memory is taken."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from hamlet import schema
from hamlet.arguments import flag, whole, word
from hamlet.backend.buffers import DTYPES, OBS_DTYPES, Buffers, Shape, allocate
from hamlet.backend.choose import Choice, candidates, choose
from hamlet.backend.crossover import SIZES, settle, timed
from hamlet.env.environment import Env, begun, checked_seed
from hamlet.errors import EnvError, shown
from hamlet.launch.gpu.tuning import TUNES, Tune
from hamlet.launch.start import start
from hamlet.package import cache
from hamlet.package.module import Module
from hamlet.schema.observed import BFLOAT16_LIMIT
from hamlet.schema.room import room, scattered
from hamlet.universe import Universe

LANE_LIMIT = 1 << 31
MOST = sys.maxsize
MEASURED_BYTES = 1 << 30
"""Worlds that take more are not made to choose how others run."""


# What is made in inference mode does not count what is written into it.
@torch.inference_mode(mode=False)
def make(
    module: Module,
    *,
    worlds: int = 1,
    agents: int = 1,
    device: str | torch.device | None = None,
    backend: str = "auto",
    seed: int = 0,
    obs_dtype: torch.dtype | str | None = "float32",
    first_world: int = 0,
    validate: bool | None = None,
    quiet: bool = False,
    tune: Tune = "default",
    launch: str = "auto",
) -> Env:
    """Worlds of a universe, at the beginning of episode 0.

    Args:
        module: what `hamlet.compile` or `hamlet.load` gives.
        worlds, agents: how many worlds, and agents in each; at least 1, together fewer than 2**31.
        device: "cpu", "cuda", "cuda:1", ...; by default what the backend runs on.
        backend: "triton", "numba", "interpreter", or "auto": triton on CUDA, numba elsewhere; where there is CUDA
            and no device was named, the one that was measured to be faster for so many agents. `auto` says on
            stderr what it chose, unless `quiet`. A backend that cannot run here is an error, never replaced.
        seed: 0 .. 2**64 - 1.
        obs_dtype: torch.float32, torch.bfloat16 or torch.uint8 (or their names), or `None` for no observations.
            Bytes stand for numbers as `Env.observation_low` says. Neither bytes nor bfloat16 can show all
            universes: bounds that are too far apart, or too large, are refused.
        first_world: the global number of the first world, for worlds that are split over several environments.
        validate: whether the range of actions is checked every call, and that of inputs where they are written; by
            default on the CPU only, see `Env.step`. What actions and inputs out of range do is otherwise undefined:
            meters may become NaN. Params are checked always.
        quiet: say nothing.
        tune: how much triton may try to find the lanes of a block: "default", "max" or "off", see
            `hamlet.launch.gpu.tuning`; the bits are the same.
        launch: "step" (a launch per tick), "graph" (`Env.step` replays a CUDA graph, see `Env.graphed`), or "auto":
            the one that was measured to be faster for so many agents. `auto` says on stderr what it chose, unless
            `quiet` or there is nothing to choose from.

    Raises:
        EnvError: an argument is of a wrong type or out of range, or the backend cannot run here.
        ModuleError: the package has no kernels for the backend.

    Example:
        env = hamlet.make(universe, worlds=256, agents=1, backend="numba", seed=1)
    """
    if not isinstance(module, Module):
        raise EnvError(f"module is what `hamlet.compile` or `hamlet.load` gives, not {shown(module)}")
    checks = None if validate is None else flag("validate", validate)
    quiet = flag("quiet", quiet)
    tuned: Tune = TUNES[TUNES.index(word("tune", tune, TUNES))]
    choice = choose(backend, device)
    options = candidates(choice, launch, anywhere=backend == "auto" and device is None)
    shape = checked_shape(module.universe, worlds, agents, first_world)
    dtype = _checked_obs_dtype(module.universe, obs_dtype)
    first_seed = checked_seed(seed)
    choice = _settle(module, shape, dtype, options, quiet)
    executor = start(module, choice, tuned)
    if choice.backend == "triton":
        choice = replace(choice, reason=f"{choice.reason}; kernels: {executor.origin}")
    buffers = _allocate(module.universe, shape, choice.device, dtype)
    if checks is None:
        checks = choice.device.type == "cpu"
    env = begun(module, executor, buffers, choice, checks, tuned, first_seed)
    if (backend == "auto" or len(options) > 1) and not quiet:
        print(f"hamlet: {choice}", file=sys.stderr)
    return env


def _settle(module: Module, shape: Shape, dtype: torch.dtype | None, options: Sequence[Choice], quiet: bool) -> Choice:
    """What is the fastest for so many agents."""

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
        return timed(lambda: env.step(actions), env.synchronize)

    sizes = sorted({max(size // shape.agents, 1) * shape.agents for size in SIZES})
    shapes = (Shape(size // shape.agents, shape.agents) for size in sizes)
    small = [each.lanes for each in shapes if buffer_bytes(module.universe, each, dtype) <= MEASURED_BYTES]
    identity: cache.Key = {"universe": module.digest, "agents": shape.agents, "observations": str(dtype)}
    return settle(options, shape.lanes, small, identity, measure, quiet)


def checked_shape(universe: Universe, worlds: Any, agents: Any, first_world: Any) -> Shape:
    """So many worlds and agents, or `EnvError`."""
    worlds = whole(worlds, 1, MOST, "worlds is a whole number, at least 1")
    agents = whole(agents, 1, MOST, "agents is a whole number, at least 1")
    first_world = whole(first_world, 0, MOST, "first_world is a whole number, at least 0")
    if worlds * agents >= LANE_LIMIT or first_world + worlds > LANE_LIMIT or (first_world + worlds) * agents > 1 << 32:
        raise EnvError(f"{worlds} worlds of {agents} agents are too many: fewer than 2**31 agents fit")
    most = room(universe)
    if most is not None and agents > most:
        raise EnvError(
            f"{agents} agents and {scattered(universe)} affordances at random places need as many free cells, and "
            f"{universe.name} has {most + scattered(universe)}: take at most {most} agents"
        )
    return Shape(worlds, agents, first_world)


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
    """The bytes of all buffers of an environment."""
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
    # The operating system hands out more memory than it has, and kills who uses it: ask first.
    if device.type == "cpu" and needed > os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"):
        raise EnvError(f"{problem}, more memory than this machine has")
    try:
        return allocate(universe, shape, device, obs_dtype)
    except (RuntimeError, MemoryError) as error:
        raise EnvError(f"{problem}, more than is free: take fewer worlds") from error
