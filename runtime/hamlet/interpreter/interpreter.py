"""The backend around the tick: resets, steps, rollouts."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from hamlet import schema
from hamlet.backend.buffers import Buffers, Shape, Statistics, of_agents
from hamlet.backend.playing import play
from hamlet.backend.protocol import (
    NOTHING_BY_TICK,
    ByTick,
    NetworkPolicy,
    Policy,
    RandomPolicy,
    RecordedPolicy,
    Stream,
    TabularPolicy,
)
from hamlet.interpreter import observe, statistics
from hamlet.interpreter.births import births, living_at_first, of_pool
from hamlet.interpreter.cells import begin_cells, cell_sites, count_on_cells
from hamlet.interpreter.constants import Constants
from hamlet.interpreter.coverage import NEW_EPISODE, Coverage
from hamlet.interpreter.draws import PairDraws, Sites
from hamlet.interpreter.episode import advance_clock, begin_episodes, begin_meters, begin_world_meters, constant_starts
from hamlet.interpreter.lanes import load
from hamlet.interpreter.networks import decider
from hamlet.interpreter.pairs import begin_pairs
from hamlet.interpreter.places import Places
from hamlet.interpreter.policy import drawn_controls, look_up
from hamlet.interpreter.tick import tick
from hamlet.interpreter.trace import Trace
from hamlet.interpreter.walls import begin_beside_walls, begin_on_cells, find_walls
from hamlet.numbers.counters import (
    BIRTH_DRAWS,
    CELL_DRAWS,
    CELL_EPISODE_DRAWS,
    EPISODE_DRAWS,
    LANE_DRAWS,
    PAIR_DRAWS,
    PAIR_EPISODE_DRAWS,
    WORLD_DRAWS,
    WORLD_EPISODE_DRAWS,
)
from hamlet.numbers.random import Words, multiply_high, policy_words
from hamlet.universe import Universe


class Interpreter:
    """Executes a universe by looking everything up as it goes; a `hamlet.backend.protocol.Backend`.

    `coverage` counts what fires; `trace` records the writes to one lane's meters. Without them they cost nothing.
    Nothing is differentiated through a tick: in torch's inference mode each of its many operations costs a fifth less.
    """

    name: str = "interpreter"
    origin: str = "none"

    def __init__(
        self,
        universe: Universe,
        device: torch.device,
        coverage: Coverage | None = None,
        trace: Trace | None = None,
    ) -> None:
        self.universe = universe
        self.device = device
        self.coverage = coverage
        self.trace = trace
        self._constant = Constants(universe, device)
        self._places = Places(universe, device)
        self._starts = constant_starts(universe)

    @torch.inference_mode()
    def reset(self, buffers: Buffers, stream: Stream, worlds: Tensor | None = None) -> None:
        """Start a new episode, number `buffers.state["episode"]`, in every world, or in those of a mask, [worlds] bool;
        then observations and masks of all."""
        every = torch.arange(buffers.shape.worlds, device=self.device)
        self._begin(buffers, every if worlds is None else every[worlds], stream)
        self.observe(buffers)

    @torch.inference_mode()
    def observe(self, buffers: Buffers) -> None:
        """Observations and masks of the state as it is."""
        self._observe(buffers)

    def _observe(self, buffers: Buffers) -> None:
        lanes = load(self.universe, buffers, self._places, self._constant, self.coverage)
        find_walls(lanes)
        worlds, agents = buffers.shape.worlds, buffers.shape.agents
        if buffers.observation is not None:
            observe.observe(lanes, buffers.observation.view(-1, worlds, agents))
        observe.mask(lanes, buffers.mask.view(-1, worlds, agents))

    @torch.inference_mode()
    def step(self, buffers: Buffers, actions: Tensor, stream: Stream, statistics: Statistics | None = None) -> None:
        """One tick with actions [lanes] i32: state, outcomes, observations, final observations, masks, statistics."""
        self._tick(buffers, actions, stream, True, statistics)

    @torch.inference_mode()
    def rollout(
        self,
        buffers: Buffers,
        ticks: int,
        policy: Policy,
        stream: Stream,
        observe_every_tick: bool,
        statistics: Statistics | None,
        by_tick: ByTick = NOTHING_BY_TICK,
    ) -> None:
        """So many ticks; see `hamlet.backend.protocol.Backend`."""
        if isinstance(policy, NetworkPolicy):
            deciding, by_hand = decider(policy, buffers.shape, stream), self.universe.by_hand
            last = policy.store, by_hand, policy.recall
            play(self, buffers, ticks, deciding, stream, observe_every_tick, statistics, by_tick, *last)
            return
        numbers, count = global_lanes(buffers.shape, self.device), len(schema.choices(self.universe))
        words: Words | None = None
        for index in range(ticks):
            now = Stream(stream.seed, stream.tick + index)
            if words is None or now.tick % 4 == 0:
                words = policy_words(numbers, now.tick, (stream.low, stream.high))
            match policy:
                case RecordedPolicy(actions=recorded):
                    actions = recorded[index]
                case RandomPolicy():
                    actions = multiply_high(words[now.tick % 4], count).to(torch.int32)
                case TabularPolicy():
                    actions = self.look_up(buffers, policy, words[now.tick % 4])
            state = buffers.state | {name: values[index] for name, values in by_tick.items()}
            if self.universe.controls and "controls" not in by_tick and not isinstance(policy, RecordedPolicy):
                state["controls"] = drawn_controls(self.universe, numbers, now)
            self._tick(replace(buffers, state=state), actions, now, observe_every_tick, statistics)
        if not observe_every_tick:
            self.observe(buffers)

    def _global_worlds(self, shape: Shape) -> Tensor:
        """The number of each world among all shards, i64 [worlds, 1]."""
        return torch.arange(shape.first_world, shape.first_world + shape.worlds, device=self.device).view(-1, 1)

    @torch.inference_mode()
    def look_up(self, buffers: Buffers, policy: TabularPolicy, words: Tensor) -> Tensor:
        """The actions i32 [lanes] that a table has for the state as it is; words: i64 [lanes], of this tick."""
        return look_up(policy, load(self.universe, buffers, self._places, self._constant), words)

    def _begin(self, buffers: Buffers, worlds: Tensor, stream: Stream) -> None:
        """Start these worlds anew, with the episode number that they have."""
        begin_episodes(self.universe, self._starts, buffers, self._places, worlds, stream)
        self._begin_worlds(buffers, worlds, stream)
        universe = self.universe
        if universe.pools:
            lanes = load(universe, buffers, self._places, self._constant)
            for pool in universe.pools:
                unborn = (of_pool(pool, lanes) & ~living_at_first(pool, lanes))[worlds]
                lanes.alive[worlds] = lanes.alive[worlds] & ~unborn
        alone = universe.cells is None and universe.pairs is None
        constant = alone and all(isinstance(meter.start, float) for meter in universe.meters)
        if constant and universe.starting is None:
            return
        numbers = global_lanes(buffers.shape, self.device).view(buffers.shape.worlds, buffers.shape.agents)
        episode = buffers.state["episode"].long().unsqueeze(1)
        seed = (stream.low, stream.high)
        sites = Sites(numbers, episode, EPISODE_DRAWS, seed)
        of_cells = cell_sites(universe, self._global_worlds(buffers.shape), episode, CELL_EPISODE_DRAWS, seed)
        lanes = load(
            universe, buffers, self._places, self._constant, self.coverage, sites=sites, sites_of_cells=of_cells,
            draws_of_pairs=PairDraws(numbers, episode, PAIR_EPISODE_DRAWS, seed),
        )  # fmt: skip
        beginning = torch.zeros(buffers.shape.worlds, dtype=torch.bool, device=self.device)
        beginning[worlds] = True
        lanes.running = beginning.unsqueeze(1).expand(numbers.shape)
        begin_meters(lanes, buffers, worlds)
        begin_pairs(lanes, buffers.state, worlds)
        begin_cells(lanes, buffers.state, worlds)
        begin_beside_walls(lanes, buffers, self._places, worlds)
        begin_on_cells(lanes, buffers, self._places, worlds)
        self._count_on_cells(buffers, worlds)

    def _count_on_cells(self, buffers: Buffers, worlds: Tensor) -> None:
        """Find the totals of the agents on each cell of these worlds anew, on the state as it is."""
        if self.universe.counts:
            lanes = load(self.universe, buffers, self._places, self._constant, self.coverage)
            count_on_cells(lanes, buffers.state, worlds)

    def _begin_worlds(self, buffers: Buffers, worlds: Tensor, stream: Stream) -> None:
        """Give the meters of these worlds their start values, where those are expressions."""
        of_world = () if self.universe.world is None else self.universe.world.meters
        if all(isinstance(meter.start, float) for meter in of_world):
            return
        episode, seed = buffers.state["episode"].long().unsqueeze(1), (stream.low, stream.high)
        sites = Sites(self._global_worlds(buffers.shape), episode, WORLD_EPISODE_DRAWS, seed)
        for lasting in (True, False):
            lanes = load(self.universe, buffers, self._places, self._constant, self.coverage, sites=sites)
            lanes.running = torch.zeros(buffers.shape.worlds, 1, dtype=torch.bool, device=self.device)
            lanes.running[worlds] = True
            begin_world_meters(lanes, buffers, worlds, lasting=lasting)

    def _tick(
        self, buffers: Buffers, actions: Tensor, stream: Stream, observed: bool, counts: Statistics | None
    ) -> None:
        """A tick, the clock, and new episodes where all agents of a world are done; observations where wanted."""
        worlds, agents = buffers.shape.worlds, buffers.shape.agents
        numbers = global_lanes(buffers.shape, self.device).view(worlds, agents)
        seed = (stream.low, stream.high)
        sites = Sites(numbers, stream.tick, LANE_DRAWS, seed)
        of_world = Sites(self._global_worlds(buffers.shape), stream.tick, WORLD_DRAWS, seed)
        of_cells = cell_sites(self.universe, self._global_worlds(buffers.shape), stream.tick, CELL_DRAWS, seed)
        lanes = load(
            self.universe, buffers, self._places, self._constant, self.coverage, self.trace, sites, of_world, of_cells,
            PairDraws(numbers, stream.tick, PAIR_DRAWS, seed),
        )  # fmt: skip
        find_walls(lanes)
        ran = lanes.running.clone()
        tick(lanes, actions.view(worlds, agents), buffers)
        if counts is not None:
            statistics.add(counts, buffers, self.universe)
        if self.universe.pools:
            of_births = Sites(numbers, stream.tick, BIRTH_DRAWS, seed)
            lanes = load(self.universe, buffers, self._places, self._constant, self.coverage, self.trace, of_births)
            births(lanes, buffers, ran, self._starts)
        self._count_on_cells(buffers, torch.arange(worlds, device=self.device))
        advance_clock(self.universe, buffers)
        if observed:
            self._observe(buffers)
        over = ~buffers.state["alive"].view(worlds, agents).any(dim=1)
        waits = buffers.shape.waits
        if waits:
            over &= (buffers.outcome["cause"] == schema.NOWHERE).view(worlds, agents).all(dim=1)
        if self.universe.by_hand or not over.any():
            return
        if self.coverage is not None:
            self.coverage.count(NEW_EPISODE, over)
        if observed and not waits and buffers.observation is not None and buffers.final_observation is not None:
            lanes_over = of_agents(over, agents)
            buffers.final_observation[:, lanes_over] = buffers.observation[:, lanes_over]
        anew = over.nonzero().squeeze(1)
        buffers.state["episode"][anew] += 1
        self._begin(buffers, anew, stream)
        if observed:
            self.observe(buffers)


def global_lanes(shape: Shape, device: torch.device) -> Tensor:
    """The number of each lane among all shards, i64 [lanes]."""
    first = shape.first_world * shape.agents
    return torch.arange(first, first + shape.lanes, device=device)
