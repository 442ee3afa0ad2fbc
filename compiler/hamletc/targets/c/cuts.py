"""The functions of a large program, cut into parts (`hamletc.targets.c.parts`): where each reads and writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

from hamlet import schema
from hamlet.frozen import dataclass
from hamlet.schema.features import features, quantities
from hamletc.ir.function import BEAR, CARRIED_OUT, CROWD, STAGES, Table, reducer
from hamletc.ir.ops import Input, Type, Value
from hamletc.kernel.body import table_name
from hamletc.kernel.code import Code, assign, do
from hamletc.kernel.expressions import Expression, Name, Operand, call, expression
from hamletc.targets.c.arrays import Array, heap
from hamletc.targets.c.bindings import Bindings, shared
from hamletc.targets.c.lanes import LANES, WIDE
from hamletc.targets.c.parts import Cut, Place, cut
from hamletc.targets.c.parts import held as held_in
from hamletc.targets.c.slots import Slot

AROUND_TICKS = (*map(reducer, STAGES), "world", "settle", BEAR, CROWD)
"""The functions of worlds whose agents meet."""

SERIES = 8
"""So many observed rows that are rows of a field, one after the other, are written by a loop."""

LOWS, SCALES = Name(table_name("observed.low")), Name(table_name("observed.scale"))
"""Tables of how rows are observed as bytes, where they are written by a loop and are not alike."""


VECTOR_OF_THREAD = call("wide", 0)
"""The index of a vector in room that a thread has for one."""


@dataclass(frozen=True, slots=True)
class Run:
    """Rows of what a function writes, from `first` on, that are rows of an array from `begin` on. `step`: elements from
    one to the next; `scales`: how each is observed as a byte."""

    first: int
    count: int
    variable: str
    begin: int
    step: str
    scales: tuple[tuple[Expression, ...], ...] = ()

    @property
    def alike(self) -> bool:
        """Whether all are observed as bytes in one way."""
        return len(set(self.scales)) == 1

    @property
    def scale(self) -> tuple[Expression, ...]:
        """How rows become bytes."""
        row = expression(self.first) + Name("row")
        return self.scales[0] if self.alike else (LOWS[row], SCALES[row])

    @property
    def element(self) -> Expression:
        """The element of `row` of the run."""
        row = expression(self.begin) + Name("row") if self.begin else Name("row")
        begin = row * Name(self.step)
        return Name(self.variable)[begin + Name("lane") if self.step == "LANES" else call("wide", begin)]


class Cuts:
    """All functions of a lane in parts, but those that are small in every universe.

    Attributes:
        cuts: by the names of functions.
        observed, allowed: what `observe` and `mask` write in single rows.
    """

    def __init__(self, functions: Bindings) -> None:
        self._functions = functions
        given = functions.held | {slot.name: slot for slot in functions.outcomes}
        self.cuts: dict[str, Cut] = {}
        for name in ("tick", "reset", *(name for name in AROUND_TICKS if functions.program.has(name))):
            outputs = functions.bodies[name].outputs
            self.cuts[name] = self._cut(name, [(o.value, given[o.name].place) for o in outputs])
        if functions.program.has(CARRIED_OUT):
            carried = [(o.value, Place("action", 0)) for o in functions.bodies[CARRIED_OUT].outputs]
            self.cuts[CARRIED_OUT] = self._cut(CARRIED_OUT, carried, {"action": Place("action", 0)})
        situation = [(o.value, Place("situation", 0)) for o in functions.bodies["situation"].outputs]
        self.cuts["situation"] = self._cut("situation", situation, self._binned())
        self.observed, results = self._rows("observe", "observed", self._direct())
        self.cuts["observe"] = self._cut("observe", results)
        self.allowed, results = self._rows("mask", "allowed", {})
        self.cuts["mask"] = self._cut("mask", results)

    def scale_tables(self) -> tuple[Table, ...]:
        """How each row is observed as a byte; nothing where no run needs that."""
        if all(run.alike for run in self.observed):
            return ()
        segments = schema.observation_segments(self._functions.universe)
        rows = [segment.scale for segment in segments for _ in range(segment.count)]
        return (
            Table("observed.low", Type.F32, tuple(each.low for each in rows)),
            Table("observed.scale", Type.F32, tuple(each.scale for each in rows)),
        )

    def rooms(self) -> dict[str, Array]:
        """Arrays beside the state: what makes each."""
        held: dict[Type, int] = {}
        for each in self.cuts.values():
            held |= {type_: max(count, held.get(type_, 0)) for type_, count in each.rows.items()}
        made = {held_in(type_): heap(type_.value, count * WIDE) for type_, count in held.items()}
        if observed := sum(run.count for run in self.observed if run.variable == "observed"):
            made["observed"] = heap("f32", observed * WIDE)
        if allowed := sum(run.count for run in self.allowed):
            made["allowed"] = heap("bool", allowed * LANES)
        return made

    def passing(
        self, function: str, given: Mapping[str, Operand], held: Operand = VECTOR_OF_THREAD
    ) -> list[Expression]:
        """What a function in parts is passed; `given` by the names of inputs.

        Args:
            held: the index of what it leaves for later parts, and of what it computes for `observe`.
        """
        parameters = self._functions.bodies[function].parameters
        computed = {each.name: given[each.input] for each in parameters if each.input in given} | {"held": held}
        return [expression(computed.get(name, name)) for name in self.cuts[function].parameters]

    def _cut(self, function: str, results: list[tuple[Value, Place]], places: Mapping[str, Place] | None = None) -> Cut:
        """A function in parts. `places`: of inputs that no chunk holds."""
        functions, printed = self._functions, self._functions.bodies[function]
        inputs = [parameter.input for parameter in printed.parameters]
        held = {name: functions.held[name].place for name in inputs if name in functions.held}

        def passed(table: str) -> str | None:
            return None if table in functions.short else table_name(table)

        return cut(printed, held | dict(places or {}), results, partial(functions.value, function), passed)

    def _binned(self) -> dict[str, Place]:
        """Where `situation` finds what it needs of a policy's table."""
        count, binned = (len(each(self._functions.universe)) for each in (features, quantities))
        places = {f"stride.{number}": Place("strides", number, index=None) for number in range(count)}
        places |= {f"scale.{number}": Place("bins", number, index=None) for number in range(binned)}
        return places | {f"top.{number}": Place("bins", binned + number, index=None) for number in range(binned)}

    def _direct(self) -> dict[str, tuple[str, int]]:
        """The observed rows that are rows of a field, by name: the array and the row; where many follow each other."""
        printed, offsets = self._functions.bodies["observe"], self._functions.offsets
        found: dict[str, tuple[str, int]] = {}
        group: list[tuple[str, Slot]] = []

        def end() -> None:
            if len(group) >= SERIES:
                found.update({name: (slot.chunk.variable, slot.row) for name, slot in group})
            group.clear()

        for output in printed.outputs:
            op = printed.op(output.value)
            slot = self._functions.held.get(op.name) if isinstance(op, Input) else None
            if slot is None or slot.chunk.rows == 1:
                end()
                continue
            if group:
                name, last = group[-1]
                follows = offsets[output.name] == offsets[name] + 1 and slot.row == last.row + 1
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
        printed, step = self._functions.bodies[function], "WIDE" if function == "observe" else "LANES"
        index = "held" if function == "observe" else "lane"
        runs: list[Run] = []
        results: list[tuple[Value, Place]] = []
        for output in printed.outputs:
            first, computed = self._functions.offsets[output.name], output.name not in direct
            array, row = (variable, len(results)) if computed else direct[output.name]
            if computed:
                results.append((output.value, Place(variable, row, step, index)))
            last, scale = runs[-1] if runs else None, self._functions.scales.get(output.name, ())
            if (
                last is not None
                and (last.first + last.count, last.variable) == (first, array)
                and (last.begin + last.count == row)
            ):
                runs[-1] = replace(last, count=last.count + 1, scales=(*last.scales, scale))
            else:
                runs.append(Run(first, 1, array, row, step if computed else "LANES", (scale,)))
        results += [(value, Place(f"shared_{printed.names[value]}", 0)) for value in shared(printed)]
        return runs, results


def computed(
    bindings: Bindings,
    cuts: Cuts | None,
    function: str,
    targets: Iterable[Expression],
    given: Mapping[str, Operand],
    held: Operand = VECTOR_OF_THREAD,
) -> Code:
    """A function of lanes called: its results are set to targets; in parts it writes them to their places itself."""
    if cuts is not None:
        return do(f"_{function}", *cuts.passing(function, given, held))
    return assign(targets, call(f"_{function}", *bindings.passing(function, given)))
