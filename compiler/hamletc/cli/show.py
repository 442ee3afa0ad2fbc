"""Printing diagnostics."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

import rich_click as click

if TYPE_CHECKING:
    from hamletc.compile import Source
    from hamletc.diagnostics import Diagnostic


def show_diagnostics(source: Source, diagnostics: Sequence[Diagnostic], stream: TextIO | None = None) -> None:
    """Print diagnostics, and how many there are, on standard error or another stream; in colours on a terminal."""
    from hamletc.diagnostics import render, summary

    stream = sys.stderr if stream is None else stream
    if diagnostics:
        click.echo(render(diagnostics, source.text, str(source.path), colour=stream.isatty()), stream)
        click.echo(f"{source.path}: {summary(diagnostics)}", stream)
