"""Crews act in worlds on a GPU by turns: `hamlet_train.collect` where nobody waits for the device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from hamlet.backend.buffers import Shape
from hamlet.backend.playing import Decide
from hamlet.backend.protocol import NetworkPolicy, Stream
from hamlet.backend.storage import Storage, storage_like
from hamlet.env.environment import Env
from hamlet.launch.gpu.deciding import decider, kernel_of
from hamlet.numbers.random import WORD
from hamlet.policies.mlp import MLP
from hamlet_train.collect import ranges
from hamlet_train.crews import Crew
from hamlet_train.exact.network import Network
from hamlet_train.gpu.controls import draw_controls
from hamlet_train.gpu.launches import Launch, run
from hamlet_train.gpu.learner import Mind

LANES = 128
"""Lanes of a program."""


class Rollouts:
    """Worlds in which one crew without controls acts: a rollout of its network fills its storage."""

    def __init__(self, env: Env, mind: Mind, stored: Storage) -> None:
        """Rollouts of a mind."""
        self._env, self._mind, self._stored = env, mind, stored
        weights, biases = zip(*mind.layers, strict=True)
        self._policy = MLP([each.contiguous() for each in weights], [each.clone() for each in biases])

    def play(self) -> None:
        """Fill the storage."""
        policy, stored = self._policy, self._stored
        for number, layer in enumerate(self._mind.layers):
            policy.weights[number].copy_(layer[0])
            policy.biases[number].copy_(layer[1])
        self._env.rollout(len(stored.tensors["rewards"]), policy, store=stored, statistics=False)


def storage_of(network: Network, ticks: int, lanes: int, device: torch.device) -> Storage:
    """Memory for what a crew lives through."""
    like = storage_like(ticks, network.inputs, network.actions, lanes)
    return Storage(**{name: torch.zeros_like(each, device=device) for name, each in like.items()})


@dataclass(frozen=True, slots=True)
class GpuPlayer:
    """A crew that plays: its mind, and where it leaves what it lives through.

    Attributes:
        lanes: [lanes of the crew] i64, their numbers in the environment.
        numbers: [actions] i64, those of its actions; `None` where it has all of them.
        stored: what `hamlet_train.gpu.learner.Lesson.teach` reads; raw: [ticks, controls, lanes], the same of controls.
    """

    mind: Mind
    lanes: torch.Tensor
    numbers: torch.Tensor | None
    stored: Storage
    raw: torch.Tensor

    @classmethod
    def of(cls, env: Env, crew: Crew, mind: Mind, stored: Storage, raw: torch.Tensor) -> GpuPlayer:
        """The player of a crew."""
        lanes = torch.arange(env.num_lanes) if crew.lanes is None else torch.from_numpy(crew.lanes)
        numbers = None if crew.actions is None else torch.from_numpy(crew.actions).to(env.device)
        return cls(mind, lanes.to(env.device), numbers, stored, raw)

    def mask(self, mask: torch.Tensor) -> torch.Tensor:
        """The rows of its actions in a mask [actions, lanes]."""
        return mask if self.numbers is None else mask.index_select(0, self.numbers)

    def keep(self, tick: int, **rows: torch.Tensor) -> None:
        """Store a tick: numbers [..., lanes of the environment] by their name in a storage."""
        for name, row in rows.items():
            row = row[: self.mind.network.inputs] if name == "observations" else row
            torch.index_select(row, -1, self.lanes, out=self.stored.tensors[name][tick])


class Stage:
    """Worlds in which each crew decides for its lanes, tick by tick.

    A network decides for all lanes, and those of its crew are taken: so lanes have the words of their own.
    """

    def __init__(self, env: Env, players: Sequence[GpuPlayer]) -> None:
        """A stage for the players of these worlds."""
        self._env, self._players = env, tuple(players)
        self._chosen = torch.zeros(env.num_lanes, dtype=torch.int32, device=env.device)
        self._controls = torch.zeros(env.num_controls, env.num_lanes, device=env.device)
        self._ranges = torch.from_numpy(ranges(env)).to(env.device)

    def play(self) -> None:
        """Fill the storages."""
        env = self._env
        minds = [self._decider(player.mind) for player in self._players]
        seen, mask, alive = _rows(env)
        for tick in range(len(self._players[0].raw)):
            for number, (player, decide) in enumerate(zip(self._players, minds, strict=True)):
                allowed = player.mask(mask)
                decided = decide(seen, allowed, env.tick, None)
                assert decided.values is not None
                player.keep(tick, observations=seen, masks=allowed, alive=alive, actions=decided.actions)
                player.keep(tick, log_probs=decided.log_probs, values=decided.values)
                actions = player.stored.tensors["actions"][tick]
                mine = actions if player.numbers is None else player.numbers[actions.long()].to(torch.int32)
                self._chosen.index_copy_(0, player.lanes, mine)
                if decided.means is not None:
                    self._draw(number, tick, decided.means, decided.log_probs)
            controls = self._controls if env.num_controls else None
            _, reward, terminated, truncated, info = env.step(self._chosen, controls)
            last = info["final_observation"]
            assert last is not None
            seen, mask, alive = _rows(env)
            for player, decide in zip(self._players, minds, strict=True):
                player.keep(tick, rewards=reward, terminated=terminated, truncated=truncated)
                values = decide(last.T, player.mask(mask), env.tick, None, truncated).values
                assert values is not None
                player.keep(tick, final_values=torch.where(truncated, values, torch.zeros_like(values)))
        for player, decide in zip(self._players, minds, strict=True):
            values = decide(seen, player.mask(mask), env.tick, None).values
            assert values is not None
            player.keep(len(player.raw), values=values)

    def _decider(self, mind: Mind) -> Decide:
        """The decisions of a mind as it is now."""
        env = self._env
        layers = tuple((weights.unsqueeze(0), biases.unsqueeze(0)) for weights, biases in mind.layers)
        policy = NetworkPolicy(layers, "tanh", value=True, sample=True, controls=mind.network.controls)
        shape = Shape(env.num_worlds, env.num_agents, env.first_world)
        return decider(policy, shape, Stream(env.seed, env.tick), kernel_of(policy))

    def _draw(self, number: int, tick: int, means: torch.Tensor, log_probs: torch.Tensor) -> None:
        """Draw the controls of a player around their means, and count their densities to what was likely."""
        env, player = self._env, self._players[number]
        count, stream = len(player.lanes), Stream(env.seed, env.tick)
        arrays = (
            *(means, player.mind.log_deviations, log_probs, player.lanes, self._ranges),
            *(player.raw[tick], player.stored.tensors["log_probs"][tick], self._controls),
        )
        words = env.first_world * env.num_agents & WORD, stream.low, stream.high, stream.tick & WORD
        constants = {"CONTROLS": env.num_controls, "BLOCK": LANES}
        programs = -(-count // LANES)
        run(Launch(draw_controls, programs, (*arrays, count, env.num_lanes, *words), constants, LANES))


def _rows(env: Env) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The observation [values, lanes] of an environment now, the mask [actions, lanes], and who is alive [lanes]."""
    observation = env.observation
    assert observation is not None
    return observation.T, env.action_mask.T, env.state["alive"]
