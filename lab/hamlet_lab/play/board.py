"""A board of scores: episodes that are played again, tick by tick, from the beginning that the universe gives them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

import hamlet
from hamlet.env.environment import Env
from hamlet.env.keep.episode import Episode, bits_of, check_of
from hamlet.env.record import MOST_TICKS
from hamlet.env.replay import seen_by
from hamlet.errors import EnvError
from hamlet.package.module import Module
from hamlet.policies.parts import differing, parts_of, told
from hamlet.universe import Universe
from hamlet.universe.codec import to_json
from hamlet_lab.play.game import Score, Scores, fingerprint
from hamletc.cli.policy import RANDOM, Player
from hamletc.errors import CompileError


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms that all games of a board have in common.

    Attributes:
        hands: the agents whose returns count.
        agents: in the world.
        others: who plays the others: "random", the SHA-256 of a policy's numbers, or "" where there are none.
    """

    hands: tuple[int, ...]
    agents: int
    others: str

    @classmethod
    def of(cls, episode: Episode) -> Terms:
        """The terms of an episode. One that a single policy played is as if all agents were played by hand."""
        everybody = tuple(range(episode.agents))
        hands = episode.hands or everybody
        return cls(hands, episode.agents, "" if hands == everybody else episode.others)

    @property
    def said(self) -> str:
        """In words."""
        who = "all agents" if len(self.hands) == self.agents else f"agents {', '.join(map(str, self.hands))}"
        who = f"agent {self.hands[0]}" if len(self.hands) == 1 and self.agents > 1 else who
        beside = "" if not self.others else " beside random ones" if self.others == RANDOM else " beside a policy"
        return f"{who} of {self.agents} by hand{beside}" if self.agents > 1 else "one agent"


@dataclass(frozen=True, slots=True)
class Entry:
    """A game that was played again.

    Attributes:
        name: of its player: that of its file.
        returned: the mean return of the agents by hand. ticks, ended: of the one that lived longest.
        actions: the SHA-256 of what they did.
    """

    name: str
    returned: float
    ticks: int
    ended: str
    seed: int
    world: int
    actions: str


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules by which a board takes games.

    Attributes:
        module: the universe.
        terms: see `Terms`.
        player: who plays the others; `None` where the user names no policy.
        params: of the world, where they are not those of the universe.
        seed, world: which alone are taken; `None`: any.
    """

    module: Module
    terms: Terms
    player: Player | None
    params: Mapping[str, float]
    seed: int | None = None
    world: int | None = None
    backend: str = "interpreter"
    device: str | None = None


def same_universe(universe: Universe, other: Universe) -> str:
    """The parts in which two universes differ, in words; "" where they are the same but for comments."""
    before, now = parts_of(universe), parts_of(other)
    return "" if before == now else told(differing(before, now)) or "its text"


def most_common(episodes: Iterable[Episode]) -> tuple[Universe, Terms]:
    """The universe, and for that one the terms, that most episodes have.

    Raises:
        CompileError: several have as many.
    """
    every = list(episodes)
    universes = Counter(_digest(each.universe) for each in every)
    (digest, most), *rest = universes.most_common()
    if rest and rest[0][1] == most:
        names = sorted({each.universe.name for each in every})
        raise CompileError(f"as many episodes are of one universe as of another ({', '.join(names)}): give --universe")
    mine = [each for each in every if _digest(each.universe) == digest]
    return mine[0].universe, common_terms(mine)


def common_terms(episodes: Iterable[Episode]) -> Terms:
    """The terms that most episodes have; of those that as many have, the first ones."""
    return Counter(map(Terms.of, episodes)).most_common(1)[0][0]


def judged(name: str, episode: Episode, rules: Rules) -> Entry:
    """Play an episode again, and return its score.

    Raises:
        EnvError: it is not what the rules ask for, or differs from what was recorded; the message says where.
    """
    _check_terms(episode, rules)
    env = hamlet.make(
        rules.module,
        worlds=1,
        agents=episode.agents,
        first_world=episode.world,
        seed=episode.seed,
        backend=rules.backend,
        device=rules.device,
        params=dict(rules.params),
        validate=True,
        quiet=True,
        launch="step",
    )
    fresh = env.state_dict()
    others = [name for name, values in fresh["state"].items() if bits_of(values) != bits_of(episode.state[name])]
    if others:
        why = ": --param says which numbers the worlds of a board have" if others == ["params"] else ""
        raise EnvError(
            f"it begins with other {', '.join(others)} than world {episode.world} of seed {episode.seed}{why}"
        )
    if episode.tick:
        raise EnvError(f"it begins in tick {episode.tick}, and games begin in tick 0")
    scores = _replayed(env, episode, rules)
    mine = [scores[agent] for agent in rules.terms.hands]
    longest = max(mine, key=lambda each: each.ticks)
    did = hashlib.sha256(bits_of(episode.actions[:, list(rules.terms.hands)].contiguous()))
    did.update(b"" if episode.controls is None else bits_of(episode.controls))
    returned = sum(each.returned for each in mine) / len(mine)
    return Entry(name, returned, longest.ticks, longest.ended, episode.seed, episode.world, did.hexdigest())


def _check_terms(episode: Episode, rules: Rules) -> None:
    name, terms = rules.module.name, Terms.of(episode)
    if episode.universe.name != name:
        raise EnvError(f"it is of {episode.universe.name}, and this board of {name}: another universe")
    if parts := same_universe(episode.universe, rules.module.universe):
        raise EnvError(f"it is of another version of {name}: {parts} differ{'s' * (' and ' not in parts)}")
    if terms != rules.terms:
        mine, board = terms.said, rules.terms.said
        raise EnvError(f"it was played as {mine}, and this board is of {board if mine != board else 'other players'}")
    for what, value, only in (("seed", episode.seed, rules.seed), ("world", episode.world, rules.world)):
        if only is not None and value != only:
            raise EnvError(f"it is of {what} {value}, and this board of {what} {only}")
    if episode.ticks > MOST_TICKS:
        raise EnvError(f"it has {episode.ticks:,} ticks, more than any episode that is recorded")
    if not episode.ticks:
        raise EnvError("it has no ticks")


def _replayed(env: Env, episode: Episode, rules: Rules) -> list[Score]:
    """The scores of all agents.

    Raises:
        EnvError: something differs, or the episode does not end where it ends.
    """
    scores = Scores(env)
    hands = set(rules.terms.hands)
    others = torch.tensor([agent for agent in range(env.num_agents) if agent not in hands], dtype=torch.int64)
    choose = None
    if len(others):
        player = rules.player or Player()
        choose = env.acting(player.of(env))
    number = int(env.state["episode"])
    for tick, check in enumerate(episode.checks):
        if int(env.state["episode"]) != number or not bool(env.state["alive"].any()):
            raise EnvError(f"it goes on after its end, in tick {tick}")
        actions = episode.actions[tick].to(env.device)
        controls = None if episode.controls is None else episode.controls[tick].to(env.device)
        if choose is not None:
            chosen, steered = choose()
            _check_others(tick, others, [(chosen, actions), (steered, controls)], rules)
        scores.before()
        env.step(actions, controls)
        scores.after()
        if check_of(env.universe, env.state, env.outcome, seen_by(env)) != check:
            raise EnvError(f"what it recorded differs from the replay first in tick {tick} of {episode.ticks}")
    if int(env.state["episode"]) == number and bool(env.state["alive"].any()) and episode.ticks < MOST_TICKS:
        raise EnvError(f"its episode has not ended in tick {episode.ticks}")
    return scores.agents


def _check_others(tick: int, others: Tensor, pairs: list[tuple[Tensor | None, Tensor | None]], rules: Rules) -> None:
    for mine, recorded in pairs:
        if mine is None or recorded is None:
            continue
        if bits_of(mine[..., others].contiguous()) != bits_of(recorded[..., others].contiguous()):
            who = "random ones" if rules.player is None else rules.player.named
            raise EnvError(f"the actions of others are not those of {who} in tick {tick}")


def check_player(terms: Terms, player: Player | None) -> None:
    """Raise `CompileError` unless the policy that a user names is the one that plays the others."""
    if not terms.others or terms.others == RANDOM:
        if player is not None and not player.is_random:
            who = "random ones" if terms.others else "nobody else"
            raise CompileError(f"--policy: these games were played beside {who}")
    elif player is None:
        raise CompileError("these games were played beside a policy: give it, as --policy RUN, so that it is checked")
    elif fingerprint(player) != terms.others:
        raise CompileError(f"--policy: these games were played beside another policy than {player.named}")


def _digest(universe: Universe) -> str:
    return hashlib.sha256(to_json(universe).encode(errors="surrogatepass")).hexdigest()
