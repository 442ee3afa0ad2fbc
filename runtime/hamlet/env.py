"""Worlds that run: reset, step, rollout, checkpoints.

Tensors that an environment hands out are views of its own buffers: the next call changes them. Clone what you keep.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

import torch

from hamlet import checkpoint, schema
from hamlet.backend import Backend, RandomPolicy, RecordedPolicy, Stream
from hamlet.checkpoint import SEED_LIMIT, TICK_LIMIT, StateDict
from hamlet.choose import Choice, choose
from hamlet.errors import EnvError
from hamlet.module import Module
from hamlet.params import Params
from hamlet.rollout import Rollout
from hamlet.state import DTYPES, Buffers, Shape, Statistics, allocate, allocate_statistics
from hamlet.universe import ObserveParams, Universe

Info: TypeAlias = Mapping[str, "torch.Tensor | None"]

LANE_LIMIT = 1 << 31
OBS_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
INTEGERS = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)


class Env:
    """W worlds of A agents each, N = W * A lanes; lane `w * A + a` is agent a of world w. Use `Module.make`.

    Attributes:
        module, universe: what runs.
        num_worlds, num_agents, num_lanes, first_world: how many, and the global number of the first world.
        device: where all tensors are.
        backend: the name of the backend; `choice` says why it was chosen.
        action_names, num_actions: the actions; an action is its number.
        observation_names: one name per value of an observation; `observation_segments` has them grouped.
        params: the universe's params, see `hamlet.params.Params`.
        validate: whether the range of actions is checked.
    """

    def __init__(
        self, module: Module, backend: Backend, buffers: Buffers, choice: Choice, seed: int, validate: bool
    ) -> None:
        universe = module.universe
        self.module = module
        self.universe: Universe = universe
        self.num_worlds = buffers.shape.worlds
        self.num_agents = buffers.shape.agents
        self.num_lanes = buffers.shape.lanes
        self.first_world = buffers.shape.first_world
        self.device = choice.device
        self.backend = backend.name
        self.choice = str(choice)
        self.action_names = schema.action_names(universe)
        self.num_actions = len(self.action_names)
        self.observation_segments = schema.observation_segments(universe)
        self.observation_names = tuple(
            segment.name if segment.count == 1 else f"{segment.name}[{index}]"
            for segment in self.observation_segments
            for index in range(segment.count)
        )
        self.params = Params(universe.params, buffers.state.get("params"), self._params_changed)
        self.validate = validate
        self._backend = backend
        self._buffers = buffers
        self._seed = seed
        self._tick = 0
        self._untouched = True
        self._info = self._views()
        self._start()

    @property
    def seed(self) -> int:
        """The seed of all random numbers, 0 .. 2**64 - 1."""
        return self._seed

    @property
    def tick(self) -> int:
        """The ticks since the environment was made or re-seeded, modulo 2**32."""
        return self._tick

    @property
    def state(self) -> Mapping[str, torch.Tensor]:
        """The state as the backend keeps it, field-major, to be read only: see `hamlet.schema.state_fields`."""
        return MappingProxyType(self._buffers.state)

    @property
    def observation(self) -> torch.Tensor | None:
        """What the agents observe now: [lanes, values]; `None` in an environment made with `obs_dtype=None`."""
        return _transposed(self._buffers.observation)

    def action_mask(self) -> torch.Tensor:
        """[lanes, actions] bool: the actions that can have an effect now. Masks inform; any action may be taken."""
        return self._buffers.mask.T

    def reset(self, seed: int | None = None) -> tuple[torch.Tensor | None, Info]:
        """Begin a new episode in every world. Params stay.

        With a seed, random numbers start over: tick 0 and episode 0. Without, every world goes on to its next episode
        (of a new environment: to episode 0, where it is already).

        Returns:
            The observation [lanes, values] and the info of `step`.

        Raises:
            EnvError: the seed is not a whole number in 0 .. 2**64 - 1.
        """
        if seed is not None:
            self._seed = _checked_seed(seed)
            self._tick = 0
            self._buffers.state["episode"].zero_()
        elif not self._untouched:
            self._buffers.state["episode"].add_(1)
        self._untouched = False
        self._start()
        return self.observation, self._info

    def step(
        self, actions: torch.Tensor
    ) -> tuple[torch.Tensor | None, torch.Tensor, torch.Tensor, torch.Tensor, Info]:
        """One tick. A world none of whose agents is alive starts anew at its end.

        Args:
            actions: [lanes], of an integer type, in 0 .. num_actions - 1, on the environment's device. The range is
                checked on the CPU. On CUDA that would wait for the device, so it is only checked in an environment made
                with `validate=True`; an action out of range is then the same as WAIT.

        Returns:
            observation [lanes, values] of the state after the tick (and after the start of a new episode), reward
            [lanes] f32, terminated [lanes] bool (the agent died), truncated [lanes] bool (it reached the lifespan), and
            info: `used` [lanes] i32 (the affordance used, or -1), `cause` [lanes] i32 (the cause of death, the number
            of causes for the lifespan, or -1), `final_observation` [lanes, values] (the last one of the episode that
            the lane's world finished most recently), `action_mask` [lanes, actions] bool.

        Raises:
            EnvError: the actions have a wrong type, shape, device or range. Nothing was changed.
        """
        checked = self._checked_actions(actions, (self.num_lanes,))
        self._untouched = False
        self._backend.step(self._buffers, checked, self._stream())
        self._advance(1)
        outcome = self._buffers.outcome
        return self.observation, outcome["reward"], outcome["terminated"], outcome["truncated"], self._info

    def rollout(
        self,
        ticks: int,
        policy: str | torch.Tensor = "random",
        observe: bool = False,
        statistics: Statistics | None = None,
    ) -> Rollout:
        """So many ticks in one go: the same as that many steps.

        Args:
            ticks: at least 1.
            policy: "random" (every agent draws uniformly from all actions) or actions [ticks, lanes] as `step` takes.
            observe: write observations, masks and final observations every tick. Otherwise observations and masks are
                written after the last tick only, and final observations not at all.
            statistics: counts to add to, from an earlier rollout's result; by default they start at zero.

        Raises:
            EnvError: an argument has a wrong type, shape, device or range. Nothing was changed.
        """
        if type(ticks) is not int or not 1 <= ticks < LANE_LIMIT:
            raise EnvError(f"a rollout takes 1 or more ticks, not {ticks!r}")
        chosen: RandomPolicy | RecordedPolicy
        match policy:
            case "random":
                chosen = RandomPolicy()
            case str():
                raise EnvError(f'there is no policy {policy!r}: take "random" or a tensor of actions [ticks, lanes]')
            case _:
                chosen = RecordedPolicy(self._checked_actions(policy, (ticks, self.num_lanes)))
        counts = self.new_statistics() if statistics is None else statistics
        self._untouched = False
        self._backend.rollout(self._buffers, ticks, chosen, self._stream(), observe, counts)
        self._advance(ticks)
        return Rollout(self.universe, ticks, counts)

    def new_statistics(self) -> Statistics:
        """Counts at zero, for `rollout` to add to."""
        return allocate_statistics(self.universe, self._buffers.shape, self.device)

    def state_dict(self) -> StateDict:
        """A copy of everything that decides what happens next, on the environment's device."""
        return {
            "universe": self.module.digest,
            "first_world": self.first_world,
            "seed": self._seed,
            "tick": self._tick,
            "state": {name: value.clone() for name, value in self._buffers.state.items()},
        }

    def load_state_dict(self, saved: StateDict) -> None:
        """Go on from a `state_dict`, bit for bit, on whatever backend and device it was made.

        Observations and masks are computed; outcomes and final observations, which tell of the past, are cleared.

        Raises:
            EnvError: it belongs to another universe or to other worlds, or holds a value that no tick leaves. Nothing was
                changed.
        """
        state = checkpoint.check(self.universe, self.module.digest, self._buffers.shape, saved)
        for name, value in state.items():
            self._buffers.state[name].copy_(value)
        self._seed = saved["seed"]
        self._tick = saved["tick"]
        self._untouched = False
        self._clear_past()
        self._backend.observe(self._buffers)

    def __repr__(self) -> str:
        return (
            f"Env({self.universe.name}, worlds={self.num_worlds}, agents={self.num_agents}, "
            f"backend={self.backend!r}, device={str(self.device)!r}, seed={self._seed}, tick={self._tick})"
        )

    def _start(self) -> None:
        self._clear_past()
        self._backend.reset(self._buffers, self._stream())

    def _clear_past(self) -> None:
        for name, value in self._buffers.outcome.items():
            value.fill_(schema.NOWHERE if name in ("used", "cause") else 0)
        if self._buffers.final_observation is not None:
            self._buffers.final_observation.zero_()

    def _stream(self) -> Stream:
        return Stream(self._seed, self._tick)

    def _advance(self, ticks: int) -> None:
        self._tick = (self._tick + ticks) % TICK_LIMIT

    def _params_changed(self) -> None:
        if any(isinstance(item, ObserveParams) for item in self.universe.observations):
            self._backend.observe(self._buffers)

    def _views(self) -> Info:
        buffers = self._buffers
        return MappingProxyType(
            {
                "used": buffers.outcome["used"],
                "cause": buffers.outcome["cause"],
                "final_observation": _transposed(buffers.final_observation),
                "action_mask": buffers.mask.T,
            }
        )

    def _checked_actions(self, actions: Any, shape: tuple[int, ...]) -> torch.Tensor:
        if not isinstance(actions, torch.Tensor):
            raise EnvError(f"actions are a torch tensor, not {type(actions).__name__}")
        if actions.dtype not in INTEGERS:
            raise EnvError(f"actions are whole numbers (torch.int32), not {actions.dtype}")
        if tuple(actions.shape) != shape:
            raise EnvError(f"actions have the shape {list(shape)}, not {list(actions.shape)}")
        if actions.device != self.device:
            raise EnvError(f"actions are on {actions.device}, the environment is on {self.device}")
        if self.validate:
            low, high = (int(bound) for bound in torch.aminmax(actions))
            if low < 0 or high >= self.num_actions:
                wrong = low if low < 0 else high
                raise EnvError(f"action {wrong} does not exist: actions are 0 .. {self.num_actions - 1}")
        return actions.to(torch.int32).contiguous()


def make(
    module: Module,
    worlds: int,
    agents: int,
    device: str | torch.device | None,
    backend: str,
    seed: int,
    obs_dtype: torch.dtype | str | None,
    first_world: int,
    validate: bool | None,
    quiet: bool,
) -> Env:
    """An environment at the beginning of episode 0.

    Args:
        module: a loaded package.
        worlds, agents: how many worlds, and agents in each; at least 1, together fewer than 2**31.
        device: "cpu", "cuda", "cuda:1", ...; by default what the backend runs on.
        backend: "triton", "numba", "interpreter", or "auto": triton on CUDA, numba elsewhere. `auto` says on stderr what
            it chose, unless `quiet`. A backend that cannot run here is an error, never replaced.
        seed: 0 .. 2**64 - 1.
        obs_dtype: torch.float32 or torch.bfloat16 (or their names), or `None` for no observations.
        first_world: the global number of the first world, for worlds that are split over several environments.
        validate: whether the range of actions is checked every call; by default on the CPU only, see `Env.step`.
        quiet: say nothing.
    """
    choice = choose(backend, device)
    shape = _checked_shape(module.universe, worlds, agents, first_world)
    dtype = _checked_obs_dtype(obs_dtype)
    checked_seed = _checked_seed(seed)
    buffers = _allocate(module.universe, shape, choice.device, dtype)
    env = Env(
        module,
        _backend(module, choice),
        buffers,
        choice,
        checked_seed,
        choice.device.type == "cpu" if validate is None else validate,
    )
    if backend == "auto" and not quiet:
        print(f"hamlet: {choice}", file=sys.stderr)
    return env


def _backend(module: Module, choice: Choice) -> Backend:
    # One backend is imported, so that numba starts without triton and the interpreter without either.
    match choice.backend:
        case "interpreter":
            from hamlet.interpreter import Interpreter

            return Interpreter(module.universe, choice.device)
        case "numba":
            from hamlet.launch.numba import NumbaBackend

            return NumbaBackend(module.universe, module.kernels("numba"))
        case "triton":
            from hamlet.launch.triton import TritonBackend

            return TritonBackend(module.universe, module.kernels("triton"), choice.device)


def _checked_shape(universe: Universe, worlds: int, agents: int, first_world: int) -> Shape:
    for name, value, least in (("worlds", worlds, 1), ("agents", agents, 1), ("first_world", first_world, 0)):
        if type(value) is not int or value < least:
            raise EnvError(f"{name} is a whole number, at least {least}, not {value!r}")
    if worlds * agents >= LANE_LIMIT or first_world + worlds > LANE_LIMIT or (first_world + worlds) * agents > 1 << 32:
        raise EnvError(f"{worlds} worlds of {agents} agents are too many: fewer than 2**31 agents fit")
    free = schema.cells(universe) - sum(affordance.cell is not None for affordance in universe.affordances)
    scattered = sum(affordance.cell is None for affordance in universe.affordances)
    if agents + scattered > free:
        raise EnvError(
            f"{agents} agents and {scattered} affordances at random places need as many free cells, and {universe.name} "
            f"has {free}: take at most {free - scattered} agents"
        )
    return Shape(worlds, agents, first_world)


def _checked_obs_dtype(obs_dtype: torch.dtype | str | None) -> torch.dtype | None:
    if obs_dtype is None or obs_dtype in OBS_DTYPES.values():
        return obs_dtype  # type: ignore[return-value]  # a dtype, or it would not be among them
    if isinstance(obs_dtype, str) and obs_dtype in OBS_DTYPES:
        return OBS_DTYPES[obs_dtype]
    raise EnvError(f"obs_dtype {obs_dtype!r} is not supported: take {', '.join(OBS_DTYPES)}, or None for no observations")


def _checked_seed(seed: int) -> int:
    if type(seed) is not int or not 0 <= seed < SEED_LIMIT:
        raise EnvError(f"a seed is a whole number in 0 .. 2**64 - 1, not {seed!r}")
    return seed


def buffer_bytes(universe: Universe, shape: Shape, obs_dtype: torch.dtype | None) -> int:
    """The bytes of all buffers of an environment."""
    total = len(schema.action_names(universe)) * shape.lanes
    if obs_dtype is not None:
        total += 2 * schema.observation_rows(universe) * shape.lanes * obs_dtype.itemsize
    for field in (*schema.state_fields(universe), *schema.outcome_fields()):
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


def _transposed(array: torch.Tensor | None) -> torch.Tensor | None:
    return None if array is None else array.T
