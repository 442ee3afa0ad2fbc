"""Emits `numba_kernels.py`: the functions of a program, and kernels around them from `kernels.py.j2`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined

from hamlet import abi, schema
from hamlet.manifest import plain
from hamlet.universe import Universe
from hamletc.ir.function import Program
from hamletc.ir.ops import Input, Value, operands
from hamletc.ir.types import Type
from hamletc.targets.body import Body, Loop, body, comment, identifier, rows
from hamletc.targets.numba.formatter import NumbaFormatter, table_name
from hamletc.targets.printing import assign, call, define, give, listing, table_values

LOCALS = {Type.F32: "local_f32", Type.I32: "local_i32", Type.U32: "local_u32", Type.BOOL: "local_bool"}
WORDS = ("first_word", "second_word", "third_word", "fourth_word")
NOTHING = {
    "actions_array": "NO_ACTIONS",
    "reward_array": "NO_F32",
    "terminated_array": "NO_BOOL",
    "truncated_array": "NO_BOOL",
    "used_array": "NO_I32",
    "cause_array": "NO_I32",
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


@dataclass(frozen=True, slots=True)
class Slot:
    """A state value of which a kernel holds a chunk.

    Attributes:
        name: in the contract of functions: `meter.energy`.
        variable: the array of a chunk; an author's name has its kind before it: `meter_energy`.
        local: what makes that array.
        array, row: where the state of all lanes or worlds has it.
        start: at the beginning of an episode, where it is a constant.
    """

    name: str
    variable: str
    local: str
    array: str
    row: int
    start: str | None
    per: schema.Per


@dataclass(frozen=True, slots=True)
class Single:
    """A value that `_observe_lane` gives: a row of the observation, or what repeated rows share (without an offset)."""

    variable: str
    local: str
    text: str
    offset: int | None


@dataclass(frozen=True, slots=True)
class Repeated:
    """Rows of an observation that one function computes: its text, and how it is called for a lane."""

    name: str
    offset: int
    count: int
    parameters: list[str]
    arguments: list[str]
    lines: str
    text: str


def emit(program: Program, universe: Universe) -> str:
    """The text of `numba_kernels.py`; the same for the same program and universe."""
    environment = Environment(
        loader=PackageLoader("hamletc.targets.numba", ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("kernels.py.j2").render(_Context(program, universe).names())


def slots(universe: Universe) -> tuple[Slot, ...]:
    """The state of a lane and its world, in the order of the state arrays."""
    starts = {"age": "0", "engaged": "-1", "progress": "0", "alive": "True", "episode_return": "f32(0.0)", "hour": "0"}
    kinds = {"meters": "meter", "position": "position", "params": "param"}
    result = []
    for field in schema.state_fields(universe):
        local = "local_u32" if field.name == "layout" else f"local_{field.dtype}"
        for row, name in enumerate(field.rows or (None,)):
            full = field.name if name is None else f"{kinds[field.name]}.{name}"
            variable = field.name if name is None else f"{kinds[field.name]}_{identifier(name)}"
            result.append(Slot(full, variable, local, f"{field.name}_array", row, starts.get(full), field.per))
    return tuple(result)


class _Context:
    """What the template sees: lists of names, and functions that print parts of the program."""

    def __init__(self, program: Program, universe: Universe) -> None:
        self.program = program
        self.universe = universe
        self.source = plain(universe.source)
        self.slots = slots(universe)
        self.variables = {slot.name: slot.variable for slot in self.slots}
        self.arrays = [f"{field.name}_array" for field in schema.state_fields(universe)]
        self.bodies = {function.name: body(function) for function in program.functions}
        self.formatters = {name: NumbaFormatter(printed) for name, printed in self.bodies.items()}
        self.offsets = {segment.name: segment.offset for segment in schema.observation_segments(universe)}

    def names(self) -> dict[str, object]:
        """All names of the template."""
        variables = list(self.variables.values())
        ticked = [self.variables.get(output.name, output.name) for output in self.bodies["tick"].outputs]
        begun = [self.variables[output.name] for output in self.bodies["reset"].outputs]
        restarted = [*begun, *(slot.variable for slot in self.slots if slot.start is not None), "episode"]
        observed, shared = self.observed(), self.shared()
        seeds = ["start", "agents", "first_world", "seed_low", "seed_high"]
        return {
            "universe": self.universe,
            "source": self.source,
            "tables": self.program.tables,
            "slots": self.slots,
            "arrays": self.arrays,
            "variables": variables,
            "outcomes": schema.outcome_fields(),
            "changing": [name for name in ticked if name in variables] + ["episode_return"],
            "ticked": ticked,
            "begun": begun,
            "restarted": restarted,
            "words": WORDS,
            "actions": [f"action_{name}" for name in schema.action_names(self.universe)],
            "wait": schema.interact_action(self.universe) + 1,
            "has_clock": self.universe.clock is not None,
            "observed": observed,
            "singles": observed + shared,
            "repeated": self.repeated(),
            "load_arguments": [*self.arrays, *variables, "start", "count", "world", "agents", "agent"],
            "store_arguments": self.store_arguments,
            "restart_arguments": [*restarted, *seeds, *self.tables_of("reset")],
            "kernel_parameters": self.kernel_parameters,
            "rollout_arguments": self.rollout_arguments,
            "parameters": self.parameters,
            "chunks": self.chunks,
            "elements": self.elements,
            "tables_of": self.tables_of,
            "table_names": lambda names: [table_name(name) for name in names],
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

    # --- functions --------------------------------------------------------------------------------------------------

    def tables(self) -> list[str]:
        """The parameters of a kernel for the tables."""
        return [table_name(table.name) for table in self.program.tables]

    def tables_of(self, function: str) -> list[str]:
        """The parameters and arguments for the tables that a function reads."""
        return [table_name(name) for name in self.bodies[function].tables]

    def parameters(self, function: str) -> list[str]:
        """The parameters of a function: its inputs, then its tables."""
        return [parameter.name for parameter in self.bodies[function].parameters] + self.tables_of(function)

    def chunks(self, function: str) -> list[str]:
        """The arrays of a chunk whose elements are its inputs, then its tables."""
        inputs = [self.variables[parameter.input] for parameter in self.bodies[function].parameters]
        return inputs + self.tables_of(function)

    def elements(self, function: str, given: Mapping[str, str]) -> list[str]:
        """What is passed to it for a lane: what is given by the name of an input, else the lane's element."""
        inputs = [
            given.get(parameter.input) or f"{self.variables[parameter.input]}[lane]"
            for parameter in self.bodies[function].parameters
        ]
        return inputs + self.tables_of(function)

    def lines(self, function: str, loop: Loop | None = None) -> str:
        """The assignments of a function or of its loop, under comments that name the construct they come from."""
        printed = self.bodies[function]
        result = []
        for line in printed.lines if loop is None else loop.lines:
            if line.origin is not None and line.origin.construct:
                where = f", {self.source}:{line.origin.line}" if line.origin.line else ""
                result.append(f"    # {comment(line.origin.construct + where)}")
            result.append(f"    {line.name} = {self.formatters[function].line(line.value)}")
        return "\n".join(result)

    def results(self, function: str) -> list[str]:
        """The single outputs of a function."""
        return [self.formatters[function].typed(output.value) for output in self.bodies[function].outputs]

    # --- observations -----------------------------------------------------------------------------------------------

    def observed(self) -> list[Single]:
        """The single rows of an observation."""
        outputs = self.bodies["observe"].outputs
        return [
            Single(f"observed_{output.name.replace('.', '_')}", "local_f32", text, self.offsets[output.name])
            for output, text in zip(outputs, self.results("observe"), strict=True)
        ]

    def shared(self) -> list[Single]:
        """What the rows of loops need and no element changes, inputs left out."""
        printed = self.bodies["observe"]
        values = dict.fromkeys(value for loop in printed.loops for value in _outside(printed, loop))
        return [
            Single(f"shared_{printed.names[value]}", LOCALS[printed.type(value)], printed.names[value], None)
            for value in values
            if not isinstance(printed.op(value), Input)
        ]

    def repeated(self) -> list[Repeated]:
        """The repeated rows of an observation."""
        printed, tables = self.bodies["observe"], self.tables_of("observe")
        result = []
        for loop in printed.loops:
            outside = _outside(printed, loop)
            chunks = [
                self.variables[op.name]
                if isinstance(op := printed.op(value), Input)
                else f"shared_{printed.names[value]}"
                for value in outside
            ]
            result.append(
                Repeated(
                    name=identifier(loop.output),
                    offset=self.offsets[loop.output],
                    count=loop.count,
                    parameters=[loop.element, *(printed.names[value] for value in outside), *tables],
                    arguments=["i32(element)", *(f"{chunk}[lane]" for chunk in chunks), *tables],
                    lines=self.lines("observe", loop),
                    text=self.formatters["observe"].typed(loop.value),
                )
            )
        return result

    # --- kernels ----------------------------------------------------------------------------------------------------

    def kernel_parameters(self, kernel: abi.Kernel) -> list[str]:
        """The parameters of a kernel: those of `hamlet.abi`, then the range of worlds, then switches."""
        arrays = [f"{name}_array" for name in abi.array_arguments(self.universe, kernel)]
        switches = ["every_tick", "fresh"] if kernel == "rollout" else []
        return [*arrays, *self.tables(), *abi.scalar_arguments(kernel), "begin", "end", *switches]

    def store_arguments(self, per: schema.Per) -> list[str]:
        """The arrays and chunks of the state of lanes or of worlds, and where it is stored."""
        stored = [slot for slot in self.slots if slot.per == per and slot.array != "params_array"]
        where = ["start", "count"] if per == "lane" else ["world", "agents", "count"]
        return [*dict.fromkeys(slot.array for slot in stored), *(slot.variable for slot in stored), *where]

    def rollout_arguments(self, kernel: abi.Kernel) -> list[str]:
        """What another kernel passes to `rollout`: `step` one tick with observations, the others none."""
        switched = {"step": {"ticks": "1", "every_tick": "True"}, "reset": {"fresh": "True"}}
        given = NOTHING | switched.get(kernel, {})
        passed = self.kernel_parameters(kernel)
        return [name if name in passed else given[name] for name in self.kernel_parameters("rollout")]


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
