"""Emits `numba_kernels.py`: the functions of a program, and kernels around them from `kernels.py.j2`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hamlet import schema
from hamlet.schema import abi
from hamlet.schema.features import features, quantities
from hamlet.universe import Universe
from hamletc.ir.function import Function, Output, Program
from hamletc.ir.ops import Const, Input
from hamletc.kernel import code
from hamletc.kernel.body import remarks, rows, table_name
from hamletc.targets.known_rows import KnownRows, known_rows
from hamletc.targets.numba.bindings import Bindings
from hamletc.targets.numba.cells import cell_step
from hamletc.targets.numba.cuts import Cuts
from hamletc.targets.numba.formatter import literal, typed
from hamletc.targets.numba.memory import memory
from hamletc.targets.numba.parts import is_large
from hamletc.targets.numba.phases import Phases
from hamletc.targets.numba.rows import MANY_WORDS, repeated, shared_by_rows, singles
from hamletc.targets.numba.slots import HEAP, STACK, Chunk, chunks, has_cell_cache
from hamletc.targets.numba.together import CLOSING
from hamletc.targets.printing import assign, call, define, give, listing, table_values
from hamletc.targets.python import PythonPrinter
from hamletc.targets.scene import split
from hamletc.targets.skeleton import skeleton

WORDS = ("first_word", "second_word", "third_word", "fourth_word")
DRAWN_BY = {
    "lane": "ramp(u32(first_world * agents + start + first))",
    "tick": "u32(now)",
    "seed_low": "u32(seed_low)",
    "seed_high": "u32(seed_high)",
}
"""What a tick that draws random words is given."""
OF_WORLD = {
    "world": "add(shift_right(multiply(ramp(u32(first)), u32(turns)), 16), u32(first_world + world))",
    "tick": "u32(now)",
    "seed_low": "u32(seed_low)",
    "seed_high": "u32(seed_high)",
}
"""What the rules of a world are given that draw."""

ENDED = [
    "cause",
    "age",
    "episode_return",
    "part(causes_array, 0, 0)",
    "part(lengths_array, 0, 0)",
    "lengths_array.shape[0] - 1",
    "finished_return",
]
"""What `count_episode` takes beside a lane."""

BY_LANE = [
    "used",
    "cause",
    "age",
    "episode_return",
    *(f"part({name}_array, 0, start)" for name in abi.LANE_COUNTS),
    "kept_episodes",
    "lane_uses_array.shape[1]",
]
"""What `count_by_lane` takes."""


def emit(program: Program, universe: Universe) -> str:
    """The text of `numba_kernels.py`; the same for the same program and universe."""
    return skeleton("numba").render(_Context(program, universe).names())


def printer(bindings: Bindings) -> PythonPrinter:
    """Prints functions of the module."""
    return PythonPrinter(bindings.formatters, bindings.sources, constant, declared, decorator)


def constant(value: code.Typed) -> str:
    """A number of a type."""
    plain = Const(value.type, value.value)
    return typed(plain) if value.alone else literal(plain)


def declared(parameter: code.Parameter) -> str:
    """A parameter of a function."""
    return parameter.name


def decorator(function: code.Function) -> str:
    """What compiles a function."""
    return f"@{function.kind}"


@dataclass(frozen=True, slots=True)
class Given:
    """An array of a rollout with `rows` rows of a field for each tick, and the chunks that they are loaded into."""

    array: str
    rows: int
    chunks: list[Chunk]


class _Context:
    """What the template sees: lists of names, and functions that print parts of the program."""

    def __init__(self, program: Program, universe: Universe) -> None:
        program = _with_scene(program)
        self.universe = universe
        large = is_large(program) and not has_cell_cache(program)
        program, known = (program, ()) if large else _with_known_rows(program)
        self.functions = functions = Bindings(program, universe, HEAP if large else STACK, known)
        self.cuts = Cuts(functions) if large else None
        scales = (functions.meter_scales,) if functions.meter_scales else ()
        self.tables = (*program.tables, *(self.cuts.scale_tables() if self.cuts else ()), *scales)
        self.rooms = self.cuts.rooms() if self.cuts else {}
        self.arrays = [f"{field.name}_array" for field in schema.state_fields(universe)]
        self.chunks, self.outcomes = chunks(functions.state), chunks(functions.outcomes)
        self.cached = chunks(functions.cached)

    def names(self) -> dict[str, object]:
        """All names of the template."""
        functions, universe = self.functions, self.universe
        together, by_hand = functions.together, universe.by_hand
        given = {slot.name: slot for slot in (*functions.state, *functions.outcomes)} | together.slots
        ticked = [given[output.name] for output in functions.changed()]
        begun = [functions.held[output.name] for output in functions.bodies["reset"].outputs]
        begins = [chunk for chunk in self.chunks if chunk.start is not None]
        changed = {slot.chunk.variable for slot in (*ticked, *functions.cached)}
        changed |= set() if together.settles else {"episode_return"}
        changing = [chunk for chunk in self.chunks if chunk.variable in changed]
        restarted = dict.fromkeys([*(chunk.variable for chunk in (*chunks(begun), *begins)), "layout", "episode"])
        made = {chunk.variable: chunk.make for chunk in (*self.chunks, *self.outcomes)}
        step = cell_step(functions.program, universe, functions)
        if step is not None:
            together.made.update(step.arrays)
        closing = [chunk for chunk in self.chunks if together.settles and chunk.variable in CLOSING]
        entering = [chunk for chunk in together.begun if by_hand or chunk not in changing]
        before = [*([] if by_hand else [*changing, *closing]), *entering]
        made |= {f"before_{chunk.variable}": chunk.make for chunk in before} | together.made
        all_made = [chunk.make for chunk in (*self.chunks, *self.outcomes, *self.cached)]
        all_made += [*self.rooms.values(), *together.made.values()]
        observe_shared = shared_by_rows(functions, "observe")
        all_made += [single.make for single in observe_shared]
        cut = self.cuts
        phases = Phases(functions, cut, changing, [*restarted], step)
        summed = [chunk for chunk in self.chunks if chunk.field.name == "meters"]
        scales = [f"f32({scale})" for scale in abi.meter_scales(universe)]
        return {
            "code": {each.name: printer(functions).function(each) for each in memory(self.outcomes)},
            "universe": universe,
            "source": ", ".join(functions.sources),
            "cuts": cut.cuts if cut else {},
            "cut_arguments": cut.arguments if cut else None,
            "observed_runs": cut.observed if cut else [],
            "allowed": cut.allowed if cut else [],
            "rooms": self.rooms,
            "to_give_back": [name for name, make in (made | self.rooms).items() if make.startswith("room_")],
            "observing": phases.passed("observe"),
            "masking": phases.passed("mask"),
            "takes": phases.taken(),
            "tables": [table for table in self.tables if table.name not in functions.short],
            "short_tables": [table for table in self.tables if table.name in functions.short],
            "table_remarks": lambda table: [remarks(origin, functions.sources) for origin in table.origins],
            "cell_cache": [chunk for chunk in self.cached if chunk not in self.chunks],
            "cells": sum(slot.name.startswith("cell.") for slot in functions.cached),
            "cache": phases.cache,
            "scene": [slot.element for slot in functions.cached if slot.name.startswith("scene.")],
            "moved": [slot.element for slot in functions.cached if slot.name.startswith("moved.")],
            "moved_to": {slot.name.replace("moved.", "position."): slot.element for slot in functions.cached},
            "chunks": self.chunks,
            "counted": chunks(functions.counted),
            "outcomes": self.outcomes,
            "changing": changing,
            "before": before,
            "saved": [chunk for chunk in changing if chunk not in together.begun],
            "closing": closing,
            "ruled": functions.program.has("world"),
            "together": together,
            "step": step,
            "finds": lambda name: any(each.input == "found" for each in functions.bodies[name].parameters),
            "gives": lambda name: [given[output.name].element for output in functions.bodies[name].outputs],
            "of_world": OF_WORLD,
            "direct": self.direct,
            "ticked": [slot.element for slot in ticked],
            "begun": [slot.element for slot in begun],
            "new_layout": functions.held["layout"].element,
            "begins": begins,
            "reported": bool(schema.report_names(universe)),
            "rows_made": sorted({make.partition("(")[0] for make in all_made if not make.startswith("local_")}),
            "notes": self._notes(),
            "words": WORDS,
            "given": self._given(),
            "steered": [functions.held[o.name].element for o in self._outputs("steer")],
            "ended": ENDED,
            "meters": phases.meters,
            "summed": summed,
            "meter_scales": scales,
            "scale_table": functions.meter_scales,
            "by_lane": BY_LANE,
            "binning": self._binning(),
            "bin": self._bin(),
            "binned_rows": len(universe.meters),
            "thresholds": len(schema.action_names(universe)) - 1,
            "drawn_by": DRAWN_BY,
            "ticking": {"action": "action[lane]", "interacting": "interacting[lane]"} | DRAWN_BY,
            "interact": schema.interact_action(universe),
            "wait": schema.interact_action(universe) + 1,
            "by_hand": universe.by_hand,
            "by_world": self._by_world,
            "has_clock": universe.clock is not None,
            "sees": phases.sees,
            "observed": singles(functions, "observe"),
            "observed_rows": schema.observation_rows(universe),
            "observe_shared": observe_shared,
            "observe_repeated": repeated(functions, "observe"),
            "masked": singles(functions, "mask"),
            "mask_shared": shared_by_rows(functions, "mask"),
            "mask_repeated": repeated(functions, "mask"),
            "load_arguments": [
                *self.arrays,
                *(chunk.variable for chunk in (*self.chunks, *chunks(functions.counted))),
                "start",
                "count",
                "world",
                "agents",
                "agent",
                *self.directly,
            ],
            "store_arguments": self.store_arguments,
            "kernel_parameters": self.kernel_parameters(),
            "parameters": functions.parameters,
            "elements": functions.elements,
            "tables_of": functions.tables_of,
            "table_names": functions.passed_tables,
            "table_name": table_name,
            "loops": rows(functions.program, functions.bodies, "i32(index)"),
            "lines": functions.lines,
            "results": functions.results,
            "assign": assign,
            "at_lane": lambda names: [f"{name}[lane]" for name in names],
            "call": call,
            "define": define,
            "give": give,
            "listing": listing,
            "table_values": table_values,
        }

    @property
    def direct(self) -> list[Chunk]:
        """The chunks in whose place a tick may work on the state of all lanes."""
        return [chunk for chunk in self.chunks if chunk.direct]

    @property
    def directly(self) -> list[str]:
        """Whether it does, for what copies them."""
        return ["direct"] if self.direct else []

    @property
    def _by_world(self) -> bool:
        """Whether an agent has to know whether one of its world interacts."""
        tracking = self.universe.tracking
        return tracking is not None and tracking.by == "world"

    def _given(self) -> list[Given]:
        """What a rollout is given for each tick."""
        fields = [field for field in schema.state_fields(self.universe) if field.name in schema.GIVEN_BY_TICK]
        return [
            Given(
                f"given_{field.name}_array",
                len(field.names),
                [chunk for chunk in self.chunks if chunk.field.name == field.name],
            )
            for field in fields
        ]

    def _outputs(self, function: str) -> tuple[Output, ...]:
        """The outputs of a function that not all universes have."""
        bodies = self.functions.bodies
        return bodies[function].outputs if function in bodies else ()

    def _notes(self) -> str:
        """What makes a chunk of numbers of affordances."""
        count = len(self.universe.affordances)
        return next(f"local_u{bits}" for bits in (8, 16, 32) if count <= 1 << bits)

    def _bin(self) -> list[str]:
        """What `bin` takes for the meter of `row`; nothing where there is no such function."""
        if "bin" not in self.functions.bodies:
            return []
        count, binned, meters = (
            len(each) for each in (features(self.universe), quantities(self.universe), self.universe.meters)
        )
        first = binned - meters
        given = {
            "row": "i32(row)",
            "situation": "situation[lane]",
            "value": "meters[row * LANES + lane]",
            "stride": f"strides[{count - meters} + row]",
            "scale": f"bins[{first} + row]" if first else "bins[row]",
            "top": f"bins[{binned + first} + row]",
        }
        return self.functions.elements("bin", given)

    def _binning(self) -> dict[str, str]:
        """What `situation` needs of a table, by the names of its inputs."""
        count, binned = len(features(self.universe)), len(quantities(self.universe))
        result = {f"stride.{number}": f"strides_array[{number}]" for number in range(count)}
        result |= {f"scale.{number}": f"bins_array[{number}]" for number in range(binned)}
        return result | {f"top.{number}": f"bins_array[{binned + number}]" for number in range(binned)}

    # --- kernels ----------------------------------------------------------------------------------------------------

    def kernel_parameters(self) -> list[str]:
        """The parameters of `rollout`: those of `hamlet.schema.abi`, the cell cache, shares of threads, the worlds
        that begin an episode, switches."""
        arrays = [f"{name}_array" for name in abi.array_arguments(self.universe, "rollout")]
        tables = self.functions.passed_tables(table.name for table in self.tables)
        cells = ["cells_array", "layouts_array", "known"] if self.cached else []
        own = ["shares_array", "begins_array", "thread", "every_tick", "streamed"]
        return [*arrays, *tables, *abi.scalar_arguments("rollout"), *cells, *own]

    def store_arguments(self, per: schema.Per) -> list[str]:
        """The arrays and chunks of the state of lanes or of worlds, and where it is stored."""
        stored = [chunk for chunk in self.chunks if chunk.field.per == per and chunk.changes]
        where = ["start", "count", *self.directly] if per == "lane" else ["world", "agents", "count"]
        return [*dict.fromkeys(chunk.array for chunk in stored), *(chunk.variable for chunk in stored), *where]


def _with_scene(program: Program) -> Program:
    """Where there is a cell cache, what observations need of them alone is a function of its own, `scene`."""
    if not has_cell_cache(program):
        return program
    scene, observe = split(program.function("observe"))
    if not any(isinstance(node.op, Input) and node.op.name.startswith("cell.") for node in scene.nodes):
        scene, observe = replace(scene, outputs=()), program.function("observe")
    return _with(program, observe, scene)


def _with_known_rows(program: Program) -> tuple[Program, tuple[KnownRows, ...]]:
    """Where a repeated row is known but for a bit of many words, `observe` gives the words."""
    observe, known = known_rows(program.function("observe"), MANY_WORDS)
    return _with(program, observe), known


def _with(program: Program, observe: Function, *others: Function) -> Program:
    """The program with another `observe`, and with other functions."""
    functions = (observe if function.name == "observe" else function for function in program.functions)
    return replace(program, functions=(*functions, *others))
