"""The functions that a rollout of `kernels.py.j2` consists of, one for each phase of a tick, and what each takes."""

from __future__ import annotations

from collections.abc import Iterable

from hamlet.schema import GIVEN_BY_TICK, abi
from hamletc.ir.function import BEGIN_CELLS, OVER, Stage, reducer
from hamletc.kernel.body import table_name
from hamletc.targets.c.bindings import Bindings
from hamletc.targets.c.cuts import Cuts
from hamletc.targets.c.grid import CellStep
from hamletc.targets.c.slots import chunks
from hamletc.targets.c.together import CLOSING

COUNTED = ("lanes", "cause", "age", "episode_return", "causes_array", "lengths_array", "finished_return")
"""What it takes to count the ends of episodes."""
DRAWN = ("first_world", "agents", "now", "seed_low", "seed_high")
"""What it takes to draw for a lane."""


class Phases:
    """Parameters, which have the names of the rollout's variables, so that they are arguments as well.

    Attributes:
        sees: whether agents observe anything.
        cache: the chunks of the cell cache that stay for an episode.
        changing, closing: the chunks of the state that a tick writes, and those that settling it writes.
        living: the chunk that says who is alive, where ticks ask for it.
    """

    def __init__(self, functions: Bindings, cuts: Cuts | None, cells: CellStep | None) -> None:
        self._functions = functions
        self._cuts = cuts
        self._cells = cells
        self._by_hand = functions.universe.by_hand
        self.meters = [chunk.variable for chunk in chunks(functions.state) if chunk.field.name == "meters"]
        self.meters += [table_name(functions.meter_scales.name)] if functions.meter_scales else []
        self._outcomes = chunks(functions.outcomes)
        self._together = functions.together
        state = chunks(functions.state)
        ticked = {slot.chunk.variable for slot in (*functions.written("tick"), *functions.cached)}
        ticked |= set() if self._together.settles else {"episode_return"}
        self.changing = [chunk for chunk in state if chunk.variable in ticked]
        self.closing = [chunk for chunk in state if self._together.settles and chunk.variable in CLOSING]
        self._changing = [chunk.variable for chunk in self.changing]
        self.sees = bool(functions.bodies["observe"].outputs or functions.bodies["observe"].loops)
        self.cache = self._of_cache("cell.", "scene.")
        self.living = [] if self._by_hand else ["alive"]

    def passed(self, function: str) -> list[str]:
        """The chunks and tables that a function of the program reads; of one in parts also what these write."""
        cut = self._cuts is not None and function in self._cuts.cuts
        return self._cuts.passed(function) if self._cuts and cut else self._functions.passed(function)

    @property
    def count(self) -> list[str]:
        """What `_count` takes."""
        lanes = [*(f"{name}_array" for name in abi.LANE_COUNTS), "kept_episodes", "start"]
        ended = [] if self._by_hand else ["agents", "waits"]
        counted = ["flags", "used", "notes", "noted", "uses_array", *COUNTED, *ended, "by_lane", *lanes]
        return _once([*counted, f"{abi.ENDED_METERS}_array", *self.meters])

    @property
    def store_outcome(self) -> list[str]:
        """What `_store_outcome` takes."""
        outcomes = [chunk.variable for chunk in self._outcomes]
        return _once([*outcomes, *(chunk.array for chunk in self._outcomes), "start", "count"])

    # --- where affordances stand --------------------------------------------------------------------------------------

    def _of_cache(self, *prefixes: str) -> list[str]:
        """The chunks of these values of the cell cache."""
        slots = (slot for slot in self._functions.cached if slot.name.startswith(prefixes))
        return [chunk.variable for chunk in chunks(slots)]

    def _scene(self) -> list[str]:
        """What decides whether the scene is computed; nothing where there is none."""
        return ["observing"] if self._of_cache("scene.") else []

    @property
    def load_cells(self) -> list[str]:
        """What `_load_cells` takes."""
        stored = ["cells_array", "layouts_array", "known", "start", "count"]
        return _once(["layout", "stored_layout", "flags", *self.cache, *stored, *self._scene(), *self._placing()])

    def _placing(self) -> list[str]:
        """The tables that say where places are."""
        return self._functions.tables_of("place") if self.cache else []

    @property
    def find_again(self) -> list[str]:
        """What `_find_again` takes."""
        if not self.cache:
            return []
        seeking = [*self.passed("stand"), *self.passed("search"), *self._placing()]
        # Cells that nobody has cached are computed by the layout, also where it does not say what is on a cell.
        return _once([*seeking, "found", *self.cache, "caching", "observing", "layout"])

    # --- a tick -------------------------------------------------------------------------------------------------------

    @property
    def act(self) -> list[str]:
        """What `_act` takes."""
        arrays = [f"{name}_array" for name in ("actions", *abi.TABULAR)]
        situation = [name for name in self.passed("situation") if name not in ("strides", "bins")]
        binned = ["meters", *self._functions.tables_of("bin")] if "bin" in self._functions.bodies else []
        drawn = ["first_world", "agents", "seed_low", "seed_high"]
        where = ["start", "count", "passed", "now", "tiled"]
        return _once(["action", "situation", "ahead", *arrays, *situation, *binned, *drawn, *where])

    @property
    def give(self) -> list[str]:
        """What `_give` takes; nothing in a universe of which a rollout is given nothing."""
        held = self._functions.held
        given = [slot.chunk.variable for slot in held.values() if slot.chunk.field.name in GIVEN_BY_TICK]
        if not given:
            return []
        drawn = ["actions_array", *DRAWN] if "steer" in self._functions.bodies else []
        arrays = [f"{name}_array" for name in abi.given_arguments(self._functions.universe)]
        return _once([*given, *arrays, "passed", *drawn, "start", "count"])

    @property
    def meet(self) -> list[str]:
        """What `_meet` takes."""
        return ["interacting", "action", *self.living, "somebody", "tiled", "agents", "count"]

    @property
    def advance(self) -> list[str]:
        """What `_advance` takes."""
        return _once(self._advance_apart() if self._together.settles else self._advance())

    def _advance(self) -> list[str]:
        changed = [*self._changing, *(chunk.variable for chunk in self._outcomes), "alive"]
        before = ["flags", *(f"before_{name}" for name in self._changing)]
        changed += ["count"] if self._by_hand else before
        inputs = self._inputs("move", "tick")
        read: list[str] = [name for name in ("action", "interacting") if name in inputs]
        read += [*(self.passed("move") if self.cache else []), *self.passed("tick")]
        if self.cache:
            read += [
                *self._of_cache("moved.", "found", "cell"),
                *self.passed("stand"),
                *self.passed("search"),
                "caching",
                "layout",
            ]
        read += ["first_world", "agents", "start"] if "lane" in inputs else []
        read += ["now"] if "tick" in inputs else []
        return [*changed, *read, *(name for name in ("seed_low", "seed_high") if name in inputs), "busy"]

    def _inputs(self, *functions: str) -> set[str]:
        """The inputs of those of these functions that the program has."""
        bodies = self._functions.bodies
        return {each.input for name in functions if name in bodies for each in bodies[name].parameters}

    # --- worlds whose agents meet -------------------------------------------------------------------------------------

    def _given(self, *functions: str) -> list[str]:
        """What these functions are given: chunks, tables, what draws take, and what finds what is on cells."""
        inputs = self._inputs(*functions)
        read: list[str] = [name for name in ("action", "interacting") if name in inputs]
        for name in functions:
            read += self.passed(name) if name in self._functions.bodies else []
        if self.cache and inputs & {"found", "cell"}:
            read += [
                *self._of_cache("found", "cell"),
                *self.passed("stand"),
                *self.passed("search"),
                "caching",
                "layout",
            ]
        read += ["first_world", "agents", "start"] if "lane" in inputs else []
        read += ["first_world", "agents", "world"] if "world" in inputs else []
        read += ["now"] if "tick" in inputs else []
        return [*read, *(name for name in ("seed_low", "seed_high") if name in inputs)]

    def _runs(self) -> list[str]:
        """What says which lanes run a tick."""
        return ["count"] if self._by_hand else ["alive"]

    def add(self, stage: Stage) -> list[str]:
        """What `_add_<stage>` takes."""
        return _once([*self._together.added(stage), *self._runs(), *self._given(reducer(stage))])

    def reduce(self, stage: Stage) -> list[str]:
        """What `_combine_<stage>` and `_ask_<stage>` take."""
        return _once([*self._together.added(stage), *self._together.reduced(stage), "agents", "chunk_lanes"])

    def _advance_apart(self) -> list[str]:
        held = self._functions.held
        results = [held[o.name].chunk.variable for o in self._functions.changed()]
        begun = [f"before_{chunk.variable}" for chunk in self._together.begun]
        begun += [chunk.variable for chunk in self._together.begun]
        before = [] if self._by_hand else ["flags", *(f"before_{name}" for name in self._changing)]
        moved = [*self._given("move"), *self._of_cache("moved.")] if self.cache else []
        return [*results, *self._changing, *begun, *before, *self._runs(), *moved, *self._given("tick")]

    @property
    def close(self) -> list[str]:
        """What `_close` takes."""
        outcomes = [chunk.variable for chunk in self._outcomes]
        if "world" in self._functions.bodies:
            ruled = (self._functions.held[output.name] for output in self._functions.bodies["world"].outputs)
            outcomes += [*(slot.chunk.variable for slot in ruled), "agents", "count"]
        before = [] if self._by_hand else ["flags", *(f"before_{name}" for name in CLOSING)]
        worlds = [slot.chunk.variable for name, slot in self._functions.held.items() if name.startswith("world.")]
        spread = [] if self._cells is None else ["agent", *self._cells.spread()]
        return _once(
            [*outcomes, *CLOSING, *worlds, *before, "alive", *self._runs(), *self._given("world", "settle"), *spread]
        )

    # --- worlds after a tick ------------------------------------------------------------------------------------------

    @property
    def finish(self) -> list[str]:
        """What `_finish` takes."""
        seen = ["start", "every_tick", "observing", "waits", *self.find_again, "final_observation_array"]
        seen += [*(["flags"] if self._cuts else []), *self.passed("observe")]
        counted = [*COUNTED, "counting", "agents", f"{abi.ENDED_METERS}_array", *self.meters]
        return _once([*(seen if self.sees else []), *counted, "chosen", "episode"])

    @property
    def begin(self) -> list[str]:
        """What `_begin` takes."""
        cached = [*self.cache, "caching", *self._scene(), *self._placing()] if self.cache else []
        inputs = self._inputs("shuffle", "reset") | ({"agent"} if self.cache else set())
        inputs |= {"world", "agent"} if "lane" in inputs else set()
        where: list[str] = [name for name in ("seed_low", "seed_high", "world", "agent") if name in inputs]
        where += ["first_world"] if "world" in inputs else []
        reset = self.passed("reset") if self._cuts else self._functions.tables_of("reset")
        held = self._functions.held
        read = [held[name].chunk.variable for name in sorted(inputs) if name.startswith("param.")]
        if self._cells is not None:
            read += ["world", "agent", *self._cells.parameters(BEGIN_CELLS, OVER)]
        return _once(["lanes", "chosen", *cached, *self._restarted(), "agents", *where, *read, *reset])

    def _restarted(self) -> list[str]:
        """The chunks that a new episode writes."""
        held = self._functions.held
        begun = chunks(held[output.name] for output in self._functions.bodies["reset"].outputs)
        constant = [chunk for chunk in chunks(self._functions.state) if chunk.start is not None]
        return [*(chunk.variable for chunk in (*begun, *constant)), "layout", "episode"]

    @property
    def conclude(self) -> list[str]:
        """What `_conclude` takes."""
        after = ["hour", "passed"] if self._functions.universe.clock is not None else []
        if not self._by_hand:
            after += ["passed", "alive", "cause", "living", "waits", "tiled", *self.finish]
        after += self.begin
        begins = ["fresh", "begins_array", "world", "agent", "agents"]
        return _once(["flags", "count", *begins, *(name for name in after if name != "chosen")])

    @property
    def survey(self) -> list[str]:
        """What `_survey` takes."""
        seen = ["flags", "observing", "streamed", "observation_array", *self.passed("observe")] if self.sees else []
        return _once(
            [*seen, "start", "count", "busy", *self.find_again, *self.living, "mask_array", *self.passed("mask")]
        )


def _once(names: Iterable[str]) -> list[str]:
    """Names, each once, in order."""
    return list(dict.fromkeys(names))
