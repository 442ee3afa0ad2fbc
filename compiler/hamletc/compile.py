"""The pipeline: text in, generated package out. Every stage is a function, in the order in which they run.

    read       Path                -> Reading       (a front end: hamletc.frontend; of a text: read, parse)
    check      Reading             -> Checked       (a Universe, and warnings)
    lower      Universe            -> Compilation   (plan, tick IR, facts: hamletc.compilation)
    optimise   Compilation         -> Compilation
    specialise Compilation         -> Compilation   (a target: hamletc.targets.target)
    emit       Compilation         -> text or bytes (a target)
    write      files by name       -> folder        (hamletc.package)

Stages import what they need when they run, so that `hamletc check` starts fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from hamlet.frozen import dataclass
from hamlet.garbage import without_collections
from hamletc.errors import CompileError, SourceError
from hamletc.frontend import Stopwatch, UniverseText
from hamletc.read import read_universe
from hamletc.targets.target import target, working_targets, written_by

if TYPE_CHECKING:
    from hamlet.package.module import Module
    from hamlet.universe import Universe
    from hamletc.compilation import Compilation
    from hamletc.diagnostics import FileDiagnostics
    from hamletc.ir.function import Function, Program
    from hamletc.kernel.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Checked:
    """A universe without errors, and the warnings about it file by file; `source` and `attached` as in
    `hamletc.frontend.UniverseText`."""

    path: Path
    universe: Universe
    warnings: tuple[FileDiagnostics, ...]
    source: str
    attached: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Options:
    """Options of a compilation.

    Attributes:
        targets: the names of those whose kernels to write.
        disabled_passes: names of passes to leave out.
        observer, edit: as in `hamletc.compilation.Compilation`.
    """

    targets: tuple[str, ...] = field(default_factory=working_targets)
    disabled_passes: tuple[str, ...] = ()
    observer: Callable[[str, Function], None] | None = None
    edit: Callable[[Program], Program] | None = None


# --- the stages ------------------------------------------------------------------------------------------------------


def check(reading: UniverseText) -> Checked:
    """Raises `SourceError` with every error found, and the warnings."""
    from hamlet.package.manifest import plain
    from hamletc.checking.check import check
    from hamletc.diagnostics import by_file, merged
    from hamletc.language.syntax import NOWHERE

    names = tuple(plain(source.title) for source in reading.sources)
    universe, diagnostics = check(reading.file, names)
    # What a front end wrote of its own accord is not the author's: of that errors are said, and no warnings.
    said = [d for d in diagnostics if d.severity == "error" or d.primary.span != NOWHERE]
    warnings = merged(reading.warnings, by_file(said, reading.sources))
    if universe is None:
        raise SourceError(reading.path, warnings)
    return Checked(reading.path, universe, warnings, plain(reading.name or names[0]), dict(reading.attached))


def lower(universe: Universe, options: Options | None = None, stopwatch: Stopwatch | None = None) -> Compilation:
    """The tick IR as the lowering makes it, and what is known about it."""
    from hamletc.compilation import Compilation
    from hamletc.lowering.plan import LIMITS
    from hamletc.passes.pipeline import WINDOW_WORDS

    options = options or Options()
    limits = replace(LIMITS, window_rows=0) if WINDOW_WORDS in options.disabled_passes else LIMITS
    return replace(
        Compilation.begin(universe, limits),
        disabled=frozenset(options.disabled_passes),
        stopwatch=stopwatch or Stopwatch(),
        observer=options.observer,
        edit=options.edit,
    )


def optimise(compilation: Compilation) -> Compilation:
    """The tick IR after all passes but the disabled ones."""
    return compilation.optimised()


def schedule(compilation: Compilation) -> Schedule:
    """The verified schedule of a program: what its kernels do around its functions."""
    from hamletc.kernel.build import build
    from hamletc.kernel.verifier import verify_schedule

    result = build(compilation.universe, compilation.program)
    verify_schedule(result, compilation.universe, compilation.program)
    return result


def specialise(compilation: Compilation, name: str) -> Compilation:
    """The optimised tick IR after what only this target gains from."""
    return target(name).specialise(compilation)


def emit_kernels(compilation: Compilation, name: str) -> str | bytes:
    """The kernels of one target, from what `specialise` made for it."""
    return target(name).emit(compilation)


def emit_texts(compilation: Compilation, targets: Iterable[str]) -> dict[str, str | bytes]:
    """The contents of a package by file name, without its `__init__.py`, from the optimised tick IR."""
    from hamlet.package.module import UNIVERSE_FILE
    from hamlet.universe.codec import to_json
    from hamletc.ir.text import print_program
    from hamletc.kernel.text import print_schedule
    from hamletc.package import IR_FILE, SCHEDULE_FILE

    texts: dict[str, str | bytes] = {
        UNIVERSE_FILE: to_json(compilation.universe),
        IR_FILE: print_program(compilation.program),
        SCHEDULE_FILE: print_schedule(schedule(compilation)),
    }
    special: dict[str, Compilation] = {}
    for name in targets:
        form = target(name).form
        if form not in special:
            special[form] = specialise(compilation, name)
        texts[written_by(name)] = emit_kernels(special[form], name)
    return texts


# --- all together ----------------------------------------------------------------------------------------------------


def check_file(path: Path, stopwatch: Stopwatch) -> Checked:
    """The universe that a path names.

    Raises:
        SourceError: it cannot be read, or has errors.
        CompileError: it is no universe, but a generated package, a recorded run, ...
    """
    with without_collections():
        reading = read_universe(path, stopwatch)
        return stopwatch.lap("check", lambda: check(reading))


def build(
    universe: Universe,
    options: Options,
    stopwatch: Stopwatch,
    attached: Mapping[str, str] = MappingProxyType({}),
    source: str | None = None,
) -> dict[str, bytes]:
    """The files of the generated package of a universe, ready for `hamletc.package.write`; `attached` and `source` as
    in `Checked`."""
    from hamletc.package import package

    with without_collections():
        lowered = stopwatch.lap("lower", lambda: lower(universe, options, stopwatch))
        optimised = stopwatch.lap("optimise", lambda: optimise(lowered))
        texts = stopwatch.lap("emit", lambda: emit_texts(optimised, options.targets))
        return package(universe, {**texts, **attached}, source)


def build_checked(checked: Checked, options: Options, stopwatch: Stopwatch) -> dict[str, bytes]:
    """The files of the package of what was checked."""
    return build(checked.universe, options, stopwatch, checked.attached, checked.source)


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
    from hamlet.package.module import in_memory
    from hamletc.package import write

    stopwatch = Stopwatch()
    checked = check_file(path, stopwatch)
    files = build_checked(checked, Options(), stopwatch)
    if output is not None:
        write(files, output)
    folder = write_to_cache(checked.universe.name, files) if output is None else output
    for warning in checked.warnings:
        warned(warning)
    return in_memory(folder, files)


def write_to_cache(name: str, files: Mapping[str, bytes]) -> Path:
    """Write a package into the user's cache. Where the cache cannot be written one line on stderr says so.

    Returns:
        The folder in the cache, which is named after the contents; a folder that is nowhere if there is no cache.
    """
    from hamlet.package import cache
    from hamlet.terminal import say_once
    from hamletc.package import cache_folder, keep

    folder = Path(name)
    try:
        folder = cache_folder(name, files)
        if keep(files, folder):
            say_once(f"the kept package of {name} was damaged, and was written anew: {folder}")
    except OSError as error:
        say_once(f"the package of {name} is not kept: {cache.reason(error)}")
    except CompileError as error:
        say_once(f"the package of {name} is not kept: {error}")
    return folder
