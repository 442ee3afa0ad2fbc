"""Single worlds of an environment: as they are, as they were, and to the end of their episode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Self

import torch

from hamlet.arguments import Actions, dense, whole
from hamlet.backend.buffers import Buffers
from hamlet.backend.choose import start
from hamlet.backend.protocol import TabularPolicy
from hamlet.env.act.learnt import choosing
from hamlet.env.act.now import Now
from hamlet.env.act.step import Stepping
from hamlet.env.act.trajectories import networks_of, one_world
from hamlet.env.attributes import MOST_TICKS
from hamlet.env.keep.episode import Episode
from hamlet.env.keep.history import History
from hamlet.env.keep.keeping import Keeping
from hamlet.env.keep.state import TICK_LIMIT
from hamlet.env.record import MOST_TICKS as MOST_RECORDED
from hamlet.env.record import played
from hamlet.env.rollouts import Running
from hamlet.errors import EnvError
from hamlet.policies.learnt import Learnt
from hamlet.policies.mlp import MLP

MOST_KEPT = 1 << 40


class Apart(Running):
    """An environment whose worlds can be had one by one."""

    _stepping: Stepping

    def alone(self, world: int = 0) -> Self:
        """A copy of one world as an environment of its own, which observes in float32: the same bits from now on.

        Raises:
            EnvError: there is no world of this number, 0 .. num_worlds - 1.
        """
        return self._alone(world, self._buffers.shape.waits)

    def keep_history(self, memory: int = 64 << 20) -> None:
        """Keep, from now on, what `at` needs: the state at some ticks, the further apart the more ticks there are, and
        the actions of `step`, and of rollouts but those of "random" and of `tabular`, in a byte for each lane and tick.
        Where these take more than their half, the oldest ticks are forgotten; where the seed is set or the tick goes
        back, the history begins anew. A copy or a pickle has none. Graphs are not replayed, and `torch.compile` and
        `graphed` leave their ticks out.

        Args:
            memory: bytes that all of it takes; 0 keeps nothing any more.

        Raises:
            EnvError: two states do not fit in so many bytes. Nothing was changed.

        Example:
            env.keep_history()
            env.rollout(1000)
            print(env.at(123).state["age"])
        """
        most = whole(memory, 0, MOST_KEPT, "memory is a number of bytes, 0 for no history")
        buffers, backend = self._buffers, self._backend
        inner = backend.inner if isinstance(backend, Keeping) else backend
        history = History(self.universe, buffers.shape, inner.name, most) if most else None
        with self._whole:
            chosen = inner if history is None else Keeping(inner, buffers, history)
            self._stepping.run_by(chosen)
            # The attributes are sealed to users.
            vars(self).update(_backend=chosen)

    def at(self, tick: int, world: int = 0) -> Self:
        """A copy of one world as it was when `Env.tick` was this number, as an environment of its own, which observes
        in float32: what was written before the tick, by `set` or a reset, is in it. It needs `keep_history`.

        Args:
            tick: from that of the call of `keep_history` on, or what is left of the history, to the present one.
            world: its number, 0 .. num_worlds - 1.

        Raises:
            EnvError: there is no such world, or the history has no such tick.

        Example:
            env.keep_history()
            env.rollout(300)
            then = env.at(env.tick - 180)
            then.step([env.action_names.index("WAIT")] * env.num_agents)
        """
        shape, backend = self._buffers.shape, self._backend
        number = self._numbered(world)
        tick = whole(tick, 0, TICK_LIMIT - 1, "a tick is a whole number, 0 or more")
        if not isinstance(backend, Keeping):
            raise EnvError("no history is kept: call keep_history() before the ticks that at() shall find")
        if tick == self.tick:
            return self._alone(number, shape.waits)
        with self._whole:
            inner = start(self.module, replace(self._choice, launch="step"), self._tune)
            buffers = backend.history.restored(inner, self.device, tick, number)
        return self._of(buffers, Now(backend.history.seed, tick, untouched=False))

    def record(
        self,
        world: int = 0,
        ticks: int | None = None,
        policy: str | Actions | TabularPolicy | Learnt | Callable[[torch.Tensor, torch.Tensor], Actions] = "random",
    ) -> Episode:
        """Play one world from now to the end of its episode, alone, and return what is needed to do it again. The
        environment itself stays where it is.

        Args:
            world: its number in this environment, 0 .. num_worlds - 1.
            ticks: stop after so many at the latest; by default after 65,536.
            policy: "random", a policy of `tabular`, an `MLP`, one of `hamlet.policy`, actions [ticks, agents], or a
                function that gives actions [agents] by observations [agents, values] f32 and masks [agents, actions]
                bool. In a universe with controls the first two draw them, a learnt one gives them, else they stay.

        Raises:
            EnvError: an argument is wrong.

        Example:
            episode = env.record(world=0)
            episode.save("first.episode")
            print(hamlet.replay("first.episode", env.module, backend="interpreter").ok)
        """
        # A replay has worlds that begin the next episode at once.
        one = self._alone(world, waits=False)
        most = MOST_RECORDED if ticks is None else whole(ticks, 1, MOST_TICKS, "a record takes 1 or more ticks")
        acts = choosing(one, policy)
        if isinstance(acts, MLP):
            network = networks_of(self._network_check.policy(acts), world, 1, self.num_worlds)
            if acts.remembers:
                network = replace(network, recall=one._recall_of(acts))
            return played(one, one._buffers, network, most)
        if callable(acts) and not isinstance(acts, TabularPolicy):
            return played(one, one._buffers, acts, most)
        recorded = dense(acts, "actions are whole numbers") if not isinstance(acts, (str, TabularPolicy)) else None
        if recorded is not None and ticks is None and recorded.dim() > 0:
            most = len(recorded)
        return played(one, one._buffers, one._arguments.actions.policy(acts, most), most)

    def _alone(self, world: int, waits: bool) -> Self:
        number = self._numbered(world)
        self.check_given()
        with self._whole:
            buffers = one_world(self.universe, self._present().buffers, number)
            lanes = slice(number * self.num_agents, (number + 1) * self.num_agents)
            now = Now(self.seed, self.tick, untouched=False, memories=self.memories.of_lanes(lanes, self.num_lanes))
        return self._of(replace(buffers, shape=replace(buffers.shape, waits=waits)), now)

    def _of(self, buffers: Buffers, now: Now) -> Self:
        """An environment of the same backend on other buffers, of which only the state is there."""
        choice = replace(self._choice, launch="step")
        backend = start(self.module, choice, self._tune)
        env = type(self)(self.module, backend, buffers, choice, True, self._tune, now)
        with env._whole:
            env._observe()
        return env

    def _numbered(self, world: int) -> int:
        return whole(world, 0, self.num_worlds - 1, f"a world is a number in 0 .. {self.num_worlds - 1}")
