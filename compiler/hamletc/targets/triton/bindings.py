"""What stands in kernels for GPUs for the inputs and outputs of the functions of the tick IR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from hamlet import schema
from hamlet.schema.features import features, quantities
from hamlet.universe import Universe
from hamletc.ir.function import OF_PAIRS, Output, Program
from hamletc.ir.ops import Const, Value
from hamletc.kernel.body import body, identifier, table_name, unique
from hamletc.kernel.expressions import Expression, Name, Operand, Typed, call, expression
from hamletc.targets.known_rows import known_rows
from hamletc.targets.scene import split
from hamletc.targets.triton.columns import Columns
from hamletc.targets.triton.formatter import TritonFormatter
from hamletc.targets.triton.slots import Slot, slots
from hamletc.targets.triton.spread import spread
from hamletc.targets.triton.together import Meeting

NOTHING: Mapping[str, str] = MappingProxyType({})
LITTLE = 44
"""Values that a lane has all the time in a step: with more of them, or with some that it fetches, it may need more than
`FEW` registers."""


class Bindings:
    """The functions of a program, ready to print, and what they are passed."""

    def __init__(self, program: Program, universe: Universe) -> None:
        self.program = program
        self.universe = universe
        scene, observe = split(program.function("observe"))
        observe, self.known = known_rows(observe)
        functions = [observe if each.name == "observe" else each for each in program.functions]
        self.bodies = {function.name: body(function) for function in (*functions, scene)}
        self.slots = slots(universe)
        self.scene = [output.name.replace(".", "_") for output in scene.outputs]
        self.variables = {slot.name: slot.variable for slot in self.slots}
        binned = len(quantities(universe))
        strides, bins = Name("strides_ptr"), Name("bins_ptr")
        self.binning = {f"stride.{n}": call("tl.load", strides + n) for n in range(len(features(universe)))}
        self.binning |= {f"scale.{n}": call("tl.load", bins + n) for n in range(binned)}
        self.binning |= {f"top.{n}": call("tl.load", bins + (binned + n)) for n in range(binned)}
        taken: set[str] = set()
        self.reports = {
            f"report.{name}": unique(f"report_{identifier(name)}", taken) for name in schema.report_names(universe)
        }
        self.scales = {segment.offset: segment.scale for segment in schema.observation_segments(universe)}
        self.columns = Columns(program)
        self.formatters = {name: TritonFormatter(printed, self.columns.of) for name, printed in self.bodies.items()}
        self.meets = Meeting(program, self.bodies, self.formatters)
        self.spread = spread(program, universe, self.bodies)
        self.finds = "search" in self.bodies
        self.arrays = [f"{field.name}_ptr" for field in schema.state_fields(universe)]
        self.held = [slot for slot in self.slots if not slot.fetched]
        self.variables_held = [slot.variable for slot in self.held]
        agents = [output.name for name in ("tick", "settle") for output in self.outputs_of(name)]
        self.ticked = {*agents, "episode_return"}
        of_worlds = (output.name for output in self.outputs_of("world"))
        self.advancing = {*self.ticked, *of_worlds, "alive", "hour"}
        self.outcomes = [
            (variable, field.name, row)
            for field in schema.outcome_fields(universe)
            for row, variable in enumerate([field.name] if field.rows is None else self.reports.values())
        ]

    @property
    def pairs_fetched(self) -> list[tuple[str, int]]:
        """The arrays of pairs that functions fetch from, each with the number of the state."""
        meters = () if self.universe.pairs is None else self.universe.pairs.meters
        tables = {table for printed in self.bodies.values() for table in printed.tables}
        arrays = [(f"{OF_PAIRS}{meter.name}", number) for number, meter in enumerate(meters)]
        return [(table_name(array), number) for array, number in arrays if array in tables]

    def has_little(self, held: Sequence[Slot]) -> bool:
        """Whether a lane has little to hold in a step. What is fetched from memory has addresses in registers."""
        few = len(held) + len(self.scene) + len(self.columns.all) <= LITTLE
        return few and not self.fetched_for("tick", "observe", "mask")

    def counts(self, *functions: str) -> bool:
        """Whether functions need to know how many agents a world has."""
        return any(each.input == "agents" for name in functions for each in self.bodies[name].parameters)

    def fetched_for(self, *functions: str) -> list[Slot]:
        """What functions need that is in memory."""
        inputs = (parameter.input for name in functions for parameter in self.bodies[name].parameters)
        needed = {name.removeprefix("before.") for name in inputs}
        return [slot for slot in self.slots if slot.fetched and slot.name in needed]

    def seeded(self, function: str) -> list[Operand]:
        """What a function is passed that draws for a policy."""
        key = Name("key")
        passed: Mapping[str, Operand] = {"lane": "stream", "tick": "now", "seed_low": key[0], "seed_high": key[1]}
        return [passed[parameter.input] for parameter in self.bodies[function].parameters]

    def tables_of(self, *functions: str) -> list[str]:
        """The parameters and arguments for the tables that functions read: all columns are one."""
        read = dict.fromkeys(t for f in functions for t in self.bodies[f].tables)
        return list(dict.fromkeys("columns" if name in self.columns.of else table_name(name) for name in read))

    def columns_of(self, *functions: str) -> list[str]:
        """The columns that functions read, and `_` for others."""
        read = {t for f in functions for t in self.bodies[f].tables}
        return [column.name if table in read else "_" for table, found in self.columns.of.items() for column in found]

    def read_by(self, function: str) -> list[str]:
        """The parameters and arguments of a function for the tables that it reads."""
        tables = self.bodies[function].tables
        columns = [column.name for table in tables for column in self.columns.of.get(table, ())]
        return [table_name(table) for table in tables if table not in self.columns.of] + columns

    def parameters(self, function: str) -> list[str]:
        """The parameters of a function: its inputs, then its tables."""
        return [parameter.name for parameter in self.bodies[function].parameters] + self.read_by(function)

    def arguments(self, function: str, *after: str, given: Mapping[str, str] = NOTHING) -> list[Expression]:
        """What is passed for them where the state is unpacked, and functions of the tick have computed what follows;
        `given`: variables of other inputs."""
        passed: dict[str, Operand] = {**self.variables_after(*after), **self.binning, **given}
        inputs = [parameter.input for parameter in self.bodies[function].parameters]
        return [expression(passed.get(name, name)) for name in inputs] + [*map(Name, self.read_by(function))]

    def variables_after(self, *after: str) -> dict[str, str]:
        """Variables by the names of inputs, where functions of the tick have computed what follows."""
        given = self.variables | {"world": "number", "lane": "stream", "tick": "now"}
        given |= {name.replace("_", "."): name for name in self.scene}
        given |= {f"moved.{axis}": f"moved_{axis}" for axis in schema.axes(self.universe)}
        given |= self.meets.given
        given |= {f"before.{name}": variable for name, variable in self.variables.items()}
        given |= {output.name: self.next_of(output.name) for name in after for output in self.outputs_of(name)}
        return given

    def outputs_of(self, function: str) -> tuple[Output, ...]:
        """The outputs of a function that not all universes have."""
        return self.bodies[function].outputs if function in self.bodies else ()

    def next_of(self, output: str) -> str:
        """The variable of an output of a tick."""
        if output in self.variables:
            return f"next_{self.variables[output]}"
        return (self.reports | self.meets.given).get(output, output)

    def nexts(self, function: str) -> list[str]:
        """The variables of the outputs of a function of a tick."""
        return [self.next_of(output.name) for output in self.outputs_of(function)]

    def uniform(self, function: str) -> list[str]:
        """Those of them that are the same for all lanes, and have to become blocks."""
        outputs = self.outputs_of(function)
        return [self.next_of(output.name) for output in outputs if self.formatters[function].scalar[output.value]]

    def drawn_by(self, *functions: str) -> list[str]:
        """What random words are drawn by in a tick: the lane, the tick, the seed, and the world where it draws."""
        inputs = {parameter.input for name in functions for parameter in self.bodies[name].parameters}
        if not inputs & {"lane", "world"}:
            return []
        return ["stream", "now", "key", *(["number"] if "world" in inputs else [])]

    def results(self, function: str) -> list[Expression]:
        """The single outputs of a function."""
        return [self.result(function, output.value) for output in self.bodies[function].outputs]

    def result(self, function: str, value: Value) -> Expression:
        """The value of an output of a function."""
        op = self.bodies[function].op(value)
        return Typed(op.type, op.value) if isinstance(op, Const) else Name(self.bodies[function].names[value])
