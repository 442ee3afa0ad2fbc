"""Generated kernels, looked at line by line: the first line that does not compute what its program says.

A generated function is compiled again as it stands in the package, but with a store after each line that is looked at;
a kernel `tap` calls it for every lane (`c_taps`, `triton_taps`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import torch

from hamlet.package.module import Module
from hamlet_lab.divergence import c_taps, triton_taps
from hamlet_lab.divergence.compiled import TABLE, Form, Generated, Kernels, values_of
from hamlet_lab.divergence.values import Evaluation, Spot, words
from hamletc.ir.evaluate import Array
from hamletc.ir.ops import Element, Fetch, Input, Value
from hamletc.kernel.body import Body, table_name
from hamletc.kernel.calls import FunctionCall
from hamletc.targets.target import written_by
from hamletc.targets.triton.columns import Columns


@dataclass(frozen=True, slots=True)
class Fault:
    """A line whose value is wrong, though what it is computed from is right.

    Attributes:
        evaluation: what the program says.
        value, spot: which value, and where it is wrong.
        found: the bits that the kernel has.
        line: number and text of the line in the kernels.
        together: whether all lines were looked at together. Otherwise the fault vanished then, and shows only where the
            operands of a line are not looked at: operations were merged.
        returned: the line is right, but the function returns something else.
    """

    evaluation: Evaluation
    value: Value
    spot: Spot
    actual: int
    line: tuple[int, str] | None
    together: bool
    returned: bool = False


def first_fault(kernels: Kernels, call: FunctionCall) -> Fault | None:
    """The first wrong line of the function that a call evaluates; `None` where its results are right."""
    evaluation = Evaluation(kernels.program, call)
    for function in kernels.functions(call.function, evaluation.printed):
        look = _Look(kernels, evaluation, function)
        if not look.possible:
            continue
        lines = look.lines()
        first = look.first(lines)
        if first is not None and not first.returned:
            return first
        # Stores can change what a compiler makes of a function: without them its results may be wrong.
        wrong_result = look.first(())
        if wrong_result is None:
            continue
        apart = [fault for group in apart_from_operands(evaluation, lines) if (fault := look.first(group, False))]
        within = [fault for fault in apart if not fault.returned]
        return min(within, key=lambda fault: fault.value, default=first or wrong_result)
    return None


def apart_from_operands(evaluation: Evaluation, lines: Collection[Value]) -> list[set[Value]]:
    """Groups of lines, such that none is together with a line that it is computed from: a store of an operand is
    another use of it, and can keep a compiler from merging it into the operation."""
    groups: list[set[Value]] = []
    for value in sorted(lines):
        near = set(evaluation.leaves(value))
        group = next((group for group in groups if group.isdisjoint(near)), None)
        if group is None:
            groups.append({value})
        else:
            group.add(value)
    return groups


class _Look:
    """One generated function on the lanes of a call."""

    def __init__(self, kernels: Kernels, evaluation: Evaluation, function: Generated) -> None:
        self._kernels, self._evaluation, self._function = kernels, evaluation, function
        self._lanes = len(evaluation.call.lanes)
        self._count = 1 if function.loop is None else function.loop.count
        nodes, inputs = evaluation.function.nodes, evaluation.call.inputs
        self._fetched = {table_name(op.array): inputs[op.array] for n in nodes if isinstance(op := n.op, Fetch)}
        self._inputs = [value for name in function.parameters if (value := self._input(name)) is not None]

    @property
    def possible(self) -> bool:
        """Whether the program says what the function is given. It does not where a kernel computes a part ahead, for an
        episode."""
        return len(self._inputs) == len(self._function.parameters)

    def lines(self) -> set[Value]:
        """The values that have a line in this function."""
        evaluation = self._evaluation
        lines = evaluation.printed.lines if self._function.loop is None else self._function.loop.lines
        names = [name for line in lines for name in line.name.split(", ")]
        values = values_of(names, evaluation.printed).values()
        return {value for value in values if not isinstance(evaluation.node(value).op, Input | Element)}

    def first(self, lines: Collection[Value], together: bool = True) -> Fault | None:
        """The first of these lines, then of the results, that is wrong somewhere."""
        evaluation = self._evaluation
        rows, taps = self._kernels.tap(self._function, evaluation.printed, lines, self._inputs)
        actual = taps.view(np.uint32).reshape(len(rows), self._count, self._lanes)
        first_result = len(rows) - len(self._function.results)
        for row in sorted(range(len(rows)), key=lambda row: (row >= first_result, rows[row])):
            value = rows[row]
            expected = np.broadcast_to(words(evaluation.values[value]), actual[row].shape)
            wrong = (expected != _canonical(actual[row], evaluation, value)) & evaluation.call.lanes
            if wrong.any():
                element, lane = (int(number) for number in np.argwhere(wrong)[0])
                line = self._function.lines.get(evaluation.printed.names.get(value, ""))
                bits, returned = int(actual[row, element, lane]), row >= first_result
                return Fault(evaluation, value, Spot(lane, element), bits, line, together, returned)
        return None

    def _input(self, name: str) -> Array | str | None:
        """The value of a parameter on all lanes, one element after the other; its name if it is a table; an array
        [worlds, numbers] that the function fetches from; `None` unknown.
        """
        if name.startswith(TABLE):
            return self._fetched.get(name, name)
        if self._function.loop is not None and name == self._function.loop.element:
            return np.repeat(np.arange(self._count, dtype=np.int32), self._lanes)
        value = values_of([name], self._evaluation.printed).get(name)
        if value is None:
            return None
        return np.broadcast_to(self._evaluation.values[value], (self._count, self._lanes)).ravel()


def _canonical(bits: Array, evaluation: Evaluation, value: Value) -> Array:
    return words(bits.view(np.float32)) if evaluation.values[value].dtype == np.float32 else bits


def kernels_of(module: Module, form: Form, target: str, device: torch.device, capability: int | None) -> Kernels:
    """The kernels of a package for a target, as text whose lines can be looked at: those of C and of Triton.

    Args:
        form: what they were printed from.
        device: where they run; with a `capability` (90: sm_90) as PTX on the CPU.
    """
    file = written_by(target)
    # Those in WebAssembly have no lines.
    source = module.sources[file].decode(errors="replace")

    def functions(function: str, printed: Body) -> list[Generated]:
        match target:
            case "c":
                return c_taps.generated(source, function, printed)
            case "triton":
                return triton_taps.generated(source, function, printed)
            case _:
                return []

    def tap(
        function: Generated, printed: Body, lines: Collection[Value], inputs: list[Array | str]
    ) -> tuple[list[Value], Array]:
        lanes = next(len(item) for item in inputs if not isinstance(item, str) and item.ndim == 1)
        if target == "c":
            text, rows = c_taps.tapped(source, function, printed, lines)
            return rows, c_taps.run_tap(text, inputs, len(rows), lanes)
        columns = Columns(form.program).all
        text, rows = triton_taps.tapped(source, function, printed, lines, [column.name for column in columns])
        return rows, triton_taps.run_tap(text, inputs, columns, len(rows), lanes, device, capability)

    return Kernels(file, form.program, functions, tap)
