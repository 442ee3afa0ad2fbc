"""python run_functions.py FOLDER: random functions on Triton's interpreter, against `ir.evaluate`.

A program of its own, because Triton decides when it is imported whether kernels run on its interpreter.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import MappingProxyType, ModuleType

sys.path.insert(0, str(Path(__file__).parents[3]))

import numpy as np
import torch
from hypothesis import HealthCheck, given, seed, settings

from hamlet.launch.gpu.interpreted import make_interpreter_exact
from hamletc.ir.builder import Builder
from hamletc.ir.evaluate import evaluate
from hamletc.ir.function import Function, Output
from hamletc.ir.ops import Type, Value
from hamletc.kernel.body import body
from hamletc.passes.extremes import Extremes
from hamletc.passes.interval import ANY_F32, ANY_I32, Interval
from hamletc.passes.ranges import Facts
from hamletc.targets.triton.formatter import TritonFormatter
from on_interpreter import interpret
from samples.functions import TABLES, functions, random_arrays

LANES = 64
TYPES = {Type.F32: torch.float32, Type.I32: torch.int32, Type.U32: torch.uint32, Type.BOOL: torch.bool}
NUMBERS = Interval(-np.inf, np.inf, negative_zero=True)
"""What is no NaN."""
FACTS = Facts(
    dict.fromkeys(("in.x", "in.y"), NUMBERS),
    {table.name: ANY_F32 if table.type is Type.F32 else ANY_I32 for table in TABLES},
)
CELLS = {"cells.moss": np.array([[-0.0, 1e-45, 0.25], [-3.0, 3.4028235e38, 0.1]], np.float32)}
"""What random functions do not read: numbers of cells, [worlds, cells]."""
LANES_COMPARED: list[int] = []
OPERATIONS: set[str] = set()


def module_of(function: Function, path: Path) -> ModuleType:
    """A kernel that applies the function to arrays; the values of all elements of a repeated output are its rows."""
    printed = body(Extremes(FACTS).run(function))
    formatter = TritonFormatter(printed)
    parameters = [f"{p.name}_ptr" for p in printed.parameters]
    tables = [f"table_{name.replace('.', '_')}" for name in printed.tables]
    results = [f"out{number}_ptr" for number in range(len(printed.outputs) + len(printed.loops))]
    text = [
        "import triton",
        "import triton.language as tl",
        "@triton.jit",
        "def _f32(bits: tl.constexpr):",
        "    return tl.full((), bits, tl.uint32).to(tl.float32, bitcast=True)",
        "@triton.jit",
        f"def kernel({', '.join([*parameters, *tables, *results])}, LANES: tl.constexpr):",
        "    lane = tl.arange(0, LANES)",
    ]
    for parameter in printed.parameters:
        convert = ".to(tl.int1)" if parameter.type is Type.BOOL else ""
        text.append(f"    {parameter.name} = tl.load({parameter.name}_ptr + lane){convert}")
    text += [f"    {line.name} = {formatter.line(line.value)}" for line in printed.lines]
    for result, output in zip(results, printed.outputs, strict=False):
        text.append(f"    tl.store({result} + lane, {formatter.tensor(output.value)})")
    for result, loop in zip(results[len(printed.outputs) :], printed.loops, strict=True):
        text.append(f"    for index in range({loop.count}):")
        text.append(f"        {loop.element} = tl.cast(index, tl.int32)")
        text += [f"        {line.name} = {formatter.line(line.value)}" for line in loop.lines]
        text.append(f"        tl.store({result} + {loop.element} * LANES + lane, {formatter.tensor(loop.value)})")
    path.write_text("\n".join(text) + "\n")
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fetches() -> Function:
    """Reads cells: at an input, at a constant, twice at one place, and at each element of an output."""
    b = Builder()
    at = b.to_i32(b.rem(b.input(Type.U32, "in.u"), b.u32(4)))
    moss = b.fetch("cells.moss", at)
    outputs = {"one": moss, "both": b.sub(moss, b.fetch("cells.moss", b.i32(4)))}
    outputs |= {"chosen": b.select(b.less(moss, b.f32(0.0)), b.fetch("cells.moss", b.add(at, b.i32(1))), moss)}
    grid = Output("grid", b.mul(b.fetch("cells.moss", b.add(at, b.element("grid"))), b.f32(0.5)), 3)
    return b.finish("observe", (*(Output(name, value) for name, value in outputs.items()), grid))


def zeros() -> Function:
    """The smaller and the larger of numbers, among them zeros of both signs."""
    b = Builder()
    x, y, zero = b.input(Type.F32, "in.x"), b.input(Type.F32, "in.y"), b.f32(0.0)
    outputs: dict[str, Value] = {}
    for name, left, right in (("below", x, zero), ("above", zero, x), ("both", x, y)):
        for test in (b.less(left, right), b.less_equal(left, right)):
            outputs[f"{name}.{len(outputs)}"] = b.select(test, left, right)
            outputs[f"{name}.{len(outputs)}"] = b.select(test, right, left)
    return b.finish("tick", tuple(Output(name, value) for name, value in outputs.items()))


def pairs() -> dict[str, np.ndarray]:
    """Each of some numbers beside each of them."""
    some = np.array([-0.0, 0.0, 1e-45, -1e-45, 1.0, -2.5, np.inf, -np.inf], np.float32)
    return {"in.x": some.repeat(len(some)), "in.y": np.tile(some, len(some))}


def compare(function: Function, path: Path, others: Mapping[str, np.ndarray] = MappingProxyType({})) -> None:
    inputs = random_arrays(len(function.nodes), LANES) | CELLS | dict(others)
    expected = evaluate(function, inputs, TABLES)
    printed = body(function)
    types = {output.name: function.nodes[output.value].type for output in function.outputs}
    counts = {**{o.name: 1 for o in printed.outputs}, **{loop.output: loop.count for loop in printed.loops}}
    results = {name: torch.zeros((count, LANES), dtype=TYPES[types[name]]) for name, count in counts.items()}
    arguments = [torch.from_numpy(inputs[parameter.input].copy()) for parameter in printed.parameters]
    tables = {table.name: torch.tensor(table.values, dtype=TYPES[table.type]) for table in TABLES}
    tables |= {name: torch.from_numpy(numbers) for name, numbers in CELLS.items()}
    arguments += [*(tables[name] for name in printed.tables), *results.values()]
    with np.errstate(all="ignore"):
        module_of(function, path).kernel[(1,)](*arguments, LANES=LANES)
    for name, result in results.items():
        have, want = result.numpy(), expected[name].reshape(result.shape)
        same = have == want
        if types[name] is Type.F32:
            same = (have.view(np.uint32) == want.view(np.uint32)) | (np.isnan(have) & np.isnan(want))
        assert same.all(), f"{name}: {have[~same][:4]} instead of {want[~same][:4]} in\n{path.read_text()}"
        LANES_COMPARED.append(have.size)
    OPERATIONS.update(type(node.op).__name__ for node in function.nodes)


def main(folder: Path) -> None:
    interpret()
    make_interpreter_exact()

    @seed(20)
    @settings(max_examples=100, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(functions())
    def run(function: Function) -> None:
        compare(function, folder / "kernel.py")

    run()
    compare(fetches(), folder / "kernel.py")
    compare(zeros(), folder / "kernel.py", pairs())
    assert (folder / "kernel.py").read_text().count("bitcast=True) >") == 4
    print(sum(LANES_COMPARED), *sorted(OPERATIONS))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
