"""Emits `triton_kernels.py`: the functions of a program, and the kernels of `kernels.py.j2` around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hamlet import schema
from hamlet.package.manifest import plain
from hamlet.schema import abi
from hamlet.universe import Universe
from hamletc.ir.function import BEGIN_CELLS, OVER, STAGES, Program
from hamletc.ir.ops import Const, Type
from hamletc.kernel.body import draws, rows, table_name
from hamletc.kernel.build import build
from hamletc.kernel.code import Code, Function, Parameter, Typed, expression
from hamletc.targets.printing import WIDTH, assign, call, define, give, listing, table_values
from hamletc.targets.python import PythonPrinter
from hamletc.targets.skeleton import skeleton
from hamletc.targets.triton.act import act, given
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.cells import begin_worlds, cells, spread_worlds
from hamletc.targets.triton.columns import held
from hamletc.targets.triton.counts import by_lane, counts
from hamletc.targets.triton.episodes import episodes
from hamletc.targets.triton.formatter import DTYPES, literal, typed
from hamletc.targets.triton.functions import computed, row_loops
from hamletc.targets.triton.meeting import meet, meeting, widen
from hamletc.targets.triton.memory import fetch, memory
from hamletc.targets.triton.observe import observe
from hamletc.targets.triton.places import CELL, SEEKING, TAKEN, places, words_of
from hamletc.targets.triton.slots import address_after, offset
from hamletc.targets.triton.survey import kept, survey, word
from hamletc.targets.triton.tick import tick
from hamletc.targets.triton.together import PAIRED

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


def functions(bindings: Bindings) -> list[Function]:
    """The functions of the module, in its order."""
    plan = build(bindings.universe, bindings.program)
    first = [
        *held(bindings.columns),
        *row_loops(bindings),
        *computed(bindings, "tick", *bindings.meets.functions, *PAIRED),
        *places(bindings),
        *computed(bindings, "clock", "reset", "scene", "policy", "choose", "steer", "situation"),
        *act(bindings),
        *observe(bindings),
        *memory(bindings),
        *survey(bindings),
        *meeting(bindings),
        *computed(bindings, BEGIN_CELLS, OVER),
        *cells(bindings),
        *tick(bindings, plan),
    ]
    return [*first, *episodes(bindings, plan, {each.name: each for each in first}), *counts(bindings)]


def unpack(targets: Iterable[str], value: str, indent: int = 4) -> str:
    """`target, target = value`."""
    targets = list(targets)
    line = f"{', '.join(targets)} = {value}"
    return line if indent + len(line) <= WIDTH else listing("(", targets, f") = {value}", indent)


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
        little = self.has_little(held)
        prints = printer(self)
        return {
            "code": {each.name: prints.function(each) for each in functions(self)},
            "universe": universe,
            "source": ", ".join(plain(source) for source in universe.sources),
            "tables": [table for table in self.program.tables if table.name not in self.columns.of],
            "words": words_of(self),
            "finds": finds,
            "seeking": SEEKING if finds else (),
            "ticking": ticking,
            "cell_tables": self.tables_of(CELL) if words_of(self) else [],
            "ticked_tables": self.tables_of(*ticking),
            "ticked_columns": self.columns_of(*ticking),
            "moved": [output.name.replace(".", "_") for output in self.bodies["move"].outputs] if finds else [],
            "moved_from": [(f"moved_{axis}", self.variables[f"position.{axis}"]) for axis in schema.axes(universe)],
            "stands": self.stands() if finds else [],
            "columns": self.columns.all,
            "column_arrays": self.columns.arrays([plain(source) for source in universe.sources]),
            "column_pointers": self.column_pointers(),
            "scene": self.scene,
            "kept": kept(self),
            "registers": (MEETING if meets.functions else FEW) if little else None,
            "scene_zeros": [
                f"tl.zeros([BLOCK], {DTYPES[self.bodies['scene'].type(output.value)]})"
                for output in self.bodies["scene"].outputs
            ],
            "slots": held,
            "fetched": [slot for slot in self.slots if slot.fetched],
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
            "meeting_functions": [*meets.functions, *meets.pairs],
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
            "observed_rows": schema.observation_rows(universe),
            "address_after": address_after,
            "fetched_text": lambda names, indent: "\n".join(prints.block(fetch(self, *names), indent)),
            "text": prints.text,
            "word": word,
            "interact": schema.interact_action(universe),
            "has_clock": universe.clock is not None,
            "by_hand": universe.by_hand,
            "by_world": universe.tracking is not None and universe.tracking.by == "world",
            "counts": self.counts,
            "phases": [name for name in self.bodies if name not in ("reset", "mask")],
            "begins_with_draws": draws(self.bodies["reset"]),
            "drawn_by": self.drawn_by("tick", *meets.functions),
            "given": given(self),
            "steered": "steer" in self.bodies,
            "policy_arguments": ", ".join(prints.text(expression(each)) for each in self.seeded("policy")),
            "by_lane": by_lane(),
            "counters": [(name, abi.copies(words), words) for name, words in abi.counters(universe).items()],
            "arguments": lambda *names: [prints.text(each) for each in self.arguments(*names)],
            "assign": assign,
            "call": call,
            "define": define,
            "give": give,
            "kernel_parameters": lambda kernel: [declared(each) for each in self.kernel_parameters(kernel)],
            "listing": listing,
            "parameters": self.parameters,
            **self._spreading(),
            "scalars": lambda kernel: [f'"{name}"' for name in abi.scalar_arguments(kernel)],
            "offset": offset,
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
