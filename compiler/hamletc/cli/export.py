"""`hamletc export`: a universe for other people's programs, as source text or as a module of WebAssembly."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from hamletc.cli.lints import allow_option, lints
from hamletc.cli.show import show_warnings
from hamletc.compile import check_file, lower, optimise, specialise
from hamletc.frontend import Stopwatch


@click.command()
@click.argument("universe", type=click.Path(path_type=Path))
@click.option("--to", "form", type=click.Choice(["c", "wasm"]), default="c", show_default=True,
              help="C99, or WebAssembly.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path(), show_default="here",
              help="Folder to write into.")  # fmt: skip
@allow_option
def export(universe: Path, form: str, output: Path, allow: tuple[str, ...]) -> None:
    """Write the file UNIVERSE, or the pack in the folder UNIVERSE, as one file of C99 and its header, or as a module of
    WebAssembly and the JavaScript that opens it."""
    from hamlet.backend.buffers import Shape
    from hamlet.env.keep.files import write_file
    from hamlet.interpreter.digest import digest_of_run
    from hamletc.export.tested import TEST_SEED, TEST_TICKS, TEST_WORLDS, agents_tested

    chosen = lints(allow)
    checked = check_file(universe, Stopwatch())
    show_warnings(checked, chosen)
    digest = digest_of_run(checked.universe, Shape(TEST_WORLDS, agents_tested(checked.universe)), TEST_SEED, TEST_TICKS)
    # Kernels in WebAssembly are made of the same program as those in C.
    compilation = specialise(optimise(lower(checked.universe)), "c")
    if form == "wasm":
        from hamletc.export.wasm import export_wasm

        exported = export_wasm(compilation, digest)
    else:
        from hamletc.export.c import export_c

        exported = export_c(compilation, digest)
    output.mkdir(parents=True, exist_ok=True)
    for name, contents in exported.files.items():
        write_file(output / name, contents)
        click.echo(f"wrote {output / name}")
