"""What must hold for every universe: all ways to write it, to compile it and to run it agree."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import torch
from cases import BY_TABLE, Case
from scenes import compare

from hamlet import load
from hamlet.backend.buffers import allocate
from hamlet.backend.choose import Choice, start
from hamlet.backend.protocol import Stream
from hamlet.interpreter import Interpreter
from hamlet.numbers.binary32 import round32
from hamlet.package.module import Module
from hamlet.schema import action_names, state_fields
from hamlet.universe import Span, Universe
from hamlet.universe.codec import from_json, to_json
from hamlet_lab.diff.open import ptx_candidates
from hamlet_lab.divergence.events import CPU
from hamlet_lab.divergence.executed import Executed
from hamlet_lab.verify import Candidate, Comparison
from hamlet_lab.verify.injection import Injector
from hamletc.compilation import Compilation
from hamletc.compile import check, emit_texts, optimise
from hamletc.errors import SourceError
from hamletc.ir.function import Program
from hamletc.ir.text import parse_program, print_program
from hamletc.language.formatter import format_source
from hamletc.language.source import Source
from hamletc.lowering.plan import LIMITS, Limits
from hamletc.package import package, write
from hamletc.passes.pipeline import CELL_CACHE, PASS_NAMES, default_passes, gpu_passes
from hamletc.passes.tabulation import tabulate
from hamletc.read import parsed

BackendName: TypeAlias = Literal["ir", "c", "triton", "wasm", "cuda", "ptx:sm_80", "ptx:sm_90"]
BACKENDS: tuple[BackendName, ...] = get_args(BackendName)
NOWHERE = Span(0, 0, 0, 0)
TWICE = 8
"""Of so many cases one is compiled twice, to the same bytes."""


def checked(text: str) -> Universe:
    """The universe of a text.

    Raises:
        SourceError: the text has errors.
    """
    source = Source(Path("fuzzed.hamlet"), text)
    return check(parsed(source)).universe


def without_places(node: Any) -> Any:
    """A universe whose nodes all come from nowhere."""
    if isinstance(node, Span):
        return NOWHERE
    if isinstance(node, tuple):
        return tuple(without_places(item) for item in node)
    if not dataclasses.is_dataclass(node) or isinstance(node, type):
        return node
    fields = {field.name: without_places(getattr(node, field.name)) for field in dataclasses.fields(node)}
    return dataclasses.replace(node, **fields)


def whole(node: Any) -> Any:
    """All that is in a universe, which shows little of itself; numbers as binary32, which its file has."""
    match node:
        case float():
            return round32(node).hex()
        case bool():
            return str(node)
        case tuple():
            return tuple(whole(item) for item in node)
        case _ if dataclasses.is_dataclass(node):
            return type(node), *(whole(getattr(node, each.name)) for each in dataclasses.fields(node))
        case _:
            return node


def check_text(text: str, universe: Universe) -> None:
    """The formatted text means the same and is already formatted; the universe survives its file."""
    formatted, problems = format_source(text)
    assert formatted is not None, f"cannot be formatted: {problems}"
    again, _ = format_source(formatted)
    assert again == formatted, f"formatting twice differs:\n{formatted}\n---\n{again}"
    try:
        other = checked(formatted)
    except SourceError as error:
        raise AssertionError(f"the formatted text is refused:\n{formatted}\n{error}") from error
    assert whole(without_places(other)) == whole(without_places(universe)), f"formatting changes it:\n{formatted}"
    assert whole(from_json(to_json(universe))) == whole(universe), "the file of the universe says something else"


def lowered_by(limits: Limits) -> Limits:
    """The limits by which a universe is lowered. With tables, each row of a window is asked for on its own."""
    return limits if limits == LIMITS else replace(limits, window_rows=0)


def programs(universe: Universe, case: Case) -> dict[str, Program]:
    """Programs that must do the same: without passes or with one alone; with all, for a GPU. In every other case the
    latter has tables in place of unrolled code."""
    plain = Compilation.begin(universe)
    optimised = (plain if case.limits != BY_TABLE else Compilation.begin(universe, lowered_by(BY_TABLE))).run()
    for program in (plain.program, optimised.program):
        assert parse_program(print_program(program)) == program, "the text of the program says something else"
    result = {"optimised, for a GPU": optimised.run(gpu_passes).program}
    if case.alone is None:
        return result | {"unoptimised": plain.program}
    others = frozenset(PASS_NAMES) - {case.alone}
    choose = gpu_passes if case.alone == "constant_division" else default_passes
    result |= {"optimised, for a CPU": tabulate(optimised.program, optimised.facts)}
    return result | {f"only {case.alone}": replace(plain, disabled=others).run(choose).program}


def compiled(universe: Universe, targets: tuple[str, ...], limits: Limits) -> dict[str, bytes]:
    """The files of a package."""
    # With a cell cache affordances are unrolled.
    disabled = () if limits == LIMITS else (CELL_CACHE,)
    compilation = replace(Compilation.begin(universe, lowered_by(limits)), disabled=frozenset(disabled))
    return package(universe, emit_texts(optimise(compilation), targets))


def loaded(universe: Universe, targets: tuple[str, ...], limits: Limits, folder: Path) -> Module:
    """The package."""
    write(compiled(universe, targets, limits), folder)
    module = load(folder)
    assert whole(module.universe) == whole(universe), "the package has another universe"
    return module


def kernels(universe: Universe, backends: Sequence[BackendName], limits: Limits, folder: Path) -> list[Candidate]:
    """Those of the backends that run kernels."""
    launched: list[str] = [target for target in ("c", "triton", "wasm") if target in backends]
    executed = [int(name.removeprefix("ptx:sm_")) for name in backends if name.startswith("ptx:")]
    on_gpu = [torch.device("cuda", torch.cuda.current_device())] if "cuda" in backends else []
    if not launched and not executed and not on_gpu:
        return []
    module = loaded(universe, (*launched, *(["triton"] if executed or on_gpu else [])), limits, folder)
    placed = [*((target, CPU) for target in launched), *(("triton", device) for device in on_gpu)]
    started = [Candidate(start(module, Choice(target, device, "compared")), device) for target, device in placed]
    return [*started, *ptx_candidates(module, executed)]


def stay_in_bounds(universe: Universe, case: Case) -> int:
    """Fields of state stay in the bounds that compiled code relies on, from states that may be met on; the number of
    values that were looked at."""
    scenario, looked = case.scenario(universe), 0
    shape, seed, first = scenario.shape, scenario.stream.seed, scenario.stream.tick
    injector = Injector(universe, shape, seed)
    buffers, actions = allocate(universe, shape, CPU, None), injector.actions(0.4)
    for name, value in injector.state().items():
        buffers.state[name].copy_(value)
    interpreter = Interpreter(universe, CPU)
    bounds = {
        field.name: torch.tensor([(each.low, each.high) for each in field.bounds], dtype=torch.float64)
        for field in state_fields(universe)
        if field.bounds
    }
    for tick in range(24):
        interpreter.step(buffers, (actions + tick // 3) % len(action_names(universe)), Stream(seed, first + tick))
        for name, limits in bounds.items():
            values = buffers.state[name].reshape(len(limits), -1).double()
            inside = (limits[:, :1] <= values) & (values <= limits[:, 1:])
            assert bool(inside.all()), f"{name} leaves its bounds in tick {tick}"
            looked += values.numel()
    return looked


def agree(
    text: str, universe: Universe, backends: Sequence[BackendName], case: Case, again: bool = False
) -> Comparison:
    """Check everything; `AssertionError` where something differs. `again`: it is another case of a universe that stays
    in its bounds."""
    if not again:
        check_text(text, universe)
        assert stay_in_bounds(universe, case) > 0
    candidates: list[Candidate] = []
    if case.number % TWICE == 0 and set(backends) != {"ir"}:
        first, second = (compiled(universe, ("c", "triton"), case.limits) for _ in range(2))
        assert first == second, "compiled twice, the bytes differ"
    if "ir" in backends:
        for name, program in programs(universe, case).items():
            candidates.append(Candidate(Executed(universe, program, name), CPU))
    with tempfile.TemporaryDirectory(prefix="fuzzed-") as folder:
        candidates += kernels(universe, backends, case.limits, Path(folder) / "package")
        report = compare(universe, candidates, case)
    assert report.equal, report.render()
    assert report.compared > 0, "nothing was compared"
    return report
