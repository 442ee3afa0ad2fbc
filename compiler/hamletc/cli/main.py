"""The command `hamletc`. Exit codes: 0 fine, 1 diagnostics or a failure, 2 wrong usage."""

from __future__ import annotations

import io
import sys
from typing import Any

import rich_click as click

from hamlet.errors import HamletError
from hamletc.cli.bench import bench
from hamletc.cli.check import check
from hamletc.cli.compile import compile
from hamletc.cli.diff import diff
from hamletc.cli.fmt import fmt
from hamletc.cli.import_ import import_
from hamletc.cli.profile import profile
from hamletc.cli.record import record_
from hamletc.cli.replay import replay
from hamletc.cli.run import run
from hamletc.cli.show import show_diagnostics
from hamletc.cli.verify import verify
from hamletc.cli.version import version
from hamletc.compile import SourceError


class Hamletc(click.RichGroup):
    """Prints the errors that a user can make as they are, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SourceError as error:
            show_diagnostics(error.path, error.found)
            ctx.exit(1)
        except HamletError as error:
            click.echo(f"error: {error}", err=True)
            ctx.exit(1)


@click.group(cls=Hamletc, context_settings={"help_option_names": ["-h", "--help"]})
def hamletc() -> None:
    """Universes of meters, cascades and affordances, compiled to kernels that agree to the bit."""


for verb in (check, compile, import_, run, record_, replay, verify, diff, fmt, version, bench, profile):
    hamletc.add_command(verb)


def main() -> None:
    """The console script."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a block character shows a question mark.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    hamletc(prog_name="hamletc")
