"""What the kernels for GPUs have in common: what a launch finds in memory, draws by, and leaves behind."""

from __future__ import annotations

from collections.abc import Iterator

from hamlet import schema
from hamlet.schema import abi
from hamletc.ir.ops import Type
from hamletc.kernel.body import table_name
from hamletc.kernel.code import Code, Function, Parameter, Remark, assign, do, function, when
from hamletc.kernel.expressions import Expression, Name, Operand, call, names, several
from hamletc.kernel.schedule import Schedule
from hamletc.targets.triton.bindings import Bindings
from hamletc.targets.triton.blocks import GROUP, SIZES, cast, zeros
from hamletc.targets.triton.columns import LANES, pointer
from hamletc.targets.triton.formatter import DTYPES
from hamletc.targets.triton.memory import lane, unpacked, world
from hamletc.targets.triton.places import words_of
from hamletc.targets.triton.survey import scene_words
from hamletc.targets.triton.tick import advanced, drawn_by

state, scene, outcome, found, nothing, number, stored = names("state scene outcome found nothing number stored")

UNSIGNED = ("seed_low", "seed_high", "tick")
"""Parameters of kernels that are u32; other numbers are i32."""


class Launch:
    """What kernels are made of.

    Attributes:
        plan: the schedule of the universe.
        ends: whether episodes end in ticks, and not by hand alone.
        drawn_by: what random words of a tick are drawn by.
        scene_words: the scene as steps keep it; empty where they do not.
        cells_in_words: whether a rollout has the cells of affordances in words.
    """

    def __init__(self, bindings: Bindings, plan: Schedule) -> None:
        self.bindings, self.plan = bindings, plan
        self.ends = not bindings.universe.by_hand
        self.drawn_by = drawn_by(bindings)
        self.scene_words = scene_words(bindings)
        self.cells_in_words = words_of(bindings) is not None

    def kernel(self, name: abi.Kernel, summary: str, body: Iterator[Code], *more: Parameter) -> Function:
        """A kernel; `more`: parameters behind those of all targets."""
        bindings = self.bindings
        tables = (table.name for table in bindings.program.tables if table.name not in bindings.columns.of)
        arrays = (
            *(f"{array}_ptr" for array in abi.array_arguments(bindings.universe, name)),
            *map(table_name, tables),
            *map(pointer, bindings.columns.types),
        )
        numbers = (Parameter(each, Type.U32 if each in UNSIGNED else Type.I32) for each in abi.scalar_arguments(name))
        return function(name, [*map(Parameter, arrays), *numbers, *more, *SIZES], summary, body, kind="kernel")

    def arrays(self) -> Iterator[Code]:
        """The arrays of the state, and those that functions fetch from."""
        yield assign("arrays", several(self.bindings.arrays))
        if (spread := self.bindings.spread) is not None:
            for array, meter in spread.fetched:
                first = Name("cell_meters_ptr")
                yield assign(array, first + meter * spread.count if meter else first)
            for row, (array, _) in enumerate(spread.past, spread.first_past):
                yield assign(array, Name("cell_meters_ptr") + row * spread.count)

        for array, state in self.bindings.pairs_fetched:
            first, size = Name(f"{schema.PAIR_STATES}_ptr"), schema.pair_agents(self.bindings.universe) ** 2
            yield assign(array, first + state * size if state else first)

    def columns(self, *functions: str) -> Iterator[Code]:
        """Columns, if functions read any; without functions, if there are any."""
        read = "columns" in self.bindings.tables_of(*functions) if functions else self.bindings.columns.all
        if read:
            yield assign("columns", call("_columns"))

    def place(self) -> Iterator[Code]:
        """Where lanes are."""
        yield assign("place", call("_place"))
        yield from unpacked(self.bindings, "place")

    def load(self) -> Code:
        """The state."""
        return assign(state, call("_load"))

    def number(self) -> Code:
        """The number of the world among all shards' worlds."""
        return assign(number, cast(Name("first_world") + world, "uint32"))

    def stream(self) -> Code:
        """The number of the lane among all shards' lanes."""
        return assign("stream", cast(Name("first_world") * "agents" + lane, "uint32"))

    def key(self) -> Code:
        """The seed."""
        return assign("key", several(cast(half, "uint32") for half in ("seed_low", "seed_high")))

    def words(self) -> Code:
        """The random words of a policy for four ticks."""
        return assign("words", call("_policy", *self.bindings.seeded("policy")))

    def of_state(self, variable: str) -> Expression:
        """An item of the state."""
        return state[self.bindings.variables_held.index(variable)]

    def no_scene(self) -> Code:
        """A scene of zeros."""
        of_scene = self.bindings.bodies["scene"]
        types = (of_scene.type(output.value) for output in of_scene.outputs)
        return assign(scene, several(zeros(DTYPES[type_].removeprefix("tl.")) for type_ in types))

    def nothing_yet(self) -> Iterator[Code]:
        """What a loop gives whose turns no compiler knows, if it has none; and what is on cells before a tick."""
        yield assign(nothing, zeros("int32"))
        zero, never = cast(nothing, "float32"), nothing > 0
        yield assign(outcome, several([zero, never, never, nothing, nothing, *([zero] * len(self.bindings.reports))]))
        if self.bindings.meets.seeks:
            yield assign(found, call("_seek"))
        elif self.bindings.finds:
            yield assign(found, nothing)

    def advance(self, **others: Operand) -> Code:
        """A tick."""
        return assign(advanced(self.bindings), call("_advance", **others))

    def barrier(self) -> Code:
        """Lanes of a world wait for each other before they write."""
        remark = "A world's lanes are in several warps: all have read its hour and episode before one writes them."
        return when(GROUP > LANES, (Remark(remark), do("tl.debug_barrier")))

    def store(self, past: Operand, begun: Operand, place: Operand) -> Iterator[Code]:
        """Write state and outcome.

        Args:
            past: a zero (I32) that is known when the last tick is over.
            begun: where an episode has begun.
            place: of the outcome.
        """
        yield assign(stored, call("_anew", nothing=past))
        yield do("_store", "arrays", stored, state, begun)
        arrays = several(f"{field.name}_ptr" for field in schema.outcome_fields(self.bindings.universe))
        yield do("_store_outcome", arrays, place, outcome)

    def survey(self) -> Iterator[Code]:
        """Observations and masks of the state as it is."""
        yield assign(scene, call("_look"))
        if self.bindings.finds:
            yield assign(found, call("_seek"))
        yield do("_survey")

    def surveyed(self) -> Code:
        """Observations and masks after a tick; where episodes end, `_conclude` has written observations."""
        written: dict[str, Operand] = {"observation_ptr": None, "scene": None} if self.ends else {}
        return do("_survey", **written)
