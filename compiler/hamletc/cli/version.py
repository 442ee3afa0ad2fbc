"""`hamletc version`."""

from __future__ import annotations

import rich_click as click

from hamletc import __version__


@click.command()
def version() -> None:
    """Print the version."""
    click.echo(f"hamletc {__version__}")
