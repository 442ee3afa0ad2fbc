"""Programs as backends: a program is executed by the definition of its operations (`hamletc.ir.evaluate`). No code is
generated, so that thousands of universes can be compared with the interpreter, and every value can be asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch

from hamlet import schema
from hamlet.backend.buffers import Buffers, Statistics, of_agents
from hamlet.backend.playing import play
from hamlet.backend.protocol import (
    NOTHING_GIVEN,
    Given,
    NetworkPolicy,
    Policy,
    RandomPolicy,
    RecordedPolicy,
    Stream,
    TabularPolicy,
)
from hamlet.interpreter.networks import decider
from hamlet.interpreter.statistics import add
from hamlet.schema.observed import STEPS, Scale
from hamlet.universe import Universe
from hamlet_lab.divergence.arrays import Array as Compared
from hamlet_lab.divergence.arrays import Difference, differences
from hamlet_lab.divergence.events import CPU, Candidate, Runner
from hamlet_lab.divergence.session import Outcome
from hamlet_lab.divergence.spreading import Spreading
from hamletc.ir.evaluate import Array, evaluate
from hamletc.ir.function import STAGES, Program, Stage, pairer, reducer
from hamletc.ir.ops import Input
from hamletc.ir.together import paired, together

FINDING = ("tick", "settle", "observe", "mask")
"""The functions, beside those of reductions, that kernels with a cell cache give what is on the cells of lanes."""

PAIRS = tuple(map(pairer, STAGES))


@dataclass(frozen=True, slots=True)
class Call:
    """An evaluation of a function of the program.

    Attributes:
        function: its name.
        inputs: by name, [lanes].
        lanes: bool [lanes]: those whose results were used.
        each: how often each lane is there, one after the other: of pairs, once for each agent of its world.
    """

    function: str
    inputs: dict[str, Array]
    lanes: Array
    each: int = 1

    def lane(self, index: int) -> int:
        """The lane of a number of inputs; of pairs that of the agent that asks."""
        return index // self.each

    def asked(self, index: int) -> tuple[str, ...]:
        """Of pairs, who is asked."""
        return (f"it asks agent {index % self.each}",) if self.function in PAIRS else ()


class Evaluated:
    """The backend of a program; see `hamlet.backend.protocol.Backend`."""

    origin = "none"

    def __init__(
        self, universe: Universe, program: Program, name: str, watch: Callable[[Call], None] | None = None
    ) -> None:
        """`watch` is told of every call of a function, in the order of a tick."""
        self.name = name
        self._watch = watch
        self._universe = universe
        self._program = program
        self._fields = tuple(field for field in schema.state_fields(universe) if not field.pitch)
        self._spreading = Spreading(universe, program)
        names = {function.name for function in program.functions}
        self._cell_cache, self._starts_by_cell = "search" in names, "shuffle" in names
        self._interact = schema.interact_action(universe)

    def reset(self, buffers: Buffers, stream: Stream, worlds: torch.Tensor | None = None) -> None:
        """Start a new episode in every world, or in some; then observations and masks."""
        self._begin(buffers, np.ones(buffers.shape.worlds, np.bool_) if worlds is None else worlds.numpy(), stream)
        self.observe(buffers)

    def observe(self, buffers: Buffers) -> None:
        """Observations and masks of the state as it is."""
        state = self._gather(buffers)
        everybody, alive = _everybody(buffers), buffers.state["alive"].numpy()
        if buffers.observation is not None:
            seen = self._evaluate("observe", state, everybody)
            for segment in schema.observation_segments(self._universe):
                rows = buffers.observation[segment.offset : segment.offset + segment.count]
                values = seen[segment.name].reshape(rows.shape)
                if rows.element_size() == 1:
                    values = encoded(values, segment.scale)
                rows.copy_(buffers.state["meters"].new_tensor(values))
        actions, row, mask = schema.action_names(self._universe), 0, buffers.mask.numpy()
        for name, allowed in self._evaluate("mask", state, everybody if self._universe.by_hand else alive).items():
            assert name == f"mask.{row}", f"{name} comes at action {row}"
            for may in allowed.reshape(-1, buffers.shape.lanes):
                mask[row] = may if self._universe.by_hand else np.where(alive, may, actions[row] == "WAIT")
                row += 1
        assert row == len(actions), f"{row} of {len(actions)} actions have a mask"

    def step(
        self, buffers: Buffers, actions: torch.Tensor, stream: Stream, statistics: Statistics | None = None
    ) -> None:
        """One tick."""
        self._tick(buffers, actions.numpy(), stream, True, statistics)

    def rollout(
        self,
        buffers: Buffers,
        ticks: int,
        policy: Policy,
        stream: Stream,
        observe_every_tick: bool,
        statistics: Statistics | None,
        given: Given = NOTHING_GIVEN,
    ) -> None:
        """`ticks` ticks with actions of a policy."""
        if isinstance(policy, NetworkPolicy):
            deciding, by_hand = decider(policy, buffers.shape, stream), self._universe.by_hand
            play(self, buffers, ticks, deciding, stream, observe_every_tick, statistics, given, policy.store, by_hand)
            return
        for index in range(ticks):
            now = Stream(stream.seed, stream.tick + index)
            match policy:
                case RecordedPolicy(actions=recorded):
                    actions = recorded[index].numpy()
                case RandomPolicy():
                    word = self._words(buffers, now)
                    actions = self._evaluate("choose", {"word": word}, _everybody(buffers))["action"]
                case TabularPolicy():
                    actions = self._look_up(policy, buffers, self._words(buffers, now))
            state = buffers.state | {name: rows[index] for name, rows in given.items()}
            if self._universe.controls and "controls" not in given and not isinstance(policy, RecordedPolicy):
                drawn = self._evaluate("steer", self._drawn_by(buffers, now), _everybody(buffers))
                state["controls"] = torch.from_numpy(np.stack([*drawn.values()]))
            self._tick(replace(buffers, state=state), actions, now, observe_every_tick, statistics)
        if not observe_every_tick:
            self.observe(buffers)

    def _evaluate(self, function: str, inputs: dict[str, Array], lanes: Array, each: int = 1) -> dict[str, Array]:
        program = self._program
        if self._cell_cache and (function in FINDING or function.startswith("reduce_")):
            inputs = inputs | self._found(function, inputs, lanes)
        if self._watch is not None:
            self._watch(Call(function, inputs, lanes, each))
        return evaluate(program.function(function), inputs, program.tables, program.functions)

    def _found(self, function: str, state: dict[str, Array], lanes: Array) -> dict[str, Array]:
        """What kernels that keep the cells of affordances give a function: see `hamletc.lowering.kept`."""
        axes = schema.axes(self._universe)
        moved = self._evaluate("move", state, lanes) if function == "tick" else {}
        position = {f"position.{axis}": moved.get(f"moved.{axis}", state[f"position.{axis}"]) for axis in axes}
        cell, layout = self._evaluate("stand", position, lanes), {"layout": state["layout"]}
        read = {node.op.name for node in self._program.function(function).nodes if isinstance(node.op, Input)}
        numbers = [name.removeprefix("cell.") for name in read if name.startswith("cell.")]
        indices = {number: {"index": np.full(len(lanes), int(number), np.uint32)} for number in sorted(numbers)}
        cells = {
            f"cell.{each}": self._evaluate("place", layout | index, lanes)["cell"] for each, index in indices.items()
        }
        return moved | cells | self._evaluate("search", layout | cell, lanes)

    def _look_up(self, policy: TabularPolicy, buffers: Buffers, words: Array) -> Array:
        inputs, bins = self._gather(buffers), policy.bins.numpy().reshape(2, -1)
        given = {"stride": policy.strides.numpy(), "scale": bins[0], "top": bins[1]}
        for name, values in given.items():
            for number, value in enumerate(values):
                inputs[f"{name}.{number}"] = np.full(buffers.shape.lanes, value)
        row = self._evaluate("situation", inputs, _everybody(buffers))["situation"]
        if policy.choices is not None:
            return policy.choices.numpy()[row]
        assert policy.thresholds is not None
        chosen: Array = (policy.thresholds.numpy()[row] <= (words >> 2).astype(np.int64)[:, None]).sum(1)
        return chosen.astype(np.int32)

    def _words(self, buffers: Buffers, now: Stream) -> Array:
        return self._evaluate("policy", self._drawn_by(buffers, now), _everybody(buffers))[f"word{now.tick & 3}"]

    def _drawn_by(self, buffers: Buffers, now: Stream) -> dict[str, Array]:
        """The inputs from which random words are made."""
        shape = buffers.shape
        first = shape.first_world * shape.agents
        inputs = {"lane": np.arange(first, first + shape.lanes, dtype=np.uint64).astype(np.uint32)}
        for name, value in (("tick", now.tick), ("seed_low", now.low), ("seed_high", now.high)):
            inputs[name] = np.full(shape.lanes, value & 0xFFFFFFFF, np.uint32)
        return inputs

    def _gather(self, buffers: Buffers) -> dict[str, Array]:
        """The state by state name, per lane, and the numbers of agents."""
        state = self._agents(buffers) | self._spreading.gather(buffers)
        for field in self._fields:
            values = buffers.state[field.name].numpy().copy()
            if field.per == "world":
                values = np.repeat(values, buffers.shape.agents, axis=-1)
            if field.name == "layout":
                values = values.view(np.uint32)
            state |= dict(zip(field.names, [values] if field.rows is None else values, strict=True))
        return state

    def _agents(self, buffers: Buffers) -> dict[str, Array]:
        """The number of each lane's agent in its world, and how many there are."""
        lanes, agents = buffers.shape.lanes, buffers.shape.agents
        return {"agent": (np.arange(lanes) % agents).astype(np.int32), "agents": np.full(lanes, agents, np.int32)}

    def _scatter(self, buffers: Buffers, results: dict[str, Array], lanes: Array) -> None:
        """Write the results of a function for these lanes, and for the worlds that have some of these lanes."""
        agents = buffers.shape.agents
        for field in self._fields:
            array = buffers.state[field.name].numpy().reshape(-1, buffers.state[field.name].shape[-1])
            for row, name in zip(array, field.names, strict=True):
                if name not in results:
                    continue
                if field.per == "lane":
                    row[lanes] = results[name][lanes]
                else:
                    row[lanes[::agents]] = results[name].view(row.dtype)[::agents][lanes[::agents]]

    def _begin(self, buffers: Buffers, worlds: Array, stream: Stream) -> None:
        shape = buffers.shape
        numbers, lanes = np.arange(shape.lanes), np.repeat(worlds, shape.agents)
        given = (
            self._gather(buffers)
            | self._drawn_by(buffers, stream)
            | {
                "world": (numbers // shape.agents + shape.first_world).astype(np.uint32),
                "episode": np.repeat(buffers.state["episode"].numpy(), shape.agents),
            }
        )
        shuffled: dict[str, Array] = {}
        if self._starts_by_cell:
            random = sum(affordance.place is None for affordance in self._universe.affordances)
            shuffled = self._evaluate("shuffle", given, lanes)
            given |= shuffled | {"index": (random + given["agent"]).astype(np.uint32)}
            given |= self._evaluate("place", given, lanes)
        begun = self._evaluate("reset", given, lanes)
        self._scatter(buffers, begun | shuffled, lanes)
        self._scatter(buffers, self._spreading.begin(buffers, given | begun, worlds), lanes)
        for field in self._fields:
            if field.start is not None and not begun.keys() & set(field.names):
                buffers.state[field.name].numpy()[..., lanes if field.per == "lane" else worlds] = field.start

    def _interacting(self, actions: Array, runs: Array, agents: int) -> Array:
        """Whether an agent of the lane's world that runs the tick interacts."""
        interacts = (actions == self._interact) & runs
        return np.repeat(interacts.reshape(-1, agents).any(axis=1), agents)

    def _together(self, stage: Stage, given: dict[str, Array], runs: Array, agents: int) -> dict[str, Array]:
        """What the agents of each world have together in a stage."""
        reductions = self._program.stage(stage)
        terms = self._evaluate(reducer(stage), given, runs) if reductions else {}
        if self._program.has(pairer(stage)):
            pairs = paired(self._program, stage, terms, agents)
            running = np.repeat(runs.reshape(-1, agents), agents, axis=0).reshape(-1)
            terms |= self._evaluate(pairer(stage), pairs, np.repeat(runs, agents) & running, agents)
        return {each.result: together(each, terms, runs, agents) for each in reductions}

    def _settled(
        self, buffers: Buffers, given: dict[str, Array], ticked: dict[str, Array], runs: Array
    ) -> dict[str, Array]:
        """What follows in the worlds after the rules of their agents, and then in lanes."""
        shape, everybody = buffers.shape, _everybody(buffers)
        after = {**given, **{f"before.{name}": values for name, values in given.items()}}
        for name, values in ticked.items():
            after[name] = np.where(runs, values, given[name]) if name in given else values
        after |= self._together("settle", after, runs, shape.agents)
        world: dict[str, Array] = {}
        if self._program.has("world"):
            number = np.arange(shape.lanes) // shape.agents + shape.first_world
            world = self._evaluate("world", {**after, "world": number.astype(np.uint32)}, everybody)
        after |= world
        after |= self._spreading.spread(buffers, after, runs)
        self._scatter(buffers, {name: after[name] for name in world}, everybody)
        return self._evaluate("settle", after, runs)

    def _tick(
        self, buffers: Buffers, actions: Array, stream: Stream, observed: bool, counts: Statistics | None
    ) -> None:
        worlds, agents, by_hand = buffers.shape.worlds, buffers.shape.agents, self._universe.by_hand
        state, alive = self._gather(buffers), buffers.state["alive"].numpy().copy()
        runs = np.ones_like(alive) if by_hand else alive
        acted = {"action": actions, "interacting": self._interacting(actions, runs, agents)}
        given = {**state, **acted, **self._drawn_by(buffers, stream)}
        given |= self._together("tick", given, runs, agents)
        results = self._evaluate("tick", given, runs)
        if self._program.has("settle"):
            results |= self._settled(buffers, given, results, runs)
        self._scatter(buffers, results, runs)
        dead = {"reward": 0.0, "terminated": False, "truncated": False, "used": -1, "cause": -1}
        for name, value in dead.items():
            buffers.outcome[name].numpy()[:] = np.where(runs, results[name], value)
        for row, name in enumerate(schema.report_names(self._universe)):
            buffers.outcome["reports"].numpy()[row] = np.where(runs, results[f"report.{name}"], np.float32(0.0))
        returned = buffers.state["episode_return"].numpy()
        returned[runs] += results["reward"][runs]
        buffers.state["alive"].numpy()[:] = alive & ~(results["terminated"] | results["truncated"])
        if counts is not None:
            add(counts, buffers, self._universe)
        if "hour" in state:
            hours = self._evaluate("clock", {"hour": state["hour"]}, np.ones_like(alive))
            buffers.state["hour"].numpy()[:] = hours["hour"][::agents]
        if observed:
            self.observe(buffers)
        over = ~buffers.state["alive"].view(worlds, agents).any(dim=1)
        if buffers.shape.waits:
            over &= (buffers.outcome["cause"] == -1).view(worlds, agents).all(dim=1)
        if by_hand or not over.any():
            return
        shows_final = observed and not buffers.shape.waits
        if shows_final and buffers.observation is not None and buffers.final_observation is not None:
            lanes = of_agents(over, agents)
            buffers.final_observation[:, lanes] = buffers.observation[:, lanes]
        buffers.state["episode"][over] += 1
        self._begin(buffers, over.numpy(), stream)
        if observed:
            self.observe(buffers)


def encoded(values: Array, scale: Scale) -> Array:
    """Observed f32 as bytes, see `hamlet.schema.observed`; still f32."""
    steps = (values - np.float32(scale.low)) * np.float32(scale.scale)
    result: Array = np.rint(np.clip(steps, np.float32(0), np.float32(STEPS)))
    return result


def _everybody(buffers: Buffers) -> Array:
    return np.ones(buffers.shape.lanes, np.bool_)


@dataclass(frozen=True, slots=True)
class Rerun:
    """What a program makes of an event.

    Attributes:
        calls: of its functions, in the order of a tick.
        arrays: all of them afterwards.
        departures: where the side that was run has something else: the first difference of each array.
    """

    calls: tuple[Call, ...]
    arrays: list[Compared]
    departures: tuple[Difference, ...]

    def call(self, function: str) -> Call | None:
        """The first call of a function."""
        return next((call for call in self.calls if call.function == function), None)

    @property
    def lane(self) -> int | None:
        """The lane of the first departure that has one."""
        return next((each.index for each in self.departures if each.column == "lane"), None)


def rerun(universe: Universe, program: Program, outcome: Outcome, stream: Stream) -> Rerun:
    """Run the event of an outcome on its buffers before."""
    calls: list[Call] = []
    backend = Evaluated(universe, program, "program", calls.append)
    arrays = Runner.resumed(universe, Candidate(backend, CPU), outcome.before).apply(outcome.event, stream)
    return Rerun(tuple(calls), arrays, tuple(differences(arrays, outcome.after)))
