"""Emits `numba_kernels.py`: the functions of a program, and kernels around them from `kernels.py.j2`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from jinja2 import Environment, PackageLoader, StrictUndefined

from hamlet import abi, schema
from hamlet.universe import Universe

from hamletc.ir.function import Program
from hamletc.ir.ops import Input, Value, operands
from hamletc.ir.types import Type
from hamletc.targets.body import Body, Line, Loop, body, comment, identifier
from hamletc.targets.numba.formatter import NumbaFormatter, table_name

WIDTH = 120
LOCALS = {Type.F32: "local_f32", Type.I32: "local_i32", Type.U32: "local_u32", Type.BOOL: "local_bool"}
OUTCOMES = {"f32": "local_f32", "i32": "local_i32", "bool": "local_bool"}
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
    "every_tick": "False",
}
"""What the other kernels pass for parameters of `rollout` that they do not have."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A state value of which a kernel holds a chunk.

    Attributes:
        name: in the contract of functions (`meter.energy`).
        variable: the array of a chunk; an author's name has its kind before it.
        local: what makes that array.
        array, row: where all lanes or worlds have it.
        start: at the beginning of an episode, where it is a constant.
    """

    name: str
    variable: str
    local: str
    array: str
    row: int
    start: str | None
    per: schema.Per

    @property
    def changes(self) -> bool:
        """Whether a tick or a new episode can change it."""
        return not self.name.startswith("param.")


@dataclass(frozen=True, slots=True)
class Single:
    """What one lane observes in one row, or a value that repeated rows share: its array in a chunk."""

    variable: str
    local: str
    text: str
    offset: int


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
    printer = _Printer(program, universe)
    observed, shared = printer.singles(), printer.shared()
    changing = [printer.variable(output) for output in printer.outputs("tick") if output in printer.variables]
    begun = [printer.variable(output) for output in printer.outputs("reset")]
    variables = [slot.variable for slot in printer.slots]
    restarted = begun + [slot.variable for slot in printer.slots if slot.start is not None] + ["episode"]
    words = ["first_word", "second_word", "third_word", "fourth_word"]
    seeds = {"seed_low": "u32(seed_low)", "seed_high": "u32(seed_high)"}
    return environment.get_template("kernels.py.j2").render(
        universe=universe,
        source=printer.source,
        tables=program.tables,
        comment=comment,
        define=printer.define,
        assign=printer.assign,
        call=printer.call,
        give=printer.give,
        parameters=printer.parameters,
        lines=lambda function: printer.lines(function, printer.bodies[function].lines),
        results=printer.results,
        tables_of=printer.tables,
        has_clock=universe.clock is not None,
        slots=printer.slots,
        variables=variables,
        arrays=printer.arrays,
        load_arguments=printer.arrays + variables + ["start", "count", "world", "agents", "agent"],
        store_arguments=printer.arrays + variables + ["start", "count", "world", "agents"],
        restart_arguments=restarted + ["start", "agents", "first_world", "seed_low", "seed_high"] + printer.tables("reset"),
        locals="\n".join(f"    {slot.variable} = {slot.local}(LANES)" for slot in printer.slots),
        observed=observed,
        shared=shared,
        singles=observed + shared,
        observed_results=[single.text for single in observed + shared],
        observed_loops=printer.repeated(),
        at=lambda names: [f"{name}[lane]" for name in names],
        at_lane=lambda singles: [f"{single.variable}[lane]" for single in singles],
        at_lane_names=lambda names: [f"{name}[lane]" for name in names],
        arguments=printer.chunks,
        lane_arguments=printer.arguments,
        actions=[f"action_{identifier(name)}" for name in schema.action_names(universe)],
        wait=schema.interact_action(universe) + 1,
        begun=begun,
        restarted=restarted,
        reset_arguments=printer.arguments(
            "reset", seeds | {"world": "u32(first_world + world)", "agent": "i32(agent)", "episode": "episode[lane]"}
        ),
        kernel_parameters=printer.kernel_parameters,
        rollout_arguments=printer.rollout_arguments,
        outcomes=[(field.name, OUTCOMES[field.dtype]) for field in schema.outcome_fields()],
        words=words,
        policy_arguments=printer.arguments("policy", seeds | {"lane": "u32(first + lane)", "tick": "u32(now)"}),
        ticked=[f"next_{printer.variables.get(output, output)}" for output in printer.outputs("tick")],
        tick_arguments=printer.arguments("tick", {"action": "action[lane]"}),
        changing=changing,
    )


def slots(universe: Universe) -> tuple[Slot, ...]:
    """The state of a lane and its world, in the order of the state arrays."""
    starts = {
        "age": "0",
        "engaged": "-1",
        "progress": "0",
        "alive": "True",
        "episode_return": "f32(0.0)",
        "hour": "0",
    }
    kinds = {"meters": "meter", "position": "position", "params": "param"}
    result = []
    for field in schema.state_fields(universe):
        local = "local_u32" if field.name == "layout" else OUTCOMES[field.dtype]
        for row, name in enumerate(field.rows or (None,)):
            full = field.name if name is None else f"{kinds[field.name]}.{name}"
            variable = field.name if name is None else f"{kinds[field.name]}_{identifier(name)}"
            result.append(Slot(full, variable, local, f"{field.name}_array", row, starts.get(full), field.per))
    return tuple(result)


class _Printer:
    """Prints functions and calls of them, for the template."""

    def __init__(self, program: Program, universe: Universe) -> None:
        self.universe = universe
        self.slots = slots(universe)
        self.variables = {slot.name: slot.variable for slot in self.slots}
        self.bodies = {function.name: body(function) for function in program.functions}
        self.table_names = [table_name(table.name) for table in program.tables]
        self.source = comment(universe.source)
        self.offsets = {segment.name: segment.offset for segment in schema.observation_segments(universe)}
        self.arrays = [f"{field.name}_array" for field in schema.state_fields(universe)]

    # --- lists that are broken where a line would be too long -----------------------------------------------------

    def listing(self, head: str, items: Iterable[str], tail: str, indent: int) -> str:
        """`head item, item tail`, on one line where it fits; `indent` is that of the line it stands on."""
        items = list(items)
        line = head + ", ".join(items) + tail
        if indent + len(line) <= WIDTH:
            return line
        inner = " " * (indent + 4)
        lines, current = [], ""
        for item in items:
            if current and len(current) + len(item) + 2 > WIDTH:
                lines.append(current)
                current = ""
            current = f"{current} {item}," if current else f"{inner}{item},"
        return "\n".join([head, *lines, current, " " * indent + tail])

    def define(self, name: str, parameters: Iterable[str]) -> str:
        """The head of a function."""
        return self.listing(f"def {name}(", parameters, "):", 0)

    def call(self, function: str, arguments: Iterable[str], indent: int) -> str:
        """`function(argument, argument)`."""
        return self.listing(f"{function}(", arguments, ")", indent)

    def assign(self, targets: Iterable[str], function: str, arguments: Iterable[str], indent: int) -> str:
        """`target, target = function(argument, argument)`."""
        targets = list(targets)
        call = self.call(function, arguments, indent)
        left = ", ".join(targets)
        if indent + len(left) + 3 + len(call.split("\n")[0]) <= WIDTH:
            return f"{left} = {call}"
        return self.listing("(", targets, ")", indent) + f" = {call}"

    def give(self, values: Iterable[str], indent: int = 4) -> str:
        """`return value, value`."""
        values = list(values)
        line = "return " + ", ".join(values)
        return line if indent + len(line) <= WIDTH else self.listing("return (", values, ")", indent)

    # --- functions --------------------------------------------------------------------------------------------------

    def variable(self, output: str) -> str:
        """The array of a chunk that holds a state value."""
        return self.variables[output]

    def outputs(self, function: str) -> list[str]:
        """The names of the single outputs of a function."""
        return [output.name for output in self.bodies[function].outputs]

    def parameters(self, function: str) -> list[str]:
        """The parameters of a function: its inputs, then its tables."""
        return [parameter.name for parameter in self.bodies[function].parameters] + self.tables(function)

    def arguments(self, function: str, given: Mapping[str, str] | None = None) -> list[str]:
        """What is passed for a lane: `given` by input name, else the element of the chunk."""
        passed = {name: f"{variable}[lane]" for name, variable in self.variables.items()} | dict(given or {})
        return [passed[p.input] for p in self.bodies[function].parameters] + self.tables(function)

    def chunks(self, function: str) -> list[str]:
        """The arrays of a chunk that a function reads an element of, and its tables."""
        return [self.variables[p.input] for p in self.bodies[function].parameters] + self.tables(function)

    def tables(self, function: str) -> list[str]:
        """The arguments for the tables that a function reads."""
        return [table_name(name) for name in self.bodies[function].tables]

    def lines(self, function: str, lines: Sequence[Line]) -> str:
        """The assignments, under comments that say which construct they come from."""
        printed = self.bodies[function]
        formatter = NumbaFormatter(printed)
        result = []
        for line in lines:
            if line.origin is not None and line.origin.construct:
                where = f" ({self.source}:{line.origin.line})" if line.origin.line else ""
                result.append(f"    # {comment(line.origin.construct)}{where}")
            result.append(f"    {line.name} = {formatter.line(line.value)}")
        return "\n".join(result)

    def results(self, function: str) -> list[str]:
        """The expressions of the single outputs of a function."""
        printed = self.bodies[function]
        formatter = NumbaFormatter(printed)
        return [formatter.typed(output.value) for output in printed.outputs]

    # --- observations -----------------------------------------------------------------------------------------------

    def singles(self) -> list[Single]:
        """The single rows of an observation."""
        printed = self.bodies["observe"]
        formatter = NumbaFormatter(printed)
        return [
            Single(f"observed_{output.name.replace('.', '_')}", "local_f32", formatter.typed(output.value),
                   self.offsets[output.name])
            for output in printed.outputs
        ]  # fmt: skip

    def shared(self) -> list[Single]:
        """What the rows of some loop need and no element changes, inputs left out."""
        printed = self.bodies["observe"]
        values = dict.fromkeys(value for loop in printed.loops for value in _outside(printed, loop))
        return [
            Single(f"shared_{printed.names[value]}", LOCALS[printed.type(value)], printed.names[value], 0)
            for value in values
            if not isinstance(printed.op(value), Input)
        ]

    def repeated(self) -> list[Repeated]:
        """The repeated rows of an observation."""
        printed = self.bodies["observe"]
        formatter = NumbaFormatter(printed)
        result = []
        for loop in printed.loops:
            outside = _outside(printed, loop)
            arguments = []
            for value in outside:
                op = printed.op(value)
                name = self.variables[op.name] if isinstance(op, Input) else f"shared_{printed.names[value]}"
                arguments.append(f"{name}[lane]")
            result.append(
                Repeated(
                    identifier(loop.output),
                    self.offsets[loop.output],
                    loop.count,
                    [loop.element] + [printed.names[value] for value in outside] + self.tables("observe"),
                    ["i32(element)"] + arguments + self.tables("observe"),
                    self.lines("observe", loop.lines),
                    formatter.typed(loop.value),
                )
            )
        return result

    # --- kernels ----------------------------------------------------------------------------------------------------

    def kernel_parameters(self, kernel: str) -> list[str]:
        """The parameters of a kernel: those of `hamlet.abi`, then the range of worlds, then switches."""
        if kernel == "_begin":
            scalars = ("agents", "first_world", "seed_low", "seed_high")
            return [*self.arrays, *self.table_names, *scalars, "begin", "end"]
        arrays = [f"{name}_array" for name in abi.array_arguments(self.universe, kernel)]
        switches = ["every_tick"] if kernel == "rollout" else []
        return [*arrays, *self.table_names, *abi.scalar_arguments(kernel), "begin", "end", *switches]

    def rollout_arguments(self, kernel: Literal["observe", "step"]) -> list[str]:
        """What `observe` and `step` pass to `rollout`: no tick, or one with observations."""
        given = NOTHING | {"observe": {"ticks": "0"}, "step": {"ticks": "1", "every_tick": "True"}}[kernel]
        passed = self.kernel_parameters(kernel)
        return [name if name in passed else given[name] for name in self.kernel_parameters("rollout")]


def _outside(printed: Body, loop: Loop) -> list[Value]:
    """The named values that the lines of a loop use and do not define, in order."""
    inside = {line.value for line in loop.lines}
    result: set[Value] = set()

    def visit(value: Value) -> None:
        for operand in operands(printed.op(value)):
            if operand in inside or printed.names.get(operand) == loop.element:
                continue
            if operand in printed.names:
                result.add(operand)
            else:
                visit(operand)

    for line in loop.lines:
        visit(line.value)
    if loop.value not in inside:
        result.add(loop.value) if loop.value in printed.names else visit(loop.value)
    return sorted(result)
