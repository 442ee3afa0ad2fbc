"""HAMLET's `VectorizedHamletEnv`, on a compiled universe: one world, whose agents live and die side by side.

What its engine does beyond a tick of the universe is here: the hour of a universe without a clock, the velocity that
survives a reset, affordances whose use is an error, an exploration module that is asked in the middle of a step.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

import hamlet
from hamlet import schema
from hamlet.errors import EnvError
from hamlet.package.manifest import FILENAME
from hamlet.package.module import Module
from hamlet_townlet.adapter.attributes import attributes
from hamlet_townlet.adapter.description import description_of
from hamlet_townlet.adapter.places import Affordances, Successes
from hamlet_townlet.adapter.results import Results

HOURS = 24
"""Hours of a day in HAMLET, whether or not the universe has a clock."""


class ExplorationModule(Protocol):
    """A module of intrinsic rewards."""

    def compute_intrinsic_rewards(self, observations: Tensor) -> Tensor:
        """Raw intrinsic rewards f32 [agents] of observations f32 [agents, values]."""
        ...


class VectorizedEnv(Results):
    """N agents in one world, with the surface of HAMLET's environment.

    Everything that is handed out is a copy that the next call does not change. The attributes `positions`, `meters`,
    `dones` and `step_counts` may be assigned or changed in place; `time_of_day`, `exploration_module` and the entries
    of `affordances` may be assigned. The others are for reading.

    Attributes:
        num_agents: N.
        device: where all tensors are.
        action_dim, observation_dim, meter_count: numbers of actions, values of an observation, meters.
        affordance_names: the vocabulary: all affordances of the pack, deployed or not.
        enable_temporal_mechanics, partial_observability: bool.
        module, description: the universe, and its description in HAMLET's words.
    """

    def __init__(
        self,
        universe: Module | str | Path,
        num_agents: int,
        device: str | torch.device = "cpu",
        *,
        backend: str = "auto",
        seed: int = 0,
        validate: bool | None = None,
    ) -> None:
        """A world at the beginning of its first episode.

        Args:
            universe: what `hamlet.compile` or `hamlet.load` returned; or the folder of a pack or of a generated
                package, or a `.hamlet` file.
            num_agents: at least 1.
            device: "cpu", "cuda", ...
            backend: see `hamlet.make`.
            seed: of the places at which affordances and agents begin, 0 .. 2**64 - 1.
            validate: whether `step` checks that actions exist, and what intrinsic rewards are; by default on the CPU
                only, since on CUDA that waits for the device. Unchecked, what a wrong one does is undefined.

        Raises:
            EnvError: an argument is out of range, the backend cannot run here, or the universe starts episodes by
                itself.
            ModuleError: the package is damaged.
            hamletc.CompileError: the pack or the file has errors.
        """
        self.module = universe if isinstance(universe, Module) else opened(Path(universe))
        if not self.module.universe.by_hand:
            raise EnvError(f"{self.module.name} starts episodes by itself: write `episodes by hand` in it")
        self.description = description_of(self.module)
        self._env = hamlet.make(
            self.module,
            worlds=1,
            agents=num_agents,
            device=device,
            backend=backend,
            seed=seed,
            validate=validate,
            quiet=True,
        )
        self._state = self._env.state
        self._attributes = attributes(self.module.universe, self._state)
        self._affordances = Affordances(self._env, self._write_changes, self._moved)
        self._exploration: ExplorationModule | None = None
        self._multiplier = 1.0
        self._hour = 0
        self._stepped = False
        # Whether the state was assigned to since observations and masks were computed.
        self._stale = False
        self.num_agents = num_agents
        self.device = self._env.device
        self.backend = self._env.backend
        self.action_dim = self._env.num_actions
        self.observation_dim = schema.observation_rows(self.module.universe)
        self.meter_count = len(self.module.universe.meters)
        self.affordance_names = list(self.description.vocabulary)
        self.enable_temporal_mechanics = self.description.temporal
        self.partial_observability = self.description.pomdp
        self._vocabulary = torch.tensor((*self.description.deployed, schema.NOWHERE), device=self.device)
        names = tuple(item.name for item in self.module.universe.affordances)
        self._raising = [names.index(name) for name in self.description.raising]

    # --- what a training loop calls ----------------------------------------------------------------------------------

    def reset(self) -> Tensor:
        """A new episode. The observation f32 [N, observation_dim] still shows the velocity of the last step, and
        before the first step the defaults of the pack."""
        moving = {name: self._state[name].clone() for name in ("velocity", "speed") if name in self._state}
        self._attributes.forget()
        self._env.reset()
        self._stale = bool(moving)
        self._restore(moving)
        if self.enable_temporal_mechanics:
            self._hour = 0
        self._stepped = False
        return self.observe()

    def step(self, actions: Tensor, depletion_multiplier: float = 1.0) -> tuple[Tensor, Tensor, Tensor, dict[str, Any]]:
        """A tick, of dead agents too. Masks are not looked at.

        Args:
            actions: [N], of an integer type, 0 .. action_dim - 1, on the environment's device.
            depletion_multiplier: what every decay of a meter is multiplied with.

        Returns:
            observation f32 [N, observation_dim], reward f32 [N], done bool [N], and info: `step_counts` int64 [N],
            `positions` [N, axes], `successful_interactions`: what each agent used, by its number.

        Raises:
            EnvError: an action does not exist or has a wrong type, shape or device, or the multiplier is out of range.
            RuntimeError: an agent used an affordance that raises in HAMLET, or the pack has a bonus that does. In all
                cases nothing was changed.
        """
        if self.description.stopping:
            raise RuntimeError(f"{self.description.pack}: HAMLET cannot compute {self.description.stopping[0]} here")
        self._write_changes()
        if depletion_multiplier != self._multiplier:
            self._set_multiplier(depletion_multiplier)
        before = self._saved() if self._raising or self._exploration is not None else {}
        if self._exploration is not None:
            self._explore(self._exploration, actions, before)
        self._env.step(actions)
        self._stale = False
        self._refuse_raising(before)
        self._attributes.forget()
        self._hour = (self._hour + 1) % HOURS
        self._stepped = True
        info = {
            "step_counts": self.step_counts.clone(),
            "positions": self.positions.clone(),
            "successful_interactions": Successes(self.success, self.description.vocabulary),
        }
        return self.observe(), self.rewards, ~self._state["alive"], info

    def get_action_masks(self) -> Tensor:
        """The actions that can have an effect in the state as it is: bool [N, action_dim]."""
        self._flush()
        return self._env.action_mask.clone(memory_format=torch.contiguous_format)

    def observe(self) -> Tensor:
        """The observation of the state as it is: f32 [N, observation_dim]."""
        self._flush()
        observation = self._env.observation
        if observation is None:
            raise EnvError("this environment does not observe")
        return observation.clone(memory_format=torch.contiguous_format)

    @property
    def state(self) -> Mapping[str, Tensor]:
        """The state as the backend keeps it: see `hamlet.schema.state_fields`."""
        self._flush()
        return self._state

    # --- state -------------------------------------------------------------------------------------------------------

    @property
    def positions(self) -> Tensor:
        """[N, axes]: int64 on a grid and without a space, else f32."""
        return self._attributes.get("positions")

    @positions.setter
    def positions(self, values: Tensor) -> None:
        self._assign("positions", values)

    @property
    def meters(self) -> Tensor:
        """f32 [N, meter_count]."""
        return self._attributes.get("meters")

    @meters.setter
    def meters(self, values: Tensor) -> None:
        self._assign("meters", values)

    @property
    def dones(self) -> Tensor:
        """bool [N]: whose episode is over; until the next reset."""
        return self._attributes.get("dones")

    @dones.setter
    def dones(self, values: Tensor) -> None:
        self._assign("dones", values)

    @property
    def step_counts(self) -> Tensor:
        """int64 [N]: steps since the reset."""
        return self._attributes.get("step_counts")

    @step_counts.setter
    def step_counts(self, values: Tensor) -> None:
        self._assign("step_counts", values)

    @property
    def time_of_day(self) -> int:
        """The hour, 0 .. 23. A reset sets it to 0 with temporal mechanics only."""
        return int(self._state["hour"][0]) if "hour" in self._state else self._hour

    @time_of_day.setter
    def time_of_day(self, hour: int) -> None:
        if hour not in range(HOURS):
            raise EnvError(f"time_of_day is 0 .. {HOURS - 1}, not {hour!r}")
        self._hour = hour
        if "hour" in self._state:
            self._state["hour"].fill_(hour)
            self._changed()

    @property
    def affordances(self) -> Affordances:
        """The position of each deployed affordance by name; assign one to move it."""
        return self._affordances

    @property
    def exploration_module(self) -> ExplorationModule | None:
        """Asked in every step for intrinsic rewards, with an observation made before time goes on."""
        return self._exploration

    @exploration_module.setter
    def exploration_module(self, module: ExplorationModule | None) -> None:
        self._exploration = module
        if self.description.fresh is not None:
            self._env.params[self.description.fresh] = float(module is not None)
        if module is None and self.description.intrinsic is not None:
            self._env.inputs[self.description.intrinsic] = 0.0

    # --- behind all that ---------------------------------------------------------------------------------------------

    def _assign(self, name: str, values: Tensor) -> None:
        self._attributes.set(name, values)
        self._stale = True

    def _write_changes(self) -> None:
        """Write what was changed in place to the state."""
        self._stale = self._attributes.flush() or self._stale

    def _flush(self) -> None:
        """Write changes, and compute observations and masks of all changes since they were computed last."""
        self._write_changes()
        if self._stale:
            self._env.observe()
            self._stale = False

    def _changed(self) -> None:
        self._write_changes()
        self._stale = True

    def _moved(self) -> None:
        """An affordance was put elsewhere: copies of attributes that were handed out are of the past."""
        self._attributes.forget()
        self._stale = True

    def _set_multiplier(self, multiplier: float) -> None:
        name = self.description.depletion
        if name is None:
            raise EnvError(f"{self.module.name} has no param that is a depletion multiplier")
        self._env.params[name] = multiplier
        self._multiplier = multiplier

    def _saved(self) -> dict[str, Tensor]:
        return {name: values.clone() for name, values in self._state.items()}

    def _restore(self, saved: Mapping[str, Tensor]) -> None:
        for name, values in saved.items():
            self._state[name].copy_(values)

    def _explore(self, module: ExplorationModule, actions: Tensor, before: Mapping[str, Tensor]) -> None:
        """Ask for intrinsic rewards: of the step's observation, but at the hour before it. Then the step is undone."""
        self._env.step(actions)
        self._refuse_raising(before)
        if "hour" in before:
            self._state["hour"].copy_(before["hour"])
            self._env.observe()
        rewards = module.compute_intrinsic_rewards(self.observe())
        self._restore(before)
        if self.description.intrinsic is not None:
            self._env.inputs[self.description.intrinsic] = rewards

    def _refuse_raising(self, before: Mapping[str, Tensor]) -> None:
        """Raise HAMLET's error for an affordance of a type that temporal mechanics do not know."""
        used = self._env.outcome["used"]
        for number in self._raising:
            if bool((used == number).any()):
                self._restore(before)
                self._env.observe()
                name = self.module.universe.affordances[number].name
                raise RuntimeError(
                    f"affordance {name!r} can not be used with temporal mechanics: it is neither multi_tick nor dual"
                )


def opened(path: Path) -> Module:
    """A generated package; or a pack or a text, compiled."""
    return hamlet.load(path) if (path / FILENAME).is_file() else hamlet.compile(path)
