"""`hamletc export`: a universe becomes source text for other people's programs."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from hamletc.cli.lints import allow_option, lints
from hamletc.cli.show import show_warnings
from hamletc.compile import check_file, lower, optimise, specialise
from hamletc.frontend import Stopwatch


@click.command()
@click.argument("universe", type=click.Path(path_type=Path))
@click.option("--to", type=click.Choice(["c"]), default="c", show_default=True, expose_value=False,
              help="The language.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path(), show_default="here",
              help="Folder to write into.")  # fmt: skip
@allow_option
def export(universe: Path, output: Path, allow: tuple[str, ...]) -> None:
    """Write the file UNIVERSE, or the pack in the folder UNIVERSE, as one file of C99 and its header."""
    from hamlet.backend.buffers import Shape
    from hamlet.env.keep.files import write_file
    from hamlet.interpreter.digest import digest_of_run
    from hamletc.export.c import TEST_SEED, TEST_TICKS, TEST_WORLDS, agents_tested, export_c

    chosen = lints(allow)
    checked = check_file(universe, Stopwatch())
    show_warnings(checked, chosen)
    digest = digest_of_run(checked.universe, Shape(TEST_WORLDS, agents_tested(checked.universe)), TEST_SEED, TEST_TICKS)
    exported = export_c(specialise(optimise(lower(checked.universe)), "c"), digest)
    output.mkdir(parents=True, exist_ok=True)
    for name, text in ((exported.header_file, exported.header), (exported.source_file, exported.source)):
        write_file(output / name, text.encode())
        click.echo(f"wrote {output / name}")
