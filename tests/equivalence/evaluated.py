"""A backend that executes a program by the definition of its operations (`hamletc.ir.evaluate`): no code is generated,
so that thousands of universes can be compared with the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from hamlet import schema
from hamlet.backend import RandomPolicy, RecordedPolicy, Stream
from hamlet.interpreter.statistics import add
from hamlet.state import Buffers, Statistics
from hamlet.universe import Universe
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Program

Array = np.ndarray[Any, Any]


class Evaluated:
    """The backend of a program; see `hamlet.backend.Backend`."""

    def __init__(self, universe: Universe, program: Program, name: str) -> None:
        self.name = name
        self._universe = universe
        self._program = program
        self._constant_rows = {
            "meters": [f"meter.{meter.name}" for meter in universe.meters],
            "position": [f"position.{axis}" for axis in schema.axes(universe)],
            "params": [f"param.{param.name}" for param in universe.params],
        }

    def reset(self, buffers: Buffers, stream: Stream) -> None:
        """Start a new episode in every world; then observations and masks."""
        self._begin(buffers, np.ones(buffers.shape.worlds, np.bool_), stream)
        self.observe(buffers)

    def observe(self, buffers: Buffers) -> None:
        """Observations and masks of the state as it is."""
        state = self._gather(buffers)
        if buffers.observation is not None:
            seen = self._evaluate("observe", state)
            for segment in schema.observation_segments(self._universe):
                rows = buffers.observation[segment.offset : segment.offset + segment.count]
                rows.copy_(torch.from_numpy(seen[segment.name].reshape(rows.shape)))
        alive, allowed = buffers.state["alive"], self._evaluate("mask", state)
        for row, action in enumerate(schema.action_names(self._universe)):
            may = torch.from_numpy(allowed[f"action.{action}"])
            buffers.mask[row] = torch.where(alive, may, torch.tensor(action == "WAIT"))

    def step(self, buffers: Buffers, actions: torch.Tensor, stream: Stream) -> None:
        """One tick."""
        self._tick(buffers, actions, stream, True, None)

    def rollout(
        self,
        buffers: Buffers,
        ticks: int,
        policy: RandomPolicy | RecordedPolicy,
        stream: Stream,
        observe_every_tick: bool,
        statistics: Statistics | None,
    ) -> None:
        """So many ticks."""
        for index in range(ticks):
            match policy:
                case RecordedPolicy(actions=recorded):
                    actions = recorded[index]
                case RandomPolicy():
                    actions = self._choose(buffers, stream, stream.tick + index)
            self._tick(buffers, actions, stream, observe_every_tick, statistics)
        if not observe_every_tick:
            self.observe(buffers)

    def _evaluate(self, function: str, inputs: dict[str, Array]) -> dict[str, Array]:
        program = self._program
        return evaluate(program.function(function), inputs, program.tables, program.functions)

    def _choose(self, buffers: Buffers, stream: Stream, tick: int) -> torch.Tensor:
        shape = buffers.shape
        first = shape.first_world * shape.agents
        inputs = {"lane": np.arange(first, first + shape.lanes, dtype=np.uint64).astype(np.uint32)}
        for name, value in (("tick", tick), ("seed_low", stream.low), ("seed_high", stream.high)):
            inputs[name] = np.full(shape.lanes, value & 0xFFFFFFFF, np.uint32)
        word = self._evaluate("policy", inputs)[f"word{tick & 3}"]
        return torch.from_numpy(self._evaluate("choose", {"word": word})["action"])

    def _gather(self, buffers: Buffers) -> dict[str, Array]:
        """The state by state name, per lane."""
        per_world = {field.name for field in schema.state_fields(self._universe) if field.per == "world"}
        state: dict[str, Array] = {}
        for name, tensor in buffers.state.items():
            values = tensor.numpy().copy()
            if name in per_world:
                values = np.repeat(values, buffers.shape.agents, axis=-1)
            if name in self._constant_rows:
                state |= dict(zip(self._constant_rows[name], values, strict=True))
            else:
                state[name] = values.view(np.uint32) if name == "layout" else values
        return state

    def _scatter(self, buffers: Buffers, results: dict[str, Array], lanes: Array) -> None:
        """Write what a function gave for these lanes."""
        for name in ("meters", "position"):
            for row, source in enumerate(self._constant_rows[name]):
                buffers.state[name][row].numpy()[lanes] = results[source][lanes]
        for name in {"age", "engaged", "progress"} & results.keys():
            buffers.state[name].numpy()[lanes] = results[name][lanes]

    def _begin(self, buffers: Buffers, worlds: Array, stream: Stream) -> None:
        shape, state = buffers.shape, {name: tensor.numpy() for name, tensor in buffers.state.items()}
        numbers, lanes = np.arange(shape.lanes), np.repeat(worlds, shape.agents)
        results = self._evaluate(
            "reset",
            {
                "seed_low": np.full(shape.lanes, stream.low, np.uint32),
                "seed_high": np.full(shape.lanes, stream.high, np.uint32),
                "world": (numbers // shape.agents + shape.first_world).astype(np.uint32),
                "agent": (numbers % shape.agents).astype(np.int32),
                "episode": np.repeat(state["episode"], shape.agents),
            },
        )
        self._scatter(buffers, results, lanes)
        state["layout"][worlds] = results["layout"].view(np.int32)[:: shape.agents][worlds]
        state["age"][lanes], state["alive"][lanes], state["episode_return"][lanes] = 0, True, 0.0
        if "engaged" in state:
            state["engaged"][lanes], state["progress"][lanes] = schema.NOWHERE, 0
        if "hour" in state:
            state["hour"][worlds] = 0

    def _tick(
        self, buffers: Buffers, actions: torch.Tensor, stream: Stream, observed: bool, counts: Statistics | None
    ) -> None:
        worlds, agents = buffers.shape.worlds, buffers.shape.agents
        state, alive = self._gather(buffers), buffers.state["alive"].numpy().copy()
        results = self._evaluate("tick", {**state, "action": actions.numpy()})
        self._scatter(buffers, results, alive)
        dead = {"reward": 0.0, "terminated": False, "truncated": False, "used": -1, "cause": -1}
        for name, value in dead.items():
            buffers.outcome[name].copy_(torch.from_numpy(np.where(alive, results[name], value)))
        returned = buffers.state["episode_return"].numpy()
        returned[alive] += results["reward"][alive]
        buffers.state["alive"].numpy()[:] = alive & ~(results["terminated"] | results["truncated"])
        if counts is not None:
            add(counts, buffers)
        if "hour" in state:
            buffers.state["hour"].numpy()[:] = self._evaluate("clock", {"hour": state["hour"]})["hour"][::agents]
        if observed:
            self.observe(buffers)
        over = ~buffers.state["alive"].view(worlds, agents).any(dim=1)
        if not over.any():
            return
        if observed and buffers.observation is not None and buffers.final_observation is not None:
            lanes = over.repeat_interleave(agents)
            buffers.final_observation[:, lanes] = buffers.observation[:, lanes]
        buffers.state["episode"][over] += 1
        self._begin(buffers, over.numpy(), stream)
        if observed:
            self.observe(buffers)
