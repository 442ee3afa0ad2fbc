"""Crews act in worlds on a GPU by turns: `hamlet_train.collect` where nobody waits for the device."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import torch

from hamlet.backend.buffers import Shape
from hamlet.backend.playing import Decide
from hamlet.backend.protocol import Decided, NetworkPolicy, Stream
from hamlet.backend.recall import Recall
from hamlet.backend.storage import Storage, storage_like
from hamlet.env.environment import Env
from hamlet.launch.gpu.deciding import decider, kernel_of
from hamlet.numbers.random import WORD
from hamlet.policies.mlp import MLP
from hamlet_train.collect import over, ranges
from hamlet_train.crews import Crew
from hamlet_train.exact.network import Array, Network
from hamlet_train.gpu.controls import draw_controls
from hamlet_train.gpu.launches import Launch, run
from hamlet_train.gpu.layers import pass_lanes
from hamlet_train.gpu.mind import Mind
from hamlet_train.gpu.taught import Notes, is_small, power
from hamlet_train.past import Part
from hamlet_train.policy import Policy
from hamlet_train.ppo import Learned, Lives

LANES = 128
"""Lanes of a program."""
LAYER_LANES, OUTPUTS = 64, 32
"""Lanes, and outputs of a hidden layer, of a program."""
SHARED = {"alive", "rewards", "terminated", "truncated", "values", "final_values"}
"""The parts of the store of a crew that a critic of its own learns from."""


Judge: TypeAlias = Callable[[torch.Tensor, torch.Tensor, "torch.Tensor | None", "int | None"], torch.Tensor]
"""Values [lanes] of what all observe [values, lanes of the environment] and of who lives, of those that ask, by default
of all; what is seen at a tick of a storage is kept there."""


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
    like = storage_like(ticks, network.reads, network.actions, lanes)
    return Storage(**{name: torch.zeros_like(each, device=device) for name, each in like.items()})


def team_pay(rewards: torch.Tensor, agents: int, team: range) -> torch.Tensor:
    """See `hamlet_train.collect.shared_pay`."""
    each = rewards.view(-1, agents)
    total = torch.zeros_like(each[:, 0])
    for agent in team:
        total = total + each[:, agent]
    shared = each.clone()
    # On a GPU torch multiplies by the reciprocal where it divides by a number that is no tensor.
    shared[:, team.start : team.stop] = (total / torch.full_like(total, len(team)))[:, None]
    return shared.view(-1)


@dataclass(frozen=True, slots=True)
class GpuCritic:
    """A critic that sees the world, as `hamlet_train.critic` says it, for the agents of a crew.

    Attributes:
        mind: has the parameters.
        own: how many values an agent of the crew observes. agents: of a world.
        lanes: [lanes of the crew] i64, their numbers in the environment.
        stored: what it learns from. The one action of it is always allowed, and certain.
    """

    mind: Mind
    own: int
    agents: int
    lanes: torch.Tensor
    stored: Storage

    @classmethod
    def of(cls, env: Env, crew: Crew, mind: Mind, stored: Storage) -> GpuCritic:
        """The critic of a crew."""
        stored.tensors["masks"].fill_(True)
        return cls(mind, len(crew.reach), env.num_agents, _places(env, crew)[0], stored)

    def overview(self, observed: torch.Tensor, living: torch.Tensor) -> torch.Tensor:
        """The inputs of the critic, [inputs, lanes of the crew], of what all observe [values, lanes]; zeros of who does
        not live [lanes]. Lanes are those of the environment where nothing else is said."""
        every = (observed * living.float()).view(len(observed), -1, self.agents)
        of_world = every.permute(2, 0, 1).reshape(self.agents * len(observed), -1)
        worlds = torch.div(self.lanes, self.agents, rounding_mode="floor")
        return torch.cat([observed[: self.own].index_select(1, self.lanes), of_world.index_select(1, worlds)])


@dataclass(frozen=True, slots=True)
class GpuPlayer:
    """A network that plays a crew, and where it leaves what it lives through.

    Attributes:
        mind: has the parameters.
        lanes: [lanes of the crew] i64, their numbers in the environment.
        numbers: [actions] i64, those of its actions; `None` where it has all of them.
        stored: what `hamlet_train.gpu.learner.Lesson.teach` reads, `None` of who learns nothing.
        notes: what it reads beside that; of one tick where nothing is learnt.
        chances: [ticks, lanes], how likely what was done was; of one tick likewise.
        team: the agents of a world that are paid the mean of their rewards.
        critic: who says in its place what its observations are worth.
        listener: what a crew remembers, some of whose lanes it plays, and the numbers of these among the crew's.
    """

    mind: Mind
    lanes: torch.Tensor
    numbers: torch.Tensor | None
    stored: Storage | None
    notes: Notes
    chances: torch.Tensor
    team: range | None = None
    critic: GpuCritic | None = None
    listener: tuple[Recall, torch.Tensor] | None = None

    @classmethod
    def of(
        cls, env: Env, crew: Crew, mind: Mind, stored: Storage, notes: Notes, pays: bool,
        critic: GpuCritic | None = None,
    ) -> GpuPlayer:  # fmt: skip
        """The player of a crew that learns; `pays`: as a team."""
        lanes, numbers = _places(env, crew)
        team = crew.agents if pays else None
        return cls(mind, lanes, numbers, stored, notes, stored.tensors["log_probs"], team, critic)

    @classmethod
    def fixed(cls, env: Env, crew: Crew, policy: Policy) -> GpuPlayer:
        """The player of a crew by a policy that stays as it is: that of its role, or one that all roles share."""
        network, (lanes, numbers) = policy.network, _places(env, crew)
        own = (network.inputs, network.actions) == (len(crew.reach), crew.choices)
        return cls._apart(env, network, policy.parameters, lanes, numbers if own else None)

    @classmethod
    def past(cls, env: Env, crew: Crew, network: Network, part: Part, crew_recall: Recall | None) -> GpuPlayer:
        """The player of what a past self of a crew plays, who knows what that crew remembers."""
        lanes, own = (torch.from_numpy(each).to(env.device) for each in (part.lanes, part.own))
        player = cls._apart(env, network, part.parameters, lanes, _places(env, crew)[1])
        if crew_recall is None:
            return player
        mine = player.mind.recall
        assert mine is not None
        for into, numbers in (
            (mine.hidden, crew_recall.hidden),
            (mine.before, crew_recall.before),
            (mine.acted, crew_recall.acted),
        ):
            into.copy_(numbers.index_select(-1, own))
        return replace(player, listener=(crew_recall, own))

    @classmethod
    def _apart(
        cls, env: Env, network: Network, parameters: Array, lanes: torch.Tensor, numbers: torch.Tensor | None
    ) -> GpuPlayer:
        """A player that learns nothing."""
        mind = Mind(network, len(lanes), env.device)
        nothing = Learned.begun(network, np.ones(network.inputs, np.float32), 0)
        mind.take(replace(nothing, parameters=parameters), Lives.begun(len(lanes)))
        chances = torch.zeros(1, len(lanes), device=env.device)
        return cls(mind, lanes, numbers, None, Notes.empty(network, 1, len(lanes), env.device), chances)

    def shown(self, seen: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The values that its lanes observe, of all [values, lanes of the environment], and the rows of its actions in
        their masks."""
        allowed = mask if self.numbers is None else mask.index_select(0, self.numbers)
        return self.own(seen[: self.mind.network.inputs]), self.own(allowed)

    def own(self, row: torch.Tensor) -> torch.Tensor:
        """The numbers of its lanes, of those of the environment in the last dimension."""
        return row.index_select(-1, self.lanes)

    def remember(self, tick: int, observed: torch.Tensor, age: torch.Tensor, decided: Decided) -> torch.Tensor:
        """Keep in mind what its lanes saw [values, lanes] and did at an age [lanes], and note for learning where they
        began. The inputs of its network [inputs, lanes], of what they remembered before."""
        recall = self.mind.recall
        if recall is None:
            return observed
        fresh = recall.fresh(age)
        sensed = recall.sensed(observed, fresh, self.mind.network.actions)
        self.notes.begins[tick].copy_(fresh)
        if tick == 0:
            self.notes.first.copy_(recall.hidden.T)
        assert decided.hidden is not None
        recall.keep(decided.hidden, observed, decided.actions)
        if self.listener is not None:
            heard, own = self.listener
            heard.acted.index_copy_(0, own, recall.acted)
        return sensed

    def keep(self, tick: int, **rows: torch.Tensor) -> None:
        """Store a tick: numbers of its lanes by their name in a storage, and of what its critic learns from too."""
        if self.stored is not None:
            _keep(self.stored, tick, rows)
        if self.critic is not None:
            _keep(self.critic.stored, tick, {name: rows[name] for name in rows.keys() & SHARED})


class Stage:
    """Worlds in which each crew decides for its lanes, tick by tick, with the words of these."""

    def __init__(self, env: Env, learners: Sequence[GpuPlayer], others: Sequence[GpuPlayer] = ()) -> None:
        """A stage for those who learn, and others who play as they are."""
        self._env, self._learners, self._others = env, tuple(learners), tuple(others)
        self._chosen = torch.zeros(env.num_lanes, dtype=torch.int32, device=env.device)
        self._controls = torch.zeros(env.num_controls, env.num_lanes, device=env.device)
        self._ranges = torch.from_numpy(ranges(env)).to(env.device)
        # Their weights stay as they are.
        self._fixed = [self._decider(player) for player in others]

    def play(self, past: Sequence[GpuPlayer] = ()) -> None:
        """Fill the storages. Past selves play in the place of learners."""
        env, by_hand = self._env, self._env.universe.by_hand
        others = [*zip(self._others, self._fixed, strict=True), *((each, self._decider(each)) for each in past)]
        learners = [(player, self._decider(player), self._judge(player)) for player in self._learners]
        seen, mask, alive = _rows(env)
        for tick in range(len(self._learners[0].notes.raw)):
            living = alive.clone()
            for player, decide, judge in learners:
                self._decide(player, decide, tick, seen, mask)
                player.keep(tick, alive=player.own(alive))
                if judge is not None:
                    player.keep(tick, values=judge(seen, living, None, tick))
            for player, decide in others:
                self._decide(player, decide, 0, seen, mask)
            controls = self._controls if env.num_controls else None
            observation, reward, terminated, truncated, info = env.step(self._chosen, controls)
            last = observation if by_hand else info["final_observation"]
            assert last is not None
            seen, mask, alive = _rows(env)
            for player, decide, judge in learners:
                paid = reward if player.team is None else team_pay(reward, env.num_agents, player.team)
                cut = player.own(truncated)
                player.keep(tick, rewards=player.own(paid), terminated=player.own(terminated), truncated=cut)
                if judge is None:
                    values = decide(*player.shown(last.T, mask), env.tick, None, cut).values
                else:
                    values = judge(last.T, living, cut, None)
                assert values is not None
                player.keep(tick, final_values=torch.where(cut, values, torch.zeros_like(values)))
            if by_hand:
                # Whether any world is over would have to be waited for.
                env.reset(worlds=over(env))
                seen, mask, alive = _rows(env)
        for player, decide, judge in learners:
            if judge is None:
                values = decide(*player.shown(seen, mask), env.tick, player.own(env.state["age"])).values
            else:
                values = judge(seen, alive, None, None)
            assert values is not None
            player.keep(len(player.notes.raw), values=values)

    def _decide(self, player: GpuPlayer, decide: Decide, tick: int, seen: torch.Tensor, mask: torch.Tensor) -> None:
        """Take the decisions of a player, and store what it saw, what it chose and how likely that was."""
        observed, allowed = player.shown(seen, mask)
        age = player.own(self._env.state["age"])
        decided = decide(observed, allowed, self._env.tick, age)
        assert decided.values is not None
        inputs = player.remember(tick, observed, age, decided)
        player.keep(tick, observations=inputs, masks=allowed, actions=decided.actions)
        player.keep(tick, log_probs=decided.log_probs, values=decided.values)
        actions = decided.actions
        mine = actions if player.numbers is None else player.numbers[actions.long()].to(torch.int32)
        self._chosen.index_copy_(0, player.lanes, mine)
        if decided.means is not None:
            self._draw(player, tick, decided.means, decided.log_probs)

    def _judge(self, player: GpuPlayer) -> Judge | None:
        """The values of a player's critic as it is now."""
        critic = player.critic
        if critic is None:
            return None
        decide = self._decider(critic)

        def judged(
            observed: torch.Tensor, living: torch.Tensor, asking: torch.Tensor | None, tick: int | None
        ) -> torch.Tensor:
            seen = critic.overview(observed, living)
            if tick is not None:
                critic.stored.tensors["observations"][tick].copy_(seen)
            values = decide(seen, critic.stored.tensors["masks"][0], self._env.tick, None, asking).values
            assert values is not None
            return values

        return judged

    def _decider(self, player: GpuPlayer | GpuCritic) -> Decide:
        """The decisions of a player by its mind as that is now."""
        env, mind = self._env, player.mind
        layers = tuple((weights.unsqueeze(0), biases.unsqueeze(0)) for weights, biases in mind.layers)
        whole = is_small(mind.network)
        gates = None if mind.gates is None else (mind.gates[0].unsqueeze(0), mind.gates[1].unsqueeze(0))
        policy = NetworkPolicy(
            layers if whole else layers[-1:],
            "tanh",
            value=True,
            sample=True,
            controls=mind.network.controls,
            gates=gates,
            recall=mind.recall,
        )
        shape = Shape(env.num_worlds, env.num_agents, env.first_world)
        numbers = player.lanes.to(torch.int32)
        heads = decider(policy, shape, Stream(env.seed, env.tick), kernel_of(policy), numbers=numbers)
        return heads if whole else _through_layers(mind, heads)

    def _draw(self, player: GpuPlayer, tick: int, means: torch.Tensor, log_probs: torch.Tensor) -> None:
        """Draw the controls of a player around their means, and count their densities to what was likely."""
        env = self._env
        count, stream = len(player.lanes), Stream(env.seed, env.tick)
        arrays = (
            *(means, player.mind.log_deviations, log_probs, player.lanes, self._ranges),
            *(player.notes.raw[tick], player.chances[tick], self._controls),
        )
        words = env.first_world * env.num_agents & WORD, stream.low, stream.high, stream.tick & WORD
        constants = {"CONTROLS": env.num_controls, "BLOCK": LANES}
        programs = -(-count // LANES)
        run(Launch(draw_controls, programs, (*arrays, count, env.num_lanes, *words), constants, LANES))


def _through_layers(mind: Mind, heads: Decide) -> Decide:
    """The decisions of heads behind the hidden layers of a mind, a launch for each."""
    table = mind.network.table.tolist()[:-1]

    def deciding(
        observation: torch.Tensor,
        mask: torch.Tensor,
        tick: int,
        age: torch.Tensor | None,
        asking: torch.Tensor | None = None,
    ) -> Decided:
        x = observation.contiguous()
        lanes = x.shape[1]
        for inputs, _, rows, columns, weight, bias, *_ in table:
            y = torch.empty((rows, lanes), device=x.device)
            outputs = min(power(rows), OUTPUTS)
            programs = -(-lanes // LAYER_LANES) * -(-rows // outputs)
            arguments = x, mind.parameters[weight:], mind.parameters[bias:], y, inputs, lanes, columns
            constants = {"ROWS": rows, "OUTPUTS": outputs, "BLOCK": LAYER_LANES}
            run(Launch(pass_lanes, programs, arguments, constants))
            x = y
        return heads(x, mask, tick, age, asking)

    return deciding


def _keep(stored: Storage, tick: int, rows: Mapping[str, torch.Tensor]) -> None:
    tensors = stored.tensors
    for name in rows.keys() & tensors.keys():
        tensors[name][tick].copy_(rows[name])


def _places(env: Env, crew: Crew) -> tuple[torch.Tensor, torch.Tensor | None]:
    """The lanes of a crew in an environment, and the numbers of its actions, `None` where it has all."""
    lanes = torch.arange(env.num_lanes) if crew.lanes is None else torch.from_numpy(crew.lanes)
    return lanes.to(env.device), None if crew.actions is None else torch.from_numpy(crew.actions).to(env.device)


def _rows(env: Env) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The observation [values, lanes] of an environment now, the mask [actions, lanes], and who is alive [lanes]."""
    observation = env.observation
    assert observation is not None
    return observation.T, env.action_mask.T, env.state["alive"]
