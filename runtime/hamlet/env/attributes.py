"""Attributes of an environment: sizes and names that stay, and tensors of the present."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import torch

from hamlet import schema
from hamlet.arguments import named
from hamlet.backend.buffers import Buffers, statistics_allocator
from hamlet.backend.choose import Choice
from hamlet.backend.protocol import Backend, Stream
from hamlet.backend.recall import Memories
from hamlet.backend.registry import Tune, backend_kind
from hamlet.env.act.counts import Counting
from hamlet.env.act.inputs import Arguments
from hamlet.env.act.networks import NetworkCheck
from hamlet.env.act.now import Now
from hamlet.env.act.outputs import Outputs
from hamlet.env.act.pace import Pace
from hamlet.env.act.results import Info
from hamlet.env.forks import forkable
from hamlet.env.interrupts import Whole
from hamlet.env.roles import RoleInfo, roles_of
from hamlet.env.sealed import Sealed
from hamlet.env.write.distributions import Drawing
from hamlet.env.write.params import Held, Numbers
from hamlet.env.write.state import Values, set_state
from hamlet.numbers.random import policy_words
from hamlet.package.module import Module
from hamlet.schema.bounds import number_bounds
from hamlet.universe import Universe

MOST_TICKS = (1 << 31) - 1
AUTORESETS = ("same_step", "next_step")
"""When a world in which nobody is alive any more begins the next episode, see `hamlet.make`."""


class Attributes(Sealed):
    """The attributes of `hamlet.env.environment.Env`, which documents them."""

    def __init__(
        self, module: Module, backend: Backend, buffers: Buffers, choice: Choice, validate: bool, tune: Tune, now: Now
    ) -> None:
        forkable()
        universe, shape, state = module.universe, buffers.shape, buffers.state
        self.module = module
        self.universe: Universe = universe
        self.num_worlds, self.num_agents, self.num_lanes = shape.worlds, shape.agents, shape.lanes
        self.first_world = shape.first_world
        self.autoreset = AUTORESETS[shape.waits]
        self.device = choice.device
        self.backend = backend.name
        self.launch = choice.launch
        self.choice = str(choice)
        self.validate = validate
        self.action_names = schema.action_names(universe)
        self.num_actions = len(self.action_names)
        self.control_names = tuple(control.name for control in universe.controls)
        self.num_controls = len(self.control_names)
        ends = torch.tensor([(each.low, each.high) for each in number_bounds(universe.controls)]).reshape(-1, 2)
        self.control_low, self.control_high = ends.to(choice.device).unbind(dim=1)
        self.control_whole = tuple(control.whole for control in universe.controls)
        self.observation_segments = schema.observation_segments(universe)
        self.observation_names = schema.observation_names(universe)
        groups = {each.name: each for each in schema.observation_groups(universe)}
        self.observation_groups: Mapping[str, schema.Group] = MappingProxyType(groups)
        self.observation_low, self.observation_high = self._observation_range()
        self.roles: Mapping[str, RoleInfo] = roles_of(universe, shape.worlds, shape.agents)
        params = Held("param", universe.params, state.get("params"), True, shape)
        inputs = Held("input", universe.inputs, state.get("inputs"), validate, shape)
        self._whole = Whole()
        self.params = Numbers(params, self.check_given, self._observe, self._drawing, self._whole)
        self.inputs = Numbers(inputs, self.check_given, lambda: None, self._drawing, self._whole)
        self._choice = choice
        self._backend = backend
        self._buffers = buffers
        self._now = now
        self._held = {name: held for name, held in (("params", params), ("inputs", inputs)) if held.declared}
        self._checked = tuple(held for held in self._held.values() if held.checked)
        self._params = params
        self._own = Outputs.of(universe, buffers)
        self._tune: Tune = tune
        self._arguments = Arguments.of(module, buffers, self._held, self.device, validate)
        zeroed = statistics_allocator(universe, shape, self.device)
        self._counting = Counting(shape, len(universe.affordances), self.device, zeroed)
        self._network_check = NetworkCheck(universe, buffers)
        self._pace = Pace(backend_kind(backend.name).span, shape.lanes, {})

    @property
    def seed(self) -> int:
        """The seed of all random numbers, 0 .. 2**64 - 1."""
        return self._now.seed

    @property
    def tick(self) -> int:
        """The number of ticks since the environment was made or re-seeded, modulo 2**32."""
        return self._now.tick

    @property
    def memories(self) -> Memories:
        """The memories of lanes: with what they are, policies that acted last go on."""
        return self._now.memories

    @property
    def state(self) -> Mapping[str, torch.Tensor]:
        """The fields of the state by name, as the backend stores them: field-major, see `hamlet.schema.state_fields`.
        Read them only: `set` writes meters and states, `place` moves affordances. What you write into other fields has
        to be what a tick can leave; call `observe` afterwards."""
        return MappingProxyType(self._buffers.state)

    @property
    def outcome(self) -> Mapping[str, torch.Tensor]:
        """The outcomes of the last tick by name, as the backend stores them: see `hamlet.schema.outcome_fields`."""
        return MappingProxyType(self._present().buffers.outcome)

    @property
    def reports(self) -> Mapping[str, torch.Tensor]:
        """The reports of the last tick by name, views [lanes] f32; 0 at the beginning of an episode."""
        return self._present().reports

    @property
    def observation(self) -> torch.Tensor | None:
        """The present observations, [lanes, values] of `obs_dtype`; `None` in an environment made with
        `obs_dtype=None`. After a step with `out` they are the caller's."""
        return self._present().results[0]

    @property
    def grouped(self) -> Mapping[str, torch.Tensor]:
        """The present observations by the groups that the universe names: views [lanes, *shape] of `observation`,
        images as [lanes, channels, height, width], discrete numbers as [lanes]. Where there are roles these are the
        groups that all agents have; those of a role are `roles[...].observation_groups`, whose `of` takes rows."""
        rows = self.observation
        return {} if rows is None else {name: group.of(rows) for name, group in self.observation_groups.items()}

    @property
    def info(self) -> Info:
        """The `info` of `step` and `reset`."""
        return self._present().results[-1]

    @property
    def action_mask(self) -> torch.Tensor:
        """[lanes, actions] bool: whether an action makes sense now. A mask informs only; `step` takes any action."""
        return self._present().buffers.mask.T

    def meter(self, name: str) -> torch.Tensor:
        """The values of a meter or a state by its name, for reading only (`set` writes them): a view [lanes] f32 of
        `state["meters"]`, for a meter of the world [worlds] f32 of `state["world_meters"]`, for a meter of cells
        [cells, worlds] f32 of `state["cell_meters"]`, cells by their index, or for a state of pairs [worlds, agents,
        agents] f32 of `state["pair_states"]`: what each agent has of each.

        Raises:
            EnvError: the universe has no such meter.

        Example:
            print(env.meter("energy").mean())
        """
        names = [meter.name for meter in self.universe.meters]
        of_world = [] if self.universe.world is None else [meter.name for meter in self.universe.world.meters]
        of_cells = [] if self.universe.cells is None else [meter.name for meter in self.universe.cells.meters]
        of_pairs = [] if self.universe.pairs is None else [meter.name for meter in self.universe.pairs.meters]
        named("meter", name, [*names, *of_world, *of_cells, *of_pairs])
        if name in names:
            return self._buffers.state["meters"][names.index(name)]
        if name in of_cells:
            values = self._buffers.state["cell_meters"]
            return values.view(len(of_cells), -1, values.shape[1])[of_cells.index(name)]
        if name in of_pairs:
            agents, states = self._buffers.shape.agents, self._buffers.state[schema.PAIR_STATES]
            return states.view(len(of_pairs), agents, agents, -1)[of_pairs.index(name)].permute(2, 1, 0)
        return self._buffers.state["world_meters"][of_world.index(name)]

    def set(
        self,
        name: str,
        values: Values,
        worlds: Sequence[int] | torch.Tensor | None = None,
        agents: Sequence[int] | torch.Tensor | None = None,
    ) -> None:
        """Write the values of a meter or a state by its name, or positions, and compute what depends on them again:
        sums over cells, observations and masks. The next `observation` shows them, and the next tick goes on from them.
        Nothing else changes: not what looks back, not the outcomes of the last tick, and an agent whose meter says that
        it is dead dies at the end of the next tick. A world that was written to before its first `reset` has begun:
        that `reset` begins its second episode, with what the world keeps.

        Args:
            name: of a meter or a state of agents, of the world, of cells or of pairs; or "position", where agents are.
            values: a number for all of them; or of agents [worlds * agents] or [worlds, agents], of the world [worlds],
                of cells [cells] or [cells, worlds], of pairs [worlds, agents, all agents], in the order of `worlds` and
                `agents`. They are rounded to f32, and lie where a tick can leave them. Of a condition True and False;
                of a state with options their names or numbers. Agents of roles that do not have the meter, walls, and
                what an agent has of itself, keep what they have. Positions are a
                number per axis, [axes], [worlds * agents, axes] or [worlds, agents, axes], whole on a grid and on no
                wall; on a graph names or numbers of nodes. Who goes elsewhere is no longer engaged.
            worlds: the numbers of the worlds, 0 .. num_worlds - 1, each once; by default all worlds.
            agents: the numbers of agents in their worlds, 0 .. num_agents - 1, each once; by default all agents. Only
                for what agents have.

        Raises:
            EnvError: there is no such meter or state, or `values` have another type or shape or are out of bounds, or
                there is no such world or agent, or a param or an input was written in place and is out of bounds.
                Nothing was changed.

        Example:
            env.set("energy", 0.5)
            env.set("energy", torch.linspace(0, 1, env.num_agents), worlds=[0])
            env.set("position", (2, 3), worlds=[0], agents=[0])
        """
        self.check_given()
        with self._whole:
            set_state(self.universe, self._buffers, name, values, worlds, agents)
            self._now.untouched = False
            self._observe()

    def check_given(self) -> None:
        """Check the params and inputs that were written in place. Every call that runs or copies worlds does so itself.

        Raises:
            EnvError: a value is out of bounds; the old values of that param or input are restored.
        """
        for held in self._checked:
            held.check()

    def _observe(self) -> None:
        """Observe again; the caller has checked params and inputs, and is inside `_whole`."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return (
            f"Env({self.universe.name}, worlds={self.num_worlds}, agents={self.num_agents}, "
            f"backend={self.backend!r}, device={str(self.device)!r}, seed={self.seed}, tick={self.tick})"
        )

    def _instead(self, name: str) -> str | None:
        match name:
            case "seed":
                return "call reset(seed=...)"
            case "params" | "inputs":
                return f'write env.{name}["name"] = ...'
            case _ if name in self.__dict__ or hasattr(type(self), name):
                return "make another environment, or write into its tensors"
            case _ if name in self.params or name in self.inputs:
                kind = "params" if name in self.params else "inputs"
                return f'write env.{kind}["{name}"]'
            case _ if name in [meter.name for meter in self.universe.meters]:
                return f'call env.set("{name}", ...)'
            case _:
                return super()._instead(name)

    def _observation_range(self) -> tuple[torch.Tensor, torch.Tensor]:
        scales = [segment.scale for segment in self.observation_segments for _ in range(segment.count)]
        low, high = (
            torch.tensor(ends, dtype=torch.float32, device=self.device)
            for ends in ([scale.low for scale in scales], [scale.high for scale in scales])
        )
        return low, high

    def _drawing(self, seed: int | None = None, episodes: torch.Tensor | None = None) -> Drawing:
        """The key of draws from distributions of params: by default of the present episodes."""
        worlds = torch.arange(self.first_world, self.first_world + self.num_worlds, device=self.device)
        now = self._buffers.state["episode"] if episodes is None else episodes
        return Drawing(self.seed if seed is None else seed, worlds, now.long())

    def _present(self) -> Outputs:
        """The outputs of the last step, or those that were written since."""
        return self._now.shown or self._own

    def _policy_words(self, tick: int) -> torch.Tensor:
        """[lanes] i64: the random words of 32 bits with which policies draw the actions of a tick."""
        first = self.first_world * self.num_agents
        lanes = torch.arange(first, first + self.num_lanes, device=self.device)
        stream = self._stream()
        return policy_words(lanes, tick, (stream.low, stream.high))[tick % 4]

    def _stream(self) -> Stream:
        return Stream(self._now.seed, self._now.tick)
