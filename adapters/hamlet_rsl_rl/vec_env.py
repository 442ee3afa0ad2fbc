"""Worlds of one agent each as a vectorised environment of rsl_rl."""

from __future__ import annotations

from typing import Any

import torch
from rsl_rl.env import VecEnv as Interface
from tensordict import TensorDict
from torch import Tensor

from hamlet.errors import EnvError, shown
from hamlet.schema.actions import idle_action
from hamlet_adapters.choosing import choosable, num_choices
from hamlet_adapters.frames import Frame
from hamlet_adapters.grouped import handout
from hamlet_adapters.seeds import FirstSeed
from hamlet_adapters.source import Source, made
from hamlet_adapters.worlds import Autoreset, Worlds, steered

ENDLESS = (1 << 31) - 1
"""The length of episodes in a universe without a lifespan."""


class VecEnv(Interface):  # type: ignore[misc]
    """W worlds of one agent each. Worlds whose episode ended begin the next one in the same step, and `time_outs` says
    which of them reached the lifespan; no tensor is changed later.

    rsl_rl has real-valued actions, [W, num_actions] f32: first a score for each action of the universe, of which the
    greatest counts among those that `extras["action_mask"]` allows now, then each control, which is clamped to its
    bounds, and rounded where it is a whole number. Where agents do nothing but give controls there are no scores.

    Attributes:
        env: the worlds, a `hamlet.env.environment.Env`.
        num_envs, num_actions: the number of worlds, and of values of an action.
        max_episode_length: the lifespan in ticks, 2**31 - 1 without one.
        cfg: what rsl_rl writes down about the environment.
    """

    def __init__(self, num_envs: int = 1, universe: Source | None = None, **arguments: Any) -> None:
        """
        Args:
            num_envs: the number of worlds.
            universe: a module, a `.hamlet` file, a pack, or the folder of a generated package.
            arguments: those of `hamlet.make` but `worlds` and `agents`: `seed`, `params`, `backend`, `device`, ....
                Without a `seed` a fresh one is drawn; `cfg` has it.

        Raises:
            EnvError: an argument is wrong.
        """
        self.env = made(universe, num_envs, arguments)
        self.device = self.env.device
        self.num_envs = self.env.num_worlds
        self._scores = 0 if steered(self.env) else num_choices(self.env)
        self._wait = idle_action(self.env.universe)
        self.num_actions = self._scores + self.env.num_controls
        lifespan = self.env.universe.lifespan
        self.max_episode_length = ENDLESS if lifespan is None else lifespan.ticks
        self.cfg = {"universe": self.env.universe.name, "digest": self.env.module.digest, "seed": self.env.seed}
        self._handout = handout(self.env, "groups", texts=False)
        self._worlds = Worlds(self.env, Autoreset.SAME_STEP, FirstSeed(arguments), arrays=False)
        self._show(self._worlds.reset())

    @property
    def episode_length_buf(self) -> Tensor:
        """[W] i64: the age of each world's agent in ticks. Assign other ages below the lifespan, as rsl_rl does to
        begin with episodes of all ages."""
        return self.env.state["age"].long()

    @episode_length_buf.setter
    def episode_length_buf(self, ages: Tensor) -> None:
        state = self.env.state["age"]
        if not isinstance(ages, Tensor) or ages.shape != state.shape or ages.is_floating_point():
            raise EnvError(f"ages are whole numbers [{self.num_envs}], not {shown(ages)}")
        if bool(((ages < 0) | (ages >= self.max_episode_length)).any()):
            raise EnvError(f"ages are 0 .. {self.max_episode_length - 1}")
        state.copy_(ages)
        self.env.observe()
        assert self.env.observation is not None
        self._observation, self._mask = self.env.observation.clone(), choosable(self.env, self.env.action_mask).clone()

    def reset(self) -> tuple[TensorDict, dict[str, Any]]:
        """Begin the next episode in every world."""
        self._show(self._worlds.reset())
        return self.get_observations(), {"action_mask": self._mask}

    def get_observations(self) -> TensorDict:
        """The present observations: `policy` [W, values], all of them, and besides each group that the universe names,
        by its name."""
        groups = self._handout.tensors(self._observation) if self._handout.alone is None else {}
        groups = groups if self._handout.groups else {}
        return TensorDict({"policy": self._observation} | groups, batch_size=[self.num_envs], device=self.device)

    def step(self, actions: Tensor) -> tuple[TensorDict, Tensor, Tensor, dict[str, Any]]:
        """Run a tick with actions [W, num_actions] f32.

        Returns:
            Observations, rewards [W] f32, dones [W] i64, and extras: `time_outs` [W] bool, `action_mask` [W, actions]
            bool.

        Raises:
            EnvError: actions are wrong, or the environment is closed. Nothing was changed.
        """
        chosen, controls = self._parted(actions)
        turn = self._worlds.step(chosen, controls)
        self._show(turn.frame)
        extras = {"time_outs": turn.frame.tensor("truncated"), "action_mask": self._mask}
        return self.get_observations(), turn.frame.tensor("reward"), turn.over.long(), extras

    def close(self) -> None:
        """No other call is taken from now on."""
        self._worlds.close()

    def _show(self, frame: Frame) -> None:
        self._observation, self._mask = frame.tensor("observation"), choosable(self.env, frame.tensor("action_mask"))

    def _parted(self, actions: Any) -> tuple[Tensor, Tensor | None]:
        """The action of each world, [W], and controls [controls, W]."""
        shape = (self.num_envs, self.num_actions)
        if not isinstance(actions, Tensor) or actions.shape != shape or not actions.is_floating_point():
            raise EnvError(f"actions are real numbers {list(shape)}, not {shown(actions)}")
        if self.env.validate and bool(actions.isnan().any()):
            raise EnvError("an action is not a number")
        controls = None
        if self.env.num_controls:
            unbounded = actions[:, self._scores :].float()
            within = unbounded.clamp(self.env.control_low, self.env.control_high)
            whole = torch.tensor(self.env.control_whole, device=within.device)
            controls = torch.where(whole, within.round(), within).T.contiguous()
        if not self._scores:
            return torch.full((self.num_envs,), self._wait, device=actions.device), controls
        scores = actions[:, : self._scores].masked_fill(~self._mask, -torch.inf)
        return scores.argmax(dim=1), controls
