"""`hamletc compile`: a universe becomes a generated package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from hamlet.terminal import visible_lines
from hamlet.universe import Span
from hamletc.cli.lints import Lints, allow_option, lints
from hamletc.cli.show import show_warnings
from hamletc.compile import (
    Options,
    build_checked,
    check_file,
    emit_kernels,
    emit_texts,
    lower,
    optimise,
    schedule,
    specialise,
)
from hamletc.frontend import Stopwatch
from hamletc.read import read_universe
from hamletc.targets.target import target_names, usual_targets, working_targets

if TYPE_CHECKING:
    from collections.abc import Callable

    from hamletc.compilation import Compilation
    from hamletc.ir.function import Function

EMITTED = ("syntax", "universe", "ir", "ir-unoptimised", "kernel", *target_names(), "ptx")
"""Stages that `--emit` prints: the stages of the pipeline (`kernel` is the schedule), kernels, and their PTX."""

CAPABILITY = 90
"""The GPU that `--emit ptx` compiles for: sm_90 is an H100."""

CPU = "cpu"
"""The name in `--aot` of CPUs of every level that there is machine code for."""


@click.command()
@click.argument("universe", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder to write; by default generated/NAME.")
@click.option("--target", show_default=",".join(usual_targets()), help="Whose kernels to write.")
@click.option("--emit", type=click.Choice(EMITTED), help="Print one representation and write nothing.")
@click.option("--time-passes", is_flag=True, help="Print how long each stage and pass took.")
@click.option("--print-after", multiple=True, metavar="PASS", help="Print the tick IR after this pass.")
@click.option("--disable-pass", multiple=True, metavar="PASS", help="Leave this pass out.")
@click.option(
    "--aot", multiple=True, metavar="cpu|sm_90", help="Add machine code for CPUs, or for such GPUs. Repeatable."
)
@click.option("--tune", type=click.Choice(["default", "max"]), default="default", show_default=True,
              help="With max, machine code for every size of blocks that tuning tries.")  # fmt: skip
@allow_option
def compile(
    universe: Path,
    output: Path | None,
    target: str | None,
    emit: str | None,
    time_passes: bool,
    print_after: tuple[str, ...],
    disable_pass: tuple[str, ...],
    aot: tuple[str, ...],
    tune: str,
    allow: tuple[str, ...],
) -> None:
    """Compile the file UNIVERSE, or the pack in the folder UNIVERSE, into a package: universe, tick IR, kernels."""
    _check_passes(print_after, "--print-after")
    _check_passes(disable_pass, "--disable-pass")
    machines = _machines(aot, emit, tune)
    chosen = lints(allow)
    stopwatch = Stopwatch()
    options = Options(_targets(target), disable_pass, _printer(print_after))
    if emit is None:
        _write(universe, output, options, chosen, stopwatch, machines, tune == "max")
    else:
        printed = _printed(universe, emit, options, chosen, stopwatch)
        if isinstance(printed, bytes):
            # For a file, or for a program that reads modules.
            click.echo(printed, nl=False)
        else:
            click.echo(visible_lines(printed.rstrip("\n")))
    if time_passes:
        for stage, seconds in stopwatch.laps:
            click.echo(f"{1000 * seconds:9.1f} ms  {stage}", err=True)


def _write(
    path: Path,
    output: Path | None,
    options: Options,
    chosen: Lints,
    stopwatch: Stopwatch,
    machines: tuple[str, ...],
    every_block: bool,
) -> None:
    from hamletc.package import ahead_in, default_folder, with_ahead, write

    checked = check_file(path, stopwatch)
    show_warnings(checked, chosen)
    universe = checked.universe
    files = build_checked(checked, options, stopwatch)
    folder = default_folder(universe.name) if output is None else output
    ahead = ahead_in(folder, files)
    for machine in machines:
        ahead = stopwatch.lap(machine, partial(_ahead, files, ahead, universe.name, machine, every_block))
    if ahead:
        files = with_ahead(files, ahead)
    written = stopwatch.lap("write", lambda: write(files, folder))
    click.echo(f"wrote {folder}" if written else f"{folder} is up to date")


def _ahead(
    files: dict[str, bytes], ahead: dict[str, bytes], name: str, machine: str, every_block: bool
) -> dict[str, bytes]:
    """Machine code for a kind of machines, in place of that which there was, beside that for others."""
    from tempfile import TemporaryDirectory

    from rich.console import Console

    from hamlet.package.manifest import AHEAD
    from hamletc.package import write

    compiled = _for_cpus if machine == CPU else partial(_for_gpu, int(machine.removeprefix("sm_")), every_block)
    with TemporaryDirectory() as temporary, Console(stderr=True).status(f"{name}: for {machine}") as status:
        package = Path(temporary) / name
        write(files, package)
        made = compiled(package, lambda what: status.update(f"{name}: {what}"))
    mine = f"{AHEAD}/{'x86-64-' if machine == CPU else f'{machine}/'}"
    return {file: contents for file, contents in ahead.items() if not file.startswith(mine)} | made


def _for_cpus(package: Path, say: Callable[[str], None]) -> dict[str, bytes]:
    import hamlet
    from hamlet.launch.cpu.ahead import compile_ahead

    return compile_ahead(hamlet.load(package), lambda level: say(f"machine code for {level}"))


def _for_gpu(capability: int, every_block: bool, package: Path, say: Callable[[str], None]) -> dict[str, bytes]:
    import hamlet
    from hamlet.launch.gpu.compile_ahead import compile_ahead

    done = count()
    module = hamlet.load(package)
    return compile_ahead(module, capability, every_block, lambda: say(f"{next(done) + 1} kernels for sm_{capability}"))


def _machines(names: tuple[str, ...], emit: str | None, tune: str) -> tuple[str, ...]:
    from hamlet.launch.gpu.cubins import CAPABILITIES

    if names and emit is not None:
        raise click.UsageError("--emit writes nothing, --aot does.")
    if tune != "default" and not set(names) - {CPU}:
        raise click.UsageError("--tune goes with --aot for a GPU.")
    machines = (CPU, *(f"sm_{capability}" for capability in CAPABILITIES))
    for name in names:
        if name not in machines:
            text = f"{name!r} is none of {', '.join(machines)}; an A100 is sm_80, an H100 sm_90."
            raise click.BadParameter(text, param_hint="--aot")
    return tuple(dict.fromkeys(names))


def _printed(path: Path, what: str, options: Options, chosen: Lints, stopwatch: Stopwatch) -> str | bytes:
    if what == "syntax":
        return _syntax(path, stopwatch)
    checked = check_file(path, stopwatch)
    show_warnings(checked, chosen)
    universe = checked.universe
    if what == "universe":
        from hamlet.universe.codec import to_json

        return to_json(universe)
    from hamletc.ir.text import print_program

    lowered = stopwatch.lap("lower", lambda: lower(universe, options, stopwatch))
    if what == "ir-unoptimised":
        return print_program(lowered.program)
    optimised = stopwatch.lap("optimise", lambda: optimise(lowered))
    match what:
        case "ir":
            return print_program(optimised.program)
        case "kernel":
            from hamletc.kernel.text import print_schedule

            return print_schedule(stopwatch.lap("schedule", lambda: schedule(optimised)))
        case "ptx":
            return stopwatch.lap("ptx", lambda: _ptx(optimised))
        case target:
            special = specialise(optimised, target)
            return stopwatch.lap("emit", lambda: emit_kernels(special, target))


def _syntax(path: Path, stopwatch: Stopwatch) -> str:
    return _tree(read_universe(path, stopwatch).file)


def _ptx(optimised: Compilation) -> str:
    from tempfile import TemporaryDirectory

    import hamlet
    from hamlet.launch.gpu.forms import FORMS, compile_form
    from hamletc.package import package, write

    # Triton reads the source of kernels from a file.
    with TemporaryDirectory() as folder:
        universe = optimised.universe
        path = Path(folder) / universe.name
        write(package(universe, emit_texts(optimised, ("triton",))), path)
        kernels = hamlet.load(path).kernels("triton")
        ptx = {form: compile_form(kernels, universe, CAPABILITY, form).asm["ptx"] for form in FORMS}
    return "\n".join(f"// {universe.name}, {form}, sm_{CAPABILITY}\n{text}" for form, text in ptx.items())


def _printer(names: tuple[str, ...]) -> Callable[[str, Function], None]:
    def show(name: str, function: Function) -> None:
        from hamletc.ir.text import print_function

        if name in names:
            click.echo(f"# after {name}\n{print_function(function)}")

    return show


def _check_passes(names: tuple[str, ...], option: str) -> None:
    if names:
        from hamletc.passes.pipeline import PASS_NAMES, WHOLE_NAMES

        passes = PASS_NAMES if option == "--print-after" else (*PASS_NAMES, *WHOLE_NAMES)
        for name in names:
            if name not in passes:
                raise click.BadParameter(f"{name!r} is not one of {', '.join(passes)}.", param_hint=option)


def _targets(text: str | None) -> tuple[str, ...]:
    if text is None:
        return working_targets()
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in target_names():
            raise click.BadParameter(f"{name!r} is not one of {', '.join(target_names())}.", param_hint="--target")
    return tuple(target for target in target_names() if target in names)


def _tree(node: object) -> str:
    """A tree of dataclasses: a node per line, indented, with the line and column where it begins."""
    return "\n".join(_lines("", node, 0))


def _lines(label: str, node: object, depth: int) -> Iterator[str]:
    indent = "  " * depth + label
    if isinstance(node, tuple):
        if node:
            yield indent.rstrip()
        for item in node:
            yield from _lines("", item, depth + 1)
    elif is_dataclass(node) and not isinstance(node, (Span, type)):
        words = [type(node).__name__]
        words += [str(value) for _, value in _values(node) if isinstance(value, str)]
        span = getattr(node, "span", None)
        place = f"  @{span.line}:{span.column}" if isinstance(span, Span) else ""
        yield indent + " ".join(words) + place
        for name, value in _values(node):
            if (is_dataclass(value) and not isinstance(value, Span)) or isinstance(value, tuple):
                yield from _lines(f"{name}: ", value, depth + 1)


def _values(node: object) -> Iterator[tuple[str, object]]:
    if is_dataclass(node):
        for each in fields(node):
            yield each.name, getattr(node, each.name)
