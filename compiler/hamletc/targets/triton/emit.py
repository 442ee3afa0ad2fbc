"""Emits `triton_kernels.py`: the functions of a program, and the kernels of `kernels.py.j2` around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from hamlet import schema
from hamlet.numbers import elementary
from hamlet.package.manifest import plain
from hamlet.schema import abi
from hamlet.universe import Universe
from hamletc.ir.function import BEGIN_CELLS, OVER, STAGES, Program
from hamletc.ir.ops import Const, Fold, Type, Value
from hamletc.kernel.body import Loop, comment, draws, remarks, rows, table_name
from hamletc.kernel.code import Code, Function, Parameter, Typed
from hamletc.targets.known_rows import KnownRows
from hamletc.targets.printing import WIDTH, assign, call, define, give, listing, table_values
from hamletc.targets.python import PythonPrinter
from hamletc.targets.skeleton import skeleton
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.cells import begin_worlds, cells, spread_worlds
from hamletc.targets.triton.columns import LANES, operations
from hamletc.targets.triton.formatter import DTYPES, literal, typed
from hamletc.targets.triton.meeting import meet, meeting, widen
from hamletc.targets.triton.memory import memory
from hamletc.targets.triton.places import CELL, NO_CELL, SEEKING, TAKEN
from hamletc.targets.triton.slots import Slot, address_after, offset
from hamletc.targets.triton.together import PAIRED, SUMMARIES

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
FEW = 96
"""Registers that a step gets then. The assembler would take 128, to no end, and a fifth of the warps would not fit."""


MEETING = 128
"""Registers of ticks in which agents meet, where a lane has little to hold otherwise. Two blocks of 256 lanes fit then,
which the assembler would try to reach without a limit, and spill."""


def emit(program: Program, universe: Universe, notes: Sequence[str] = ()) -> str:
    """The text of `triton_kernels.py`; the same for the same program and universe. `notes`: what was chosen, and
    why."""
    return skeleton("triton").render(_Context(program, universe).names() | {"notes": notes})


def printer(bindings: Bindings) -> PythonPrinter:
    """Prints functions of the module."""
    return PythonPrinter(
        bindings.formatters, bindings.universe.sources, constant, declared, decorator, ": tl.constexpr"
    )


def constant(value: Typed) -> str:
    """A number of a type."""
    plain = Const(value.type, value.value)
    return typed(plain) if value.alone else literal(plain)


def declared(parameter: Parameter) -> str:
    """A parameter of a function."""
    if parameter.constant:
        return f"{parameter.name}: tl.constexpr"
    return parameter.name if parameter.type is None else f"{parameter.name}: {DTYPES[parameter.type]}"


def decorator(function: Function) -> str:
    """What compiles a function; a kernel is not compiled anew for every number that it is passed."""
    if function.kind != "kernel":
        return "@triton.jit"
    numbers = [f'"{each.name}"' for each in function.parameters if each.type is not None]
    return listing("@triton.jit(do_not_specialize=[", numbers, "])")


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


class _Context(Bindings):
    """What the template sees: lists of names, and functions that print parts of the program."""

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
            "code": {each.name: printer(self).function(each) for each in memory(self)},
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
            "outcomes": [(variable, "") for variable, _, _ in self.outcomes],
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
            "meeting": printer(self).module(meeting(self)),
            "meet": {stage: self.block(meet(self, stage)) for stage in STAGES},
            "widen": lambda variables: self.block(widen(variables)),
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

    def block(self, code: Iterable[Code]) -> str:
        """Statements, each on a new line."""
        return "".join(f"\n{line}" for line in printer(self).block(code, 4))

    def _spreading(self) -> dict[str, object]:
        """What the template needs for cells; nothing but that there are none, where they have nothing."""
        known = self.spread
        if known is None:
            return {"spread": None, "fetches": False, "resetting": ["reset"]}
        return {
            "spread": known,
            "fetches": bool(known.fetched),
            "resetting": ["reset", BEGIN_CELLS, *([OVER] if known.sums else [])],
            "cells": printer(self).module(cells(self)),
            "spread_worlds": self.block(spread_worlds(self, known)),
            "begin_worlds": self.block(begin_worlds(self, known)),
        }

    def chunk_of(self, rows: KnownRows, most: int) -> int:
        """The rows that a turn of a loop writes."""
        fitting = [size for size in range(most, most // 2, -1) if rows.count % size == 0]
        return min(most, rows.count) if rows.words or not fitting else fitting[0]

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

    def anchors_of(self, functions: Sequence[str], fetching: Sequence[Slot]) -> list[str]:
        """Integers without which functions get nowhere, so that they can wait in them for what is fetched: the action,
        a coordinate, or else what is fetched itself."""
        if "tick" in functions:
            return ["action"]
        inputs = {parameter.input for name in functions for parameter in self.bodies[name].parameters}
        whole = [slot for slot in self.slots if slot.whole and slot.name in inputs]
        coordinates = [slot for slot in whole if slot.name.startswith("position.")]
        return [slot.variable for slot in coordinates[:1] or [each for each in whole if each in fetching]]

    def given(self) -> list[_Given]:
        """What a rollout is given for each tick."""
        fields = [field for field in schema.state_fields(self.universe) if field.name in schema.GIVEN_BY_TICK]
        held = {slot.name: slot for slot in self.slots}
        return [_Given(field.name, [held[name] for name in field.names]) for field in fields]

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

    def observed_value(self, name: str) -> str:
        """An output of `observe`."""
        return self.expression("observe", self.bodies["observe"].function.output(name).value)
