"""The environment: reset, step, copies. What it has and shows, its telemetry, checkpoints and rollouts are its bases.

Tensors that an environment returns are views of its own buffers, and the next call changes them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch

from hamlet.arguments import Actions, mask_of_worlds
from hamlet.backend.buffers import Buffers
from hamlet.backend.choose import Choice, choose, start
from hamlet.backend.protocol import Backend, Recordable
from hamlet.backend.registry import Tune
from hamlet.env.act.functional import Functional, State, first_state
from hamlet.env.act.graph import Graphed, record
from hamlet.env.act.now import Now
from hamlet.env.act.outputs import Outputs
from hamlet.env.act.replays import Replays
from hamlet.env.act.results import Info, Stepped
from hamlet.env.act.step import Stepping
from hamlet.env.apart import Apart
from hamlet.env.closed import Closed
from hamlet.env.keep.state import checked_seed
from hamlet.env.write.distributions import Drawing
from hamlet.env.write.places import place
from hamlet.errors import EnvError, shown
from hamlet.package.module import Module


class Env(Apart):
    """W worlds of A agents each, N = W * A lanes; lane `w * A + a` is agent a of world w. `hamlet.make` makes it.

    Its attributes cannot be assigned; the entries of `params` and `inputs` can. `copy.deepcopy` and `pickle` make an
    independent environment that is equal to the bit. A pickle includes the package, so any process that has the device
    and the backend can continue from it.

    Attributes:
        module, universe: the generated package, and its universe.
        num_worlds, num_agents, num_lanes: the number of worlds, of agents in each, and of lanes.
        first_world: the global number of the first world.
        device: the device of all tensors.
        autoreset: when a world whose episode ended begins the next one, "same_step" or "next_step", see `hamlet.make`.
        backend, launch: the name of the backend, and how it launches steps ("step" or "graph").
        choice: the backend, the launch and the kernels in one line, with the reason why they were chosen.
        action_names, num_actions: the names of the actions, by number, and their count.
        control_names, num_controls: the names of the controls, in the order of their rows, and their count.
        control_low, control_high: [controls] f32, the bounds of each control.
        control_whole: of each control whether it takes whole numbers alone.
        observation_names: one name per value of an observation, such as `meter.food`, `here[Bed]` or `grid[3,0]`.
        observation_segments: groups of consecutive values, each a `hamlet.schema.observed.Segment`.
        observation_groups: the groups of values that the universe names, each a `hamlet.schema.groups.Group`, by name.
        observation_low, observation_high: [values] f32, the range of each value of an observation. In uint8, byte b
            stands for low + b * (high - low) / 255; a value outside its range becomes 0 or 255.
        roles: the roles of the universe by name, each a `hamlet.env.roles.RoleInfo`; none where all agents are alike.
        params, inputs: the params and inputs of the universe, see `hamlet.env.write.params.Numbers`.
        validate: whether the range of actions, controls and inputs is checked.
    """

    def __init__(
        self, module: Module, backend: Backend, buffers: Buffers, choice: Choice, validate: bool, tune: Tune, now: Now
    ) -> None:
        """An environment on buffers in their present state; `begun` makes one at the beginning of an episode."""
        super().__init__(module, backend, buffers, choice, validate, tune, now)
        graphed = self.graphed if choice.launch == "graph" else None
        self._stepping = Stepping(backend, self._own, now, self._arguments, self._whole, graphed)
        self._seal()

    def observe(self) -> None:
        """Compute observations and masks again, after you wrote into `state` or `params` in place.

        Raises:
            EnvError: a param or an input was written in place and is out of bounds, see
                `hamlet.env.write.params.Numbers`.
        """
        self.check_given()
        with self._whole:
            self._observe()

    def reset(
        self,
        seed: int | None = None,
        params: Mapping[str, Any] | None = None,
        worlds: Sequence[bool] | torch.Tensor | None = None,
        out: torch.Tensor | Outputs | None = None,
    ) -> tuple[torch.Tensor | None, Info]:
        """Begin a new episode in every world, or in some. Inputs keep their values, and so do params that are not
        given; stored places are those of the new episode.

        Args:
            seed: random numbers start again, at tick 0 and episode 0. Without a seed, every world begins its next
                episode; a new environment begins episode 0 again. With `worlds` it can only be the seed that the
                environment has: those worlds begin episode 0 again, in the present tick.
            params: new values by name, which the new episodes begin with and keep: a number for all worlds, numbers
                [worlds], or a distribution (`hamlet.Uniform`, `LogUniform`, `Choice`, `Normal`), of which each world
                draws a number for the episode that it now begins.
            worlds: [worlds] bool, those that begin their next episode and take the new params; what others have, their
                last outcomes included, stays as it is. By default all of them.
            out: where to write observations, masks and outcomes, as in `step`: `outputs()`, or for the observations
                alone a tensor.

        Returns:
            The observation [lanes, values] and the info, as `step` returns them.

        Raises:
            EnvError: the seed is not a whole number in 0 .. 2**64 - 1, or the universe has no such param, or a value is
                not a number, has another shape or is out of bounds, or `worlds` are something else, or `out` is of
                another environment. Nothing was changed.

        Example:
            observation, info = env.reset(seed=2, params={})
        """
        now = self._now
        checked = None if seed is None else checked_seed(seed)
        chosen = None if worlds is None else mask_of_worlds(worlds, self.num_worlds, self.device)
        if chosen is not None and checked not in (None, now.seed):
            raise EnvError(f"all worlds have one seed, and those that go on have {now.seed}: give that one, or none")
        written = self._own if out is None else self._stepping.outputs(out)
        episode = self._buffers.state["episode"]
        later = 0 if checked is not None or now.untouched else 1
        new = self._params_of(params, lambda: self._drawing(checked, episode * (checked is None) + later))
        self.check_given()
        with self._whole:
            if checked is not None and chosen is not None:
                episode.masked_fill_(chosen, 0)
            elif checked is not None:
                now.seed, now.tick = checked, 0
                episode.zero_()
            elif later:
                episode.add_(1 if chosen is None else chosen)
            self._params.write(new, chosen)
            self._start(written, chosen)
            now.untouched, now.shown = False, None if out is None else written
        return written.results[0], written.results[-1]

    def step(self, actions: Actions, controls: Any = None, out: torch.Tensor | Outputs | None = None) -> Stepped:
        """Run one tick. A world without a living agent starts a new episode at the end of the tick, or with `autoreset`
        "next_step" at the end of the next one. In a universe with `episodes by hand` only `reset` starts new episodes.
        In both of these `final_observation` is never written.

        Args:
            actions: [lanes] or [worlds, agents] of an integer type, in 0 .. num_actions - 1. A tensor must be on the
                environment's device; a numpy array or a list is copied there. The range is checked if `validate` is
                true, which by default it is on the CPU only, because the check would wait for a GPU. Without the check
                the effect of an action out of range is undefined. Inside `torch.compile` a step is the operator
                `hamlet::step`, which does not check the range.
            controls: in a universe with controls, and there alone: [controls, lanes] or [controls, worlds, agents] f32
                in the order of `control_names`, or a dictionary with [lanes] or a number for each name. Like actions
                they are on the environment's device, or copied there, and checked if `validate` is true.
            out: where to write, instead of where the environment does: `outputs()`, or for the observations alone a
                tensor like `torch.empty_like(env.observation)`. Where kernels are launched nothing is copied.

        Returns:
            observation [lanes, values] of the state after the tick (and after the start of a new episode), reward
            [lanes] f32, terminated [lanes] bool (the agent died, or reached a goal), truncated [lanes] bool (it reached
            the lifespan), and info: `used` [lanes] i32 (the affordance used, or -1), `cause` [lanes] i32 (the cause of
            death, the goal, the number of causes for the lifespan, or -1), `final_observation` [lanes, values] (the
            last observation of the episode that the lane's world finished most recently), `action_mask` [lanes,
            actions] bool.

        Raises:
            EnvError: the actions or controls have a wrong type, shape, device or range, or a param or an input was
                written in place and is out of bounds, or `out` is of another environment, or lies in memory in another
                way. Nothing was changed.

        Example:
            actions = torch.multinomial(env.action_mask.float(), 1).squeeze(1)
            observation, reward, terminated, truncated, info = env.step(actions)
        """
        return self._stepping.step(actions, controls, out)

    def outputs(self, **tensors: torch.Tensor) -> Outputs:
        """Memory for what a step gives, for `step(actions, out=...)`: what several steps gave is kept without a copy.
        After such a step `observation`, `outcome`, `reports`, `info` and `action_mask` are in it, until a reset or a
        rollout writes the environment's own memory again.

        Args:
            tensors: those that shall be written, by name: `observation` [lanes, values] of `obs_dtype`, `action_mask`
                [lanes, actions] bool, both with lanes side by side in memory; `reward` f32, `terminated`, `truncated`
                bool, `used`, `cause` i32, [lanes]; `reports` [reports, lanes] f32. Others are made. With a
                `final_observation` [lanes, values], contiguous, the environment's own is not written; a step writes the
                lanes whose world began its next episode, and no others.

        Raises:
            EnvError: there is no such output, or a tensor has another type, shape or device, or lies in memory in
                another way.

        Example:
            kept = [env.outputs() for _ in range(8)]
            for out in kept:
                env.step(torch.zeros(env.num_lanes, dtype=torch.int32), out=out)
            print(torch.stack([out.results[1] for out in kept]).mean())
        """
        return self._own.others(self.universe, tensors)

    def graphed(self) -> Graphed:
        """Record a step of this environment as a CUDA graph: `graphed().step(actions)` does what `step` does, in one
        launch. This is faster for few agents, for whom launching a kernel takes longer than running it. In an
        environment with `launch` "graph", `step` replays a graph itself.

        Raises:
            EnvError: the environment does not run on CUDA with backend "triton".
        """
        backend = self._backend
        if self.device.type != "cuda" or not isinstance(backend, Recordable):
            raise EnvError(
                f'a graph needs backend "triton" on a CUDA device: this is {self.backend} on {self.device}; call step'
            )

        def launch(actions: torch.Tensor, elapsed: torch.Tensor) -> None:
            backend.step_since(self._buffers, actions, self._stream(), elapsed)

        return Graphed(self, self._buffers, launch, self._stepping.finish, record)

    def functional(self) -> tuple[Functional, State]:
        """Steps as functions of a state, and a copy of the present state: `functional.step(state, actions)` gives the
        next state and what `step` would give, to the bit, and leaves this environment as it is.

        Raises:
            EnvError: a param or an input was written in place and is out of bounds.
        """
        self.check_given()
        functional = Functional(self._backend, self._buffers, self._arguments)
        with self._whole:
            return functional, first_state(self._buffers, self.seed, self.tick)

    def checked_actions(self, actions: Actions) -> torch.Tensor:
        """Actions, checked and converted to [lanes] i32 for a backend.

        Raises:
            EnvError: `step` would refuse the actions.
        """
        return self._arguments.actions.actions(actions)

    def checked_controls(self, controls: Any) -> torch.Tensor:
        """Controls of a step, checked and converted to [controls, lanes] f32.

        Raises:
            EnvError: `step` would refuse the controls.
        """
        new = self._arguments.stepping(controls)
        if new is None:
            raise EnvError(f"universe {self.universe.name} has no controls, and nothing to check")
        return new

    def place(
        self,
        affordance: str,
        position: Sequence[float] | torch.Tensor,
        worlds: Sequence[int] | torch.Tensor | None = None,
    ) -> None:
        """Put an affordance at a place until the next episode begins, and compute observations and masks again.

        The universe must store places: it has a continuous space, or a grid with `places stored`. There several
        affordances may share a place. `state["places"]` has all places.

        Args:
            affordance: the name of the affordance.
            position: a number per axis, whole on a grid; or a tensor [worlds, axes] with a place for each world.
            worlds: the numbers of the worlds, 0 .. num_worlds - 1; by default all worlds.

        Raises:
            EnvError: an argument is wrong, or the place is outside the space. Nothing was changed.
        """
        self.check_given()
        place(self.universe, self._buffers.state.get("places"), affordance, position, worlds)
        self.observe()

    def close(self) -> None:
        """Give its memory back; tensors that were handed out stay as they are. Every later call that needs worlds is an
        error that says so, and closing again does nothing.

        Raises:
            EnvError: the environment is in another call now. Nothing was changed.
        """
        held = ("_buffers", "_backend", "_stepping", "_given", "_counting", "_params", "_own")
        with self._whole:
            # The attributes are sealed to users.
            vars(self).update(dict.fromkeys((*held, "params", "inputs"), Closed()), _held={}, _checked=())
            self._now.shown = self._now.graphed = None
            self._now.replays = Replays()
        # Ctrl-C does not wait for what a sink has to write.
        if self._now.telemetry is not None:
            self._now.telemetry.close()

    def synchronize(self) -> None:
        """Wait until the device has finished all work; on the CPU this returns at once."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def __copy__(self) -> Env:
        # Two environments on the same tensors would overwrite each other's state.
        return copy.deepcopy(self)

    def __reduce__(self) -> tuple[Any, ...]:
        self.check_given()
        with self._whole:
            self._own.copy_(self._present())
            now = replace(self._now, graphed=None, replays=Replays(), shown=None, telemetry=None, opened=None)
            buffers = self._buffers.moved(torch.device("cpu"))
        return _gone_on, (self.module, self._choice, self.validate, self._tune, buffers, now)

    def _params_of(self, params: Any, drawing: Callable[[], Drawing]) -> dict[str, torch.Tensor]:
        """Values of params as `Held.write` takes them."""
        if params is not None and not isinstance(params, Mapping):
            raise EnvError(f"params are a dictionary of names and values, not {shown(params)}")
        return {} if not params else self._params.converted(params, drawing)

    def _observe(self) -> None:
        """Observe in the environment's own memory, and go on there from what a step wrote into the caller's."""
        self._own.copy_(self._present())
        self._now.shown = None
        self._backend.observe(self._buffers)

    def _start(self, written: Outputs, worlds: torch.Tensor | None = None) -> None:
        """Begin episodes in all worlds or in some, [worlds] bool; the others keep what happened in their last tick."""
        self._clear_past(written, worlds)
        self._backend.reset(written.buffers, self._stream(), worlds)


def begun(
    module: Module,
    backend: Backend,
    buffers: Buffers,
    choice: Choice,
    validate: bool,
    tune: Tune,
    seed: int,
    params: Any = None,
) -> Env:
    """An environment at the beginning of episode 0, with these params.

    Raises:
        EnvError: the universe has no such param, or a value is not a number, has another shape or is out of bounds.
    """
    env = Env(module, backend, buffers, choice, validate, tune, Now(seed))
    env._params.write(env._params_of(params, env._drawing))
    env._start(env._own)
    return env


# Tensors need a version counter, as in `hamlet.env.make.make`.
@torch.inference_mode(mode=False)
def _gone_on(module: Module, choice: Choice, validate: bool, tune: Tune, buffers: Buffers, now: Now) -> Env:
    """An environment from the contents of a copy or a pickle, whose buffers are on the CPU.

    Raises:
        EnvError: its backend or its device is not available here.
    """

    here = choose(choice.backend, choice.device)
    backend = start(module, choice, tune)
    return Env(module, backend, buffers.moved(here.device), choice, validate, tune, now)
