"""Emits `numba_kernels.py`: the functions of a program, and kernels around them from `kernels.py.j2`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from hamlet import schema
from hamlet.package.manifest import plain
from hamlet.schema import abi
from hamlet.schema.features import features, quantities
from hamlet.universe import Universe
from hamletc.ir.function import Output, Program, Table
from hamletc.ir.ops import Const, Input, Type, Value, operands
from hamletc.targets.body import Body, Line, Loop, body, comment, identifier, rows, table_name, unique
from hamletc.targets.numba.formatter import NumbaFormatter, literal
from hamletc.targets.numba.parts import Cut, Place, cut, is_large
from hamletc.targets.numba.parts import held as held_in
from hamletc.targets.numba.slots import HEAP, STACK, Slot, chunks, keeps_cells, kept, outcomes, state
from hamletc.targets.printing import assign, call, define, give, listing, table_values
from hamletc.targets.scene import split
from hamletc.targets.skeleton import skeleton

LOCALS = {type_: f"local_{type_.value}(LANES)" for type_ in Type}
WORDS = ("first_word", "second_word", "third_word", "fourth_word")
DRAWN_BY = {
    "lane": "ramp(u32(first_world * agents + start + first))",
    "tick": "u32(now)",
    "seed_low": "u32(seed_low)",
    "seed_high": "u32(seed_high)",
}
"""What a tick that draws random words is given."""
NOTHING = {
    "actions_array": "NO_ACTIONS",
    "choices_array": "NO_I32",
    "thresholds_array": "NO_I32",
    "strides_array": "NO_I32",
    "bins_array": "NO_F32",
    "reward_array": "NO_F32",
    "terminated_array": "NO_BOOL",
    "truncated_array": "NO_BOOL",
    "used_array": "NO_I32",
    "cause_array": "NO_I32",
    "reports_array": "NO_REPORTS",
    "final_observation_array": "observation_array",
    "uses_array": "NO_I64",
    "causes_array": "NO_I64",
    "lengths_array": "NO_I64",
    "finished_return_array": "NO_F32",
    "first_world": "0",
    "seed_low": "0",
    "seed_high": "0",
    "tick": "0",
    "ticks": "0",
    "every_tick": "False",
    "fresh": "False",
}
"""What the other kernels pass for parameters of `rollout` that they do not have."""


SERIES = 8
"""So many observed rows that are rows of a field, one after the other, are written by a loop."""

LOWS, SCALES = table_name("observed.low"), table_name("observed.scale")
"""Tables of how rows are observed as bytes, where they are written by a loop and are not alike."""

SHORT = 64
"""Tables of at most so many numbers are constants that registers hold (`hamlet.launch.cpu.ops.tables`)."""


@dataclass(frozen=True, slots=True)
class Single:
    """What a function gives for a lane: a row of what it writes, or (without a row) what repeated rows share. `scale`:
    how an observed row becomes bytes."""

    variable: str
    make: str
    text: str
    row: int | None
    scale: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """Rows of what a function writes, from `first` on, that are rows of an array from `begin` on. `step`: elements from
    one to the next; `scales`: how each is observed as a byte."""

    first: int
    count: int
    variable: str
    begin: int
    step: str
    scales: tuple[str, ...] = ()

    @property
    def scale(self) -> str:
        """How rows become bytes."""
        return (
            self.scales[0]
            if len(set(self.scales)) == 1
            else f"{LOWS}[{self.first} + row], {SCALES}[{self.first} + row]"
        )

    @property
    def element(self) -> str:
        """The element of `row` of the run."""
        at = f"({self.begin} + row) * {self.step}" if self.begin else f"row * {self.step}"
        return f"{self.variable}[{at} + lane]" if self.step == "LANES" else f"{self.variable}[wide({at})]"


@dataclass(frozen=True, slots=True)
class Repeated:
    """Rows that one function computes: its text, and how it is called for a lane. `row` is the first, `scale` as in
    `Single`."""

    function: str
    row: int
    count: int
    parameters: list[str]
    arguments: list[str]
    lines: str
    text: str
    scale: str


def emit(program: Program, universe: Universe) -> str:
    """The text of `numba_kernels.py`; the same for the same program and universe."""
    return skeleton("numba").render(_Context(program, universe).names())


class _Context:
    """What the template sees: lists of names, and functions that print parts of the program."""

    def __init__(self, program: Program, universe: Universe) -> None:
        self.program = program = _with_scene(program)
        self.universe = universe
        self.sources = [plain(source) for source in universe.sources]
        self.large = is_large(program) and not keeps_cells(program)
        memory = HEAP if self.large else STACK
        self.state = state(universe, frozenset(output.name for output in program.function("reset").outputs), memory)
        self.held = {slot.name: slot for slot in self.state}
        self.kept = kept(program, self.held, sum(each.place is None for each in universe.affordances))
        self.held |= {slot.name: slot for slot in self.kept}
        self.outcomes = outcomes(universe, memory)
        self.arrays = [f"{field.name}_array" for field in schema.state_fields(universe)]
        self.bodies = {function.name: body(function) for function in program.functions}
        self.short = frozenset(table.name for table in program.tables if len(table.values) <= SHORT)
        self.formatters = {name: NumbaFormatter(printed, self.short) for name, printed in self.bodies.items()}
        self.offsets = {segment.name: segment.offset for segment in schema.observation_segments(universe)}
        self.scales = {
            each.name: ", ".join(literal(Const(Type.F32, number)) for number in (each.scale.low, each.scale.scale))
            for each in schema.observation_segments(universe)
        }
        self.offsets |= {f"mask.{number}": number for number in range(len(schema.action_names(universe)))}
        self.cuts: dict[str, Cut] = {}
        self.seen: list[Run] = []
        self.allowed: list[Run] = []
        if self.large:
            self._cut()

    def names(self) -> dict[str, object]:
        """All names of the template."""
        given = {slot.name: slot for slot in (*self.state, *self.outcomes)}
        ticked = [given[output.name] for output in self._changed()]
        begun = [self.held[output.name] for output in self.bodies["reset"].outputs]
        held, happened = chunks(self.state), chunks(self.outcomes)
        variables = [chunk.variable for chunk in held]
        begins = [chunk for chunk in held if chunk.start is not None]
        restarted = dict.fromkeys([*(chunk.variable for chunk in (*chunks(begun), *begins)), "layout", "episode"])
        changing = {slot.chunk.variable for slot in (*ticked, *self.kept)} | {"episode_return"}
        tracking = self.universe.tracking
        made = {chunk.variable: chunk.make for chunk in (*held, *happened)}
        if not self.universe.by_hand:
            made |= {f"kept_{chunk.variable}": chunk.make for chunk in held if chunk.variable in changing}
        seeds = ["world", "agent", "agents", "first_world", "seed_low", "seed_high"]
        return {
            "universe": self.universe,
            "cuts": self.cuts,
            "cut_arguments": self.cut_arguments,
            "cut_passed": self.cut_passed,
            "seen": self.seen,
            "allowed": self.allowed,
            "rooms": self.rooms(),
            "to_give_back": [name for name, make in (made | self.rooms()).items() if make.startswith("room_")],
            "observing": self.cut_passed("observe") if self.large else self.passed("observe"),
            "masking": self.cut_passed("mask") if self.large else self.passed("mask"),
            "source": ", ".join(self.sources),
            "tables": [table for table in self.program.tables if table.name not in self.short],
            "short_tables": [table for table in self.program.tables if table.name in self.short],
            "kept": [chunk for chunk in chunks(self.kept) if chunk not in held],
            "kept_cells": sum(slot.name.startswith("cell.") for slot in self.kept),
            "looking": self.looking(),
            "scene": [slot.element for slot in self.kept if slot.name.startswith("scene.")],
            "scenery": self.passed("scene") if self.kept else [],
            "keepers": list(dict.fromkeys(chunk.variable for chunk in chunks(self._episode()))),
            "moved": [slot.element for slot in self.kept if slot.name.startswith("moved.")],
            "moved_to": {slot.name.replace("moved.", "position."): slot.element for slot in self.kept},
            "chunks": held,
            "outcomes": happened,
            "changing": [chunk for chunk in held if chunk.variable in changing],
            "ticked": [slot.element for slot in ticked],
            "begun": [slot.element for slot in begun],
            "new_layout": self.held["layout"].element,
            "begins": begins,
            "reported": bool(schema.report_names(self.universe)),
            "rows_made": sorted(
                {chunk.make.partition("(")[0] for chunk in (*held, *happened, *chunks(self.kept)) if chunk.rows > 1}
                | {make.partition("(")[0] for make in self.rooms().values()}
            ),
            "notes": self.notes(),
            "words": WORDS,
            "binning": self.binning(),
            "bin": self.bin(),
            "binned_rows": len(self.universe.meters),
            "thresholds": len(schema.action_names(self.universe)) - 1,
            "ticking": {"action": "action[lane]", "interacting": "interacting[lane]"} | DRAWN_BY,
            "interact": schema.interact_action(self.universe),
            "wait": schema.interact_action(self.universe) + 1,
            "by_hand": self.universe.by_hand,
            "by_world": tracking is not None and tracking.by == "world",
            "has_clock": self.universe.clock is not None,
            "observed": self.singles("observe"),
            "observe_shared": self.shared("observe"),
            "observe_repeated": self.repeated("observe"),
            "masked": self.singles("mask"),
            "mask_shared": self.shared("mask"),
            "mask_repeated": self.repeated("mask"),
            "load_arguments": [*self.arrays, *variables, "start", "count", "world", "agents", "agent"],
            "store_arguments": self.store_arguments,
            "restart_arguments": self._restart_arguments([*restarted], seeds),
            "kernel_parameters": self.kernel_parameters,
            "rollout_arguments": self.rollout_arguments,
            "parameters": self.parameters,
            "passed": self.passed,
            "elements": self.elements,
            "tables_of": self.tables_of,
            "table_names": self._passed_tables,
            "table_name": table_name,
            "loops": rows(self.program, self.bodies, "i32(index)"),
            "lines": self.lines,
            "results": self.results,
            "assign": assign,
            "at_lane": lambda names: [f"{name}[lane]" for name in names],
            "call": call,
            "define": define,
            "give": give,
            "listing": listing,
            "table_values": table_values,
        }

    def notes(self) -> str:
        """What makes a chunk of numbers of affordances."""
        count = len(self.universe.affordances)
        return next(f"local_u{bits}" for bits in (8, 16, 32) if count <= 1 << bits)

    def bin(self) -> list[str]:
        """What `bin` takes for the meter of `row`; nothing where there is no such function."""
        if "bin" not in self.bodies:
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
        return self.elements("bin", given)

    def binning(self) -> dict[str, str]:
        """What `situation` needs of a table, by the names of its inputs."""
        count, binned = len(features(self.universe)), len(quantities(self.universe))
        result = {f"stride.{number}": f"strides_array[{number}]" for number in range(count)}
        result |= {f"scale.{number}": f"bins_array[{number}]" for number in range(binned)}
        return result | {f"top.{number}": f"bins_array[{binned + number}]" for number in range(binned)}

    # --- functions --------------------------------------------------------------------------------------------------

    def tables(self) -> list[str]:
        """The parameters of a kernel for the tables."""
        return self._passed_tables(table.name for table in self.program.tables)

    def tables_of(self, function: str) -> list[str]:
        """The parameters and arguments for the tables that a function reads."""
        return self._passed_tables(self.bodies[function].tables)

    def _passed_tables(self, names: Iterable[str]) -> list[str]:
        """Those of these tables that are no constants."""
        return [table_name(name) for name in names if name not in self.short]

    def parameters(self, function: str) -> list[str]:
        """The parameters of a function: its inputs, then its tables."""
        return [parameter.name for parameter in self.bodies[function].parameters] + self.tables_of(function)

    def passed(self, function: str) -> list[str]:
        """The chunks that hold its inputs, then its tables."""
        inputs = [self.held[parameter.input].chunk.variable for parameter in self.bodies[function].parameters]
        return [*dict.fromkeys(inputs), *self.tables_of(function)]

    def elements(self, function: str, given: Mapping[str, str]) -> list[str]:
        """What is passed to it for a lane: what is given by the name of an input, else the lane's element."""
        inputs = [
            given.get(parameter.input) or self.held[parameter.input].element
            for parameter in self.bodies[function].parameters
        ]
        return inputs + self.tables_of(function)

    def lines(self, function: str, loop: Loop | None = None) -> str:
        """The assignments of a function or of its loop, under comments that name the construct they come from."""
        printed = self.bodies[function]
        result = []
        for line in printed.lines if loop is None else loop.lines:
            if line.origin is not None and line.origin.construct:
                where = f", {self.sources[line.origin.file]}:{line.origin.line}" if line.origin.line else ""
                result.append(f"    # {comment(line.origin.construct + where)}")
            result.append(f"    {line.name} = {self.formatters[function].line(line.value)}")
        return "\n".join(result)

    def results(self, function: str) -> list[str]:
        """The single outputs of a function."""
        outputs = self._changed() if function == "tick" else self.bodies[function].outputs
        return [self.formatters[function].typed(output.value) for output in outputs]

    def _changed(self) -> list[Output]:
        """The outputs of a tick but positions that are in their place already."""
        moved = {slot.element for slot in self.kept if slot.name.startswith("moved.")}
        outputs = self.bodies["tick"].outputs
        return [o for o in outputs if o.name not in self.held or self.held[o.name].element not in moved]

    def looking(self) -> list[str]:
        """What it takes to find what is on the cells of lanes; nothing where nothing is kept."""
        if not self.kept:
            return []
        held = [*self.passed("stand"), *self.passed("search"), "found"]
        return [*dict.fromkeys([*held, *(chunk.variable for chunk in chunks(self._episode()))]), "keeping", "observing"]

    def _episode(self) -> list[Slot]:
        """What is kept for an episode."""
        return [slot for slot in self.kept if slot.name.startswith(("cell.", "scene."))]

    # --- functions in parts ------------------------------------------------------------------------------------------

    def _cut(self) -> None:
        """Cut all functions of a lane but those that are small in every universe."""
        given = self.held | {slot.name: slot for slot in self.outcomes}
        for name in ("tick", "reset"):
            self.cuts[name] = self._parts(
                name, self._places(name), [(o.value, given[o.name].place) for o in self.bodies[name].outputs]
            )
        count = len(features(self.universe))
        tables = {f"stride.{number}": Place("strides", str(number), "0") for number in range(count)}
        binned = len(quantities(self.universe))
        tables |= {f"scale.{number}": Place("bins", str(number), "0") for number in range(binned)}
        tables |= {f"top.{number}": Place("bins", str(binned + number), "0") for number in range(binned)}
        situation = [(output.value, Place("situation", "0")) for output in self.bodies["situation"].outputs]
        self.cuts["situation"] = self._parts("situation", self._places("situation") | tables, situation)
        direct = self._direct()
        self.seen, results = self._rows("observe", "seen", direct)
        self.cuts["observe"] = self._parts("observe", self._places("observe"), results)
        if any(len(set(run.scales)) > 1 for run in self.seen):
            self.program = replace(self.program, tables=(*self.program.tables, *self._scale_tables()))
        self.allowed, results = self._rows("mask", "allowed", {})
        self.cuts["mask"] = self._parts("mask", self._places("mask"), results)

    def _parts(self, function: str, places: Mapping[str, Place], results: list[tuple[Value, Place]]) -> Cut:
        formatter = self.formatters[function]

        def source(line: Line) -> str:
            origin = line.origin
            return f", {self.sources[origin.file]}:{origin.line}" if origin is not None and origin.line else ""

        def passed(table: str) -> str | None:
            return None if table in self.short else table_name(table)

        return cut(self.bodies[function], places, results, formatter.line, formatter.typed, passed, source)

    def _places(self, function: str) -> dict[str, Place]:
        """Where the inputs of a function are; those that a kernel computes are left out."""
        inputs = [parameter.input for parameter in self.bodies[function].parameters]
        return {name: self.held[name].place for name in inputs if name in self.held}

    def _scale_tables(self) -> tuple[Table, Table]:
        """How each row is observed as a byte."""
        segments = schema.observation_segments(self.universe)
        rows = [segment.scale for segment in segments for _ in range(segment.count)]
        return (
            Table("observed.low", Type.F32, tuple(each.low for each in rows)),
            Table("observed.scale", Type.F32, tuple(each.scale for each in rows)),
        )

    def _direct(self) -> dict[str, tuple[str, int]]:
        """The observed rows that are rows of a field, by name: the array and the row; where many follow each other."""
        printed, found = self.bodies["observe"], {}
        group: list[tuple[str, Slot]] = []

        def end() -> None:
            if len(group) >= SERIES:
                found.update({name: (slot.chunk.variable, slot.row) for name, slot in group})
            group.clear()

        for output in printed.outputs:
            op = printed.op(output.value)
            slot = self.held.get(op.name) if isinstance(op, Input) else None
            if slot is None or slot.chunk.rows == 1:
                end()
                continue
            if group:
                name, last = group[-1]
                follows = self.offsets[output.name] == self.offsets[name] + 1 and slot.row == last.row + 1
                if not follows or slot.chunk != last.chunk:
                    end()
            group.append((output.name, slot))
        end()
        return found

    def _rows(
        self, function: str, variable: str, direct: Mapping[str, tuple[str, int]]
    ) -> tuple[list[Run], list[tuple[Value, Place]]]:
        """The single rows of what a function writes, as runs of rows in memory; and what it has to compute for them
        and for its repeated rows."""
        printed, step = self.bodies[function], "WIDE" if function == "observe" else "LANES"
        index = "held" if function == "observe" else "lane"
        runs: list[Run] = []
        results: list[tuple[Value, Place]] = []
        for output in printed.outputs:
            first, computed = self.offsets[output.name], output.name not in direct
            array, row = (variable, len(results)) if computed else direct[output.name]
            if computed:
                results.append((output.value, Place(variable, f"{row} * {step}", index)))
            last, scale = runs[-1] if runs else None, self.scales.get(output.name, "")
            if (
                last is not None
                and (last.first + last.count, last.variable) == (first, array)
                and (last.begin + last.count == row)
            ):
                runs[-1] = replace(last, count=last.count + 1, scales=(*last.scales, scale))
            else:
                runs.append(Run(first, 1, array, row, step if computed else "LANES", (scale,)))
        shared = [
            (value, Place(f"shared_{printed.names[value]}", "0"))
            for value in dict.fromkeys(value for loop in printed.loops for value in _outside(printed, loop))
            if not isinstance(printed.op(value), Input)
        ]
        return runs, [*results, *shared]

    def rooms(self) -> dict[str, str]:
        """Arrays beside the state: what makes each."""
        held: dict[Type, int] = {}
        for each in self.cuts.values():
            held |= {type_: max(count, held.get(type_, 0)) for type_, count in each.rows.items()}
        made = {held_in(type_): f"room_{type_.value}({count} * WIDE)" for type_, count in held.items()}
        if seen := sum(run.count for run in self.seen if run.variable == "seen"):
            made["seen"] = f"room_f32({seen} * WIDE)"
        if allowed := sum(run.count for run in self.allowed):
            made["allowed"] = f"room_bool({allowed} * LANES)"
        return made

    def cut_arguments(self, function: str, given: Mapping[str, str], held: str = "wide(0)") -> list[str]:
        """What a function in parts is passed; `given` by the names of inputs."""
        names = {parameter.name: given.get(parameter.input) for parameter in self.bodies[function].parameters}
        return [held if name == "held" else names.get(name) or name for name in self.cuts[function].parameters]

    def cut_passed(self, function: str) -> list[str]:
        """The arrays and tables among that; for repeated rows those that these need, too."""
        shared = {single.variable for single in self.shared(function)} if function in ("observe", "mask") else set()
        names = [name for name in self.cuts[function].parameters if name not in ("lane", "held", *shared)]
        if function not in ("observe", "mask"):
            return names
        runs = self.seen if function == "observe" else self.allowed
        repeated = self.passed(function) if self.bodies[function].loops else []
        tables = [LOWS, SCALES] if any(len(set(run.scales)) > 1 for run in runs) else []
        return list(dict.fromkeys([*names, *(run.variable for run in runs), *repeated, *tables]))

    # --- observations and masks -------------------------------------------------------------------------------------

    def singles(self, function: str) -> list[Single]:
        """The single rows of what it writes."""
        make = "local_bool(LANES)" if function == "mask" else "local_f32(LANES)"
        taken: set[str] = set()
        names = [output.name for output in self.bodies[function].outputs]
        return [
            Single(self._variable(function, name, taken), make, text, self.offsets[name], self.scales.get(name, ""))
            for name, text in zip(names, self.results(function), strict=True)
        ]

    def _variable(self, function: str, output: str, taken: set[str]) -> str:
        """The array of a chunk for a single row: `observed_meter_energy`, `action_UP`."""
        if function == "mask":
            name = f"action.{schema.action_names(self.universe)[self.offsets[output]]}"
        else:
            name = f"observed.{output}"
        return unique(identifier(name), taken)

    def shared(self, function: str) -> list[Single]:
        """What the rows of loops need and no element changes, inputs left out."""
        printed = self.bodies[function]
        values = dict.fromkeys(value for loop in printed.loops for value in _outside(printed, loop))
        return [
            Single(f"shared_{printed.names[value]}", LOCALS[printed.type(value)], printed.names[value], None)
            for value in values
            if not isinstance(printed.op(value), Input)
        ]

    def repeated(self, function: str) -> list[Repeated]:
        """The repeated rows of what it writes."""
        printed, tables = self.bodies[function], self.tables_of(function)
        result = []
        for loop in printed.loops:
            outside = _outside(printed, loop)
            chunks = [
                self.held[op.name].element
                if isinstance(op := printed.op(value), Input)
                else f"shared_{printed.names[value]}[lane]"
                for value in outside
            ]
            output = identifier(loop.output)
            result.append(
                Repeated(
                    function=f"_{output}" if function == "mask" else f"_observe_{output}",
                    row=self.offsets[loop.output],
                    count=loop.count,
                    parameters=[loop.element, *(printed.names[value] for value in outside), *tables],
                    arguments=["i32(element)", *chunks, *tables],
                    lines=self.lines(function, loop),
                    text=self.formatters[function].typed(loop.value),
                    scale=self.scales.get(loop.output, ""),
                )
            )
        return result

    def _restart_arguments(self, restarted: list[str], seeds: list[str]) -> list[str]:
        """What a new episode needs: chunks that it writes, where in the world it is, tables, rows that it keeps
        values in."""
        computed = {parameter.name for parameter in self.bodies["reset"].parameters}
        held = [name for name in self.cut_passed("reset") if name not in computed] if self.large else []
        return list(dict.fromkeys([*restarted, *seeds, *held, *self.tables_of("reset")]))

    # --- kernels ----------------------------------------------------------------------------------------------------

    def kernel_parameters(self, kernel: abi.Kernel) -> list[str]:
        """The parameters of a kernel: those of `hamlet.schema.abi`, kept cells, shares of threads, switches."""
        arrays = [f"{name}_array" for name in abi.array_arguments(self.universe, kernel)]
        cells = ["cells_array", "layouts_array", "known"] if self.kept else []
        switches = ["every_tick", "fresh"] if kernel == "rollout" else []
        return [*arrays, *self.tables(), *abi.scalar_arguments(kernel), *cells, "shares_array", "thread", *switches]

    def store_arguments(self, per: schema.Per) -> list[str]:
        """The arrays and chunks of the state of lanes or of worlds, and where it is stored."""
        stored = [chunk for chunk in chunks(self.state) if chunk.field.per == per and chunk.changes]
        where = ["start", "count"] if per == "lane" else ["world", "agents", "count"]
        return [*dict.fromkeys(chunk.array for chunk in stored), *(chunk.variable for chunk in stored), *where]

    def rollout_arguments(self, kernel: abi.Kernel) -> list[str]:
        """What another kernel passes to `rollout`: `step` one tick with observations, the others none."""
        switched = {"step": {"ticks": "1", "every_tick": "True"}, "reset": {"fresh": "True"}}
        given = NOTHING | switched.get(kernel, {})
        passed = self.kernel_parameters(kernel)
        return [name if name in passed else given[name] for name in self.kernel_parameters("rollout")]


def _with_scene(program: Program) -> Program:
    """Where cells are kept, what observations need of them alone is a function of its own, `scene`."""
    names = [function.name for function in program.functions]
    if "move" not in names:
        return program
    scene, observe = split(program.function("observe"))
    if not any(isinstance(node.op, Input) and node.op.name.startswith("cell.") for node in scene.nodes):
        scene, observe = replace(scene, outputs=()), program.function("observe")
    functions = tuple(observe if function.name == "observe" else function for function in program.functions)
    return Program(program.universe, (*functions, scene), program.tables)


def _outside(printed: Body, loop: Loop) -> list[Value]:
    """The named values that the lines of a loop use and do not define, in order."""
    inside = {line.value for line in loop.lines}

    def used(values: Iterable[Value]) -> Iterable[Value]:
        for value in values:
            if value not in printed.names:
                yield from used(operands(printed.op(value)))
            elif value not in inside and printed.names[value] != loop.element:
                yield value

    roots = [operand for line in loop.lines for operand in operands(printed.op(line.value))]
    return sorted(set(used([*roots, loop.value])))
