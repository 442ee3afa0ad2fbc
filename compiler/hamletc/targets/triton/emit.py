"""Emits `triton_kernels.py`: the functions of a program, and the kernels of `kernels.py.j2` around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from hamlet import schema
from hamlet.numbers import elementary
from hamlet.package.manifest import plain
from hamlet.schema import abi
from hamlet.schema.features import features, quantities
from hamlet.universe import Universe
from hamletc.ir.function import BEGIN_CELLS, CELLS, NEAR, OVER, Output, Program
from hamletc.ir.ops import Const, Fold, Type, Value
from hamletc.targets.body import Loop, body, comment, draws, identifier, remarks, rows, table_name, unique
from hamletc.targets.known_rows import KnownRows, known_rows
from hamletc.targets.printing import WIDTH, assign, call, define, give, listing, table_values
from hamletc.targets.scene import split
from hamletc.targets.skeleton import skeleton
from hamletc.targets.triton.cells import CELL, NO_CELL, SEEKING, TAKEN, words
from hamletc.targets.triton.columns import LANES, Columns, operations
from hamletc.targets.triton.formatter import DTYPES, TritonFormatter, literal, typed
from hamletc.targets.triton.meeting import LEVELS, PAIRED, SUMMARIES, Meeting
from hamletc.targets.triton.slots import Slot, address_after, offset, slots
from hamletc.targets.triton.spread import spread

WORTH = 20
"""Operations of a lane that an H100 does while it moves a word to or from memory: a step is bound by the latter."""
WORDS = {
    Type.F32: (".to(tl.float32, bitcast=True)", ".to(tl.int32, bitcast=True)"),
    Type.U32: (".to(tl.uint32, bitcast=True)", ".to(tl.int32, bitcast=True)"),
    Type.I32: ("", ""),
    Type.BOOL: (" != 0", ".to(tl.int32)"),
}
"""How a word (I32) in memory becomes a value, and a value a word."""
CHUNK = 4
"""Known rows that a turn of a loop writes: their bits are at the same places in each turn, and each row has an address
of its own. Twice as many where a lane has little to hold."""
LITTLE = 44
"""Values that a lane has all the time in a step: with more of them, or with some that it fetches, it may need more than
`FEW` registers."""
FEW = 96
"""Registers that a step gets then. The assembler would take 128, to no end, and a fifth of the warps would not fit."""


MEETING = 128
"""Registers of ticks in which agents meet, where a lane has little to hold otherwise. Two blocks of 256 lanes fit then,
which the assembler would try to reach without a limit, and spill."""


def emit(program: Program, universe: Universe, notes: Sequence[str] = ()) -> str:
    """The text of `triton_kernels.py`; the same for the same program and universe. `notes`: what was chosen, and
    why."""
    return skeleton("triton").render(_Context(program, universe).names() | {"notes": notes})


def unpack(targets: Iterable[str], value: str, indent: int = 4) -> str:
    """`target, target = value`."""
    targets = list(targets)
    line = f"{', '.join(targets)} = {value}"
    return line if indent + len(line) <= WIDTH else listing("(", targets, f") = {value}", indent)


def row_after(previous: int | None, row: int) -> str:
    """The assignment of the address of a row, by that of the one before: products of all rows would take registers."""
    if previous == row - 1:
        return "row += pitch"
    return f"row = rows + {row} * pitch" if row else "row = rows"


def word(name: str, type_: Type) -> str:
    """The word of a value."""
    return f"{name}{WORDS[type_][1]}"


@dataclass(frozen=True, slots=True)
class _Kept:
    """A value of the scene as memory keeps it, in an array of words."""

    row: int
    name: str
    type: Type

    @property
    def address(self) -> str:
        return f"{offset(self.row, 'worlds')}world"

    @property
    def bits(self) -> str:
        return f"{self.name}_bits"

    @property
    def loaded(self) -> str:
        """The value of the word."""
        return f"{self.bits}{WORDS[self.type][0]}"

    @property
    def stored(self) -> str:
        """The word of the value."""
        return word(self.name, self.type)


@dataclass(frozen=True, slots=True)
class _Given:
    """A field of which a rollout is given rows for each tick."""

    name: str
    slots: list[Slot]

    @property
    def pointer(self) -> str:
        return f"given_{self.name}_ptr"


class _Context:
    """What the template sees: lists of names, and functions that print parts of the program."""

    def __init__(self, program: Program, universe: Universe) -> None:
        self.program = program
        self.universe = universe
        scene, observe = split(program.function("observe"))
        observe, self.known = known_rows(observe)
        functions = [observe if each.name == "observe" else each for each in program.functions]
        self.bodies = {function.name: body(function) for function in (*functions, scene)}
        self.slots = slots(universe, frozenset(output.name for output in self.bodies["reset"].outputs))
        self.scene = [output.name.replace(".", "_") for output in scene.outputs]
        self.variables = {slot.name: slot.variable for slot in self.slots}
        binned = len(quantities(universe))
        self.binning = {f"stride.{n}": f"tl.load(strides_ptr + {n})" for n in range(len(features(universe)))}
        self.binning |= {f"scale.{n}": f"tl.load(bins_ptr + {n})" for n in range(binned)}
        self.binning |= {f"top.{n}": f"tl.load(bins_ptr + {binned + n})" for n in range(binned)}
        taken: set[str] = set()
        self.reports = {
            f"report.{name}": unique(f"report_{identifier(name)}", taken) for name in schema.report_names(universe)
        }
        self.scales = {segment.offset: segment.scale for segment in schema.observation_segments(universe)}
        self.columns = Columns(program)
        self.words = words(program, sum(affordance.place is None for affordance in universe.affordances))
        self.formatters = {name: TritonFormatter(printed, self.columns.of) for name, printed in self.bodies.items()}
        self.meets = Meeting(program, self.bodies, self.formatters)
        self.spread = spread(program, universe, self.bodies)

    def names(self) -> dict[str, object]:
        """All names of the template."""
        universe, meets = self.universe, self.meets
        held = [slot for slot in self.slots if not slot.fetched]
        agents = [output.name for name in ("tick", "settle") for output in self.outputs_of(name)]
        ticked = {*agents, "episode_return"}
        advancing = {*ticked, *(output.name for output in self.outputs_of("world")), "alive", "hour"}
        finds = "search" in self.bodies
        ticking = ("tick", *meets.functions, *(TAKEN if finds else ()))
        offsets = {segment.name: segment.offset for segment in schema.observation_segments(universe)}
        little = self.has_little(held)
        return {
            "universe": universe,
            "source": ", ".join(plain(source) for source in universe.sources),
            "tables": [table for table in self.program.tables if table.name not in self.columns.of],
            "words": self.words,
            "finds": finds,
            "seeking": SEEKING if finds else (),
            "ticking": ticking,
            "no_cell": NO_CELL,
            "cell_tables": self.tables_of(CELL) if self.words else [],
            "ticked_tables": self.tables_of(*ticking),
            "ticked_columns": self.columns_of(*ticking),
            "moved": [output.name.replace(".", "_") for output in self.bodies["move"].outputs] if finds else [],
            "moved_from": [(f"moved_{axis}", self.variables[f"position.{axis}"]) for axis in schema.axes(universe)],
            "stands": self.stands() if finds else [],
            "columns": self.columns.all,
            "column_arrays": self.columns.arrays([plain(source) for source in universe.sources]),
            "column_pointers": self.column_pointers(),
            "rows_of_columns": LANES,
            "scene": self.scene,
            "kept": self.kept(),
            "registers": (MEETING if meets.functions else FEW) if little else None,
            "scene_zeros": [
                f"tl.zeros([BLOCK], {DTYPES[self.bodies['scene'].type(output.value)]})"
                for output in self.bodies["scene"].outputs
            ],
            "slots": held,
            "fetched": [slot for slot in self.slots if slot.fetched],
            "fetched_for": self.fetched_for,
            "updated": [slot for slot in self.slots if slot.fetched and slot.name in ticked],
            "variables": [slot.variable for slot in held],
            "arrays": [f"{field.name}_ptr" for field in schema.state_fields(universe)],
            "outcome_fields": [field.name for field in schema.outcome_fields(universe)],
            "outcome_arrays": [f"{field.name}_ptr" for field in schema.outcome_fields(universe)],
            "outcomes": self.outcomes(),
            "reports": list(self.reports.values()),
            "changing": [slot.variable for slot in held if slot.name in ticked],
            "episodic": [slot.variable for slot in held if slot.name not in advancing],
            "nexts": self.nexts("tick"),
            "uniform": self.uniform("tick"),
            "meets": meets,
            "meeting_functions": [
                *((name, SUMMARIES[name]) for name in meets.functions),
                *((name, PAIRED[name]) for name in meets.pairs),
            ],
            "tree_sums": [f"sum_{level}" for level in range(LEVELS)],
            "settled": self.nexts("settle"),
            "settled_uniform": self.uniform("settle"),
            "world_nexts": self.nexts("world"),
            "world_uniform": self.uniform("world"),
            "found_before": ["found"] if meets.seeks else [],
            "news": [f"new_{self.variables[output.name]}" for output in self.bodies["reset"].outputs],
            "advanced": [f"next_{slot.variable}" if slot.name in advancing else slot.variable for slot in held],
            "observed": [
                (output, offsets[output.name]) for output in self.bodies["observe"].outputs if output.name in offsets
            ],
            "observed_rows": schema.observation_rows(universe),
            "known": [(rows, offsets[rows.output]) for rows in self.known],
            "chunk_of": partial(self.chunk_of, most=2 * CHUNK if little else CHUNK),
            "row_after": row_after,
            "address_after": address_after,
            "anchors_of": self.anchors_of,
            "word": word,
            "remarks": lambda origin: remarks(origin, universe.sources),
            "constants_of": self.constants_of,
            "known_value": self.known_value,
            "word_of": self.word_of,
            "observed_value": self.observed_value,
            "observed_loops": [(loop, offsets[loop.output]) for loop in self.bodies["observe"].loops],
            "masked": self.masked(),
            "interact": schema.interact_action(universe),
            "has_clock": universe.clock is not None,
            "by_hand": universe.by_hand,
            "by_world": universe.tracking is not None and universe.tracking.by == "world",
            "counts": self.counts,
            "phases": [name for name in self.bodies if name not in ("reset", "mask")],
            "begins_with_draws": draws(self.bodies["reset"]),
            "drawn_by": self.drawn_by("tick", *meets.functions),
            "given": self.given(),
            "steered": [self.variables[output.name] for output in self.outputs_of("steer")],
            "steer_arguments": self.seeded("steer") if "steer" in self.bodies else [],
            "policy_arguments": ", ".join(self.seeded("policy")),
            "by_lane": [f"{name}_ptr" for name in abi.LANE_COUNTS],
            "meter_scales": abi.meter_scales(universe),
            "counters": [(name, abi.copies(words), words) for name, words in abi.counters(universe).items()],
            "arguments": self.arguments,
            "assign": assign,
            "call": call,
            "comment": comment,
            "define": define,
            "encode": self.encode,
            "expression": self.expression,
            "give": give,
            "kernel_parameters": self.kernel_parameters,
            "lines": self.lines,
            "listing": listing,
            "parameters": self.parameters,
            "results": self.results,
            **self._spreading(),
            "scalars": lambda kernel: [f'"{name}"' for name in abi.scalar_arguments(kernel)],
            "offset": offset,
            "round": elementary.ROUND,
            "thresholds": len(schema.action_names(universe)) - 1,
            "table_values": table_values,
            "tables_of": self.tables_of,
            "columns_of": self.columns_of,
            "table_names": lambda names: [table_name(name) for name in names],
            "loops": rows(self.program, self.bodies, "index"),
            "unpack": unpack,
        }

    def _spreading(self) -> dict[str, object]:
        """What the templates need for cells; nothing but that there are none, where they have nothing."""
        known, bodies = self.spread, self.bodies
        if known is None:
            return {"spread": None, "fetches": False, "resetting": ["reset"]}
        of_tick = [name for name in (NEAR, CELLS, OVER) if name in bodies]
        joined = ["standing", *(f"term_{number}" for number in range(len(known.joined)))] if known.joined else []
        given = self._given("tick", "world")
        passed = [given.get(name, name) for name in known.given]
        grouped = ["BLOCK", *(["GROUP"] if known.joined else [])]
        tables, together = self.tables_of(*of_tick), self.meets.together("cells")
        outputs = [] if together is None else [output.name for output in bodies[together.function].outputs]
        variables = {} if together is None else dict(zip(outputs, together.terms, strict=True))
        return {
            "spread": known,
            "fetches": bool(known.fetched),
            "bodies": bodies,
            "read_by": self.read_by,
            "spread_near": [f"near_{number}" for number in range(len(known.near))],
            "spread_new": [f"new_{number}" for number in range(len(known.meters))],
            "spread_given": list(known.given.values()),
            "spread_tables": tables,
            "joined_terms": joined,
            "spread_passed": ["arrays", "place", *passed, *joined, *tables, *grouped],
            "resetting": ["reset", BEGIN_CELLS, *([OVER] if known.sums else [])],
            "spread_over": [f"over_{number}" for number in range(len(known.sums))],
            "over_of_tick": known.over(bodies, known.given) + self.read_by(OVER) if known.sums else [],
            "over_of_reset": known.over(bodies, self._given()) + self.read_by(OVER) if known.sums else [],
            "sum_nexts": [self.next_of(meter) for _, meter in known.sums],
            "sum_variables": [self.variables[meter] for _, meter in known.sums],
            "beginning": [BEGIN_CELLS, *([OVER] if known.sums else [])],
            "joined_variables": variables,
        }

    def has_little(self, held: Sequence[Slot]) -> bool:
        """Whether a lane has little to hold in a step. What is fetched from memory has addresses in registers."""
        few = len(held) + len(self.scene) + len(self.columns.all) <= LITTLE
        return few and not self.fetched_for("tick", "observe", "mask")

    def chunk_of(self, rows: KnownRows, most: int) -> int:
        """The rows that a turn of a loop writes."""
        fitting = [size for size in range(most, most // 2, -1) if rows.count % size == 0]
        return min(most, rows.count) if rows.words or not fitting else fitting[0]

    def counts(self, *functions: str) -> bool:
        """Whether functions need to know how many agents a world has."""
        return any(each.input == "agents" for name in functions for each in self.bodies[name].parameters)

    def outcomes(self) -> list[tuple[str, str]]:
        """What a tick gives beside the state: variables, and where they are in memory."""
        result = []
        for field in schema.outcome_fields(self.universe):
            for row, variable in enumerate([field.name] if field.rows is None else self.reports.values()):
                result.append((variable, f"{field.name}_ptr + {offset(row)}lane"))
        return result

    def masked(self) -> list[tuple[int, str, Value, Loop | None]]:
        """The outputs of `mask`: the first action, the names of actions, the condition, and the loop over them."""
        names = schema.action_names(self.universe)
        loops = {loop.output: loop for loop in self.bodies["mask"].loops}
        first, result = 0, []
        for output in self.bodies["mask"].function.outputs:
            last = first + (output.count or 1) - 1
            label = names[first] if first == last else f"{names[first]} .. {names[last]}"
            result.append((first, label, output.value, loops.get(output.name)))
            first = last + 1
        return result

    def fetched_for(self, *functions: str) -> list[Slot]:
        """What functions need that is in memory."""
        inputs = (parameter.input for name in functions for parameter in self.bodies[name].parameters)
        needed = {name.removeprefix("before.") for name in inputs}
        return [slot for slot in self.slots if slot.fetched and slot.name in needed]

    def anchors_of(self, functions: Sequence[str], fetching: Sequence[Slot]) -> list[str]:
        """Integers without which functions get nowhere, so that they can wait in them for what is fetched: the action,
        a coordinate, or else what is fetched itself."""
        if "tick" in functions:
            return ["action"]
        inputs = {parameter.input for name in functions for parameter in self.bodies[name].parameters}
        whole = [slot for slot in self.slots if slot.whole and slot.name in inputs]
        coordinates = [slot for slot in whole if slot.name.startswith("position.")]
        return [slot.variable for slot in coordinates[:1] or [each for each in whole if each in fetching]]

    def seeded(self, function: str) -> list[str]:
        """What a function is passed that draws for a policy."""
        given = {"lane": "stream", "tick": "now", "seed_low": "key[0]", "seed_high": "key[1]"}
        return [given[parameter.input] for parameter in self.bodies[function].parameters]

    def given(self) -> list[_Given]:
        """What a rollout is given for each tick."""
        fields = [field for field in schema.state_fields(self.universe) if field.name in schema.GIVEN_BY_TICK]
        held = {slot.name: slot for slot in self.slots}
        return [_Given(field.name, [held[name] for name in field.names]) for field in fields]

    def kernel_parameters(self, kernel: abi.Kernel) -> list[str]:
        """The parameters of a kernel without its constants."""
        unsigned = ("seed_low", "seed_high", "tick")
        return [
            *(f"{name}_ptr" for name in abi.array_arguments(self.universe, kernel)),
            *(table_name(table.name) for table in self.program.tables if table.name not in self.columns.of),
            *self.column_pointers(),
            *(f"{n}: tl.{'uint32' if n in unsigned else 'int32'}" for n in abi.scalar_arguments(kernel)),
        ]

    def kept(self) -> list[_Kept]:
        """The scene as steps keep it, where it follows from the layout and is worth the memory."""
        scene = self.bodies["scene"]
        loops = {(op.function, op.count) for node in scene.function.nodes if isinstance(op := node.op, Fold)}
        in_loops = sum(count * operations(self.program.function(name)) for name, count in loops)
        of_layout = all(parameter.input == "layout" for parameter in scene.parameters)
        if not of_layout or operations(scene.function) + in_loops < WORTH * (1 + len(self.scene)):
            return []
        types = [scene.type(output.value) for output in scene.outputs]
        return [_Kept(row, name, type_) for row, (name, type_) in enumerate(zip(self.scene, types, strict=True), 1)]

    def stands(self) -> list[str]:
        """The arguments of `stand`: the position after a move."""
        return [parameter.input.replace("position.", "moved_") for parameter in self.bodies["stand"].parameters]

    def column_pointers(self) -> list[str]:
        """The parameters of a kernel for the arrays of columns."""
        return [f"columns_{type_.value}_ptr" for type_ in self.columns.types]

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

    def arguments(self, function: str, *after: str) -> list[str]:
        """What is passed for them where the state is unpacked, and functions of the tick have computed what follows."""
        given = self._given(*after)
        inputs = [given.get(parameter.input, parameter.input) for parameter in self.bodies[function].parameters]
        return inputs + self.read_by(function)

    def _given(self, *after: str) -> dict[str, str]:
        """Variables by the names of inputs."""
        given = self.variables | {"world": "number", "lane": "stream", "tick": "now"}
        given |= {name.replace("_", "."): name for name in self.scene}
        given |= self.binning
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

    def lines(self, function: str, loop: Loop | None = None) -> str:
        """The assignments of a function or of its loop, under comments that name the construct they come from."""
        printed = self.bodies[function]
        formatter = self.formatters[function]
        indent = " " * (4 if loop is None else 8)
        result = []
        for line in printed.lines if loop is None else loop.lines:
            result += [f"{indent}{remark}" for remark in remarks(line.origin, self.universe.sources)]
            result.append(f"{indent}{line.name} = {formatter.line(line.value)}")
        return "\n".join(result)

    def results(self, function: str) -> list[str]:
        """The single outputs of a function."""
        return [self.expression(function, output.value) for output in self.bodies[function].outputs]

    def expression(self, function: str, value: Value) -> str:
        """A value of a function; a constant has its type with it."""
        return self.formatters[function].tensor(value)

    def observed_value(self, name: str) -> str:
        """An output of `observe`."""
        return self.expression("observe", self.bodies["observe"].function.output(name).value)

    def word_of(self, rows: KnownRows, number: str, per_word: int) -> str:
        """The word with the bit of a row of this number, or of a chunk of which it has bits for so many."""
        words = [self.observed_value(name) for name in rows.words]
        result = words[0]
        for position, word in enumerate(words[1:], 1):
            result = f"tl.where({number} < {position * per_word}, {result}, {word})"
        return result

    def known_value(self, rows: KnownRows, bits: str, bit: int) -> str:
        """`plain` or `marked`, by the bit at a position."""
        return f"tl.where(({bits} & {1 << bit}) == 0, plain, marked)" if rows.words else "plain"

    def constants_of(self, values: tuple[float, float], row: int) -> str:
        """The assignment of `plain` and `marked`, in the type of the observation; `row` is the first of its segment."""
        plain, marked = (self._encoded(value, row) for value in values)
        return f"plain = {plain}" if plain == marked else f"plain = {plain}\n    marked = {marked}"

    def _encoded(self, value: float, row: int) -> str:
        low, scale = (literal(Const(Type.F32, number)) for number in (self.scales[row].low, self.scales[row].scale))
        return f"_encode({typed(Const(Type.F32, value))}, {low}, {scale}, dtype)"

    def encode(self, function: str, value: Value, row: int) -> str:
        """A value of an observation in its type; `row` is the first of its segment."""
        low, scale = (literal(Const(Type.F32, number)) for number in (self.scales[row].low, self.scales[row].scale))
        return f"_encode({self.expression(function, value)}, {low}, {scale}, dtype)"
