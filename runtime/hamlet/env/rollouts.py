"""Many ticks of an environment in one launch, and the policies that act in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter, thread_time
from typing import Any, Literal

import torch

from hamlet.arguments import Actions, flag, whole
from hamlet.backend.buffers import Buffers, Statistics
from hamlet.backend.choose import start
from hamlet.backend.protocol import (
    NOTHING_STORED,
    NetworkPolicy,
    Policy,
    RandomPolicy,
    Recordable,
    RecordedPolicy,
    TabularPolicy,
)
from hamlet.backend.recall import Recall
from hamlet.backend.storage import Storage
from hamlet.env.act.deciding import deciding
from hamlet.env.act.learnt import choosing, playable, stepped
from hamlet.env.act.networks import made_storage
from hamlet.env.act.pace import kind_of
from hamlet.env.act.replays import can_replay
from hamlet.env.act.results import Rollout
from hamlet.env.act.tabular import Axis, tabular
from hamlet.env.act.trajectories import Watch, watched_lanes
from hamlet.env.attributes import MOST_TICKS
from hamlet.env.checkpoints import Restorable
from hamlet.env.keep.state import TICK_LIMIT
from hamlet.errors import EnvError
from hamlet.policies.acting import Choice
from hamlet.policies.learnt import Learnt
from hamlet.policies.mlp import MLP


class Running(Restorable):
    """An environment that runs rollouts."""

    def rollout(
        self,
        ticks: int,
        policy: str | Actions | TabularPolicy | MLP | Learnt = "random",
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
                agents] of the types that `step` takes, a policy of `tabular`, a network (`hamlet.MLP`), or a policy
                that was learnt (`hamlet.policy`), which a launch for each tick plays where it has controls or is wide.
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
        policy = playable(self, policy)
        if isinstance(policy, Learnt):
            others = {"controls": controls, "watch": watch, "store": store}
            return stepped(self, ticks, policy, observe, statistics, per_world, per_lane, inputs, others)
        check = self._network_check
        chosen = check.policy(policy) if isinstance(policy, MLP) else self._arguments.actions.policy(policy, ticks)
        if isinstance(policy, MLP) and isinstance(chosen, NetworkPolicy) and policy.remembers:
            chosen = replace(chosen, recall=self._recall_of(policy))
        stored = NOTHING_STORED if store is None else check.storage(store, chosen, ticks)
        observing = flag("observe", observe)
        episodes = None if per_lane is None else whole(per_lane, 0, MOST_TICKS, "per_lane is how many episodes to keep")
        counts = self._counting.begun(statistics, flag("per_world", per_world), episodes)
        chosen_lanes = watched_lanes(watch, self.num_lanes)
        self.check_given()
        by_tick = self._arguments.by_tick(ticks, chosen, controls, inputs)
        worlds = None if counts is None else counts.worlds
        kind, pace = kind_of(chosen, observing), self._pace
        # What a launch leaves unseen, the last one sees.
        unseen = self._buffers
        if not (observing or isinstance(chosen, NetworkPolicy)):
            unseen = replace(self._buffers, observation=None)
        recall = chosen.recall if isinstance(chosen, NetworkPolicy) else None
        seen = None if chosen_lanes is None else Watch(self.universe, self._buffers, chosen_lanes, recall)
        begin = self._stream()
        telemetry, first = self._now.telemetry, 0
        counting = counts if telemetry is None else telemetry.counts(counts)
        with self._whole:
            while first < ticks:
                left = ticks - first
                length = pace.ticks(kind, left if telemetry is None else min(left, telemetry.left))
                new = statistics is True and first == 0
                before = None if telemetry is None or new else telemetry.before(counts)
                part = _part_of(chosen, stored, first, length)
                watched = None if worlds is None else worlds.begun(self._buffers)
                rows = {name: values[first : first + length] for name, values in by_tick.items()}
                self._now.shown = None
                buffers = self._buffers if length == left else unseen
                began, had = perf_counter(), thread_time()
                if not self._replayed(buffers, length, part, observing, counting is not None or bool(rows)):
                    self._backend.rollout(buffers, length, part, self._stream(), observing, counting, rows)
                pace.took(kind, length, perf_counter() - began, thread_time() - had)
                self._arguments.keep(rows)
                if watched is not None:
                    watched(length)
                self._now.untouched = False
                self._now.acted = _last_actions(part, length)
                self._advance(length)
                first += length
                if telemetry is not None:
                    telemetry.counted(counts, before, length, self.tick)
                if isinstance(policy, MLP) and isinstance(chosen, NetworkPolicy) and chosen.recall is not None:
                    self.memories.keep(policy.weights[0], self.tick, chosen.recall)
                self._whole.pause(self._observe)
        if seen is None:
            return Rollout(self.universe, ticks, counts)
        again = start(self.module, self._choice, self._tune)
        return Rollout(self.universe, ticks, counts, seen.trajectories(again, ticks, chosen, begin, by_tick))

    def acting(self, policy: str | TabularPolicy | MLP | Learnt = "random") -> Callable[[], Choice]:
        """A function that gives the actions of the next tick by a policy, [lanes] i32, and its controls, [controls,
        lanes] f32, `None` in a universe without any: what `step` takes. Whoever steps may change some of them first.
        They are those of a rollout; an `MLP` gives no controls of its own, and leaves them as they are.

        Raises:
            EnvError: it is no policy that chooses by the state, or does not fit.

        Example:
            choose = env.acting("random")
            actions, controls = choose()
            actions[0] = env.action_names.index("WAIT")
            env.step(actions, controls)
        """
        acts = choosing(self, policy)
        if isinstance(acts, MLP):
            acts = self._network_check.policy(acts)
        elif not isinstance(acts, Learnt):
            acts = self._arguments.actions.policy(acts, 1)
            if isinstance(acts, RecordedPolicy):
                raise EnvError("actions choose nothing: give them to step, or take a policy")
        choose = deciding(self, self._buffers, acts)

        def choice() -> Choice:
            # What a step wrote into memory of the caller's, the policy does not look at.
            if self._now.shown is not None:
                with self._whole:
                    self._observe()
            return choose(0)

        return choice

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
        return self._policy_words(self.tick)

    def _replayed(self, buffers: Buffers, ticks: int, policy: Policy, observing: bool, others: bool) -> bool:
        """Whether a CUDA graph ran these ticks of a network, with nothing `others` to count or to follow."""
        backend = self._backend
        if self._choice.launch != "graph" or others or not isinstance(backend, Recordable):
            return False
        if not isinstance(policy, NetworkPolicy) or not can_replay(policy, ticks):
            return False
        if torch.cuda.is_current_stream_capturing():
            return False
        return self._now.replays.replay(backend, buffers, ticks, policy, self._stream(), observing)

    def _recall_of(self, policy: MLP) -> Recall:
        """The memory of lanes, which a rollout writes: nothing unless this network acted last."""
        every = slice(None)
        last = self.memories.at(policy.weights[0], self.tick)
        nothing = Recall.empty(policy.remembers, policy.inputs, self.num_lanes, self.device)
        return nothing if last is None else last.of_lanes(every)

    def _advance(self, ticks: int) -> None:
        self._now.tick = (self._now.tick + ticks) % TICK_LIMIT


def _last_actions(policy: Policy, ticks: int) -> torch.Tensor | Literal["drawn"] | None:
    """The actions of the last of these ticks of a policy, [lanes], where they are known or can be drawn once more."""
    match policy:
        case RecordedPolicy(actions=actions):
            return actions[ticks - 1]
        case RandomPolicy():
            return "drawn"
        case _:
            return None


def _part_of(policy: Policy, store: Storage, first: int, ticks: int) -> Policy:
    """The policy of so many ticks of a rollout, from tick `first` on."""
    match policy:
        case RecordedPolicy(actions=actions):
            return RecordedPolicy(actions[first:])
        case NetworkPolicy():
            return replace(policy, store=store.part(first, ticks))
        case _:
            return policy
