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

    from hamletc.cli.lints import Lints
    from hamletc.diagnostics import FileDiagnostics


@click.command()
@click.argument("universes", metavar="UNIVERSE...", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--fix", is_flag=True, help="First write into the files what hints say, where nothing else can be meant.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print diagnostics.")
@allow_option
@deny_option
@click.pass_context
def check(
    ctx: click.Context,
    universes: tuple[Path, ...],
    fix: bool,
    form: Literal["text", "json"],
    allow: tuple[str, ...],
    deny: tuple[str, ...],
) -> None:
    """Report what is wrong with each file UNIVERSE, or with the pack in the folder UNIVERSE. Exit code 1 if there are
    errors."""
    chosen = lints(allow, deny)
    if len(universes) > 1 and form == "json":
        raise click.UsageError("--format json is for one universe.")
    passed = [_without_errors(universe, fix, form, chosen) for universe in universes]
    if not all(passed):
        ctx.exit(1)


def _without_errors(universe: Path, fix: bool, form: Literal["text", "json"], chosen: Lints) -> bool:
    """Print what is wrong with a universe. Returns whether there is no error."""
    if fix:
        from hamletc.cli.mend import mend

        mend(lambda: _diagnosed(universe))
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
    return not any(diagnostic.severity == "error" for file in left for diagnostic in file.diagnostics)


def _diagnosed(universe: Path) -> Sequence[FileDiagnostics]:
    """The diagnostics of a universe, errors or not."""
    try:
        return check_file(universe, Stopwatch()).warnings
    except SourceError as error:
        return error.found


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
