"""The pipeline: text in, generated package out. Every stage is a function, in the order in which they run.

    read     Path                -> Source
    parse    Source              -> File          (syntax tree)
    check    File                -> Universe

or, from the folder of a pack,

    read_pack  Path              -> Pack
    translate  Pack              -> File, Description
    check      File              -> Universe

and then

    lower    Universe            -> Program       (tick IR)
    optimise   Program           -> Program
    specialise Program           -> Program       (for a target)
    emit     Program, Universe   -> texts by file name
    write    texts               -> folder        (hamletc.package)

Stages import what they need when they run, so that `hamletc check` starts fast.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar, get_args

from hamletc.errors import CompileError
from hamletc.language.source import Source

if TYPE_CHECKING:
    from hamlet.package.module import Module
    from hamlet.universe import Universe
    from hamlet_townlet import Pack
    from hamlet_townlet.adapter.description import Description
    from hamletc.diagnostics import Diagnostic, FileDiagnostics
    from hamletc.ir.function import Function, Program
    from hamletc.language.syntax import File
    from hamletc.passes.pipeline import Pass
    from hamletc.passes.ranges import Facts

Target: TypeAlias = Literal["triton", "numba"]
TARGETS: tuple[Target, ...] = get_args(Target)

T = TypeVar("T")


class SourceError(CompileError):
    """A text or a pack has errors. The message shows them the way a terminal does; `found` has them file by file.

    `path` is what was to be compiled.
    """

    def __init__(self, path: Path, found: Sequence[FileDiagnostics]) -> None:
        from hamletc.diagnostics import render_files

        super().__init__(render_files(found))
        self.path = path
        self.found = tuple(found)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All diagnostics, one by one."""
        return tuple(diagnostic for file in self.found for diagnostic in file.diagnostics)


@dataclass(frozen=True, slots=True)
class Checked:
    """A universe without errors, and the warnings about it file by file. `pack` is what HAMLET knows about a pack
    beyond a universe, `None` where there is no pack."""

    path: Path
    universe: Universe
    warnings: tuple[FileDiagnostics, ...]
    pack: Description | None = None


@dataclass(frozen=True, slots=True)
class Options:
    """What to make of a universe.

    Attributes:
        targets: whose kernels to write.
        disabled_passes: names of passes to leave out.
        observer: called after every pass with its name and the function it made.
        edit: changes what was lowered, before the passes run; only to measure what a part costs.
    """

    targets: tuple[Target, ...] = TARGETS
    disabled_passes: tuple[str, ...] = ()
    observer: Callable[[str, Function], None] | None = None
    edit: Callable[[Program], Program] | None = None


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
    """Raises `SourceError` if the file cannot be read or is not text, `CompileError` if it is something else that users
    can name."""
    from hamletc.kinds import expect
    from hamletc.language.source import read_source

    expect(path, "text", "nothing")

    text = read_source(path)
    if isinstance(text, str):
        return Source(path, text)
    raise _errors(Source(path, ""), [text])


def parse(source: Source) -> File:
    """Raises `SourceError` with every syntax error found."""
    from hamletc.language.parser import parse

    file, diagnostics = parse(source.text)
    if file is None or diagnostics:
        raise _errors(source, diagnostics)
    return file


def check(source: Source, file: File) -> Checked:
    """Raises `SourceError` with every error found, and the warnings."""
    from hamletc.diagnostics import by_file

    universe, diagnostics = _check(file, (source,))
    if universe is None:
        raise _errors(source, diagnostics)
    return Checked(source.path, universe, by_file(diagnostics, (source,)))


def read_pack(path: Path) -> tuple[Pack, tuple[FileDiagnostics, ...]]:
    """A pack, and warnings about it. Raises `SourceError` with every error found, `CompileError` if it is none."""
    from hamlet_townlet import read_pack
    from hamletc.kinds import expect

    expect(path, "pack")

    pack, found = read_pack(path)
    if pack is None:
        raise SourceError(path, found)
    return pack, found


def translate(pack: Pack) -> tuple[File, Description]:
    """A pack in the text language, and what HAMLET knows about it beyond that."""
    from hamlet_townlet.translate import translate

    return translate(pack)


def check_translated(pack: Pack, found: Sequence[FileDiagnostics], file: File, description: Description) -> Checked:
    """Raises `SourceError` with every error in what a pack was translated to; `found` are warnings from reading it."""
    from hamlet_townlet.translate.terms import NOWHERE
    from hamletc.diagnostics import by_file, merged

    universe, diagnostics = _check(file, pack.sources)
    said = [d for d in diagnostics if d.severity == "error" or d.primary.span != NOWHERE]
    everything = merged(found, by_file(said, pack.sources))
    if universe is None:
        raise SourceError(pack.directory, everything)
    return Checked(pack.directory, universe, everything, description)


def _check(file: File, sources: Sequence[Source]) -> tuple[Universe | None, tuple[Diagnostic, ...]]:
    from hamlet.package.manifest import plain
    from hamletc.checking.check import check

    return check(file, tuple(plain(source.path.name) for source in sources))


def _errors(source: Source, diagnostics: Sequence[Diagnostic]) -> SourceError:
    from hamletc.diagnostics import by_file

    return SourceError(source.path, by_file(diagnostics, (source,)))


def lower(universe: Universe) -> Program:
    """The tick IR as the lowering makes it."""
    from hamletc.lowering.lower import lower

    return lower(universe)


def optimise(program: Program, universe: Universe, options: Options, stopwatch: Stopwatch) -> Program:
    """The tick IR after all passes but the disabled ones; the time of each pass is that over all functions."""
    from hamletc.passes.pipeline import default_passes

    if options.edit is not None:
        program = options.edit(program)
    return _run_passes(program, universe, options, stopwatch, default_passes)


def specialise(program: Program, universe: Universe, target: Target, options: Options, stopwatch: Stopwatch) -> Program:
    """The optimised tick IR after the passes that only this target gains from."""
    from hamletc.passes.pipeline import gpu_passes

    match target:
        case "triton":
            return _run_passes(program, universe, options, stopwatch, gpu_passes)
        case "numba":
            return _for_cpu(program, universe, options, stopwatch)


def _for_cpu(program: Program, universe: Universe, options: Options, stopwatch: Stopwatch) -> Program:
    """A program that takes the cells of affordances from the kernel, where that keeps them; and with tables for
    registers."""
    from hamletc.ir.verifier import verify_program
    from hamletc.lowering.lower import CPU, lower
    from hamletc.lowering.plan import plan
    from hamletc.passes import tabulation
    from hamletc.passes.facts import facts_of
    from hamletc.passes.pipeline import KEPT_CELLS
    from hamletc.targets.numba.parts import is_large

    if KEPT_CELLS not in options.disabled_passes and not is_large(program) and plan(universe, CPU).kept:
        again = lower(universe, CPU)
        program = stopwatch.lap(f"pass {KEPT_CELLS}", lambda: optimise(again, universe, options, Stopwatch()))
    if is_large(program):
        program = _with_rows_of_situation(program, universe)
    if tabulation.NAME not in options.disabled_passes:
        facts = facts_of(universe, program)
        program = stopwatch.lap("pass tabulation", lambda: tabulation.tabulate(program, facts))
        verify_program(program)
    return program


def _with_rows_of_situation(program: Program, universe: Universe) -> Program:
    """A program in which a loop over meters finds situations."""
    from hamletc.ir.function import Program
    from hamletc.lowering.lower import LIMITS
    from hamletc.lowering.plan import plan
    from hamletc.lowering.situation import lower_bin, lower_situation
    from hamletc.passes.pipeline import MOST_UNROLLED

    if len(universe.meters) <= MOST_UNROLLED:
        return program
    row, table = lower_bin(universe)
    others = tuple(function for function in program.functions if function.name != "situation")
    before = lower_situation(plan(universe, LIMITS), with_meters=False)
    return Program(program.universe, (*others, before, row), (*program.tables, table))


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
    from hamlet.package.module import UNIVERSE_FILE, kernels_file
    from hamlet.universe.codec import to_json
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
    """The universe in a file, or in the folder of a pack.

    Raises:
        SourceError: it cannot be read, or has errors.
        CompileError: it is neither, but a generated package, a recorded run, ...
    """
    if path.is_dir():
        pack, found = stopwatch.lap("read", lambda: read_pack(path))
        tree, description = stopwatch.lap("translate", lambda: translate(pack))
        return stopwatch.lap("check", lambda: check_translated(pack, found, tree, description))
    source = stopwatch.lap("read", lambda: read(path))
    file = stopwatch.lap("parse", lambda: parse(source))
    return stopwatch.lap("check", lambda: check(source, file))


def build(
    universe: Universe, options: Options, stopwatch: Stopwatch, pack: Description | None = None
) -> dict[str, bytes]:
    """The files of the generated package of a universe, ready for `hamletc.package.write`. `pack` describes the pack
    that it comes from."""
    from hamletc.package import package

    with _without_collections():
        unoptimised = stopwatch.lap("lower", lambda: lower(universe))
        program = stopwatch.lap("optimise", lambda: optimise(unoptimised, universe, options, stopwatch))
        return stopwatch.lap("emit", lambda: package(universe, emit_texts(program, universe, options, stopwatch), pack))


@contextmanager
def _without_collections() -> Iterator[None]:
    """Inside, nobody looks for cycles among the millions of objects: a fifth of the time, for nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def compile_file(
    path: Path, output: Path | None = None, warned: Callable[[FileDiagnostics], None] = lambda _: None
) -> Module:
    """Compile a file or a pack for all targets and write the package into `output`, by default into a folder of the
    user's cache that is named after its contents. Where the cache cannot be written nothing is kept, and one line on
    stderr says so. `warned` is called with the warnings about each file, once there is the package.

    Returns:
        What was compiled, whatever somebody else writes into the folder meanwhile.

    Raises:
        CompileError: it has errors, or `output` cannot be written.
    """
    from hamlet.package import cache
    from hamlet.package.module import in_memory
    from hamletc.package import cache_folder, write

    stopwatch = Stopwatch()
    checked = check_file(path, stopwatch)
    files = build(checked.universe, Options(), stopwatch, checked.pack)
    folder = Path(checked.universe.name) if output is None else output
    if output is not None:
        write(files, output)
    else:
        try:
            folder = cache_folder(checked.universe.name, files)
            write(files, folder)
        except OSError as error:
            cache.say_once(f"the package of {checked.universe.name} is not kept: {cache.reason(error)}")
        except CompileError as error:
            cache.say_once(f"the package of {checked.universe.name} is not kept: {error}")
    for found in checked.warnings:
        warned(found)
    return in_memory(folder, files)
