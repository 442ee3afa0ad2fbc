"""Printing diagnostics."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import rich_click as click

from hamlet.terminal import visible

if TYPE_CHECKING:
    from hamletc.cli.lints import Lints
    from hamletc.compile import Checked
    from hamletc.diagnostics import FileDiagnostics

MOST_LINES = 12
"""So many warnings about a pack are printed where it is not `hamletc check` that was asked for."""


def literal(text: str) -> str:
    """A text that a console of rich prints as it is: nothing in it is markup, and nothing is obeyed by a terminal."""
    from rich.markup import escape

    return escape(visible(text))


def show_diagnostics(path: Path, files: Sequence[FileDiagnostics], stream: TextIO | None = None) -> None:
    """Print diagnostics, and how many there are, on standard error or another stream; in colours on a terminal."""
    from hamletc.diagnostics import render_files, summary

    stream = sys.stderr if stream is None else stream
    diagnostics = [diagnostic for file in files for diagnostic in file.diagnostics]
    if diagnostics:
        click.echo(render_files(files, colour=stream.isatty()), stream)
        click.echo(f"{visible(str(path))}: {summary(diagnostics)}", stream)


def show_unused(path: Path, codes: Sequence[str]) -> None:
    """Say on standard error which codes were allowed in vain."""
    for code in codes:
        click.echo(f"{path}: no warning {code}, nothing to allow", err=True)


def count_warnings(checked: Checked) -> None:
    """Say in a line on standard error how many warnings there are, and how to see them."""
    count = sum(len(file.diagnostics) for file in checked.warnings)
    if count:
        noun = "warning" if count == 1 else "warnings"
        click.echo(f"{checked.path}: {count} {noun}: hamletc check {checked.path}", err=True)


def show_warnings(checked: Checked, lints: Lints | None = None) -> None:
    """Print the warnings about a universe on standard error, but for those that are allowed; those about a pack in a
    line each."""
    warnings = checked.warnings if lints is None else lints.apply(checked.warnings)
    if lints is not None:
        show_unused(checked.path, lints.unused(checked.warnings))
    if not checked.path.is_dir():
        show_diagnostics(checked.path, warnings)
        return
    lines = [
        f"{file.path}:{d.primary.span.line}:{d.primary.span.column}: {d.severity}[{d.code}]: {d.message}"
        for file in warnings
        for d in file.diagnostics
    ]
    for line in lines[:MOST_LINES]:
        click.echo(visible(line), err=True)
    if len(lines) > MOST_LINES:
        click.echo(f"... and {len(lines) - MOST_LINES} more: hamletc check {checked.path}", err=True)
