"""Worlds that run: reset, step, rollout, checkpoints.

Tensors that an environment hands out are views of its own buffers: the next call changes them. Clone what you keep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

import torch

from hamlet import checkpoint, schema
from hamlet.backend import Backend, Policy, RandomPolicy, Recordable, RecordedPolicy, Stream, TabularPolicy
from hamlet.checkpoint import SEED_LIMIT, TICK_LIMIT, StateDict
from hamlet.choose import Choice
from hamlet.encoding import scales
from hamlet.errors import EnvError
from hamlet.graphed import Graphed, record
from hamlet.interrupts import Whole
from hamlet.module import Module
from hamlet.ops import Stepper, step
from hamlet.params import Numbers
from hamlet.placing import place
from hamlet.rollout import Rollout
from hamlet.state import Buffers, Statistics, statistics_allocator
from hamlet.tabular import Axis, tabular
from hamlet.universe import Universe

Info: TypeAlias = Mapping[str, "torch.Tensor | None"]
Stepped: TypeAlias = tuple["torch.Tensor | None", torch.Tensor, torch.Tensor, torch.Tensor, Info]
"""Observation, reward, terminated, truncated, info: see `Env.step`."""

SPANS: dict[str, tuple[int, int]] = {"numba": (1 << 30, 1024), "interpreter": (1 << 22, 32)}
"""A rollout of more lanes times ticks, and of more ticks, is several: so that Ctrl-C waits for seconds at most."""

INTEGERS = (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)


class Env:
    """W worlds of A agents each, N = W * A lanes; lane `w * A + a` is agent a of world w. Use `Module.make`.

    Attributes:
        module, universe: what runs.
        num_worlds, num_agents, num_lanes, first_world: how many, and the global number of the first world.
        device: where all tensors are.
        backend, launch: the name of the backend, and how it launches steps; `choice` says why they were chosen.
        action_names, num_actions: the actions; an action is its number.
        observation_names: one name per value of an observation; `observation_segments` has them grouped.
        observation_low, observation_high: [values] f32: where the values of an observation lie. Observations of uint8
            are these ranges in 255 steps: byte b stands for low + b * (high - low) / 255; values beyond take 0 or 255.
        params, inputs: the universe's params and inputs, see `hamlet.params.Numbers`.
        reports: what the last tick reported, by name: views [lanes] f32; 0 at the beginning of an episode.
        validate: whether the range of actions and inputs is checked.
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
        self.launch = choice.launch
        self.choice = str(choice)
        self.action_names = schema.action_names(universe)
        self.num_actions = len(self.action_names)
        self.observation_segments = schema.observation_segments(universe)
        self.observation_names = tuple(
            segment.name if not segment.repeated else f"{segment.name}[{index}]"
            for segment in self.observation_segments
            for index in range(segment.count)
        )
        self.observation_low, self.observation_high = self._observation_range()
        self.params = Numbers("param", universe.params, buffers.state.get("params"), True, self.observe)
        self.inputs = Numbers("input", universe.inputs, buffers.state.get("inputs"), validate, lambda: None)
        self.reports: Mapping[str, torch.Tensor] = MappingProxyType(
            {name: buffers.outcome["reports"][row] for row, name in enumerate(schema.report_names(universe))}
        )
        self.validate = validate
        self._backend = backend
        self._buffers = buffers
        self._seed = seed
        self._tick = 0
        self._zeroed_statistics = statistics_allocator(universe, buffers.shape, choice.device)
        self._stepper = Stepper(backend, buffers)
        self._graphed: Graphed | None = None
        self._untouched = True
        self._whole = Whole()
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
        """The state as the backend keeps it, field-major: see `hamlet.schema.state_fields`. To be read only,
        unless you know what a tick leaves and call `observe`."""
        return MappingProxyType(self._buffers.state)

    @property
    def outcome(self) -> Mapping[str, torch.Tensor]:
        """What happened in the last tick, as the backend keeps it: see `hamlet.schema.outcome_fields`."""
        return MappingProxyType(self._buffers.outcome)

    @property
    def observation(self) -> torch.Tensor | None:
        """What the agents observe now: [lanes, values]; `None` in an environment made with `obs_dtype=None`."""
        return _transposed(self._buffers.observation)

    @property
    def info(self) -> Info:
        """What `step` returns last."""
        return self._info

    def observe(self) -> None:
        """Bring observations and masks up to date after something was written to `state`."""
        self._backend.observe(self._buffers)

    def action_mask(self) -> torch.Tensor:
        """[lanes, actions] bool: the actions that can have an effect now. Masks inform; any action may be taken."""
        return self._buffers.mask.T

    def reset(self, seed: int | None = None) -> tuple[torch.Tensor | None, Info]:
        """Begin a new episode in every world. Params and inputs stay; where places are stored they are those with which
        an episode begins.

        With a seed, random numbers start over: tick 0 and episode 0. Without, every world goes on to its next episode
        (of a new environment: to episode 0, where it is already).

        Returns:
            The observation [lanes, values] and the info of `step`.

        Raises:
            EnvError: the seed is not a whole number in 0 .. 2**64 - 1.
        """
        if seed is not None:
            checked_seed(seed)
        with self._whole:
            if seed is not None:
                self._seed = seed
                self._tick = 0
                self._buffers.state["episode"].zero_()
            elif not self._untouched:
                self._buffers.state["episode"].add_(1)
            self._untouched = False
            self._start()
        return self.observation, self.info

    def step(self, actions: torch.Tensor) -> Stepped:
        """One tick. A world none of whose agents is alive starts anew at its end; but not in a universe with `episodes
        by hand`, where worlds start anew with `reset` only and nothing writes `final_observation`.

        Args:
            actions: [lanes], of an integer type, in 0 .. num_actions - 1, on the environment's device. The range is
                checked on the CPU. On CUDA that would wait for the device, so it is only checked in an environment made
                with `validate=True`; what an action (or an input) out of range does is otherwise undefined. Inside
                `torch.compile` a step is the operator `hamlet::step`, and the range is not checked.

        Returns:
            observation [lanes, values] of the state after the tick (and after the start of a new episode), reward
            [lanes] f32, terminated [lanes] bool (the agent died), truncated [lanes] bool (it reached the lifespan), and
            info: `used` [lanes] i32 (the affordance used, or -1), `cause` [lanes] i32 (the cause of death, the number
            of causes for the lifespan, or -1), `final_observation` [lanes, values] (the last one of the episode that
            the lane's world finished most recently), `action_mask` [lanes, actions] bool.

        Raises:
            EnvError: the actions have a wrong type, shape, device or range. Nothing was changed.
        """
        if torch.compiler.is_compiling():
            self._step_as_operator(self.checked_actions(actions))
            return self._finish()
        if self.launch == "graph" and not torch.cuda.is_current_stream_capturing():
            if self._graphed is None:
                self._graphed = self.graphed()
            return self._graphed.step(actions)
        checked = self.checked_actions(actions)
        with self._whole:
            self._backend.step(self._buffers, checked, self._stream())
            return self._finish()

    def graphed(self) -> Graphed:
        """Steps of this environment as a CUDA graph: `graphed().step(actions)` does what `step` does, in one launch.
        Worth it for few agents, whose ticks take less time than launching them; with `launch` "graph", `step` does it
        already.

        Raises:
            EnvError: the environment does not run on CUDA, by backend "triton".
        """
        backend = self._backend
        if self.device.type != "cuda" or not isinstance(backend, Recordable):
            raise EnvError(
                f'a graph needs backend "triton" on a CUDA device: this is {self.backend} on {self.device}; call step'
            )

        def launch(actions: torch.Tensor, elapsed: torch.Tensor) -> None:
            backend.step_since(self._buffers, actions, self._stream(), elapsed)

        return Graphed(self, self._buffers, launch, self._finish, record)

    def checked_actions(self, actions: torch.Tensor) -> torch.Tensor:
        """Actions [lanes] as backends take them, i32; what `step` raises where they are wrong."""
        return self._checked_actions(actions, (self.num_lanes,))

    def rollout(
        self,
        ticks: int,
        policy: str | torch.Tensor | TabularPolicy = "random",
        observe: bool = False,
        statistics: Statistics | bool = True,
    ) -> Rollout:
        """So many ticks in one go: the same as that many steps.

        Args:
            ticks: at least 1.
            policy: "random" (every agent draws uniformly from all actions), actions [ticks, lanes] as `step` takes, or
                what `tabular` made.
            observe: write observations, masks and final observations every tick. Otherwise observations and masks are
                written after the last tick only, and final observations not at all.
            statistics: whether to count what happens; or the counts of an earlier rollout, to add to.

        Raises:
            EnvError: an argument has a wrong type, shape, device or range. Nothing was changed.
            KeyboardInterrupt: Ctrl-C was pressed. `tick` says how many ticks were done, each of them for all lanes;
                counts that were given are theirs.
        """
        if type(ticks) is not int or not 1 <= ticks < 1 << 31:
            raise EnvError(f"a rollout takes 1 or more ticks, not {ticks!r}")
        chosen = self._checked_policy(policy, ticks)
        counts = self._counts(statistics)
        most = max(ticks if (span := SPANS.get(self.backend)) is None else max(span[0] // self.num_lanes, span[1]), 1)
        with self._whole:
            for first in range(0, ticks, most):
                length = min(most, ticks - first)
                part = RecordedPolicy(chosen.actions[first:]) if isinstance(chosen, RecordedPolicy) else chosen
                self._backend.rollout(self._buffers, length, part, self._stream(), observe, counts)
                self._untouched = False
                self._advance(length)
                self._whole.pause()
        return Rollout(self.universe, ticks, counts)

    def tabular(self, table: torch.Tensor, features: Sequence[Axis]) -> TabularPolicy:
        """A policy that `rollout` looks up in a table, with the state in registers.

        Args:
            table: actions, of an integer type, with an axis per feature; or probabilities, of a floating-point type,
                with one more axis for the actions. An action of probability 0 is never taken, one of probability 1
                always; others are rounded to multiples of 2**-30.
            features: what the axes of the table stand for, see `hamlet.features.features`: a coordinate ("x", "y",
                ...), "hour", "age", "here" (the number of the affordance under the agent plus 1, or 0), or a meter with
                a number of bins of equal width, as in `("energy", 4)`. None at all: the same for everybody.

        Raises:
            EnvError: a feature does not exist, or the table has a wrong type, shape or contents.
        """
        return tabular(self.universe, self.module.digest, table, features, self.device)

    def place(
        self,
        affordance: str,
        position: Sequence[float] | torch.Tensor,
        worlds: Sequence[int] | torch.Tensor | None = None,
    ) -> None:
        """Put an affordance somewhere, until a new episode begins; observations and masks are brought up to date.

        Only in a universe that stores places: a continuous space, or a grid with `places stored`, where also several
        affordances may share a place. `state["places"]` shows where they are.

        Args:
            affordance: its name.
            position: a number per axis, whole on a grid; or a tensor [worlds, axes] with a place for each world.
            worlds: the numbers of the worlds, 0 .. num_worlds - 1; by default all.

        Raises:
            EnvError: an argument is wrong, or the place is outside the space. Nothing was changed.
        """
        place(self.universe, self._buffers.state.get("places"), affordance, position, worlds)
        self.observe()

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
            EnvError: it belongs to another universe or to other worlds, or holds a value that no tick leaves. Nothing
                was changed.
        """
        state = checkpoint.check(self.universe, self.module.digest, self._buffers.shape, saved)
        with self._whole:
            for name, value in state.items():
                self._buffers.state[name].copy_(value)
            self._seed = saved["seed"]
            self._tick = saved["tick"]
            self._untouched = False
            self._clear_past()
            self.observe()

    def synchronize(self) -> None:
        """Wait until the device has done what it was asked to; on the CPU it always has."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def __repr__(self) -> str:
        return (
            f"Env({self.universe.name}, worlds={self.num_worlds}, agents={self.num_agents}, "
            f"backend={self.backend!r}, device={str(self.device)!r}, seed={self._seed}, tick={self._tick})"
        )

    def _observation_range(self) -> tuple[torch.Tensor, torch.Tensor]:
        counts = torch.tensor([segment.count for segment in self.observation_segments], dtype=torch.int64)
        ranges = torch.tensor([(scale.low, scale.high) for scale in scales(self.universe)]).reshape(-1, 2)
        low, high = ranges.repeat_interleave(counts, dim=0).to(self.device).unbind(dim=1)
        return low, high

    def _counts(self, statistics: Statistics | bool) -> Statistics | None:
        match statistics:
            case True:
                return self._zeroed_statistics()
            case False:
                return None
            case _:
                return statistics

    def _step_as_operator(self, actions: torch.Tensor) -> None:
        stepper, stream = self._stepper, self._stream()
        given, changed = stepper.given(self._buffers), stepper.changed(self._buffers)
        step(actions, given, changed, stream.low, stream.high, stream.tick, stepper.number)

    def _finish(self) -> Stepped:
        """Count a tick; what it left."""
        self._untouched = False
        self._advance(1)
        outcome = self._buffers.outcome
        return self.observation, outcome["reward"], outcome["terminated"], outcome["truncated"], self.info

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

    def _checked_policy(self, policy: str | torch.Tensor | TabularPolicy, ticks: int) -> Policy:
        match policy:
            case "random":
                return RandomPolicy()
            case str():
                raise EnvError(f'there is no policy {policy!r}: take "random" or a tensor of actions [ticks, lanes]')
            case TabularPolicy(universe=universe, strides=strides):
                if universe != self.module.digest or strides.device != self.device:
                    raise EnvError("this policy was made by an environment of another universe, or on another device")
                return policy
            case _:
                return RecordedPolicy(self._checked_actions(policy, (ticks, self.num_lanes)))

    def _checked_actions(self, actions: Any, shape: tuple[int, ...]) -> torch.Tensor:
        if not isinstance(actions, torch.Tensor):
            raise EnvError(f"actions are a torch tensor, not {type(actions).__name__}")
        if actions.dtype not in INTEGERS:
            raise EnvError(f"actions are whole numbers (torch.int32), not {actions.dtype}")
        if tuple(actions.shape) != shape:
            raise EnvError(f"actions have the shape {list(shape)}, not {list(actions.shape)}")
        if actions.device != self.device:
            raise EnvError(f"actions are on {actions.device}, the environment is on {self.device}")
        # A compiled graph cannot look at numbers.
        if self.validate and not torch.compiler.is_compiling():
            low, high = (int(bound) for bound in torch.aminmax(actions))
            if low < 0 or high >= self.num_actions:
                wrong = low if low < 0 else high
                raise EnvError(f"action {wrong} does not exist: actions are 0 .. {self.num_actions - 1}")
        return actions.to(torch.int32).contiguous()


def checked_seed(seed: int) -> int:
    """The seed, or `EnvError`."""
    if type(seed) is not int or not 0 <= seed < SEED_LIMIT:
        raise EnvError(f"a seed is a whole number in 0 .. 2**64 - 1, not {seed!r}")
    return seed


def _transposed(array: torch.Tensor | None) -> torch.Tensor | None:
    return None if array is None else array.T
