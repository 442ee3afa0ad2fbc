"""What must hold for every universe: all ways to write it, to compile it and to run it agree."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import torch
from evaluated import Evaluated
from hypothesis import strategies as st

from hamlet import load
from hamlet.choose import Choice
from hamlet.codec import from_json, to_json
from hamlet.make import start
from hamlet.universe import Span, Universe
from hamlet.verify import Candidate, Effort, Report, verify
from hamletc.compile import TARGETS, Options, Source, SourceError, Stopwatch, Target, check, emit_texts, optimise, parse
from hamletc.ir.function import Program
from hamletc.ir.parser import parse_program
from hamletc.ir.printer import print_program
from hamletc.language.formatter import format_source
from hamletc.lowering.lower import LIMITS, lower
from hamletc.lowering.plan import Limits
from hamletc.package import package, write
from hamletc.passes.pipeline import PASS_NAMES, default_passes, gpu_passes, run

BackendName: TypeAlias = Literal["ir", "numba", "triton"]
BACKENDS: tuple[BackendName, ...] = get_args(BackendName)
CPU = torch.device("cpu")
NOWHERE = Span(0, 0, 0, 0)
EFFORT = Effort(worlds=131, ticks=1, rounds=4, compact=(torch.uint8,))
"""Many lanes and few ticks: the time goes with the operations, not with the lanes."""


def checked(text: str) -> Universe:
    """The universe of a text.

    Raises:
        SourceError: the text has errors.
    """
    source = Source(Path("fuzzed.hamlet"), text)
    return check(source, parse(source)).universe


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
    assert repr(without_places(other)) == repr(without_places(universe)), f"formatting changes it:\n{formatted}"
    assert repr(from_json(to_json(universe))) == repr(universe), "the file of the universe says something else"


@dataclass(frozen=True, slots=True)
class Variant:
    """How to compile: the name of a pass to run alone, and what to unroll in kernels."""

    alone: str
    limits: Limits


UNROLLED, BY_TABLE = LIMITS, Limits(affordances=1, cascades=1)


def programs(universe: Universe, alone: str) -> dict[str, Program]:
    """Programs that must do the same: without passes, with all, with one alone; for a GPU; with tables in place of
    unrolled code."""
    plain = lower(universe)
    optimised = run(plain, universe)
    assert parse_program(print_program(plain)) == plain, "the text of the program says something else"
    assert parse_program(print_program(optimised)) == optimised, "the text of the program says something else"
    by_table = lower(universe, BY_TABLE)
    result = {
        "unoptimised": plain,
        "for a GPU": run(optimised, universe, choose=gpu_passes),
        "by table, optimised": run(run(by_table, universe), universe, choose=gpu_passes),
    }
    others = frozenset(PASS_NAMES) - {alone}
    choose = gpu_passes if alone == "constant_division" else default_passes
    result[f"only {alone}"] = run(plain, universe, others, choose=choose)
    return {name: program for name, program in result.items() if name == "unoptimised" or program != plain}


def compiled(universe: Universe, limits: Limits) -> dict[str, bytes]:
    """The files of a package."""
    program = optimise(lower(universe, limits), universe, Options(), Stopwatch())
    return package(universe, emit_texts(program, universe, Options(), Stopwatch()))


def kernels(universe: Universe, targets: Sequence[Target], limits: Limits, folder: Path) -> list[Candidate]:
    """Compiled, twice to the same bytes if it is to run; the backends that run it."""
    files = compiled(universe, limits)
    if not targets:
        return []
    assert files == compiled(universe, limits), "compiled twice, the bytes differ"
    write(files, folder)
    module = load(folder)
    assert repr(module.universe) == repr(universe), "the package has another universe"
    return [Candidate(start(module, Choice(target, CPU, "compared")), CPU) for target in targets]


def agree(text: str, universe: Universe, backends: Sequence[BackendName], variant: Variant, seed: int) -> Report:
    """Check everything; `AssertionError` where something differs."""
    check_text(text, universe)
    candidates: list[Candidate] = []
    if "ir" in backends:
        for name, program in programs(universe, variant.alone).items():
            candidates.append(Candidate(Evaluated(universe, program, name), CPU))
    with tempfile.TemporaryDirectory(prefix="fuzzed-") as folder:
        targets = [target for target in TARGETS if target in backends]
        candidates += kernels(universe, targets, variant.limits, Path(folder) / "package")
        report = verify(universe, candidates, EFFORT, seed)
    assert report.equal, report.render()
    assert report.compared > 0, "nothing was compared"
    return report


variants = st.builds(Variant, st.sampled_from(PASS_NAMES), st.sampled_from((UNROLLED, BY_TABLE)))
