"""A game: one world, in which some agents are played by hand and the others by a policy."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch
from torch import Tensor

from hamlet import schema
from hamlet.env.environment import Env
from hamlet.env.keep.episode import Episode, ended_by
from hamlet.env.record import MOST_TICKS, Recording
from hamlet.policies.acting import Choice
from hamlet.universe.actions import WAIT
from hamletc.cli.policy import RANDOM, Player
from hamletc.errors import CompileError

Make: TypeAlias = Callable[[Literal["same_step", "next_step"]], Env]
"""Makes the environment of the one world, with this `autoreset`."""


@dataclass(slots=True)
class Score:
    """The life of an agent so far: what it returned, how long it lived, and how it ended, "" where it did not.

    Attributes:
        returned: the sum of its rewards, in binary64.
    """

    returned: float = 0.0
    ticks: int = 0
    ended: str = ""

    def tick(self, reward: float, ended: str) -> None:
        """Add a tick of its life."""
        self.returned += reward
        self.ticks += 1
        self.ended = ended or self.ended


class Scores:
    """The scores of all agents of an environment of one world."""

    def __init__(self, env: Env) -> None:
        self._env = env
        self.agents = [Score() for _ in range(env.num_agents)]
        self._alive: list[bool] = []

    def before(self) -> None:
        """Note who lives before a tick."""
        self._alive = self._env.state["alive"].tolist()

    def after(self) -> None:
        """Add the tick to those who lived."""
        outcome = self._env.outcome
        ends = ended_by(self._env.universe, outcome["cause"])
        for score, alive, reward, end in zip(self.agents, self._alive, outcome["reward"].tolist(), ends, strict=True):
            if alive or end:
                score.tick(reward, end)


class Game:
    """A world that is played tick by tick to the end of its episode, whose last state stays.

    Attributes:
        env: the world as it is shown.
        hands: the numbers of the agents that are played by hand.
        scores: of all agents.
    """

    def __init__(self, make: Make, hands: Sequence[int], others: Player) -> None:
        # Replays have worlds that begin the next episode at once; the one that is shown stays where its episode ends.
        recorded = make("same_step")
        self._recording = Recording(recorded)
        self.env = make("same_step" if recorded.universe.by_hand else "next_step")
        self.hands = tuple(hands)
        self.scores = Scores(self.env)
        everybody = len(self.hands) == self.env.num_agents
        self._others = None if everybody else self.env.acting(others.of(self.env))
        self._said = "" if everybody else fingerprint(others)

    @property
    def going(self) -> bool:
        """Whether the episode has not ended."""
        return self._recording.going and self._recording.ticks < MOST_TICKS

    @property
    def ticks(self) -> int:
        """How many ticks were played."""
        return self._recording.ticks

    def allowed(self, agent: int) -> list[bool]:
        """Of each action whether the mask allows it."""
        allowed: list[bool] = self.env.action_mask[agent].tolist()
        return allowed

    def asked(self) -> list[int]:
        """The agents by hand that choose in the tick that comes: they live, and act in it."""
        alive, turns = self.env.state["alive"].tolist(), bool(self.env.universe.acting)
        return [agent for agent in self.hands if alive[agent] and not (turns and self._waits(agent))]

    def idle(self, agent: int, last: int | None = None) -> int:
        """The action of an agent that chooses none: to wait, else the last one, else the first that is allowed."""
        allowed, idle = self.allowed(agent), schema.idle_action(self.env.universe)
        tried = idle if WAIT in self.env.action_names or last is None else last
        return tried if allowed[tried] else next((number for number, each in enumerate(allowed) if each), idle)

    def tick(self, actions: Mapping[int, int], controls: Tensor | None) -> None:
        """Run a tick with these actions of agents by hand, and the rows of their controls [controls, agents]."""
        env, hands = self.env, list(self.hands)
        if self._others is None:
            chosen, steered = torch.zeros(env.num_agents, dtype=torch.int32), controls
        else:
            chosen, steered = self._others()
        for agent in hands:
            chosen[agent] = actions[agent]
        if steered is not None and controls is not None:
            steered[:, hands] = controls[:, hands]
        self.scores.before()
        env.step(chosen, steered)
        self.scores.after()
        self._recording.step(chosen, steered)

    def episode(self) -> Episode:
        """The episode so far, and who played it.

        Raises:
            EnvError: there was no tick.
        """
        return self._recording.episode(self.hands, self._said)

    def _waits(self, agent: int) -> bool:
        allowed = self.allowed(agent)
        return sum(allowed) == 1 and allowed[schema.idle_action(self.env.universe)]


def instead(make: Make, hands: Sequence[int], others: Player, player: Player, ticks: int) -> list[Score]:
    """The scores of a policy that plays in the place of these agents, in the same world, beside the same others; of so
    many ticks at most."""
    game = Game(make, hands, others)
    choose: Callable[[], Choice] = game.env.acting(player.of(game.env))
    while game.going and game.ticks < ticks:
        chosen, controls = choose()
        game.tick(dict(enumerate(chosen.tolist())), controls)
    return [game.scores.agents[agent] for agent in hands]


def fingerprint(player: Player) -> str:
    """The policy of a player as episodes say it: "random", or the SHA-256 of its numbers."""
    if player.is_random:
        return RANDOM
    digest = hashlib.sha256()
    if player.learnt is None:
        digest.update(repr(sorted((player.table or {}).items())).encode())
    else:
        for name, values in player.learnt.named_parameters():
            digest.update(name.encode() + values.detach().cpu().numpy().tobytes())
    return digest.hexdigest()


def seats(env: Env, agents: Sequence[int], roles: Sequence[str]) -> tuple[int, ...]:
    """The numbers of the agents that a user plays: these, and all of these roles; by default the first one.

    Raises:
        CompileError: there is no such agent or role.
    """
    for agent in agents:
        if agent >= env.num_agents:
            raise CompileError(f"--agent {agent}: there are agents 0 .. {env.num_agents - 1}")
    for role in roles:
        if role not in env.roles:
            raise CompileError(f"--role {role}: {env.universe.name} has {', '.join(env.roles) or 'no roles'}")
        if not env.roles[role].agents:
            raise CompileError(f"--role {role}: nobody has it in a world of {env.num_agents} agents")
    chosen = {*agents, *(agent for role in roles for agent in env.roles[role].agents)}
    return tuple(sorted(chosen or {0}))
