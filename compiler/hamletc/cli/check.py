"""`hamletc check`: is this a universe?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import rich_click as click

from hamletc.cli.show import show_diagnostics
from hamletc.compile import SourceError, Stopwatch, check_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hamletc.compile import Source
    from hamletc.diagnostics import Diagnostic


@click.command()
@click.argument("universe", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How to print diagnostics.")
@click.pass_context
def check(ctx: click.Context, universe: Path, form: Literal["text", "json"]) -> None:
    """Report what is wrong with the file UNIVERSE. Exit code 1 if there are errors."""
    try:
        checked = check_file(universe, Stopwatch())
    except SourceError as error:
        _print(error.source, error.diagnostics, form)
        ctx.exit(1)
    _print(checked.source, checked.warnings, form)


def _print(source: Source, diagnostics: Sequence[Diagnostic], form: Literal["text", "json"]) -> None:
    match form:
        case "json":
            from hamletc.diagnostics import to_json

            click.echo(to_json(diagnostics, str(source.path)), nl=False)
        case "text" if diagnostics:
            show_diagnostics(source, diagnostics, sys.stdout)
        case "text":
            click.echo(f"{source.path}: no problems")
