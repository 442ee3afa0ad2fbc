"""Emits `numba_kernels.py`: the functions of a program, and kernels around them from `kernels.py.j2`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from hamlet import schema
from hamlet.schema import abi
from hamlet.universe import Universe
from hamletc.ir.function import Function, Program
from hamletc.ir.ops import Const, Input
from hamletc.kernel import code
from hamletc.kernel.body import remarks, table_name
from hamletc.kernel.build import build
from hamletc.targets.known_rows import KnownRows, known_rows
from hamletc.targets.numba.act import act
from hamletc.targets.numba.bindings import Bindings
from hamletc.targets.numba.cells import cells
from hamletc.targets.numba.counts import counts
from hamletc.targets.numba.cuts import Cuts
from hamletc.targets.numba.episodes import episodes
from hamletc.targets.numba.formatter import literal, typed
from hamletc.targets.numba.functions import functions as program_functions
from hamletc.targets.numba.grid import cell_step
from hamletc.targets.numba.meeting import interaction, meeting
from hamletc.targets.numba.memory import direct, load_parameters, memory, store_outcome, store_parameters
from hamletc.targets.numba.observe import observe
from hamletc.targets.numba.parts import is_large
from hamletc.targets.numba.phases import Phases
from hamletc.targets.numba.places import places
from hamletc.targets.numba.rows import MANY_WORDS, rows
from hamletc.targets.numba.slots import HEAP, STACK, chunks, has_cell_cache
from hamletc.targets.numba.tick import tick
from hamletc.targets.printing import assign, call, define, listing, table_values
from hamletc.targets.python import PythonPrinter
from hamletc.targets.scene import split
from hamletc.targets.skeleton import skeleton


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
        made = {chunk.variable: chunk.own for chunk in (*self.chunks, *self.outcomes)}
        step = cell_step(functions.program, universe, functions)
        if step is not None:
            together.made.update(step.arrays)
        printed, cut = printer(functions), self.cuts
        phases = Phases(functions, cut, step)
        changing, closing = phases.changing, phases.closing
        entering = [chunk for chunk in together.begun if by_hand or chunk not in changing]
        before = [*([] if by_hand else [*changing, *closing]), *entering]
        made |= {f"before_{chunk.variable}": chunk.own for chunk in before} | together.made
        all_made = [chunk.own for chunk in (*self.chunks, *self.outcomes, *self.cached)]
        all_made += [*self.rooms.values(), *together.made.values()]
        all_made += [single.array for single in rows(functions, "observe").shared]
        schedule = build(universe, functions.program)
        before_ticks = [
            *program_functions(functions, cut),
            *observe(functions, cut, phases, schedule),
            *memory(functions, step),
            *places(functions, phases),
            *act(functions, cut, phases, schedule),
        ]
        around = tick(functions, cut, step, phases, schedule)
        meet = meeting(functions, cut, phases)
        return {
            "before_ticks": printed.module(before_ticks),
            "code": {
                each.name: printed.function(each)
                for each in (
                    store_outcome(self.outcomes),
                    *counts(functions, phases),
                    *meet,
                    *around,
                    *episodes(functions, cut, step, phases, schedule),
                    *(cells(step) if step is not None else ()),
                    *(interaction(functions, phases) if self._by_world else ()),
                )
            },
            "meeting": [each.name for each in meet],
            "universe": universe,
            "source": ", ".join(functions.sources),
            "cuts": cut.cuts if cut else {},
            "rooms": self.rooms,
            "to_give_back": [name for name, array in (made | self.rooms).items() if array.kind == "room"],
            "observing": phases.passed("observe"),
            "masking": phases.passed("mask"),
            "takes": phases,
            "tables": [table for table in self.tables if table.name not in functions.short],
            "short_tables": [table for table in self.tables if table.name in functions.short],
            "table_remarks": lambda table: [remarks(origin, functions.sources) for origin in table.origins],
            "cell_cache": [chunk for chunk in self.cached if chunk not in self.chunks],
            "cells": sum(slot.name.startswith("cell.") for slot in functions.cached),
            "cache": phases.cache,
            "scene": [slot.element for slot in functions.cached if slot.name.startswith("scene.")],
            "chunks": self.chunks,
            "counted": chunks(functions.counted),
            "outcomes": self.outcomes,
            "before": before,
            "ruled": functions.program.has("world"),
            "together": together,
            "step": step,
            "direct": direct(functions),
            "reported": bool(schema.report_names(universe)),
            "rows_made": sorted({array.maker for array in all_made if array.kind != "local"}),
            "notes": self._notes(),
            "given": any(field.name in schema.GIVEN_BY_TICK for field in schema.state_fields(universe)),
            "meters": phases.meters,
            "by_hand": universe.by_hand,
            "by_world": self._by_world,
            "has_clock": universe.clock is not None,
            "sees": phases.sees,
            "load_arguments": load_parameters(functions),
            "store_arguments": partial(store_parameters, functions),
            "kernel_parameters": self.kernel_parameters(),
            "tables_of": functions.tables_of,
            "table_name": table_name,
            "assign": assign,
            "at_lane": lambda names: [f"{name}[lane]" for name in names],
            "call": call,
            "text": printed.text,
            "define": define,
            "listing": listing,
            "table_values": table_values,
        }

    @property
    def _by_world(self) -> bool:
        """Whether an agent has to know whether one of its world interacts."""
        tracking = self.universe.tracking
        return tracking is not None and tracking.by == "world"

    def _notes(self) -> str:
        """What makes a chunk of numbers of affordances."""
        count = len(self.universe.affordances)
        return next(f"local_u{bits}" for bits in (8, 16, 32) if count <= 1 << bits)

    # --- kernels ----------------------------------------------------------------------------------------------------

    def kernel_parameters(self) -> list[str]:
        """The parameters of `rollout`: those of `hamlet.schema.abi`, the cell cache, shares of threads, the worlds
        that begin an episode, switches."""
        arrays = [f"{name}_array" for name in abi.array_arguments(self.universe, "rollout")]
        tables = self.functions.passed_tables(table.name for table in self.tables)
        cells = ["cells_array", "layouts_array", "known"] if self.cached else []
        own = ["shares_array", "begins_array", "thread", "every_tick", "streamed"]
        return [*arrays, *tables, *abi.scalar_arguments("rollout"), *cells, *own]


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
