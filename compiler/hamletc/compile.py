"""The pipeline: text in, generated package out. Every stage is a function, in the order in which they run.

    read     Path                -> Source
    parse    Source              -> File          (syntax tree)
    check    File                -> Universe
    lower    Universe            -> Program       (tick IR)
    optimise   Program           -> Program
    specialise Program           -> Program       (for a target)
    emit     Program, Universe   -> texts by file name
    write    texts               -> folder        (hamletc.package)

Stages import what they need when they run, so that `hamletc check` starts fast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar, get_args

from hamletc.errors import CompileError

if TYPE_CHECKING:
    from hamlet.universe import Universe
    from hamletc.diagnostics import Diagnostic
    from hamletc.ir.function import Function, Program
    from hamletc.language.syntax import File
    from hamletc.passes.facts import Facts
    from hamletc.passes.pipeline import Pass

Target: TypeAlias = Literal["triton", "numba"]
TARGETS: tuple[Target, ...] = get_args(Target)

T = TypeVar("T")


class SourceError(CompileError):
    """The source has errors. The message shows them the way a terminal does; `diagnostics` has them one by one."""

    def __init__(self, source: Source, diagnostics: Sequence[Diagnostic]) -> None:
        from hamletc.diagnostics import render

        super().__init__(render(diagnostics, source.text, str(source.path)))
        self.source = source
        self.diagnostics = tuple(diagnostics)


@dataclass(frozen=True, slots=True)
class Source:
    """A file and what it says."""

    path: Path
    text: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A universe without errors, and the warnings about it."""

    source: Source
    universe: Universe
    warnings: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Options:
    """What to make of a universe.

    Attributes:
        targets: whose kernels to write.
        disabled_passes: names of passes to leave out.
        observer: called after every pass with its name and the function it made.
    """

    targets: tuple[Target, ...] = TARGETS
    disabled_passes: tuple[str, ...] = ()
    observer: Callable[[str, Function], None] | None = None


@dataclass(slots=True)
class Stopwatch:
    """The seconds that each stage took, in the order of the stages."""

    laps: list[tuple[str, float]] = field(default_factory=list)

    def lap(self, stage: str, work: Callable[[], T]) -> T:
        """Do the work of a stage and note its time."""
        begin = perf_counter()
        try:
            return work()
        finally:
            self.laps.append((stage, perf_counter() - begin))


# --- the stages ------------------------------------------------------------------------------------------------------


def read(path: Path) -> Source:
    """Raises `SourceError` if the file cannot be read or is not text."""
    from hamletc.language.source import read_source

    text = read_source(path)
    if isinstance(text, str):
        return Source(path, text)
    raise SourceError(Source(path, ""), [text])


def parse(source: Source) -> File:
    """Raises `SourceError` with every syntax error found."""
    from hamletc.language.parser import parse

    file, diagnostics = parse(source.text)
    if file is None or diagnostics:
        raise SourceError(source, diagnostics)
    return file


def check(source: Source, file: File) -> Checked:
    """Raises `SourceError` with every error found, and the warnings."""
    from hamlet.manifest import plain
    from hamletc.checking.check import check

    universe, diagnostics = check(file, plain(source.path.name))
    if universe is None:
        raise SourceError(source, diagnostics)
    return Checked(source, universe, tuple(diagnostics))


def lower(universe: Universe) -> Program:
    """The tick IR as the lowering makes it."""
    from hamletc.lowering.lower import lower

    return lower(universe)


def optimise(program: Program, universe: Universe, options: Options, stopwatch: Stopwatch) -> Program:
    """The tick IR after all passes but the disabled ones; the time of each pass is that over all functions."""
    from hamletc.passes.pipeline import default_passes

    return _run_passes(program, universe, options, stopwatch, default_passes)


def specialise(program: Program, universe: Universe, target: Target, options: Options, stopwatch: Stopwatch) -> Program:
    """The optimised tick IR after the passes that only this target gains from."""
    from hamletc.passes.pipeline import gpu_passes

    match target:
        case "triton":
            return _run_passes(program, universe, options, stopwatch, gpu_passes)
        case "numba":
            return program


def _run_passes(
    program: Program,
    universe: Universe,
    options: Options,
    stopwatch: Stopwatch,
    choose: Callable[[Facts], tuple[Pass, ...]],
) -> Program:
    from hamletc.passes.pipeline import run

    times: dict[str, float] = {}

    def observe(name: str, _before: Function, after: Function, seconds: float) -> None:
        times[name] = times.get(name, 0.0) + seconds
        if options.observer is not None:
            options.observer(name, after)

    result = run(program, universe, frozenset(options.disabled_passes), observe, choose)
    stopwatch.laps += [(f"pass {name}", seconds) for name, seconds in times.items()]
    return result


def emit_texts(program: Program, universe: Universe, options: Options, stopwatch: Stopwatch) -> dict[str, str]:
    """The texts of a package by file name, without its `__init__.py`."""
    from hamlet.codec import to_json
    from hamlet.module import UNIVERSE_FILE, kernels_file
    from hamletc.ir.printer import print_program
    from hamletc.package import IR_FILE

    texts = {UNIVERSE_FILE: to_json(universe), IR_FILE: print_program(program)}
    for target in options.targets:
        special = specialise(program, universe, target, options, stopwatch)
        texts[kernels_file(target)] = emit_kernels(special, universe, target)
    return texts


def emit_kernels(program: Program, universe: Universe, target: Target) -> str:
    """The kernels of one target, from a program that `specialise` made for it."""
    match target:
        case "triton":
            from hamletc.targets.triton.emit import emit
        case "numba":
            from hamletc.targets.numba.emit import emit
    return emit(program, universe)


# --- all together ----------------------------------------------------------------------------------------------------


def check_file(path: Path, stopwatch: Stopwatch) -> Checked:
    """The universe in a file.

    Raises:
        SourceError: the file cannot be read, or has errors.
    """
    source = stopwatch.lap("read", lambda: read(path))
    file = stopwatch.lap("parse", lambda: parse(source))
    return stopwatch.lap("check", lambda: check(source, file))


def build(universe: Universe, options: Options, stopwatch: Stopwatch) -> dict[str, bytes]:
    """The files of the generated package of a universe, ready for `hamletc.package.write`."""
    from hamletc.package import package

    unoptimised = stopwatch.lap("lower", lambda: lower(universe))
    program = stopwatch.lap("optimise", lambda: optimise(unoptimised, universe, options, stopwatch))
    return stopwatch.lap("emit", lambda: package(universe, emit_texts(program, universe, options, stopwatch)))


def compile_file(path: Path, output: Path | None = None) -> Path:
    """Compile a file for all targets and write the package into `output`, by default into a folder of the user's cache
    that is named after its contents.

    Returns:
        The folder.

    Raises:
        CompileError: the file has errors, or the folder cannot be written.
    """
    from hamletc.package import cache_folder, write

    stopwatch = Stopwatch()
    universe = check_file(path, stopwatch).universe
    files = build(universe, Options(), stopwatch)
    folder = cache_folder(universe.name, files) if output is None else output
    write(files, folder)
    return folder
