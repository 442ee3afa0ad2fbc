"""`hamletc check`: is this a universe?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import rich_click as click

from hamlet.schema.fields import cell_numbers, pair_numbers
from hamletc.cli.lints import allow_option, deny_option, lints
from hamletc.cli.show import show_diagnostics, show_unused
from hamletc.compile import check_file
from hamletc.errors import SourceError
from hamletc.frontend import Stopwatch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hamletc.diagnostics import FileDiagnostics


@click.command()
@click.argument("universe", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print diagnostics.")
@allow_option
@deny_option
@click.pass_context
def check(
    ctx: click.Context, universe: Path, form: Literal["text", "json"], allow: tuple[str, ...], deny: tuple[str, ...]
) -> None:
    """Report what is wrong with the file UNIVERSE, or with the pack in the folder UNIVERSE. Exit code 1 if there are
    errors."""
    chosen = lints(allow, deny)
    of_cells = of_pairs = 0
    try:
        checked = check_file(universe, Stopwatch())
        files: Sequence[FileDiagnostics] = checked.warnings
        of_cells, of_pairs = cell_numbers(checked.universe), pair_numbers(checked.universe)
    except SourceError as error:
        files = error.found
    left = chosen.apply(files)
    _print(universe, left, form)
    for what, numbers in (("cells", of_cells), ("pairs", of_pairs)):
        if numbers and form == "text":
            click.echo(f"{universe}: its {what} take {numbers * 4 / 1024:,.1f} KiB in each world")
    show_unused(universe, chosen.unused(files))
    if any(diagnostic.severity == "error" for file in left for diagnostic in file.diagnostics):
        ctx.exit(1)


def _print(path: Path, files: Sequence[FileDiagnostics], form: Literal["text", "json"]) -> None:
    match form:
        case "json" if path.is_dir() or any(file.path != path for file in files):
            from hamletc.diagnostics import files_to_json

            click.echo(files_to_json(files, str(path)), nl=False)
        case "json":
            from hamletc.diagnostics import to_json

            click.echo(to_json([d for file in files for d in file.diagnostics], str(path)), nl=False)
        case "text" if files:
            show_diagnostics(path, files, sys.stdout)
        case "text":
            click.echo(f"{path}: no problems")
