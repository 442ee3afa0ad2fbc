"""Emits `triton_kernels.py`: the functions of a program, and the kernels of `kernels.py.j2` around them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined

from hamlet import abi, schema
from hamlet.manifest import plain
from hamlet.universe import Universe
from hamletc.ir.function import Program
from hamletc.ir.ops import Value
from hamletc.passes.facts import facts_of
from hamletc.passes.ranges import ranges_of
from hamletc.targets.body import Loop, body, comment, identifier, rows
from hamletc.targets.printing import WIDTH, assign, call, define, give, listing, table_values
from hamletc.targets.triton.formatter import DTYPES, TritonFormatter, table_name
from hamletc.targets.triton.scene import split


@dataclass(frozen=True, slots=True)
class Slot:
    """A state value that a kernel holds per lane.

    Attributes:
        name: in the contract of functions: `meter.energy`.
        variable: in kernels: `meter_energy`. An author's name has its kind before it, so it meets no other name.
        address: where it is in memory.
        load, store: how a loaded and a stored value are converted.
        other: what lanes beyond the last one hold.
        start: what it is at the beginning of an episode; `None` where that changes nothing.
        constant: ticks and resets do not change it.
    """

    name: str
    variable: str
    address: str
    load: str
    store: str
    other: str
    start: str | None
    constant: bool
    per: schema.Per


def emit(program: Program, universe: Universe) -> str:
    """The text of `triton_kernels.py`; the same for the same program and universe."""
    environment = Environment(
        loader=PackageLoader("hamletc.targets.triton", ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    template = environment.get_template("kernels.py.j2")
    return template.render(_Context(program, universe).names())


def slots(universe: Universe, starts: frozenset[str]) -> tuple[Slot, ...]:
    """The state of a lane and its world, in the order of the state arrays. `starts`: what `reset` computes."""
    kinds = {"meters": "meter", "position": "position", "params": "param"}
    constants = {"age": "0", "engaged": "-1", "progress": "0", "alive": "True", "episode_return": "0.0", "hour": "0"}
    result = []
    for field in schema.state_fields(universe):
        count, index = ("lanes", "lane") if field.per == "lane" else ("worlds", "world")
        load = store = ""
        if field.name == "layout":
            load, store = ".to(tl.uint32, bitcast=True)", ".to(tl.int32, bitcast=True)"
        elif field.dtype == "bool":
            load = ".to(tl.int1)"
        for row, author in enumerate(field.rows or ("",)):
            name = f"{kinds[field.name]}.{author}" if field.rows else field.name
            variable = f"{kinds[field.name]}_{identifier(author)}" if field.rows else field.name
            address = f"{field.name}_ptr + {_row(row, count)}{index}"
            other = "0.0" if field.dtype == "f32" else "0"
            start = f"new_{variable}" if name in starts else constants.get(name)
            result.append(Slot(name, variable, address, load, store, other, start, field.name == "params", field.per))
    return tuple(result)


def _row(row: int, count: str = "lanes") -> str:
    """What leads to a row of a field-major array."""
    return f"{row} * {count} + " if row else ""


def unpack(targets: Iterable[str], value: str, indent: int = 4) -> str:
    """`target, target = value`."""
    targets = list(targets)
    line = f"{', '.join(targets)} = {value}"
    return line if indent + len(line) <= WIDTH else listing("(", targets, f") = {value}", indent)


class _Context:
    """What the template sees: lists of names, and functions that print parts of the program."""

    def __init__(self, program: Program, universe: Universe) -> None:
        self.program = program
        self.universe = universe
        scene, observe = split(program.function("observe"))
        functions = [observe if each.name == "observe" else each for each in program.functions]
        self.bodies = {function.name: body(function) for function in (*functions, scene)}
        self.slots = slots(universe, frozenset(output.name for output in self.bodies["reset"].outputs))
        self.scene = [output.name.replace(".", "_") for output in scene.outputs]
        self.variables = {slot.name: slot.variable for slot in self.slots}
        facts = facts_of(universe, program)
        self.formatters = {
            name: TritonFormatter(printed, ranges_of(printed.function, facts)) for name, printed in self.bodies.items()
        }

    def names(self) -> dict[str, object]:
        """All names of the template."""
        universe, variables = self.universe, self.variables
        outcomes = [field.name for field in schema.outcome_fields()]
        ticked = [output.name for output in self.bodies["tick"].outputs]
        changing = [variables[name] for name in ticked if name in variables]
        advancing = {*changing, "alive", "episode_return", "hour"}
        offsets = {segment.name: segment.offset for segment in schema.observation_segments(universe)}
        return {
            "universe": universe,
            "source": plain(universe.source),
            "tables": self.program.tables,
            "scene": self.scene,
            "scene_zeros": [
                f"tl.zeros([BLOCK], {DTYPES[self.bodies['scene'].type(output.value)]})"
                for output in self.bodies["scene"].outputs
            ],
            "slots": self.slots,
            "variables": list(variables.values()),
            "arrays": [f"{field.name}_ptr" for field in schema.state_fields(universe)],
            "outcomes": outcomes,
            "outcome_arrays": [f"{name}_ptr" for name in outcomes],
            "changing": [*changing, "episode_return"],
            "nexts": [f"next_{variables[name]}" if name in variables else name for name in ticked],
            "news": [f"new_{variables[output.name]}" for output in self.bodies["reset"].outputs],
            "advanced": [f"next_{v}" if v in advancing else v for v in variables.values()],
            "observed": [(output, offsets[output.name]) for output in self.bodies["observe"].outputs],
            "observed_loops": [(loop, offsets[loop.output]) for loop in self.bodies["observe"].loops],
            "masked": self.bodies["mask"].outputs,
            "wait": schema.interact_action(universe) + 1,
            "has_clock": universe.clock is not None,
            "policy_arguments": ", ".join(
                {"lane": "stream", "tick": "now", "seed_low": "key[0]", "seed_high": "key[1]"}[parameter.input]
                for parameter in self.bodies["policy"].parameters
            ),
            "arguments": self.arguments,
            "assign": assign,
            "call": call,
            "cast": self.cast,
            "comment": comment,
            "define": define,
            "expression": self.expression,
            "give": give,
            "kernel_parameters": self.kernel_parameters,
            "lines": self.lines,
            "listing": listing,
            "parameters": self.parameters,
            "results": self.results,
            "row": _row,
            "table_values": table_values,
            "tables_of": self.tables_of,
            "table_names": lambda names: [table_name(name) for name in names],
            "loops": rows(self.program, self.bodies, "index"),
            "unpack": unpack,
        }

    def kernel_parameters(self, kernel: abi.Kernel) -> list[str]:
        """The parameters of a kernel without its constants. Typed integers are never specialised by Triton."""
        unsigned = ("seed_low", "seed_high", "tick")
        return [
            *(f"{name}_ptr" for name in abi.array_arguments(self.universe, kernel)),
            *(table_name(table.name) for table in self.program.tables),
            *(f"{n}: tl.{'uint32' if n in unsigned else 'int32'}" for n in abi.scalar_arguments(kernel)),
        ]

    def tables_of(self, *functions: str) -> list[str]:
        """The parameters and arguments for the tables that functions read."""
        return [table_name(name) for name in dict.fromkeys(t for f in functions for t in self.bodies[f].tables)]

    def parameters(self, function: str) -> list[str]:
        """The parameters of a function: its inputs, then its tables."""
        return [parameter.name for parameter in self.bodies[function].parameters] + self.tables_of(function)

    def arguments(self, function: str) -> list[str]:
        """What is passed for them where the state is unpacked."""
        given = self.variables | {"world": "number"} | {name.replace("_", "."): name for name in self.scene}
        inputs = [given.get(parameter.input, parameter.input) for parameter in self.bodies[function].parameters]
        return inputs + self.tables_of(function)

    def lines(self, function: str, loop: Loop | None = None) -> str:
        """The assignments of a function or of its loop, under comments that name the construct they come from."""
        printed = self.bodies[function]
        formatter = self.formatters[function]
        indent = " " * (4 if loop is None else 8)
        result = []
        for line in printed.lines if loop is None else loop.lines:
            if line.origin is not None and line.origin.construct:
                where = f", {self.universe.source}:{line.origin.line}" if line.origin.line else ""
                result.append(f"{indent}# {comment(line.origin.construct + where)}")
            result.append(f"{indent}{line.name} = {formatter.line(line.value)}")
        return "\n".join(result)

    def results(self, function: str) -> list[str]:
        """The single outputs of a function."""
        return [self.expression(function, output.value) for output in self.bodies[function].outputs]

    def expression(self, function: str, value: Value) -> str:
        """A value of a function; a constant has its type with it."""
        return self.formatters[function].tensor(value)

    def cast(self, function: str, value: Value) -> str:
        """A value in the type of the observations."""
        text = self.expression(function, value)
        return f"{text}.to(dtype)"
