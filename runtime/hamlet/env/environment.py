"""The environment: reset, step, rollout, checkpoints.

Tensors that an environment returns are views of its own buffers, and the next call changes them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from hamlet import schema
from hamlet.arguments import Actions, dense, flag, whole
from hamlet.backend.buffers import Buffers, Statistics, statistics_allocator
from hamlet.backend.choose import Choice, choose, start
from hamlet.backend.protocol import (
    NOTHING_STORED,
    Backend,
    NetworkPolicy,
    Policy,
    Recordable,
    RecordedPolicy,
    Stream,
    TabularPolicy,
)
from hamlet.backend.registry import Tune, backend_kind
from hamlet.backend.storage import Storage
from hamlet.env import checkpoint
from hamlet.env.attributes import Now
from hamlet.env.checkpoint import TICK_LIMIT, StateDict, checked_seed
from hamlet.env.closed import Closed
from hamlet.env.counting import Counting
from hamlet.env.distributions import Drawing
from hamlet.env.episode import Episode
from hamlet.env.functional import Functional, State, first_state
from hamlet.env.given import Given
from hamlet.env.graphed import Graphed, record
from hamlet.env.interrupts import Whole
from hamlet.env.networks import NetworkCheck, made_storage
from hamlet.env.outputs import Outputs
from hamlet.env.pictures import Pictured
from hamlet.env.placing import place
from hamlet.env.playing import MOST_TICKS as MOST_RECORDED
from hamlet.env.playing import played
from hamlet.env.rollout import Info, Rollout, Stepped
from hamlet.env.saved import counts_of, read_checkpoint, write_checkpoint
from hamlet.env.some_worlds import Others, chosen_worlds
from hamlet.env.stepping import Stepping
from hamlet.env.tabular import Axis, tabular
from hamlet.env.watching import Watch, networks_of, one_world, watched_lanes
from hamlet.errors import EnvError, shown
from hamlet.numbers.random import policy_words
from hamlet.package.module import Module
from hamlet.policy.mlp import MLP
from hamlet.telemetry.sinks import sinks_of
from hamlet.telemetry.telemetry import Telemetry

MOST_TICKS = (1 << 31) - 1


class Env(Pictured):
    """W worlds of A agents each, N = W * A lanes; lane `w * A + a` is agent a of world w. `hamlet.make` makes it.

    Its attributes cannot be assigned; the entries of `params` and `inputs` can. `copy.deepcopy` and `pickle` make an
    independent environment that is equal to the bit. A pickle includes the package, so any process that has the device
    and the backend can continue from it.

    Attributes:
        module, universe: the generated package, and its universe.
        num_worlds, num_agents, num_lanes: the number of worlds, of agents in each, and of lanes.
        first_world: the global number of the first world.
        device: the device of all tensors.
        backend, launch: the name of the backend, and how it launches steps ("step" or "graph").
        choice: the backend, the launch and the kernels in one line, with the reason why they were chosen.
        action_names, num_actions: the names of the actions, by number, and their count.
        control_names, num_controls: the names of the controls, in the order of their rows, and their count.
        control_low, control_high: [controls] f32, the bounds of each control.
        observation_names: one name per value of an observation, such as `meter.food`, `here[Bed]` or `grid[3,0]`.
        observation_segments: groups of consecutive values, each a `hamlet.schema.fields.Segment`.
        observation_low, observation_high: [values] f32, the range of each value of an observation. In uint8, byte b
            stands for low + b * (high - low) / 255; a value outside its range becomes 0 or 255.
        roles: the roles of the universe by name, each a `hamlet.env.roles.RoleInfo`; none where all agents are alike.
        params, inputs: the params and inputs of the universe, see `hamlet.env.params.Numbers`.
        reports: the reports of the last tick by name, views [lanes] f32; 0 at the beginning of an episode.
        validate: whether the range of actions, controls and inputs is checked.
    """

    def __init__(
        self, module: Module, backend: Backend, buffers: Buffers, choice: Choice, validate: bool, tune: Tune, now: Now
    ) -> None:
        """An environment on buffers in their present state; `begun` makes one at the beginning of an episode."""
        super().__init__(module, backend, buffers, choice, validate, now)
        self._tune: Tune = tune
        self._given = Given.of(module, buffers, self._held, self.device, validate)
        zeroed = statistics_allocator(module.universe, buffers.shape, self.device)
        self._counting = Counting(buffers.shape, len(module.universe.affordances), self.device, zeroed)
        self._network_check = NetworkCheck(module.universe, buffers)
        self._whole = Whole()
        graphed = self.graphed if choice.launch == "graph" else None
        self._stepping = Stepping(backend, self._own, now, self._given, self._whole, graphed)
        self._seal()

    def observe(self) -> None:
        """Compute observations and masks again, after you wrote into `state` or `params` in place.

        Raises:
            EnvError: a param or an input was written in place and is out of bounds, see `hamlet.env.params.Numbers`.
        """
        self.check_given()
        self._take_over()
        self._backend.observe(self._buffers)

    def check_given(self) -> None:
        """Check the params and inputs that were written in place. Every call that runs or copies worlds does so itself.

        Raises:
            EnvError: a value is out of bounds; the old values of that param or input are restored.
        """
        for held in self._checked:
            held.check()

    def reset(
        self,
        seed: int | None = None,
        params: Mapping[str, Any] | None = None,
        worlds: Sequence[bool] | torch.Tensor | None = None,
    ) -> tuple[torch.Tensor | None, Info]:
        """Begin a new episode in every world, or in some. Inputs keep their values, and so do params that are not
        given; stored places are those of the new episode.

        Args:
            seed: random numbers start again, at tick 0 and episode 0. Without a seed, every world begins its next
                episode; a new environment begins episode 0 again.
            params: new values by name, which the new episodes begin with and keep: a number for all worlds, numbers
                [worlds], or a distribution (`hamlet.Uniform`, `LogUniform`, `Choice`, `Normal`), of which each world
                draws a number for the episode that it now begins.
            worlds: [worlds] bool, those that begin their next episode and take the new params; what others have, their
                last outcomes included, stays as it is. By default all of them. A seed is one of all worlds.

        Returns:
            The observation [lanes, values] and the info, as `step` returns them.

        Raises:
            EnvError: the seed is not a whole number in 0 .. 2**64 - 1, or the universe has no such param, or a value is
                not a number, has another shape or is out of bounds, or `worlds` are something else. Nothing was
                changed.

        Example:
            observation, info = env.reset(seed=2, params={})
        """
        now = self._now
        wanted = None if seed is None else checked_seed(seed)
        chosen = None if worlds is None else chosen_worlds(worlds, self.num_worlds, wanted, self.device)
        episodes = self._buffers.state["episode"] * (wanted is None) + (wanted is None and not now.untouched)
        new = self._given_params(params, lambda: self._drawing(wanted, episodes))
        self.check_given()
        with self._whole, self._restarting():
            if chosen is not None:
                self._take_over()
            others = None if chosen is None else Others(self._buffers, chosen)
            if wanted is not None:
                now.seed, now.tick = wanted, 0
            self._buffers.state["episode"].copy_(episodes)
            self._params.write(new)
            now.untouched = False
            self._start()
            if others is not None:
                others.restore(self.universe)
                self._params.taken()
                self._backend.observe(self._buffers)
        return self.observation, self.info

    def step(self, actions: Actions, controls: Any = None, out: torch.Tensor | Outputs | None = None) -> Stepped:
        """Run one tick. A world without a living agent starts a new episode at the end of the tick. In a universe with
        `episodes by hand` only `reset` starts new episodes, and `final_observation` is never written.

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
                bool, `used`, `cause` i32, [lanes]; `reports` [reports, lanes] f32. Others are made.

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
        functional = Functional(self._backend, self._buffers, self._given)
        return functional, first_state(self._buffers, self.seed, self.tick)

    def checked_actions(self, actions: Actions) -> torch.Tensor:
        """Actions, checked and converted to [lanes] i32 for a backend.

        Raises:
            EnvError: `step` would refuse the actions.
        """
        return self._given.actions.actions(actions)

    def checked_controls(self, controls: Any) -> torch.Tensor:
        """Controls of a step, checked and converted to [controls, lanes] f32.

        Raises:
            EnvError: `step` would refuse the controls.
        """
        new = self._given.stepping(controls)
        assert new is not None
        return new

    def rollout(
        self,
        ticks: int,
        policy: str | Actions | TabularPolicy | MLP = "random",
        observe: bool = False,
        statistics: Statistics | bool = True,
        per_world: bool = False,
        per_lane: int | None = None,
        controls: Any = None,
        inputs: Mapping[str, Any] | None = None,
        watch: Sequence[int] | torch.Tensor | None = None,
        store: Storage | None = None,
    ) -> Rollout:
        """Run many ticks in one launch, with the same bits as that many steps.

        Args:
            ticks: the number of ticks, at least 1.
            policy: "random" (every agent draws uniformly from all actions), actions [ticks, lanes] or [ticks, worlds,
                agents] of the types that `step` takes, a policy of `tabular`, or a network (`hamlet.MLP`).
            observe: whether to write observations, masks and final observations in every tick. Otherwise observations
                and masks are written after the last tick only, and final observations not at all.
            statistics: whether to count uses, causes of death, lengths and returns; or the `counts` of an earlier
                rollout, to which this one adds.
            per_world: whether to count the episodes of each world too, see `Rollout.world_episodes`. Counts of an
                earlier rollout that did so continue in any case. The kernels do no extra work for it.
            per_lane: count the uses and the episodes of each lane too, and keep the length, the return and the end of
                the first so many episodes of each, see `Rollout.lanes`. That takes 4 bytes per lane and affordance, and
                12 per lane and episode. Counts of an earlier rollout that did so continue in any case.
            controls: of every tick, [ticks, controls, lanes] or [ticks, controls, worlds, agents] f32, or a dictionary
                with [ticks, lanes] or a number for each name. In a universe with controls actions need them; without
                them the other policies draw each control uniformly between its bounds.
            inputs: of every tick, by name: [ticks, lanes] or [ticks, worlds, agents] f32. Tick t uses row t, and
                afterwards the inputs have the last row. Those that are not given keep their value.
            watch: the numbers of lanes whose meters, positions, actions and rewards of every tick are wanted, see
                `Rollout.trajectories`. The worlds of these lanes run a second time, tick by tick.
            store: tensors that the rollout of a network fills with what it saw, chose and got in every tick, see
                `storage`.

        Raises:
            EnvError: an argument has a wrong type, shape, device or range, or a param or an input was written in place
                and is out of bounds. Nothing was changed.
            KeyboardInterrupt: Ctrl-C was pressed. All lanes have done the same number of ticks, `tick` says how many,
                and counts that were passed cover exactly these ticks.

        Example:
            result = env.rollout(500, per_world=True)
            print(result, result.causes(), result.world_episodes())
        """
        ticks = whole(ticks, 1, MOST_TICKS, "a rollout takes 1 or more ticks")
        check = self._network_check
        chosen = check.policy(policy) if isinstance(policy, MLP) else self._given.actions.policy(policy, ticks)
        stored = NOTHING_STORED if store is None else check.storage(store, chosen, ticks)
        observing = flag("observe", observe)
        kept = None if per_lane is None else whole(per_lane, 0, MOST_TICKS, "per_lane is how many episodes to keep")
        counts = self._counting.begun(statistics, flag("per_world", per_world), kept)
        chosen_lanes = watched_lanes(watch, self.num_lanes)
        self.check_given()
        given = self._given.by_tick(ticks, chosen, controls, inputs)
        worlds = None if counts is None else counts.worlds
        span = backend_kind(self.backend).span
        most = max(ticks if span is None else max(span[0] // self.num_lanes, span[1]), 1)
        seen = None if chosen_lanes is None else Watch(self.universe, self._buffers, chosen_lanes)
        begin = self._stream()
        telemetry, first = self._now.telemetry, 0
        counting = counts if telemetry is None else telemetry.counts(counts)
        with self._whole:
            while first < ticks:
                length = min(most, ticks - first, ticks if telemetry is None else telemetry.left)
                before = None if telemetry is None else telemetry.before(counts)
                part = _part_of(chosen, stored, first, length)
                watched = None if worlds is None else worlds.begun(self._buffers)
                rows = {name: values[first : first + length] for name, values in given.items()}
                self._now.shown = None
                self._backend.rollout(self._buffers, length, part, self._stream(), observing, counting, rows)
                self._given.keep(rows)
                if watched is not None:
                    watched(length)
                self._now.untouched = False
                self._advance(length)
                first += length
                if telemetry is not None:
                    telemetry.counted(counts, before, length, self.tick, observing)
                self._whole.pause()
        if seen is None:
            return Rollout(self.universe, ticks, counts)
        again = start(self.module, self._choice, self._tune)
        return Rollout(self.universe, ticks, counts, seen.trajectories(again, ticks, chosen, begin, given))

    def tabular(self, table: torch.Tensor, features: Sequence[Axis]) -> TabularPolicy:
        """Make a policy that `rollout` looks up in a table, while the state stays in registers.

        Args:
            table: actions of an integer type, with an axis per feature, or probabilities of a floating-point type, with
                one more axis for the actions. An action of probability 0 is never taken, one of probability 1 always;
                other probabilities are rounded to multiples of 2**-30.
            features: the feature of each axis of the table, see `hamlet.schema.features.features`: a coordinate ("x",
                "y", ...), "hour", "age", "here" (the number of the affordance on the agent's cell plus 1, or 0), or a
                meter with a number of bins of equal width, as in `("energy", 4)`. An empty list gives all agents the
                same action or probabilities.

        Raises:
            EnvError: a feature does not exist, or the table has a wrong type, shape or contents.

        Example:
            table = torch.full((4,), env.action_names.index("WAIT"))
            table[0] = env.action_names.index("INTERACT")
            env.rollout(100, env.tabular(table, [("energy", 4)]))
        """
        return tabular(self.universe, self.module.digest, table, features, self.device)

    def storage(self, ticks: int, names: Sequence[str] | None = None) -> Storage:
        """Make tensors in which `rollout(ticks, policy, store=...)` stores what a network saw, chose and got.

        Args:
            ticks: of the rollout, at least 1.
            names: of the attributes of `hamlet.Storage`; by default all of them.

        Raises:
            EnvError: there is no such name, or the memory is not free.

        Example:
            stored = env.storage(20)
            env.rollout(20, hamlet.MLP.random(len(env.observation_names), env.num_actions), store=stored)
            print(stored.rewards.sum(), stored.values[-1].mean())
        """
        ticks = whole(ticks, 1, MOST_TICKS, "a rollout takes 1 or more ticks")
        return made_storage(self._network_check.stored(ticks), names, self.device)

    def policy_words(self) -> torch.Tensor:
        """[lanes] i64: the random words of 32 bits with which policies draw the actions of the next tick."""
        first = self.first_world * self.num_agents
        lanes = torch.arange(first, first + self.num_lanes, device=self.device)
        stream = self._stream()
        return policy_words(lanes, self.tick, (stream.low, stream.high))[self.tick % 4]

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

    def alone(self, world: int = 0) -> Env:
        """A copy of one world as an environment of its own, which observes in float32: the same bits from now on.

        Raises:
            EnvError: there is no world of this number, 0 .. num_worlds - 1.
        """
        number = whole(world, 0, self.num_worlds - 1, f"a world is a number in 0 .. {self.num_worlds - 1}")
        self.check_given()
        buffers = one_world(self.universe, self._present().buffers, number)
        choice = replace(self._choice, launch="step")
        now = Now(self.seed, self.tick, untouched=False)
        env = Env(self.module, start(self.module, choice, self._tune), buffers, choice, True, self._tune, now)
        env.observe()
        return env

    def record(
        self,
        world: int = 0,
        ticks: int | None = None,
        policy: str | Actions | TabularPolicy | Callable[[torch.Tensor, torch.Tensor], Actions] = "random",
    ) -> Episode:
        """Play one world from now to the end of its episode, alone, and return what is needed to do it again. The
        environment itself stays where it is.

        Args:
            world: its number in this environment, 0 .. num_worlds - 1.
            ticks: stop after so many at the latest; by default after 65,536.
            policy: "random", a policy of `tabular`, an `MLP`, actions [ticks, agents], or a function that gives actions
                [agents] by observations [agents, values] f32 and masks [agents, actions] bool. In a universe with
                controls the first two draw them, and with the others they stay what they are.

        Raises:
            EnvError: an argument is wrong.

        Example:
            episode = env.record(world=0)
            episode.save("first.episode")
            print(hamlet.replay("first.episode", env.module, backend="interpreter").ok)
        """
        one = self.alone(world)
        most = MOST_RECORDED if ticks is None else whole(ticks, 1, MOST_TICKS, "a record takes 1 or more ticks")
        if isinstance(policy, MLP):
            network = networks_of(self._network_check.policy(policy), world, 1, self.num_worlds)
            return played(one, one._buffers, network, most)
        if callable(policy) and not isinstance(policy, TabularPolicy):
            return played(one, one._buffers, policy, most)
        recorded = dense(policy, "actions are whole numbers") if not isinstance(policy, (str, TabularPolicy)) else None
        if recorded is not None and ticks is None and recorded.dim() > 0:
            most = len(recorded)
        return played(one, one._buffers, one._given.actions.policy(policy, most), most)

    def telemetry(self, every: int = 1000, to: Any = None, gather: bool = False) -> Telemetry:
        """Count every step and rollout from now on, in windows of so many ticks: episodes, their returns, lengths and
        ends, uses of affordances, meters at the end of episodes. Counts gather on the device, and leave it without
        anybody waiting; a thread makes a `hamlet.telemetry.Record` of each window and hands it on, in order.

        Args:
            every: the ticks of a window. A rollout over a boundary is cut there.
            to: `hamlet.telemetry.JsonLines("run.jsonl")`, `TensorBoard("runs/name")`, a function that takes a record,
                or a list of these.
            gather: add up the windows of all ranks of `torchrun`, and hand them to the sinks of rank 0. Every rank
                must begin, flush and close telemetry alike then.

        Returns:
            The telemetry, with `flush` and `close`; it is a context manager, too.

        Raises:
            EnvError: an argument is wrong, or telemetry of this environment is not closed yet.

        Example:
            with env.telemetry(every=1000, to=print):
                env.rollout(5000)
        """
        every = whole(every, 1, MOST_TICKS, "telemetry takes a window of 1 or more ticks")
        sinks, together = sinks_of(to), flag("gather", gather)
        if self._now.telemetry is not None:
            raise EnvError("this environment has telemetry already: close that first, or give it several sinks")
        begun = Telemetry(
            self.universe, self._counting.zeroed, self._buffers, self._shown_meters(), every, sinks, together
        )
        begun.ends_with(self._silent)
        self._now.telemetry = begun
        return begun

    def _silent(self) -> None:
        """Telemetry was closed."""
        self._now.telemetry = None

    def _shown_meters(self) -> dict[int, int]:
        """The rows of observations in which numbers of meters stand as they are, by the meters' numbers."""
        observation = self._buffers.observation
        if observation is None or not observation.is_floating_point():
            return {}
        rows = {name: row for row, name in enumerate(self.observation_names)}
        named = ((number, f"meter.{meter.name}") for number, meter in enumerate(self.universe.meters))
        return {number: rows[name] for number, name in named if name in rows}

    @contextmanager
    def _restarting(self) -> Iterator[None]:
        """Around what begins episodes anew: telemetry tells these from episodes that ended."""
        telemetry = self._now.telemetry
        if telemetry is not None:
            telemetry.restart()
        yield
        if telemetry is not None:
            telemetry.restarted()

    def state_dict(self) -> StateDict:
        """A checkpoint: a copy of everything that determines the following ticks, on the environment's device.

        Raises:
            EnvError: a param or an input was written in place and is out of bounds.
        """
        self.check_given()
        return {
            "universe": self.module.digest,
            "first_world": self.first_world,
            "seed": self.seed,
            "tick": self.tick,
            "state": {name: value.clone() for name, value in self._buffers.state.items()},
        }

    def load_state_dict(self, saved: StateDict) -> None:
        """Continue from a `state_dict`, bit for bit, whatever backend and device made it.

        Observations and masks are computed again; outcomes and final observations of the past are cleared.

        Raises:
            EnvError: the checkpoint belongs to another universe or to other worlds, or has a value that no tick leaves.
                Nothing was changed.
        """
        state = checkpoint.check(self.universe, self.module.digest, self._buffers.shape, saved)
        with self._whole, self._restarting():
            for name, value in state.items():
                self._buffers.state[name].copy_(value)
            for held in self._held.values():
                held.taken()
            now = self._now
            now.seed, now.tick, now.untouched = int(saved["seed"]), int(saved["tick"]), False
            self._clear_past()
            self.observe()

    def close(self) -> None:
        """Give its memory back; tensors that were handed out stay as they are. Every later call that needs worlds is an
        error that says so, and closing again does nothing."""
        if self._now.telemetry is not None:
            self._now.telemetry.close()
        closed = Closed()
        held = ("_buffers", "_backend", "_stepping", "_given", "_counting", "_params", "_own")
        # The attributes are sealed to users.
        vars(self).update(dict.fromkeys((*held, "params", "inputs"), closed), _held={}, _checked=())
        self._now.shown = self._now.graphed = None

    def save(self, path: str | Path, counts: Statistics | None = None) -> None:
        """Write a checkpoint into a file of safetensors, whole or not at all: what `state_dict` has, the version of
        hamletc, and what was counted.

        Args:
            path: of the file.
            counts: the `counts` of rollouts that `load` shall give back.

        Raises:
            EnvError: safetensors is missing, or the file cannot be written, or the counts are of another environment.

        Example:
            env.save("town.safetensors", env.rollout(100).counts)
        """
        if counts is not None and not isinstance(counts, Statistics):
            raise EnvError(f"counts are those of a rollout, rollout(...).counts, not {shown(counts)}")
        known = None if counts is None else self._counting.begun(counts, False, None)
        write_checkpoint(path, self.universe.name, self.state_dict(), known)

    def load(self, path: str | Path) -> Statistics | None:
        """Continue from a checkpoint, bit for bit, and return the counts that were saved with it, for `rollout`.

        Raises:
            EnvError: the file cannot be read or is no checkpoint, or belongs to another universe, or `load_state_dict`
                refuses what is in it. Nothing was changed.
        """
        saved, found, name = read_checkpoint(path)
        if saved["universe"] != self.module.digest:
            raise EnvError(
                f"{path} is a checkpoint of {name} {saved['universe'][:12]}, not of {self.universe.name} "
                f"{self.module.digest[:12]}, the universe of this environment"
            )
        counts = counts_of(found, self._counting.zeroed()) if found else None
        self.load_state_dict({**saved, "state": {each: self._here(values) for each, values in saved["state"].items()}})
        return counts

    def _here(self, values: torch.Tensor) -> torch.Tensor:
        return values.to(self.device)

    def synchronize(self) -> None:
        """Wait until the device has finished all work; on the CPU this returns at once."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def __copy__(self) -> Env:
        # Two environments on the same tensors would overwrite each other's state.
        return copy.deepcopy(self)

    def __reduce__(self) -> tuple[Any, ...]:
        self.check_given()
        self._own.copy_(self._present())
        now = replace(self._now, graphed=None, shown=None, telemetry=None)
        buffers = self._buffers.moved(torch.device("cpu"))
        return _gone_on, (self.module, self._choice, self.validate, self._tune, buffers, now)

    def _given_params(self, params: Any, drawing: Callable[[], Drawing]) -> dict[str, torch.Tensor]:
        """Values of params as `Held.write` takes them."""
        if params is not None and not isinstance(params, Mapping):
            raise EnvError(f"params are a dictionary of names and values, not {shown(params)}")
        return {} if not params else self._params.given(params, drawing)

    def _take_over(self) -> None:
        """Go on in the environment's own memory from what a step wrote into the caller's."""
        self._own.copy_(self._present())
        self._now.shown = None

    def _start(self) -> None:
        self._clear_past()
        self._backend.reset(self._buffers, self._stream())

    def _clear_past(self) -> None:
        self._now.shown = None
        for name, value in self._buffers.outcome.items():
            value.fill_(schema.NOWHERE if name in ("used", "cause") else 0)
        if self._buffers.final_observation is not None:
            self._buffers.final_observation.zero_()

    def _stream(self) -> Stream:
        return Stream(self._now.seed, self._now.tick)

    def _advance(self, ticks: int) -> None:
        self._now.tick = (self._now.tick + ticks) % TICK_LIMIT


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
    env._params.write(env._given_params(params, env._drawing))
    env._start()
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


def _part_of(policy: Policy, store: Storage, first: int, ticks: int) -> Policy:
    """The policy of so many ticks of a rollout, from tick `first` on."""
    match policy:
        case RecordedPolicy(actions=actions):
            return RecordedPolicy(actions[first:])
        case NetworkPolicy():
            return replace(policy, store=store.part(first, ticks))
        case _:
            return policy
